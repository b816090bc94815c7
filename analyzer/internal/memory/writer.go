package memory

import (
	"slices"
	"strconv"
	"strings"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// Choose runs f on one of two paths.
func (in *Memory) Choose(f func()) {
	c := in.NewVar("choice", client.Bool, false, Unknown)
	in.Either(client.V(c), f, func() {})
}

// Either runs one of two parts, as a condition says, and joins what they leave.
func (in *Memory) Either(cond client.Expr, then, other func()) {
	if is, known := client.Truth(cond); known {
		if is {
			then()
		} else {
			other()
		}
		return
	}
	b := &client.Block{At: in.At(), Label: in.Label("both")}
	t := &Target{Label: b.Label}
	in.Emit(b)
	s := &client.If{At: in.At(), Cond: cond}
	b.Body = append(b.Body, s)
	st := in.St
	for i, f := range []func(){then, other} {
		in.St = st.Clone()
		in.Assume(cond, i == 0)
		list := &s.Then
		if i == 1 {
			list = &s.Else
		}
		in.Into(list, func() {
			f()
			if in.St != nil {
				in.Jump(t, nil, &client.Break{At: in.At(), Label: t.Label})
			}
		})
	}
	in.St = nil
	if len(t.Edges) > 0 {
		in.Merge(t.Edges)
	}
}

// OrElse is v where a condition holds, and w elsewhere.
func (in *Memory) OrElse(cond client.Expr, v, w Value) Value {
	if is, known := in.Known(cond); known {
		if is {
			return v
		}
		return w
	}
	a, b := in.ScalarOf(v), in.ScalarOf(w)
	return in.Choice(cond, a, b)
}

// Choice is one of two values, as a condition says.
func (in *Memory) Choice(cond client.Expr, a, b Scalar) Value {
	if is, known := in.Known(cond); known {
		if is {
			return a
		}
		return b
	}
	null := a.Kind == client.Any || IsNilValue(a) || IsNilValue(b)
	v := in.Temp("v", a.Kind, null)
	in.Emit(&client.If{At: in.At(), Cond: cond, Then: []client.Stmt{&client.Assign{At: in.At(), Var: v, Expr: a.E}},
		Else: []client.Stmt{&client.Assign{At: in.At(), Var: v, Expr: b.E}}})
	in.choices[v] = cond
	in.noteChoice(v, cond, a, b)
	noteValues(in, v, a, b)
	return Scalar{client.V(v), a.Kind}
}

// ChosenBy gives the condition under which a value that Choice made is the first of the
// two.
func (in *Memory) ChosenBy(e client.Expr) (cond client.Expr, ok bool) {
	v, isVar := e.(*client.VarExpr)
	if !isVar {
		return nil, false
	}
	cond, ok = in.choices[v.Name]
	return cond, ok
}

// Variable gives a variable by its name.
func (in *Memory) Variable(name string) client.Var {
	for _, v := range slices.Backward(in.Vars) { // what was made last is asked for most
		if v.Name == name {
			return v
		}
	}
	return client.Var{Name: name}
}

// Target is a place that jumps lead to.
type Target struct {
	Label string
	Edges []*Edge
}

// At is the place of the instruction, for a statement.
func (in *Memory) At() client.At { return client.At{Pos: in.P.Position(in.Pos)} }

// Emit writes a statement.
func (in *Memory) Emit(s client.Stmt) { *in.Out = append(*in.Out, s) }

// Unknown writes that the transaction may do anything here.
func (in *Memory) Unknown(reason string) {
	in.Emit(&client.Unknown{At: in.At(), ReadOnly: in.ReadOnly, Reason: reason})
}

// Into runs f with the statements that it writes going to list.
func (in *Memory) Into(list *[]client.Stmt, f func()) {
	outer := in.Out
	in.Out = list
	f()
	in.Out = outer
}

// declare makes a variable of a name like that of v.
func (in *Memory) declare(v client.Var) string {
	base := strings.TrimLeft(strings.Map(func(r rune) rune {
		if r == '.' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return -1
	}, v.Name), ".")
	if base == "" {
		base = "v"
	}
	n := in.named[base]
	in.named[base]++
	v.Name = base
	if n > 0 {
		v.Name = base + "_" + strconv.Itoa(n)
		for in.named[v.Name] > 0 {
			n++
			v.Name = base + "_" + strconv.Itoa(n)
		}
		in.named[v.Name]++
	}
	in.Vars = append(in.Vars, v)
	return v.Name
}

// Label makes a label that no other statement has.
func (in *Memory) Label(base string) string {
	in.Labels++
	return base + strconv.Itoa(in.Labels)
}

// Jump ends a list of statements.
func (in *Memory) Jump(t *Target, vals []Value, s client.Stmt) {
	in.Emit(s)
	t.Edges = append(t.Edges, &Edge{St: in.St, Vals: vals, out: in.Out})
	in.St = nil
}

// Abort ends the path: the transaction is rolled back.
func (in *Memory) Abort() {
	if in.St == nil {
		return
	}
	if in.St.Phase != Done {
		in.Emit(&client.Rollback{At: in.At()})
	}
	in.St = nil
}

// Aside runs f in another state, and drops what it writes.
func (in *Memory) Aside(st *State, f func()) {
	outer, out := in.St, in.Out
	var nowhere []client.Stmt
	in.St, in.Out = st, &nowhere
	f()
	in.St, in.Out = outer, out
}

// Earlier is what a query was.
type Earlier struct {
	Q   *client.Query
	Was client.Query
}

// Rewinds records what a query is before it gets variables: one that was made
// before a loop loses them when the body of the loop is interpreted again.
func (in *Memory) Rewinds(q *client.Query) {
	was := *q
	was.Into, was.ByName = slices.Clone(q.Into), slices.Clone(q.ByName)
	in.Rewound = append(in.Rewound, Earlier{q, was})
}

// Retype gives a variable the kind of another one.
func (in *Memory) Retype(v, like string) {
	var k client.Var
	for _, w := range in.Vars {
		if w.Name == like {
			k = w
		}
	}
	for i := range in.Vars {
		if in.Vars[i].Name == v {
			in.Vars[i].Kind, in.Vars[i].Nullable = k.Kind, k.Nullable
		}
	}
}

// NewVar makes a variable, which is an input or set to anything here.
func (in *Memory) NewVar(name string, k client.Kind, nullable bool, from Origin) string {
	v := in.declare(client.Var{Name: name, Kind: k, Nullable: nullable, Input: from == Given})
	switch {
	case from != Unknown:
	case len(in.sources) > 0:
		in.Emit(&client.Assign{At: in.At(), Var: v, Expr: &client.Call{Name: "computed", Args: in.sources, Kind: k}})
	default:
		in.Emit(&client.Havoc{At: in.At(), Var: v, Lost: in.lost.Lost, Element: in.lost.Element})
	}
	return v
}

// Temp makes a variable that is set before it is used.
func (in *Memory) Temp(name string, k client.Kind, nullable bool) string {
	return in.declare(client.Var{Name: name, Kind: k, Nullable: nullable})
}

// Edge is a way into a place where several meet: the state there, the values of
// its registers, and the statements that lead there, of which the last is the
// jump.
type Edge struct {
	St   *State
	Vals []Value
	out  *[]client.Stmt
}

// Ahead puts what f writes before the jump of an edge.
func (in *Memory) Ahead(e *Edge, f func()) {
	n := len(*e.out) - 1
	jump := (*e.out)[n]
	*e.out = (*e.out)[:n]
	outer, st := in.Out, in.St
	in.Out, in.St = e.out, e.St
	f()
	*e.out = append(*e.out, jump)
	in.Out, in.St = outer, st
}

// Set assigns a variable.
func (in *Memory) Set(v string, e client.Expr) {
	if w, ok := e.(*client.VarExpr); ok && w.Name == v {
		return
	}
	in.Emit(&client.Assign{At: in.At(), Var: v, Expr: e})
}

// Execute writes a query apart from a loop.
func (in *Memory) Execute(r *Rows) {
	if in.St == nil || !r.Mine || in.St.Sent[r] {
		return
	}
	in.St.Sent[r] = true
	if r.Unsent == nil {
		in.Emit(r.Query)
		return
	}
	switch is, known := in.Known(r.Unsent); {
	case !known:
		in.Emit(&client.If{At: in.At(), Cond: client.Not(r.Unsent), Then: []client.Stmt{r.Query}})
	case !is:
		in.Emit(r.Query)
	}
}

// Flush writes the queries whose rows nobody has looked at yet: the statements keep
// their order.
func (in *Memory) Flush() {
	for _, q := range in.St.Pending() {
		in.Execute(q)
	}
}

// Reached reports whether control comes here.
func (in *Memory) Reached() bool { return in.St != nil }

// Here is the place of the instruction in the source.
func (in *Memory) Here() ir.Pos { return in.P.Position(in.Pos) }

// IsSent reports whether a query of the transaction is written.
func (in *Memory) IsSent(r *Rows) bool { return in.St.Sent[r] }
