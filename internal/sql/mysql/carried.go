package mysql

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/ir"
)

// carried are the variables of the user that transactions of a file have left with what they had read, by name: the place
// of the statement that read it.
type carried map[string]ir.Pos

// across tells of the variables that a transaction takes over from earlier ones, and keeps those that it leaves. Its values are any: what was
// read may have changed in between, at every isolation level.
func (r *reader) across(list []*statement) {
	own := map[string]bool{} // variables that it has set
	for _, st := range list {
		targets := st.targets()
		var from *ir.Pos // where what it reads was read before
		for i, t := range st.tokens {
			name, is := t.userVariable()
			if !is || slices.Contains(targets, i) {
				continue
			}
			if pos, known := r.carried[name]; known {
				from = &pos
				if !own[name] {
					r.note(st.src.pos(t.from), "%s is set at %s, in another transaction: in the same session, what was read there may have changed meanwhile, at every isolation level. "+
						"Any value is assumed here; read it in this transaction, with FOR UPDATE", t.text, pos)
				}
			}
		}
		for _, i := range targets {
			name, _ := st.tokens[i].userVariable()
			own[name] = true
			switch {
			case st.has("FROM", "RETURNING"):
				r.carried[name] = st.pos()
			case from != nil:
				r.carried[name] = *from
			default:
				delete(r.carried, name)
			}
		}
	}
}

// userVariable gives the name of a variable of the user, in lower case.
func (t token) userVariable() (string, bool) {
	if t.kind != named || !strings.HasPrefix(t.text, "@") || strings.HasPrefix(t.text, "@@") {
		return "", false
	}
	return strings.ToLower(t.text[1:]), true
}

// targets are the places of the variables that a statement sets: behind INTO, before :=, and in SET.
func (st *statement) targets() []int {
	var out []int
	into, depth := false, 0
	for i, t := range st.tokens {
		_, is := t.userVariable()
		next := token{kind: quoted}
		if i+1 < len(st.tokens) {
			next = st.tokens[i+1]
		}
		switch {
		case t.is("INTO"):
			into = true
		case t.is("("):
			depth++
		case t.is(")"):
			depth--
		case !is && !t.is(","):
			into = false
		}
		begins := st.first("SET") && depth == 0 && i > 0 && (i == 1 || st.tokens[i-1].is(","))
		if is && (into || next.is(":") || begins) {
			out = append(out, i)
		}
	}
	return out
}
