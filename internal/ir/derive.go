package ir

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/txrobust/robust/internal/irnames"
	"github.com/txrobust/robust/internal/irwords"
)

// Derivation is the meaning of a call whose arguments hold rows that earlier
// statements read: a relational expression over these rows, such as an outer
// join or a grouping, which a Query cannot say. It is closed: its expressions
// refer to Params and to rows inside of it only.
//
// A solver takes such a call for an opaque function: equal rows give equal
// results. The interpreter computes it.
type Derivation struct {
	Params []Param
	Want   Want
	Rel    Rel
}

// Want is what a Derivation gives of its rows.
type Want uint8

const (
	// WantRows is an array with a row value (see Row) for each row.
	WantRows Want = iota
	// WantValue is the only column of the only row, NULL without a row; several
	// rows are an error.
	WantValue
	// WantAny is whether there is a row.
	WantAny
	// WantMany is whether there are several rows.
	WantMany
	// WantCount is the number of rows.
	WantCount
	// WantArray is an array of the values in the first column.
	WantArray
	// WantList is the rows one after the other, and WantFirst the first of them or
	// NULL. Rows that ORDER BY does not tell apart come in any order, where the other
	// ones do not look at it.
	WantList
	WantFirst
)

func (w Want) String() string { return irwords.Wants[w] }

// Rel is a relation: *Given, *Elems, *Project, *Group or *SetOp.
type Rel interface{ isRel() }

// Given is the rows in the value of a parameter, which an aggregate "rows" of
// row values has made.
type Given struct {
	Param string
	Cols  []Column
}

// Elems has a row for each element of an array, or, with a nil Array, for each
// integer from Lo to Hi. Its columns are "elem", of type Type, and "ordinality",
// which counts the rows from 1. NULL gives no rows.
type Elems struct {
	Array  Expr
	Lo, Hi Expr
	Type   Type
}

// Project is SELECT: the rows of From for which Where is true, each as Cols.
// On, if not nil, keeps the first row of those that agree in On. Order sees
// the rows of From.
type Project struct {
	From          From
	Where         Expr
	Cols          []Item
	Distinct      bool
	On            []Expr
	Order         []Order
	Limit, Offset Expr
}

// Group is GROUP BY: a row with Keys and Aggs for each group of rows of From
// that agree in Keys. Without Keys there is one group, even of no rows.
type Group struct {
	From  From
	Where Expr
	Keys  []Item
	Aggs  []NamedAgg
}

// SetOp is UNION, INTERSECT or EXCEPT; the columns are those of L.
type SetOp struct {
	Op   SetOpKind
	All  bool
	L, R Rel
	// Again, if not "", makes a UNION recursive (WITH RECURSIVE): in R it is the Param of a Given with the
	// rows that were new in the round before, those of L in the first, and there are rounds until one has none.
	Again string
}

// SetOpKind is a kind of SetOp.
type SetOpKind uint8

const (
	Union SetOpKind = iota
	Intersect
	Except
)

func (k SetOpKind) String() string { return irwords.SetOps[k] }

func (*Given) isRel() {}

func (*Elems) isRel() {}

func (*Project) isRel() {}

func (*Group) isRel() {}

func (*SetOp) isRel() {}

// Item is an output column.
type Item struct {
	Name string
	Type Type
	Expr Expr
}

// NamedAgg is an aggregate as an output column.
type NamedAgg struct {
	Name string
	Agg
}

// From is the FROM list of a relation: *Leaf, *Join, or nil for one row
// without columns.
type From interface{ isFrom() }

// Leaf is a relation whose rows the row variable Row stands for. The relation
// may refer to the row variables before it.
type Leaf struct {
	Row string
	Rel Rel
}

// Join is a join; a nil On is true.
type Join struct {
	Kind JoinKind
	L, R From
	On   Expr
}

// JoinKind is a kind of Join.
type JoinKind uint8

const (
	Inner JoinKind = iota
	Left
	Right
	Full
)

func (k JoinKind) String() string { return irwords.Joins[k] }

func (*Leaf) isFrom() {}

func (*Join) isFrom() {}

// Columns gives the shape of a relation.
func Columns(r Rel) []Column {
	var out []Column
	switch r := r.(type) {
	case *Given:
		return r.Cols
	case *Elems:
		return []Column{{Name: "elem", Type: r.Type}, {Name: "ordinality", Type: IntType}}
	case *Project:
		for _, c := range r.Cols {
			out = append(out, Column{Name: c.Name, Type: c.Type})
		}
	case *Group:
		for _, c := range r.Keys {
			out = append(out, Column{Name: c.Name, Type: c.Type})
		}
		for _, a := range r.Aggs {
			out = append(out, Column{Name: a.Name, Type: a.Type})
		}
	case *SetOp:
		return Columns(r.L)
	default:
		panic(fmt.Sprintf("ir: unknown relation %T", r))
	}
	return out
}

// Sources gives the row variables of a FROM list with the shapes of their rows,
// as tables that are no tables of the program.
func Sources(f From) []Source {
	switch f := f.(type) {
	case nil:
		return nil
	case *Leaf:
		return []Source{{Table: &Table{Name: f.Row, Columns: Columns(f.Rel)}, Row: f.Row}}
	case *Join:
		return append(Sources(f.L), Sources(f.R)...)
	}
	panic(fmt.Sprintf("ir: unknown FROM %T", f))
}

// mapRel rebuilds a relation with f applied to each of its own expressions,
// those of arguments of nested derivations included, and given to the names of
// parameters that hold rows. bound says which row variables are its own.
func mapRel(r Rel, bound map[string]bool, f func(e Expr, bound map[string]bool) Expr, given func(string) string) Rel {
	in := func(from From) map[string]bool {
		out := map[string]bool{}
		for k := range bound {
			out[k] = true
		}
		for _, s := range Sources(from) {
			out[s.Row] = true
		}
		return out
	}
	opt := func(e Expr, b map[string]bool) Expr {
		if e == nil {
			return nil
		}
		return f(e, b)
	}
	switch r := r.(type) {
	case *Given:
		if name := given(r.Param); name != r.Param {
			return &Given{name, r.Cols}
		}
		return r
	case *Elems:
		return &Elems{opt(r.Array, bound), opt(r.Lo, bound), opt(r.Hi, bound), r.Type}
	case *Project:
		b := in(r.From)
		out := &Project{From: mapFrom(r.From, bound, f, given), Where: opt(r.Where, b), Distinct: r.Distinct,
			Limit: opt(r.Limit, bound), Offset: opt(r.Offset, bound)}
		for _, c := range r.Cols {
			out.Cols = append(out.Cols, Item{c.Name, c.Type, f(c.Expr, b)})
		}
		for _, e := range r.On {
			out.On = append(out.On, f(e, b))
		}
		for _, o := range r.Order {
			out.Order = append(out.Order, Order{f(o.Expr, b), o.Desc})
		}
		return out
	case *Group:
		b := in(r.From)
		out := &Group{From: mapFrom(r.From, bound, f, given), Where: opt(r.Where, b)}
		for _, c := range r.Keys {
			out.Keys = append(out.Keys, Item{c.Name, c.Type, f(c.Expr, b)})
		}
		for _, a := range r.Aggs {
			a.Arg = opt(a.Arg, b)
			out.Aggs = append(out.Aggs, a)
		}
		return out
	case *SetOp:
		right := func(name string) string {
			if name == r.Again {
				return name
			}
			return given(name)
		}
		return &SetOp{r.Op, r.All, mapRel(r.L, bound, f, given), mapRel(r.R, bound, f, right), r.Again}
	}
	panic(fmt.Sprintf("ir: unknown relation %T", r))
}

func mapFrom(from From, bound map[string]bool, f func(Expr, map[string]bool) Expr, given func(string) string) From {
	switch from := from.(type) {
	case nil:
		return nil
	case *Leaf:
		return &Leaf{from.Row, mapRel(from.Rel, bound, f, given)}
	case *Join:
		left := map[string]bool{}
		for k := range bound {
			left[k] = true
		}
		for _, s := range Sources(from.L) {
			left[s.Row] = true
		}
		out := &Join{Kind: from.Kind, L: mapFrom(from.L, bound, f, given), R: mapFrom(from.R, left, f, given)}
		if from.On != nil {
			on := map[string]bool{}
			for k := range left {
				on[k] = true
			}
			for _, s := range Sources(from.R) {
				on[s.Row] = true
			}
			out.On = f(from.On, on)
		}
		return out
	}
	panic(fmt.Sprintf("ir: unknown FROM %T", from))
}

// Derive closes a relation: its free locals and columns become parameters, and
// the call that it gives has them as arguments. typ is the type of the result;
// TypeOf gives the types of locals, and of columns that are free somewhere in
// the relation. Calls inside of it that are open (see Open) are closed too.
func Derive(want Want, r Rel, typ Type, typeOf func(Expr) Type) *Call {
	d := &Derivation{Want: want}
	c := &Call{Type: typ, Def: d}
	param := map[Col]string{} // variables are columns of no row
	add := func(key Col, e Expr) string {
		if name, ok := param[key]; ok {
			return name
		}
		name := "p" + strconv.Itoa(len(param)+1)
		param[key] = name
		d.Params = append(d.Params, Param{Name: name, Type: typeOf(e)})
		c.Args = append(c.Args, e)
		return name
	}
	d.Rel = mapRel(r, nil, func(e Expr, bound map[string]bool) Expr {
		var rename func(e Expr) Expr
		rename = func(e Expr) Expr {
			switch e := e.(type) {
			case *Var:
				return &Var{add(Col{Col: e.Name}, e)}
			case *Col:
				if !bound[e.Row] {
					return &Var{add(*e, e)}
				}
			case *Call:
				if e.IsOpen() {
					inner := Derive(e.Def.Want, e.Def.Rel, e.Type, typeOf)
					for i, a := range inner.Args {
						inner.Args[i] = MapExpr(a, rename)
					}
					return inner
				}
			}
			return e
		}
		return MapExpr(e, rename)
	}, func(local string) string { return add(Col{Col: local}, &Var{local}) })
	c.Name = d.Name(typ)
	return c
}

// Open makes a call whose derivation is not closed yet: it may stand inside of
// relations that Derive closes, and nowhere else.
func Open(want Want, r Rel, typ Type) *Call {
	return &Call{Type: typ, Def: &Derivation{Want: want, Rel: r}}
}

// IsOpen reports whether it is one that Open has made. What its relation refers to
// is no argument of the call yet.
func (c *Call) IsOpen() bool { return c.Def != nil && c.Name == "" }

// Name is what a solver knows the derivation by: derivations with the same
// text are the same function.
func (d *Derivation) Name(t Type) string {
	h := sha256.Sum256([]byte(t.String() + " " + d.text()))
	return "derived " + hex.EncodeToString(h[:8])
}

// Row makes a value of an opaque type out of the values of a row. It is what
// the opaque function irnames.RowFn gives.
func Row(vals []Value) Value {
	var b strings.Builder
	for _, v := range vals {
		s := v.S
		switch v.Kind {
		case KindInt, KindTime, KindBool:
			s = strconv.FormatInt(v.I, 10)
		}
		fmt.Fprintf(&b, "%d %d %s ", v.Kind, len(s), s)
	}
	return Opaque(b.String())
}

// Fields is the inverse of Row; ok is false for a value that Row did not make.
func Fields(v Value) (vals []Value, ok bool) {
	s := v.S
	for s != "" {
		kind, rest, ok1 := strings.Cut(s, " ")
		size, rest, ok2 := strings.Cut(rest, " ")
		k, err1 := strconv.Atoi(kind)
		n, err2 := strconv.Atoi(size)
		if !ok1 || !ok2 || err1 != nil || err2 != nil || n < 0 || n >= len(rest) || k > int(KindOpaque) {
			return nil, false
		}
		text := rest[:n]
		s = rest[n+1:]
		f := Value{Kind: Kind(k)}
		switch f.Kind {
		case KindInt, KindTime, KindBool:
			i, err := strconv.ParseInt(text, 10, 64)
			if err != nil {
				return nil, false
			}
			f.I = i
		default:
			f.S = text
		}
		vals = append(vals, f)
	}
	return vals, true
}

// Field tells which field of its only argument a call takes, if it does.
func (c *Call) Field() (int, bool) {
	n, is := strings.CutPrefix(c.Name, irnames.FieldPrefix)
	if !is || len(c.Args) != 1 {
		return 0, false
	}
	i, err := strconv.Atoi(n)
	return i, err == nil
}

// applyRows computes the functions about row values, and aggregates of them.
func (c *Call) applyRows(args []Value) (v Value, ok bool) {
	switch {
	case c.Name == irnames.RowFn:
		return Row(args), true
	case c.Name == irnames.RowsAgg:
		return Array(args), true
	case c.Name == irnames.RowsWith && len(args) == 2:
		return Array(append(args[0].Elems(KindOpaque), args[1])), true
	case c.Name == irnames.SucceedsFn:
		return Bool(true), true
	}
	if i, is := c.Field(); is && len(args) == 1 {
		if args[0].IsNull() {
			return Null, true
		}
		if fields, isRow := Fields(args[0]); isRow && i < len(fields) {
			return fields[i], true
		}
	}
	return Null, false
}

// Known reports whether the interpreter knows what the call means.
func (c *Call) Known() bool {
	f := c.Function()
	return f != nil && f.Eval != nil || c.Def != nil || c.Name == irnames.RowFn || c.Name == irnames.RowsAgg || c.Name == irnames.RowsWith || c.Name == irnames.SucceedsFn || strings.HasPrefix(c.Name, irnames.FieldPrefix)
}

// WalkRel calls f for every expression in a relation, outer ones first, and for
// those of open calls in it; of other derivations it sees the arguments.
func WalkRel(r Rel, f func(Expr)) {
	mapRel(r, nil, func(e Expr, _ map[string]bool) Expr {
		WalkExpr(e, func(e Expr) {
			f(e)
			if c, ok := e.(*Call); ok && c.IsOpen() {
				WalkRel(c.Def.Rel, f)
			}
		})
		return e
	}, func(name string) string { return name })
}

// EachRel calls f for a relation and for those that it is made of, but not for those in its expressions.
func EachRel(r Rel, f func(Rel)) {
	f(r)
	switch r := r.(type) {
	case *Project:
		eachLeaf(r.From, f)
	case *Group:
		eachLeaf(r.From, f)
	case *SetOp:
		EachRel(r.L, f)
		EachRel(r.R, f)
	}
}

func eachLeaf(from From, f func(Rel)) {
	switch from := from.(type) {
	case *Leaf:
		EachRel(from.Rel, f)
	case *Join:
		eachLeaf(from.L, f)
		eachLeaf(from.R, f)
	}
}

// MapRel rebuilds a relation with f applied to each of its expressions as a
// whole.
func MapRel(r Rel, f func(Expr) Expr) Rel {
	return mapRel(r, nil, func(e Expr, _ map[string]bool) Expr { return f(e) }, func(name string) string { return name })
}
