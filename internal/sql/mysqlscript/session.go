package mysqlscript

import (
	"slices"
	"strconv"

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

// step records a statement on tables of a session. Outside of transactions it is one by itself.
func (w *bodyWriter) step(from, to ir.Pos) {
	if w.session == nil || w.gone {
		return
	}
	units := slices.Clone(either(w.units, w.units))
	for i, u := range units {
		if u == "" {
			units[i] = from.String()
		}
	}
	w.session.steps = append(w.session.steps, Step{from, to, units})
}

// either gives the transactions one of which has begun where paths meet.
func either(a, b []string) []string {
	if a == nil {
		a = []string{""}
	}
	if b == nil {
		b = []string{""}
	}
	return uniqueNames(slices.Concat(a, b))
}

// several reports whether there are statements of different transactions.
func (s *session) several() bool {
	return slices.ContainsFunc(s.steps, func(x Step) bool { return !slices.Equal(x.Units, s.steps[0].Units) })
}

// sessions writes the sessions of procedures, and of the files in which variables go from one transaction into another.
func (s *Scripts) sessions() {
	for i, key := range s.order {
		p := s.routines[key]
		if p == nil || s.later(i, key) || p.reading == asNone || p.reading == asOne && !s.starts(p) {
			continue
		}
		s.session(p, &session{})
	}
	for _, f := range s.carrying {
		s.session(f.routine(), &session{set: f.units})
	}
}

// session adds the session of a routine, if it has several transactions. Where autocommit is off it is not known where they begin, and what
// holds a lock of the session may keep others from coming in between.
func (s *Scripts) session(p *routine, x *session) {
	leftOut := s.anywhere(p.body, func(body *action) (is bool) {
		body.each(func(a *action) {
			is = is || a.kind == simple && (setsAutocommit.MatchString(a.st.Text()) || a.st.First("LOCK")) || a.st != nil && a.st.Has("GET_LOCK")
		})
		return is
	})
	if leftOut {
		return
	}
	notes := s.Notes
	defer func() {
		s.Notes = notes
		if r := recover(); r != nil { // a statement that is read in scripts only
			if _, is := r.(*ir.Error); !is {
				panic(r)
			}
		}
	}()
	w := s.newWriter(p, nil, flow{inside: true})
	w.session = x
	w.whole()
	if x.several() {
		same := func(o *Session) bool { return o.Txn.Name == w.txn.Name }
		for n := 2; slices.ContainsFunc(s.Sessions, same); n++ {
			w.txn.Name = p.name + "#" + strconv.Itoa(n)
		}
		s.Sessions = append(s.Sessions, &Session{w.txn, x.steps})
	}
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
