package analyzer

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// maxTexts bounds the texts that one statement may have, apart from the values of
// its parameters.
const maxTexts = 16

// hole is the text of which nothing is known.
var hole = []string{client.Hole}

// textsOf gives the texts that an expression may be.
func (in *interp) textsOf(e client.Expr) []string {
	switch e := e.(type) {
	case *client.Const:
		if e.Value.Kind == ir.KindText {
			return []string{e.Value.S}
		}
	case *client.VarExpr:
		if list, ok := in.texts[e.Name]; ok {
			return list
		}
	case *client.Op:
		if e.Op != "+" || len(e.Args) != 2 {
			break
		}
		var out []string
		for _, a := range in.textsOf(e.Args[0]) {
			for _, b := range in.textsOf(e.Args[1]) {
				if s := joinHoles(a + b); !slices.Contains(out, s) {
					out = append(out, s)
				}
			}
		}
		if len(out) > maxTexts {
			return []string{commonText(out)}
		}
		return out
	}
	return hole
}

// joinHoles makes one of holes beside each other.
func joinHoles(s string) string {
	for strings.Contains(s, client.Hole+client.Hole) {
		s = strings.ReplaceAll(s, client.Hole+client.Hole, client.Hole)
	}
	return s
}

// commonText gives what several texts begin with, and a hole.
func commonText(list []string) string {
	p := list[0]
	for _, s := range list[1:] {
		for !strings.HasPrefix(s, p) {
			p = p[:len(p)-1]
		}
	}
	return joinHoles(p + client.Hole)
}

// sprintf gives the text of fmt.Sprintf.
func (in *interp) sprintf(format string, args []value) client.Expr {
	out := client.Expr(client.C(ir.Text("")))
	add := func(e client.Expr) { out = concat(out, e) }
	k := 0
	for {
		i := strings.IndexByte(format, '%')
		if i < 0 || i == len(format)-1 {
			add(client.C(ir.Text(format)))
			return out
		}
		add(client.C(ir.Text(format[:i])))
		verb := format[i+1]
		format = format[i+2:]
		switch {
		case verb == '%':
			add(client.C(ir.Text("%")))
			continue
		case k >= len(args):
			add(&client.Call{Name: "format", Kind: client.Text})
			continue
		}
		s := in.scalarOf(args[k])
		k++
		c, isConst := s.e.(*client.Const)
		switch {
		case (verb == 's' || verb == 'v') && s.kind == client.Text:
			add(s.e)
		case (verb == 'd' || verb == 'v') && isConst && c.Value.Kind == ir.KindInt:
			add(client.C(ir.Text(itoa(int(c.Value.I)))))
		default:
			add(&client.Call{Name: "format %" + string(verb), Args: []client.Expr{s.e}, Kind: client.Text})
		}
	}
}

// given reports whether an expression depends on what the caller gives.
func (in *interp) given(e client.Expr) bool {
	found := false
	client.EachVar(e, func(name string) {
		for _, v := range in.vars {
			found = found || v.Name == name && v.Input
		}
	})
	return found
}

// withoutTwins leaves out the texts with ? for parameters beside which there is
// the same text with $1, $2 and so on: a driver is chosen, and then one of the two.
func withoutTwins(texts []string) []string {
	if len(texts) < 2 {
		return texts
	}
	return slices.DeleteFunc(slices.Clone(texts), func(s string) bool {
		n := 0
		var out strings.Builder
		for _, c := range s {
			if c != '?' {
				out.WriteRune(c)
				continue
			}
			n++
			out.WriteString("$" + itoa(n))
		}
		return n > 0 && slices.Contains(texts, out.String())
	})
}
