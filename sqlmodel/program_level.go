package sqlmodel

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// levelOrder lists the isolation levels, lower ones first. "" is the default, which may be
// any but the lowest.
var levelOrder = []string{"read uncommitted", "read committed", "", "repeatable read", "serializable"}

// lower gives the lower one of two levels. One that is not known counts as the default.
func lower(a, b string) string {
	rank := func(l string) int {
		return max(slices.Index(levelOrder, strings.ToLower(l)), 0)
	}
	if rank(a) <= rank(b) {
		return a
	}
	return b
}

// levelState is what is known of the level at a place: the lowest one over the paths there.
type levelState struct {
	dead    bool // no path goes there
	level   string
	started bool // a statement may have fixed the level
}

func (s levelState) join(t levelState) levelState {
	switch {
	case s.dead:
		return t
	case t.dead:
		return s
	}
	return levelState{level: lower(s.level, t.level), started: s.started || t.started}
}

// levelWalk finds the level of a transaction whose text may set it.
type levelWalk struct {
	sent map[*client.Query]*schema.Sent
	// out are the states in which a block or loop is left, next those in which a loop begins
	// its next round.
	out, next map[string]levelState
	// least is the lowest level of a statement or end; met says that there is one.
	least string
	met   bool
}

// levelOf gives the lowest level at which a transaction may run: a command that sets a
// higher one counts on paths where it comes before all other statements.
func levelOf(body *schema.ProgramBody) string {
	if body.Txn.Auto {
		return body.Txn.Level
	}
	w := &levelWalk{sent: body.Sent, out: map[string]levelState{}, next: map[string]levelState{}}
	if end := w.stmts(body.Txn.Body, levelState{level: body.Txn.Level}); !end.dead {
		w.runs(end)
	}
	if !w.met {
		return body.Txn.Level
	}
	return w.least
}

// runs records that something runs at the level of a state.
func (w *levelWalk) runs(s levelState) {
	switch {
	case s.dead:
	case w.met:
		w.least = lower(w.least, s.level)
	default:
		w.least, w.met = s.level, true
	}
}

func (w *levelWalk) stmts(list []client.Stmt, s levelState) levelState {
	for _, c := range list {
		s = w.stmt(c, s)
	}
	return s
}

func (w *levelWalk) stmt(c client.Stmt, s levelState) levelState {
	gone := levelState{dead: true}
	switch c := c.(type) {
	case *client.Query:
		return w.query(c, s)
	case *client.If:
		return w.stmts(c.Then, s).join(w.stmts(c.Else, s))
	case *client.Block:
		w.out[c.Label] = gone
		end := w.stmts(c.Body, s)
		return end.join(w.out[c.Label])
	case *client.Loop:
		return w.rounds(c.Label, c.Body, s)
	case *client.ForRows:
		s = w.other(s)
		return s.join(w.rounds(c.Label, c.Body, s)).join(w.next[c.Label])
	case *client.Break:
		w.out[c.Label] = s.join(w.outOf(c.Label))
		return gone
	case *client.Continue:
		w.next[c.Label] = s.join(w.next[c.Label])
		return gone
	case *client.Commit:
		w.runs(s)
		return gone
	case *client.Rollback:
		return gone
	case *client.Unknown:
		return w.other(s)
	default: // values of the program, and savepoints
		return s
	}
}

// outOf gives the states in which a block was left so far.
func (w *levelWalk) outOf(label string) levelState {
	if s, ok := w.out[label]; ok {
		return s
	}
	return levelState{dead: true}
}

// rounds walks through a loop until its rounds begin in no lower state.
func (w *levelWalk) rounds(label string, body []client.Stmt, s levelState) levelState {
	w.out[label] = levelState{dead: true}
	for {
		w.next[label] = levelState{dead: true}
		end := w.stmts(body, s)
		again := s.join(end).join(w.next[label])
		if w.next[label] = end.join(w.next[label]); again == s {
			return w.out[label]
		}
		s = again
	}
}

// other is a statement that runs at the level, which nothing raises any more.
func (w *levelWalk) other(s levelState) levelState {
	w.runs(s)
	s.started = true
	return s
}

// query is a text. Its commands that set the level do that before the first statement; a
// lower level counts everywhere.
func (w *levelWalk) query(q *client.Query, s levelState) levelState {
	sent := w.sent[q]
	if s.dead {
		return s
	}
	if sent.Why != "" || len(sent.List) == 0 {
		return w.other(s)
	}
	for _, st := range sent.List {
		level, sets := setsLevel(st.Tree)
		switch {
		case level != "" && s.started:
			s.level = lower(s.level, level)
			w.runs(s)
		case level != "":
			s.level = level
		case !sets:
			s = w.other(s)
		}
	}
	return s
}

// setsLevel gives the level that a command gives to the running transaction, "" if none.
// sets says that the level may still be set after it.
func setsLevel(tree any) (level string, sets bool) {
	switch t := tree.(type) {
	case *pg.VariableSetStmt:
		switch {
		case t.Kind == pg.SetMulti && t.Name == "TRANSACTION":
			return syntax.Isolation(t.Args), true
		case strings.EqualFold(t.Name, "transaction_isolation"):
			// In this form it counts only where it lowers the level.
			return "read committed", true
		}
		return "", true
	case *pg.TransactionStmt:
		if t.Kind == pg.TransBegin || t.Kind == pg.TransStart {
			return syntax.Isolation(t.Options), true
		}
	default: // it runs at the level
	}
	return "", false
}

// raises is a text that may set a level which is above that of the transaction, since it does
// not on all paths: executions that go on behind it are not known.
func (p *caller) raises(s *schema.Sent) {
	if p.body.Txn.Auto || p.b.App.In.MySQL {
		return
	}
	for _, st := range s.List {
		if level, _ := setsLevel(st.Tree); level != "" && lower(p.level, level) == p.level && !strings.EqualFold(p.level, level) {
			p.b.Emit(&ir.Unmodelled{At: expr.At(s.Q.Pos), ReadOnly: true, Reason: "an isolation level that is not set first on all paths"})
		}
	}
}
