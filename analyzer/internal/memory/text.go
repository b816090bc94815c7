package memory

import (
	"slices"
	"strconv"
	"strings"

	"github.com/txrobust/robust/analyzer/internal/hole"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// anyText are the texts of which nothing is known.
var anyText = []string{client.Hole}

// TextsOf gives the texts that an expression may be.
func (in *Memory) TextsOf(e client.Expr) []string {
	switch e := e.(type) {
	case *client.Const:
		if e.Value.Kind == ir.KindText {
			return []string{e.Value.S}
		}
	case *client.VarExpr:
		if list, ok := in.Texts[e.Name]; ok {
			return list
		}
	case *client.Op:
		if e.Op != "+" || len(e.Args) != 2 {
			break
		}
		var out []string
		for _, a := range in.TextsOf(e.Args[0]) {
			for _, b := range in.TextsOf(e.Args[1]) {
				if s := hole.Join(a + b); !slices.Contains(out, s) {
					out = append(out, s)
				}
			}
		}
		if len(out) > hole.MaxTexts {
			return []string{hole.Common(out)}
		}
		return out
	case *client.Call: // of which nothing is known
	}
	return anyText
}

// Sprintf gives the text of fmt.Sprintf.
func (in *Memory) Sprintf(format string, args []Value) client.Expr {
	out := client.Expr(client.C(ir.Text("")))
	add := func(e client.Expr) { out = Concat(out, e) }
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
		s := in.ScalarOf(args[k])
		k++
		c, isConst := s.E.(*client.Const)
		switch {
		case (verb == 's' || verb == 'v') && s.Kind == client.Text:
			add(s.E)
		case (verb == 'd' || verb == 'v') && isConst && c.Value.Kind == ir.KindInt:
			add(client.C(ir.Text(strconv.Itoa(int(c.Value.I)))))
		default:
			add(&client.Call{Name: "format %" + string(verb), Args: []client.Expr{s.E}, Kind: client.Text})
		}
	}
}

// Given reports whether an expression depends on what the caller gives.
func (in *Memory) Given(e client.Expr) bool { return given(in, e, func(string) bool { return true }) }

// GivenBy reports whether an expression depends on what the caller gives for a parameter.
func (in *Memory) GivenBy(e client.Expr, param string) bool {
	return given(in, e, func(v string) bool { return v == param || strings.HasPrefix(v, param+".") })
}

// given reports whether an expression depends on a variable for what the caller gives, whose name is
// an accepted one.
func given(in *Memory, e client.Expr, accepted func(name string) bool) bool {
	found := false
	client.EachVar(e, func(name string) {
		for _, v := range in.Vars {
			found = found || v.Name == name && v.Input && accepted(name)
		}
	})
	return found
}

// Unsettled reports whether a part of a text is not known.
func (in *Memory) Unsettled(v Value) bool {
	s, ok := Unbox(v).(Scalar)
	return ok && slices.ContainsFunc(in.TextsOf(s.E), func(t string) bool { return strings.Contains(t, client.Hole) })
}

// WithTexts gives v with the texts that it may be.
func (in *Memory) WithTexts(v Value, texts []string) Value {
	switch {
	case len(texts) == 0:
		return v
	case len(texts) == 1 && !strings.Contains(texts[0], client.Hole):
		return Scalar{client.C(ir.Text(texts[0])), client.Text}
	}
	s := in.ScalarOf(v)
	x, ok := s.E.(*client.VarExpr)
	if !ok {
		t := in.Temp("text", client.Text, false)
		in.Set(t, s.E)
		x = &client.VarExpr{Name: t}
	}
	in.Texts[x.Name] = texts
	return Scalar{x, client.Text}
}
