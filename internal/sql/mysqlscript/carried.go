package mysqlscript

import (
	"slices"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/mysql"
)

// carried are the variables of the user that transactions of a file have left with what they had read, by name: the place
// of the statement that read it.
type carried map[string]ir.Pos

// across tells of the variables that a transaction takes over from earlier ones, and keeps those that it leaves. Its values are any: what was
// read may have changed in between, at every isolation level. Inside says that the statements are one transaction.
func (r *reader) across(list []*mysql.Statement, inside bool) {
	r.session.add(list, inside)
	own := map[string]bool{} // variables that it has set
	for _, st := range list {
		targets := st.Targets()
		var from *ir.Pos // where what it reads was read before
		for i, t := range st.Tokens {
			name, is := t.UserVariable()
			if !is || slices.Contains(targets, i) {
				continue
			}
			if pos, known := r.carried[name]; known {
				from = &pos
				if !own[name] {
					r.session.goes = true
					r.note(st.Src.Pos(t.From), "%s is set at %s, in another transaction: in the same session, what was read there may have changed meanwhile, at every isolation level. "+
						"Any value is assumed here; read it in this transaction, with FOR UPDATE", t.Text, pos)
				}
			}
		}
		for _, i := range targets {
			name, _ := st.Tokens[i].UserVariable()
			own[name] = true
			switch {
			case st.Has("FROM", "RETURNING"):
				r.carried[name] = st.Pos()
			case from != nil:
				r.carried[name] = *from
			default:
				delete(r.carried, name)
			}
		}
	}
}
