package sqlmodel

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// levelOrder lists the isolation levels, lower ones first. "" is the default, which may be
// any but the lowest.
var levelOrder = []string{"read uncommitted", "read committed", "", "repeatable read", "serializable"}

// rank is the place of a level in the order. One that is not known counts as the lowest.
func rank(level string) int { return max(slices.Index(levelOrder, strings.ToLower(level)), 0) }

// lower gives the lower one of two levels.
func lower(a, b string) string {
	if rank(a) <= rank(b) {
		return a
	}
	return b
}

// levelState is what is known of the level at a place: the lowest one over the paths there. The
// zero value says that no path goes there.
type levelState struct {
	live    bool
	level   string
	started bool // a statement may have fixed the level
}

func (s levelState) join(t levelState) levelState {
	switch {
	case !s.live:
		return t
	case !t.live:
		return s
	}
	return levelState{live: true, level: lower(s.level, t.level), started: s.started || t.started}
}

// levelWalk finds the level of a transaction whose text may set it.
type levelWalk struct {
	sent map[*client.Query]*schema.Sent
	// out are the states in which a block or loop is left, next those in which a loop begins
	// its next round.
	out, next map[string]levelState
	// met is the state with the lowest level of the statements and ends.
	met levelState
	// given is the level that texts set of which a part is not known, "" for that which is there
	// before. unknown are these texts, and what may be one, with whether a statement may come before.
	given   string
	unknown map[client.Stmt]bool
}

// anyLevel are the levels one of which a text may set that is not known.
var anyLevel = []string{"read committed", "repeatable read", "serializable"}

// levelsOf gives the isolation levels at which a transaction may run, lower ones first: for each
// one that it may begin with, the lowest over its paths. A command that sets a higher one counts on
// paths where it comes before all other statements. One of which a part is not known sets any, and is
// in unknown, which says whether a statement may come before. In MySQL a transaction keeps the level that
// it begins with.
func levelsOf(body *schema.ProgramBody, mysql bool) (out []string, unknown map[client.Stmt]bool) {
	begins := body.Txn.Levels
	if len(begins) == 0 {
		begins = []string{""}
	}
	if body.Txn.Auto || mysql {
		return sortedLevels(begins), nil
	}
	unknown = map[client.Stmt]bool{}
	for _, level := range begins {
		out = append(out, lowest(body, level, "", unknown))
		for i := 0; len(unknown) > 0 && !body.Txn.Assumed && i < len(anyLevel); i++ {
			out = append(out, lowest(body, level, anyLevel[i], unknown))
		}
	}
	return sortedLevels(out), unknown
}

// sortedLevels gives levels, lower ones first, each once.
func sortedLevels(list []string) []string {
	out := slices.Clone(list)
	slices.SortStableFunc(out, func(a, b string) int { return rank(a) - rank(b) })
	return slices.CompactFunc(out, func(a, b string) bool { return rank(a) == rank(b) })
}

// lowest gives the lowest level at which a transaction may run that begins with a level, where texts
// of which a part is not known set the level given.
func lowest(body *schema.ProgramBody, level, given string, unknown map[client.Stmt]bool) string {
	w := &levelWalk{sent: body.Sent, out: map[string]levelState{}, next: map[string]levelState{}, given: given, unknown: unknown}
	w.runs(w.stmts(body.Txn.Body, levelState{live: true, level: level}))
	if !w.met.live {
		return level
	}
	return w.met.level
}

// runs records that something runs at the level of a state.
func (w *levelWalk) runs(s levelState) { w.met = w.met.join(s) }

func (w *levelWalk) stmts(list []client.Stmt, s levelState) levelState {
	for _, c := range list {
		s = w.stmt(c, s)
	}
	return s
}

func (w *levelWalk) stmt(c client.Stmt, s levelState) levelState {
	switch c := c.(type) {
	case *client.Query:
		return w.query(c, s)
	case *client.If:
		return w.stmts(c.Then, s).join(w.stmts(c.Else, s))
	case *client.Block:
		w.out[c.Label] = levelState{}
		end := w.stmts(c.Body, s)
		return end.join(w.out[c.Label])
	case *client.Loop:
		return w.rounds(c.Label, c.Body, s)
	case *client.ForRows:
		s = w.query(c.Query, s)
		return s.join(w.rounds(c.Label, c.Body, s)).join(w.next[c.Label])
	case *client.Break:
		w.out[c.Label] = s.join(w.out[c.Label])
		return levelState{}
	case *client.Continue:
		w.next[c.Label] = s.join(w.next[c.Label])
		return levelState{}
	case *client.Commit:
		w.runs(s)
		return levelState{}
	case *client.Rollback:
		return levelState{}
	case *client.Unknown:
		if c.ReadOnly && c.Tables == nil && rank(s.level) > rank("") {
			w.unknown[c] = false
			if w.given != "" {
				s.level = lower(s.level, w.given)
			}
		}
		return w.other(s)
	case *client.Savepoint: // behind one, the database refuses to set another level
		s.started = s.live
		return s
	default: // values of the program
		return s
	}
}

// rounds walks through a loop until its rounds begin in no lower state.
func (w *levelWalk) rounds(label string, body []client.Stmt, s levelState) levelState {
	w.out[label] = levelState{}
	for {
		w.next[label] = levelState{}
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
	s.started = s.live
	return s
}

// query is a text. Its commands that set the level do that before the first statement; a
// lower level counts everywhere.
func (w *levelWalk) query(q *client.Query, s levelState) levelState {
	sent := w.sent[q]
	if !s.live {
		return s
	}
	if sent.MaySetLevel {
		return w.setsUnknown(q, s)
	}
	if sent.Why != "" || len(sent.List) == 0 {
		return w.other(s)
	}
	for _, st := range sent.List {
		level, sets := setsLevel(st.Tree)
		switch {
		case !sets:
			s = w.other(s)
		case level == nil: // it is no command of levels
		case s.started:
			s.level = lower(s.level, *level)
			w.runs(s)
		default:
			s.level = *level
		}
	}
	return s
}

// setsUnknown is a text that may set a level which is not known.
func (w *levelWalk) setsUnknown(q *client.Query, s levelState) levelState {
	w.unknown[q] = w.unknown[q] || s.started
	switch {
	case w.given == "":
	case s.started:
		s.level = lower(s.level, w.given)
		w.runs(s)
	default:
		s.level = w.given
	}
	return s
}

// setsLevel gives the level that a command gives to the running transaction, nil if none.
// sets says that the level may still be set after it.
func setsLevel(tree any) (level *string, sets bool) {
	switch t := tree.(type) {
	case *pg.VariableSetStmt:
		if l, is := syntax.SetsIsolation(t); is {
			return &l, true
		}
		return nil, true
	case *pg.TransactionStmt:
		if t.Kind == pg.TransBegin || t.Kind == pg.TransStart {
			if l := syntax.Isolation(t.Options); l != "" {
				return &l, true
			}
			return nil, true
		}
	default: // it runs at the level
	}
	return nil, false
}

// raises is a text that may set a level which is above that of the transaction, since it does
// not on all paths: executions that go on behind it are not known.
func (p *caller) raises(s *schema.Sent) {
	if p.body.Txn.Auto || p.b.App.In.MySQL {
		return
	}
	for _, st := range s.List {
		if level, _ := setsLevel(st.Tree); level != nil && rank(*level) > rank(p.level) {
			p.b.Emit(&ir.Unmodelled{At: expr.At(s.Q.Pos), ReadOnly: true, Reason: "an isolation level that is not set before all other statements on all paths"})
		}
	}
}

// unknownLevel is a statement that may set a level which is not known: PostgreSQL refuses that behind
// another one.
func (p *caller) unknownLevel(s client.Stmt, pos ir.Pos) {
	behind, is := p.anyLevel[s]
	if !is || p.body.Txn.Assumed {
		return
	}
	if behind {
		p.b.Emit(&ir.Unmodelled{At: expr.At(pos), ReadOnly: true, Reason: "an isolation level that is not known, and not set before all other statements on all paths"})
	}
	p.b.App.Note(pos, "the isolation level which may be set here is not known: the transaction may have any; in Go, //robust:assume level LEVEL before the function says what it is")
}
