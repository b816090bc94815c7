package mysqlscript

import (
	"slices"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/mysql"
)

// Session is what one session does in several transactions one after the other: a procedure, or a file in which variables of the user go
// from one transaction into another. Package stale looks there for writes that rest on what an earlier transaction has read.
type Session struct {
	// Txn has the statements of all of them. It is no transaction.
	Txn *client.Txn
	// Steps are its statements on tables, in the order in which they stand.
	Steps []Step
}

// Step is a statement of a session.
type Step struct {
	// From and To are where it begins and ends.
	From, To ir.Pos
	// Units are the transactions one of which it belongs to, by where they begin.
	Units []string
}

// session records what bodyWriter writes of a session.
type session struct {
	// set are the transactions that statements of a script belong to.
	set   map[*action][]string
	steps []Step
}

// several reports whether there are statements of different transactions.
func (s *session) several() bool {
	return slices.ContainsFunc(s.steps, func(x Step) bool { return !slices.Equal(x.Units, s.steps[0].Units) })
}

// carrying is a file in which variables of the user go from one transaction into another.
type carrying struct {
	name  string
	list  []*action
	units map[*action][]string
	goes  bool
}

// add adds statements that run one after the other, in the transaction that begins at pos if there is one.
func (f *carrying) add(list []*mysql.Statement, inside bool) {
	for _, st := range list {
		a := &action{st: st}
		f.list = append(f.list, a)
		if inside {
			f.units[a] = []string{list[0].Pos().String()}
		}
	}
}

// routine is the file as the body of a procedure.
func (f *carrying) routine() *routine { return scripted(f.name, f.list[0].st.Pos(), f.list) }

// scripted makes a procedure of the statements of a script.
func scripted(name string, pos ir.Pos, list []*action) *routine {
	all := &mysql.Statement{Src: list[0].st.Src}
	for _, a := range list {
		all.Tokens = append(all.Tokens, a.st.Tokens...)
	}
	return &routine{name: name, pos: pos, st: all, body: &action{kind: compound, st: list[0].st, body: list}}
}
