package symbolic

import (
	"fmt"

	"github.com/txrobust/robust/internal/failure"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/smt"
	"github.com/txrobust/robust/internal/vars"
	"github.com/txrobust/robust/internal/wellformed"
)

// row is what a row variable stands for.
type row interface {
	col(w *World, name string) Val
	at(c int) Val // by the number of the column
}

// tableRow is a row of a state.
type tableRow struct {
	s   *State
	t   int
	key Key
}

func (r tableRow) col(w *World, name string) Val {
	return r.at(w.Program.Tables[r.t].Column(name))
}

func (r tableRow) at(c int) Val { return r.s.Col(r.t, c, r.key) }

// valueRow is a row given by its values.
type valueRow struct {
	t    *ir.Table
	vals []Val
}

func (r valueRow) col(_ *World, name string) Val { return r.at(r.t.Column(name)) }
func (r valueRow) at(c int) Val                  { return r.vals[c] }

// env is where an expression is evaluated. It is immutable but for what
// evaluation reports through fail and read.
type env struct {
	w     *World
	state *State // what EXISTS looks at
	rows  *binding
	txn   *ir.Txn
	vars  vars.Vars[Val]
	// fail is told conditions without which the evaluation fails; nil where
	// nobody listens.
	fail func(ok *smt.Term)
}

// binding is a row variable; up are those bound before.
type binding struct {
	name string
	row  row
	t    *ir.Table
	up   *binding
}

// rowEnv is an environment without locals.
func (w *World) rowEnv(s *State) *env { return &env{w: w, state: s} }

// bind adds a row variable.
func (en *env) bind(name string, r row) *env {
	out := *en
	b := &binding{name: name, row: r, up: en.rows}
	switch r := r.(type) {
	case tableRow:
		b.t = en.w.Program.Tables[r.t]
	case valueRow:
		b.t = r.t
	}
	out.rows = b
	out.fail = nil // see exec.mayFail
	return &out
}

// lookup finds a row variable, or gives nil.
func (en *env) lookup(name string) *binding {
	for b := en.rows; b != nil; b = b.up {
		if b.name == name {
			return b
		}
	}
	return nil
}

// key is the key of the row that a row variable stands for.
func (en *env) key(name string) Key { return en.lookup(name).row.(tableRow).key }

func (en *env) typeOf(e ir.Expr) ir.Type {
	if t, ok := en.w.code.Types[e]; ok {
		return t
	}
	var from []ir.Source
	for b := en.rows; b != nil; b = b.up {
		from = append([]ir.Source{{Table: b.t, Row: b.name}}, from...)
	}
	t, err := wellformed.TypeOf(e, en.txn, from...)
	if err != nil {
		panic("symbolic: " + err.Error())
	}
	en.w.code.Types[e] = t
	return t
}

// when is the environment of a branch: what fails in it matters only under
// the condition.
func (en *env) when(c *smt.Term) *env {
	out := *en
	if en.fail != nil {
		out.fail = func(ok *smt.Term) { en.fail(en.w.B.Implies(c, ok)) }
	}
	return &out
}

// operands gives the values of both sides. Databases compute the right side of AND and OR only
// where the left one does not decide.
func (en *env) operands(e *ir.Binary) (x, y Val) {
	if e.Op != ir.And && e.Op != ir.Or {
		return en.eval(e.X), en.eval(e.Y)
	}
	x = en.w.convert(en.eval(e.X), ir.BoolType)
	decided := en.w.isFalse(x)
	if e.Op == ir.Or {
		decided = en.w.isTrue(x)
	}
	return x, en.w.convert(en.when(en.w.B.Not(decided)).eval(e.Y), ir.BoolType)
}

// eval gives the value of an expression.
func (en *env) eval(e ir.Expr) Val {
	w := en.w
	switch e := e.(type) {
	case *ir.Const:
		return w.Constant(e.Value, en.typeOf(e))
	case *ir.Var:
		return en.vars.Get(e.Name)
	case *ir.Col:
		b := en.lookup(e.Row)
		if b == nil {
			panic("symbolic: no row variable " + e.Row + " here")
		}
		return b.row.col(w, e.Col)
	case *ir.Unary:
		x := en.eval(e.X)
		switch e.Op {
		case ir.Neg:
			return Val{x.Null, w.B.Sub(w.zero(x.T.Sort()), x.T), x.Type}
		case ir.Not:
			if x.Type.Kind == ir.KindNull {
				return w.null(ir.BoolType)
			}
			return Val{x.Null, w.B.Not(x.T), ir.BoolType}
		case ir.IsNull:
			return w.Truth(x.Null)
		}
	case *ir.Binary:
		x, y := en.operands(e)
		v, partial := w.binary(e.Op, x, y, en.typeOf(e))
		if !partial.IsTrue() && en.fail != nil {
			en.fail(partial)
		}
		return v
	case *ir.Cond:
		c := w.convert(en.eval(e.If), ir.BoolType)
		t := en.typeOf(e)
		yes := w.isTrue(c)
		return w.ite(yes, w.convert(en.when(yes).eval(e.Then), t), w.convert(en.when(w.B.Not(yes)).eval(e.Else), t))
	case *ir.Call:
		args := make([]Val, len(e.Args))
		for i, a := range e.Args {
			args[i] = en.eval(a)
		}
		if failed := failure.Of(e); failed != nil && en.fail != nil {
			en.fail(w.B.Not(w.isTrue(w.call(failed.(*ir.Call), args))))
		}
		return w.call(e, args)
	case *ir.Exists:
		p := w.plan(&e.Query, en)
		return w.Truth(p.exists(en, p.at(en, "exists"), func(tuple []Key) *smt.Term {
			g, _ := p.match(en, en.state, tuple)
			return g
		}))
	}
	panic(fmt.Sprintf("symbolic: unknown expression %T", e))
}
