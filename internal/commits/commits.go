// Package commits says how runs of a transaction can end.
package commits

import "github.com/txrobust/robust/internal/ir"

// Commits says how runs of a template can end, as far as they can be executed: an
// unmodelled statement and a rollback end them without a commit. Conditions are
// taken to go either way, so that there may be no such runs.
type Commits struct {
	// Reading is: some commit without a statement that writes, Writing: some with one.
	Reading, Writing bool
}

// Of gives the ways in which a template may commit.
func Of(t *ir.Txn) Commits {
	var f flow
	end := f.through(t.Body, Commits{Reading: true})
	return end.or(f.returned)
}

// Never is: no run commits.
func (c Commits) Never() bool { return c == Commits{} }

func (c Commits) or(d Commits) Commits {
	return Commits{c.Reading || d.Reading, c.Writing || d.Writing}
}

// flow collects the ways in which control leaves lists of statements from inside:
// by a RETURN, or to the end of some loop or block around.
type flow struct{ returned, broken Commits }

// through gives the ways in which control gets to the end of a list, from those in
// which it comes to its beginning.
func (f *flow) through(list []ir.Stmt, c Commits) Commits {
	for _, s := range list {
		switch s := s.(type) {
		case *ir.Unmodelled, *ir.Abort:
			return Commits{}
		case *ir.Return:
			f.returned = f.returned.or(c)
			return Commits{}
		case *ir.Break, *ir.Continue:
			f.broken = f.broken.or(c)
			return Commits{}
		case *ir.If:
			c = f.through(s.Then, c).or(f.through(s.Else, c))
		case *ir.Block:
			c = f.through(s.Body, c)
			c = c.or(f.broken)
		case *ir.While, *ir.ForRange, *ir.Foreach:
			for before := (Commits{}); before != c; {
				before = c
				c = c.or(f.through(ir.Children(s)[0], c))
				c = c.or(f.broken)
			}
		default:
			if ir.Written(s) != nil && !c.Never() {
				c = Commits{Writing: true}
			}
		}
	}
	return c
}
