package std

import (
	"regexp"
	"slices"
	"strings"

	"github.com/txrobust/robust/analyzer/internal/consteval"
	"github.com/txrobust/robust/analyzer/internal/hole"
	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/session"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// rewriter is a *regexp.Regexp or a *strings.Replacer that is made of constants.
type rewriter struct {
	made     string // of what it is made
	pattern  *regexp.Regexp
	replacer *strings.Replacer
}

// Live is that of an object.
func (r *rewriter) Live() bool { return false }

// Sends is that of an object: it is never nil, and nobody changes it.
func (r *rewriter) Sends() bool { return true }

// Same is that of an object.
func (r *rewriter) Same(o memory.Value) bool {
	p, ok := o.(*rewriter)
	return ok && p.made == r.made
}

// Depends is that of an object.
func (r *rewriter) Depends() (list []memory.Value, ok bool) { return nil, false }

// maxPattern bounds the texts of patterns and what is rewritten with them.
const maxPattern = 1 << 16

// newPattern is regexp.MustCompile of a constant.
func newPattern(_ *session.Session, inv *session.Invocation) (memory.Value, bool) {
	text, ok := memory.ConstText(inv.Args[0])
	if !ok || len(text) > maxPattern {
		return nil, false
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, false
	}
	return &rewriter{made: "regexp " + text, pattern: re}, true
}

// newReplacer is strings.NewReplacer of constants.
func newReplacer(in *session.Session, inv *session.Invocation) (memory.Value, bool) {
	list, ok := in.ListOf(inv.Args[0])
	if !ok || len(list)%2 == 1 {
		return nil, false
	}
	var pairs []string
	for _, v := range list {
		s, ok := memory.ConstText(v)
		if !ok {
			return nil, false
		}
		pairs = append(pairs, s)
	}
	return &rewriter{made: "replacer " + strings.Join(pairs, "\x00"), replacer: strings.NewReplacer(pairs...)}, true
}

// rewritten is a method of a rewriter that gives another text: each that the argument may be
// is rewritten.
func rewritten(in *session.Session, inv *session.Invocation) (memory.Value, bool) {
	r, ok := memory.Unbox(inv.Args[0]).(*rewriter)
	if !ok {
		return nil, false
	}
	arg := in.ScalarOf(inv.Args[1])
	texts := in.TextsOf(arg.E)
	with := ""
	if len(inv.Args) > 2 {
		if with, ok = memory.ConstText(inv.Args[2]); !ok {
			return nil, false
		}
	}
	var out []string
	for _, s := range texts {
		if strings.Contains(s, client.Hole) || len(s) > maxPattern {
			return nil, false
		}
		switch {
		case r.replacer != nil:
			s = r.replacer.Replace(s)
		case strings.HasSuffix(inv.Name, "ReplaceAllLiteralString"):
			s = r.pattern.ReplaceAllLiteralString(s, with)
		default:
			s = r.pattern.ReplaceAllString(s, with)
		}
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	if len(out) == 1 {
		return memory.Of(client.C(ir.Text(out[0])), client.Text), true
	}
	e := &client.Call{Name: inv.Name + " " + r.made + " " + with, Args: []client.Expr{arg.E}, Kind: client.Text}
	return in.WithTexts(memory.Of(e, client.Text), out), true
}

// ofTexts is a function of texts and numbers: it is computed where these are constant, and
// otherwise for each text that a single argument may be.
func ofTexts(in *session.Session, inv *session.Invocation) (memory.Value, bool) {
	lists := [][]consteval.Value{nil}
	for _, a := range inv.Args {
		some := constantsOf(in, a)
		if some == nil || len(some)*len(lists) > hole.MaxTexts {
			return session.Computes(in, inv)
		}
		var longer [][]consteval.Value
		for _, l := range lists {
			for _, v := range some {
				longer = append(longer, append(slices.Clip(l), v))
			}
		}
		lists = longer
	}
	var texts []string
	for _, args := range lists {
		v, _ := consteval.Apply(inv.Name, args)
		switch v := v.(type) {
		case string:
			texts = append(texts, v)
			continue
		case int64:
			if len(lists) == 1 {
				return memory.Of(memory.ConstInt(v), client.Int), true
			}
		case bool:
			if len(lists) == 1 {
				return memory.Of(client.C(ir.Bool(v)), client.Bool), true
			}
		}
		return session.Computes(in, inv)
	}
	v, ok := session.Computes(in, inv)
	return in.WithTexts(v, texts), ok
}

// constantsOf gives the constants that a value may be, nil if they are not known.
func constantsOf(in *session.Session, v memory.Value) []consteval.Value {
	c, ok := memory.ConstOf(memory.Unbox(v))
	switch {
	case ok && c.Kind == ir.KindInt:
		return []consteval.Value{c.I}
	case ok && c.Kind == ir.KindBool:
		return []consteval.Value{c.IsTrue()}
	}
	var out []consteval.Value
	for _, t := range in.TextsOf(in.ScalarOf(v).E) {
		if strings.Contains(t, client.Hole) {
			return nil
		}
		out = append(out, t)
	}
	return out
}
