package symbolic

import (
	"math/big"
	"math/rand"
	"testing"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/prepare"
	"github.com/txrobust/robust/internal/smt"
	"github.com/txrobust/robust/internal/testprog"
)

// TestDoubles: where nothing is rounded, the closed world computes with numbers of
// 64 bits as the interpreter does, and the open world knows nothing about the result.
func TestDoubles(t *testing.T) {
	const seed = 11
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewSource(seed))
	p := testprog.Parse(t, "program p\nvar x = 0\ntxn t { x := 1 }")
	solver := smt.NewSolver()
	functions := []string{"+", "-", "*", "/", "max", "min", "ceil", "floor", "trunc", "abs", "int"}
	for range 20 {
		for _, name := range functions {
			f := ir.Functions["double "+name]
			call := &ir.Call{Name: f.Name, Type: ir.NumType}
			if f.Result == ir.KindInt {
				call.Type = ir.IntType
			}
			var args []ir.Value
			for range f.Params {
				v := ir.Num(big.NewRat(int64(r.Intn(81)-40), 4))
				if r.Intn(3) == 0 {
					v = ir.Int(int64(r.Intn(21) - 10))
				}
				args = append(args, v)
			}
			if name == "/" {
				args[1] = ir.Num(big.NewRat(1<<r.Intn(4), 2)) // the quotient is exact
			}
			want, err := f.Eval(args, call.Type)
			if err != nil {
				t.Fatal(err)
			}
			for _, closed := range []bool{true, false} {
				w := NewWorld(prepare.Of(p), smt.NewBuilder(), engine.Postgres())
				w.Closed = closed
				vals := make([]Val, len(args))
				for i, v := range args {
					typ := ir.NumType
					if v.Kind == ir.KindInt {
						typ = ir.IntType
					}
					vals[i] = w.Constant(v, typ)
				}
				got := w.call(call, vals)
				other := w.B.Not(w.same(got, w.Constant(want, call.Type)))
				if ans := w.Ask(t.Context(), solver, other); (ans.Result == smt.Unsat) != closed {
					t.Errorf("closed %v: can %s of %v be another value than %v? %v", closed, name, args, want, ans.Result)
				}
			}
		}
	}
}

// TestOctets: the lengths of literals are known, and others are not negative.
func TestOctets(t *testing.T) {
	p := testprog.Parse(t, "program p\nvar x = 0\ntxn t { x := 1 }")
	w := NewWorld(prepare.Of(p), smt.NewBuilder(), engine.Postgres())
	if w.Octets(1) != nil {
		t.Error("there is a length where the question is not about any")
	}
	length := &ir.Call{Name: "octets of", Type: ir.IntType}
	of := func(v Val) *smt.Term { return w.call(length, []Val{v}).T }
	some := Val{Type: ir.TextType, T: w.B.Var("some", smt.Int), Null: w.B.False()}
	solver := smt.NewSolver()
	for _, c := range []struct {
		what string
		cond *smt.Term
		want smt.Result
	}{
		{"a literal has another length", w.B.Not(w.B.Eq(of(w.Constant(ir.Text("aé"), ir.TextType)), w.B.IntConst(3))), smt.Unsat},
		{"a text has less than nothing", w.B.Lt(of(some), w.B.IntConst(0)), smt.Unsat},
		{"a text has 40 bytes", w.B.Eq(of(some), w.B.IntConst(40)), smt.Sat},
	} {
		if ans := w.Ask(t.Context(), solver, c.cond); ans.Result != c.want {
			t.Errorf("%s: %v, want %v", c.what, ans.Result, c.want)
		}
	}
}

// TestLetters: what a function gives for letters of ASCII is known, and for others not:
// that depends on the locale.
func TestLetters(t *testing.T) {
	p := testprog.Parse(t, "program p\nvar x = 0\ntxn t { x := 1 }")
	solver := smt.NewSolver()
	for _, c := range []struct {
		upper, lower string
		want         smt.Result // whether lower(upper) can be another text
	}{{"AE", "ae", smt.Unsat}, {"\u00c4", "\u00e4", smt.Sat}} {
		w := NewWorld(prepare.Of(p), smt.NewBuilder(), engine.Postgres())
		got := w.call(&ir.Call{Name: "lower", Type: ir.TextType}, []Val{w.Constant(ir.Text(c.upper), ir.TextType)})
		if ans := w.Ask(t.Context(), solver, w.B.Not(w.same(got, w.Constant(ir.Text(c.lower), ir.TextType)))); ans.Result != c.want {
			t.Errorf("lower(%q) can be another text than %q: %v, want %v", c.upper, c.lower, ans.Result, c.want)
		}
	}
}
