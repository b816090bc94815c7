package symbolic

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/prepare"
	"github.com/txrobust/robust/internal/progen"
	"github.com/txrobust/robust/internal/smt"
	"github.com/txrobust/robust/internal/testprog"
	"github.com/txrobust/robust/internal/wellformed"
)

var random = testprog.RandomFlags(1500)

// recordOutputs replaces what a transaction emits by writes of extra shared
// variables, so that the final state tells it.
func recordOutputs(p *ir.Program) {
	n := 0
	var rewrite func(list []ir.Stmt) []ir.Stmt
	rewrite = func(list []ir.Stmt) []ir.Stmt {
		var out []ir.Stmt
		for _, s := range list {
			switch s := s.(type) {
			case *ir.Emit:
				for _, e := range s.Exprs {
					n++
					v := ir.NewVar(ir.Pos{}, "out"+strconv.Itoa(n), ir.IntType, ir.Int(0))
					p.Tables = append(p.Tables, v)
					out = append(out, &ir.Update{Table: v, Row: v.Name, Sets: []ir.Set{{Col: 0, Expr: e}}})
				}
				continue
			case *ir.EmitRows:
				continue
			case *ir.If:
				s.Then, s.Else = rewrite(s.Then), rewrite(s.Else)
			case *ir.While:
				s.Body = rewrite(s.Body)
			case *ir.ForRange:
				s.Body = rewrite(s.Body)
			case *ir.Foreach:
				s.Body = rewrite(s.Body)
			}
			out = append(out, s)
		}
		return out
	}
	for _, t := range p.Txns {
		t.Body = rewrite(t.Body)
	}
	wellformed.MustCheck("recordOutputs", p)
}

// concrete asserts that a state has exactly the given rows.
func (w *World) concrete(s *State, rows [][][]ir.Value) *smt.Term {
	out := w.B.True()
	add := func(t *smt.Term) { out = w.B.And(out, t) }
	for i, t := range w.Program.Tables {
		if t.Var {
			add(w.same(s.Col(i, 0, Key{}), w.Constant(rows[i][0][0], t.Columns[0].Type)))
			continue
		}
		var keys []Key
		for _, r := range rows[i] {
			k := Key{}
			for _, c := range t.Key {
				k = append(k, w.Constant(r[c], t.Columns[c].Type).T)
			}
			keys = append(keys, k)
			add(s.Alive(i, k))
			for c := range t.Columns {
				add(w.same(s.Col(i, c, k), w.Constant(r[c], t.Columns[c].Type)))
			}
		}
		add(w.Never([]domain{tableDomain(i)}, func(tuple []Key) *smt.Term {
			known := w.B.False()
			for _, k := range keys {
				known = w.B.Or(known, w.sameKey(tuple[0], k))
			}
			return w.B.And(s.Alive(i, tuple[0]), w.B.Not(known))
		}))
	}
	return out
}

// TestAgainstInterpreter runs two random transactions one after the other, in
// the interpreter with every choice and symbolically: in both worlds every
// final state that the interpreter reaches must be possible, and in the closed
// world no other.
func TestAgainstInterpreter(t *testing.T) {
	r := random.Source(t)
	solver := smt.NewSolver()
	solver.Timeout = 2 * time.Second
	ctx := context.Background()
	skipped, feasible, restricted := 0, 0, 0
	for n := 0; n < random.Runs(); n++ {
		p := progen.Program(r, progen.All)
		recordOutputs(p)
		rows := progen.Rows(r, p, 2)
		eng := engine.ByName([]string{"postgres", "si"}[r.Intn(2)])
		var list []*interp.Instance
		for i := 0; i < 2; i++ {
			in := &interp.Instance{Txn: p.Txns[r.Intn(len(p.Txns))], ID: i}
			for _, q := range in.Txn.Params {
				v := ir.Int(int64(r.Intn(3)))
				if !q.NotNull && r.Intn(5) == 0 {
					v = ir.Null
				}
				in.Params = append(in.Params, v)
			}
			list = append(list, in)
		}
		m := interp.NewMachine(p, eng)
		db := interp.NewDB(p, rows)
		finals := map[string]*interp.DB{}
		m.Serial([]interp.Session{list}, db, false, func(x *interp.Execution) bool {
			last := x.Versions[len(x.Versions)-1]
			finals[last.String()] = last
			return true
		})
		code := prepare.Of(p)
		for _, closed := range []bool{true, false} {
			b := smt.NewBuilder()
			w := NewWorld(code, b, eng)
			w.Closed = closed
			w.Rounds = 3
			base := w.Base("s")
			s := base
			cond := []*smt.Term{}
			for i, in := range list {
				si := w.NewInstance(in.Txn, "i"+strconv.Itoa(i))
				for k, v := range in.Params {
					cond = append(cond, w.same(si.Params[k], w.Constant(v, in.Txn.Params[k].Type)))
				}
				run := si.Run(s)
				next, ok := run.Commit(s)
				cond = append(cond, run.OK, ok)
				s = next
			}
			cond = append(cond, w.concrete(base, rows))
			var states []*smt.Term
			for _, f := range finals {
				var list [][][]ir.Value
				for i := range p.Tables {
					list = append(list, f.Rows(i))
				}
				is := w.concrete(s, list)
				states = append(states, is)
				ans := w.Ask(ctx, solver, append(cond, is)...)
				res, why := ans.Result, ans.Reason
				if res == smt.Unknown {
					skipped++
				}
				if closed && w.Restricted {
					restricted++
				} else if res == smt.Unsat {
					t.Fatalf("closed=%v: %v cannot reach the final state %v from %v: %s %s\n%s", closed, list, list, rows, res, why, p)
				}
			}
			if closed {
				none := b.True()
				for _, is := range states {
					none = b.And(none, b.Not(is))
				}
				res := w.Ask(ctx, solver, append(cond, none)...).Result
				if res == smt.Unknown {
					skipped++
				}
				if res == smt.Sat {
					t.Fatalf("%v reach a final state from %v that the interpreter does not (it has %d)\n%s", list, rows, len(finals), p)
				}
			}
			solver.Forget()
		}
		if len(finals) > 0 {
			feasible++
		}
	}
	t.Logf("%d of %d pairs feasible, %d questions without an answer, %d about loops with an order", feasible, random.Runs(), skipped, restricted)
	if feasible < random.Runs()/10 {
		t.Errorf("only %d of %d pairs of transactions are feasible: the test says little", feasible, random.Runs())
	}
}
