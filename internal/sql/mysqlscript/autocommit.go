package mysqlscript

import (
	"slices"
	"strconv"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/mysql"
)

// A procedure that begins no transaction runs in that of its caller. Where the caller has begun none, autocommit makes a transaction of each
// of its statements: the locks of one are gone when the next one runs. Who calls it is not in the files, so that both are checked: the procedure as
// one transaction, and its statements as some of their own. A comment before the procedure says which of the two it is; nobody calls an event, so that
// its statements are transactions always.

// reading is how a procedure that begins no transaction is read.
type reading uint8

const (
	// both: as one transaction, and each statement as one.
	both reading = iota
	// asOne: all callers have begun a transaction.
	asOne
	// asMany: no caller has.
	asMany
	// asNone: clients do not call it.
	asNone
)

// readings are the comments behind "robust:" that say how the next procedure is read.
var readings = map[string]reading{"assume transaction": asOne, "assume autocommit": asMany, "helper": asNone}

// ofAutocommit is what the names of the transactions of single statements end in.
const ofAutocommit = "-autocommit"

// whole adds a procedure that begins no transaction.
func (s *Scripts) whole(p *routine) {
	if p.reading == asNone {
		return
	}
	w, as := s.body(p, nil), p.reading
	if as == both && p.event {
		as = asMany
	}
	var many []*client.Txn
	ok := false
	if as != asOne {
		many, ok = s.alone(p, w)
	}
	switch {
	case !ok && (w.ended || w.rolled): // what follows COMMIT is transactions of their own
		many = s.bodyFrom(p, nil, flow{other: true}).apart
	case ok && as == both:
		s.note(p.pos, "%s begins no transaction. It is checked as one, for callers that have begun one, and each of its statements by itself (%s), for callers that have not: autocommit makes a transaction of each. "+
			"If only one of the two happens, say so before it: -- robust: assume transaction, or -- robust: assume autocommit", p.name, p.name+ofAutocommit)
	}
	if !ok || as != asMany {
		s.addRoutine(p.name, w.txn)
	}
	name := p.name
	if ok {
		name += ofAutocommit
	}
	for _, t := range many {
		s.addRoutine(name, t)
	}
}

// alone gives the statements of a procedure that begins no transaction as autocommit runs them: each is a transaction. ok is false where w, the procedure as one
// transaction, is the same: it has no more than one statement, or turns autocommit off.
func (s *Scripts) alone(p *routine, w *bodyWriter) (list []*client.Txn, ok bool) {
	turned := false
	p.body.each(func(a *action) {
		turned = turned || a.kind == simple && setsAutocommit.MatchString(a.st.Text()) && turnsOff(a.st)
	})
	if turned || w.commands < 2 && !w.repeats {
		return nil, false
	}
	return s.bodyFrom(p, nil, flow{}).apart, true
}

// outsideLock tells of a lock that a statement takes outside of transactions.
func (w *bodyWriter) outsideLock(st *mysql.Statement) {
	if st.First("SELECT") && (st.Has("FOR") && st.Has("UPDATE", "SHARE") || st.Has("SHARE") && st.Has("MODE")) {
		w.of.note(st.Pos(), "outside of a transaction, this SELECT gives its locks back before the next statement runs: they guard nothing. Write START TRANSACTION before it")
	}
}

// callings writes the transactions of scripts that call procedures.
func (s *Scripts) callings() {
	for _, c := range s.calling {
		name, pos := c.txn.Name, c.txn.Pos
		p := c.body()
		w := s.bodyFrom(p, nil, flow{inside: true})
		if c.block.alone && p.body.body[0].st.First("CALL") {
			if list, ok := s.called(p, w); ok {
				s.replace(c, list)
				continue
			}
		}
		*c.txn = *w.txn
		c.txn.Name, c.txn.Pos, c.txn.Levels = name, pos, []string{c.block.level}
		c.fresh(c.txn, true)
		if c.block.snapshot {
			c.txn.Body = slices.Insert(c.txn.Body, 0, client.Stmt(withSnapshot(pos)))
		}
		if w.ended || w.rolled { // a procedure has ended it: what follows is transactions of their own
			for _, t := range s.bodyFrom(p, nil, flow{other: true}).apart {
				s.addRoutine(name+ofAutocommit, t)
			}
		}
	}
}

// called gives the transactions of a CALL outside of transactions, if it is more than one.
func (s *Scripts) called(p *routine, w *bodyWriter) (list []*client.Txn, ok bool) {
	if s.starts(p) {
		return s.bodyFrom(p, nil, flow{}).apart, true
	}
	return s.alone(p, w)
}

// replace puts transactions in the place of one.
func (s *Scripts) replace(c calling, list []*client.Txn) {
	for _, t := range list {
		t.Name = s.unused(c.txn.Name + ofAutocommit)
		t.Levels = []string{c.block.level}
		c.fresh(t, false)
	}
	i := slices.Index(s.Txns, c.txn)
	s.Txns = slices.Replace(s.Txns, i, i+1, list...)
	if len(list) == 0 {
		return
	}
	s.note(c.txn.Pos, "%s begins no transaction: each statement of what it calls is one, as autocommit makes it. Write START TRANSACTION and COMMIT around the CALL if that is what runs", c.txn.Name)
}

// finishes reports whether a statement, or a procedure that it calls, may end a transaction.
func (s *Scripts) finishes(a *action) bool {
	return s.anywhere(a, func(body *action) (ends bool) {
		body.each(func(o *action) {
			ends = ends || o.kind == simple && (o.st.First("COMMIT") || o.st.First("ROLLBACK") && !o.st.Has("TO") || setsAutocommit.MatchString(o.st.Text()))
		})
		return ends
	})
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
