package query

import (
	"slices"
	"strconv"
	"strings"

	"github.com/txrobust/robust/internal/failure"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/irnames"
	"github.com/txrobust/robust/internal/sql/catalog"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/over"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/internal/sql/value"
)

// aggregates translates the output columns of a query without GROUP BY that
// has aggregates: one row of expressions over them.
func (q *Query) aggregates(x *Place, s *pg.SelectStmt) {
	y := x.Copy()
	y.agg = &oneGroup{q}
	columns := func() {
		for _, n := range s.TargetList {
			t := pg.Inner(n).(*pg.ResTarget)
			v := y.Expr(t.Val)
			if v.Record {
				x.Unmodelled("a row of aggregates")
			}
			v = y.DefaultType(v)
			q.Targets = append(q.Targets, expr.Column{Name: syntax.TargetName(t), Expr: v.Expr, Type: v.Type, NotNull: v.NotNull})
		}
	}
	for _, n := range s.SortClause {
		if v := y.Expr(pg.Inner(n).(*pg.SortBy).Node); v.Expr != nil && failure.MayFail(v.Expr) {
			x.Unmodelled("ORDER BY of what may fail, with aggregates")
		}
	}
	if x.Draft == nil {
		columns()
		return
	}
	needed := map[string]bool{}
	list := x.Draft.Collect(columns)
	for _, a := range q.Aggs {
		ir.WalkExpr(a.Agg.Arg, func(e ir.Expr) { need(e, needed) })
	}
	var before []ir.Stmt
	for _, s := range slices.Backward(list) { // what the arguments of the aggregates need comes before
		if feeds(s, needed) {
			before = append(before, s)
		} else {
			q.After = append(q.After, s)
		}
	}
	slices.Reverse(before)
	slices.Reverse(q.After)
	x.Draft.Out = append(x.Draft.Out, before...)
}

// ComputeAfter adds what is computed of the aggregates of q, such as calls of functions.
func ComputeAfter(b *expr.Draft, q *Query) { b.Out = append(b.Out, q.After...) }

// oneGroup is the aggregates of a query without GROUP BY, each in a local.
type oneGroup struct{ q *Query }

func (o *oneGroup) over() *Place { return o.q.Place }

func (o *oneGroup) aggregate(agg ir.Agg, base string, t schema.Type) ir.Expr {
	local := o.q.Place.Draft.Local(base, t)
	o.q.Aggs = append(o.q.Aggs, aggCall{agg, local})
	return ir.V(local)
}

// aggregate translates a call of an aggregate.
func (x *Place) aggregate(e *pg.FuncCall, name string) expr.Val {
	if x.agg == nil {
		x.Unmodelled("the aggregate %s in this place", name)
	}
	if e.AggWithinGroup {
		x.Unmodelled("WITHIN GROUP of the aggregate %s", name)
	}
	in := x.agg.over()
	args := in.ownArguments(e.Args, name)
	fn, t := name, schema.TBigint // of count
	digits := 0
	if x.App.In.MySQL && len(args) > 0 {
		args[0] = in.App.Dialect.Aggregated(&in.Spot, name, args[0])
	}
	agg := ir.Agg{Distinct: e.AggDistinct}
	switch {
	case e.AggStar && name != "count" || len(args) > 0 && args[0].Record && name != "count":
		x.Unmodelled("the aggregate %s of rows", name)
	case e.AggStar || len(args) > 0 && args[0].Record:
	case len(args) == 0:
		x.Fail(e.Location, "%s needs an argument", name)
	default:
		if name != "count" {
			t = x.aggregateResult(name, args, e.Location)
		}
		if x.App.In.MySQL && (name == "min" || name == "max") {
			t = x.App.Dialect.AsUnsigned(args[0], t)
		}
		if agg.Arg = args[0].Expr; name == "sum" || name == "min" || name == "max" {
			digits = args[0].WithScale(expr.Sum, args[0], expr.Val{Expr: ir.C(ir.Int(0))}).Digits
		}
		if agg.Distinct && name == "count" { // values that differ may be equal
			agg.Arg = in.Comparable(args[0]).Expr
		}
	}
	if strings.HasSuffix(name, "_agg") && name != "string_agg" && agg.Arg != nil {
		agg.Arg = withNulls(args[0])
	}
	if strings.HasSuffix(name, "_object_agg") && len(args) > 0 && !args[0].NotNull && x.Draft != nil {
		x.Draft.MayDepend(x.Pos(e.Location), "an error of "+name+" for a key that is NULL")
	}
	switch name {
	case "sum":
		if args[0].Type.Name != schema.NInt && args[0].Type.Name != schema.NNumeric {
			fn = args[0].Type.Name + " sum" // floats, intervals: not the IR's sum
		}
	case "bool_and", "every": // false is less than true
		fn = "min"
	case "bool_or":
		fn = "max"
	case "min", "max":
		if x.App.In.MySQL && t.Textual() {
			x.Unmodelled("%s of texts, of which several may be equal", strings.ToUpper(name))
		}
		if !t.Ordered() {
			fn = name + " of " + t.String()
		}
	}
	for _, a := range args[min(1, len(args)):] {
		c, ok := a.Expr.(*ir.Const)
		if !ok {
			x.Unmodelled("the aggregate %s of several expressions", name)
		}
		fn += " " + c.Value.String()
	}
	if e.AggFilter != nil {
		cond := in.Boolean(e.AggFilter, expr.Truth)
		arg := agg.Arg
		if arg == nil {
			arg = ir.C(ir.Int(1))
		}
		agg.Arg = &ir.Cond{If: cond, Then: arg, Else: ir.C(ir.Null)}
	}
	if len(e.AggOrder) > 0 && name != "count" && fn != "sum" && fn != "min" && fn != "max" {
		fn = in.ordered(e, fn, &agg)
	}
	agg.Fn, agg.Type = fn, expr.LocalType(t)
	if fn == name && len(args) == 1 && (!strings.HasSuffix(name, "_agg") || strings.HasPrefix(name, "json")) && !x.App.In.MySQL {
		agg.Known = x.knownAggregate(name, args[0], t)
	}
	return expr.Val{Expr: x.agg.aggregate(agg, strings.Fields(name)[0], t), Type: t, NotNull: name == "count", Digits: digits}
}

// knownAggregate gives what is known of an aggregate of one argument, or nil.
func (x *Place) knownAggregate(name string, arg expr.Val, t schema.Type) *ir.Function {
	calls, outcome := x.resolveAggregate(name, []expr.Val{arg})
	if outcome != catalog.Found || x.App.In.MySQL || t.SQL == nil {
		return nil
	}
	of := arg.Type.SQL
	if of == nil || of.Name != calls[0].Types[0] {
		return nil // a conversion comes first
	}
	f := value.Aggregate(calls[0].Signature(), false, []*value.Type{of}, t.SQL)
	if f.Eval == nil {
		return nil
	}
	return f
}

// aggregateResult is the type of an aggregate of these arguments.
func (x *Place) aggregateResult(name string, args []expr.Val, loc int32) schema.Type {
	calls, outcome := x.resolveAggregate(name, args)
	switch {
	case outcome == catalog.Found:
		t := x.App.ResultType(calls[0].Returns)
		expr.ShowsForm(&x.Spot, name, t, args...)
		return t
	case len(calls) > 0 || x.App.In.MySQL:
		return x.App.CommonResult(name, calls)
	}
	x.Fail(loc, "the aggregate %s does not work on %s; add a cast", name, expr.TypesOf(args))
	return schema.TAny
}

// resolveAggregate finds the aggregate or window function that a call means.
func (x *Place) resolveAggregate(name string, args []expr.Val) ([]catalog.Call, catalog.Outcome) {
	var given []catalog.Arg
	for _, a := range args {
		given = append(given, catalog.Arg{Type: a.ArgType()})
	}
	return x.App.Catalog().Function(name, given, false)
}

// ownArguments translates the arguments of an aggregate. If they name columns of the
// queries around alone, the aggregate is one of these (manual, 4.2.7).
func (x *Place) ownArguments(list []*pg.Node, name string) []expr.Val {
	var saved []bool
	for _, lv := range x.Levels {
		saved = append(saved, lv.Used)
		lv.Used = false
	}
	defer func() { // also where an argument is not modelled
		for i, lv := range x.Levels {
			lv.Used = lv.Used || saved[i]
		}
	}()
	own := map[string]bool{}
	for _, s := range x.Levels[len(x.Levels)-1].Sources {
		for _, c := range s.Cols {
			own[c.Expr.String()] = true
		}
	}
	var args []expr.Val
	mine := false
	for _, n := range list {
		v := x.DefaultType(x.Expr(n))
		args = append(args, v)
		for _, c := range v.Columns() {
			if c.Expr == nil {
				continue
			}
			ir.WalkExpr(c.Expr, func(e ir.Expr) { mine = mine || own[e.String()] })
		}
	}
	outer := false
	for _, lv := range x.Levels {
		outer = outer || lv.Used
	}
	if outer && !mine {
		x.Unmodelled("the aggregate %s over columns of a query around", name)
	}
	return args
}

// ordered is ORDER BY in an aggregate: it becomes a function of the arguments
// together with what they are sorted by.
func (x *Place) ordered(e *pg.FuncCall, fn string, agg *ir.Agg) string {
	row := &ir.Call{Name: irnames.RowFn, Type: ir.OpaqueType}
	if agg.Arg != nil {
		row.Args = append(row.Args, agg.Arg)
	}
	for _, n := range e.AggOrder {
		o := pg.Inner(n).(*pg.SortBy)
		row.Args = append(row.Args, x.DefaultType(x.One(o.Node)).Expr)
		if fn += " by"; o.SortbyDir == pg.SortDesc {
			fn += " desc"
		}
	}
	agg.Arg = row
	return fn
}

// withNulls makes a value of which NULL, too, takes part in an aggregate.
func withNulls(v expr.Val) ir.Expr {
	if v.NotNull {
		return v.Expr
	}
	return &ir.Cond{If: &ir.Unary{Op: ir.IsNull, X: v.Expr}, Then: ir.C(ir.Opaque("null")),
		Else: &ir.Call{Name: "value", Args: []ir.Expr{v.Expr}, Type: ir.OpaqueType}}
}

func need(e ir.Expr, needed map[string]bool) {
	if v, is := e.(*ir.Var); is {
		needed[v.Name] = true
	}
}

// feeds reports whether a statement sets a needed local. What it uses for that is needed, too.
func feeds(s ir.Stmt, needed map[string]bool) bool {
	sets := false
	ir.Walk([]ir.Stmt{s}, func(s ir.Stmt) {
		sets = sets || slices.ContainsFunc(ir.Assigned(s), func(v string) bool { return needed[v] })
	})
	if sets {
		ir.WalkExprs([]ir.Stmt{s}, func(e ir.Expr) { need(e, needed) })
	}
	return sets
}

// grouping is a GROUP BY under translation, or aggregates without one.
type grouping struct {
	in    *Place // sees the rows that are grouped
	row   string // the row variable of the groups
	items []ir.Item
	aggs  []ir.NamedAgg
	texts []string // of the keys' expressions
}

// keys reads GROUP BY.
func (g *grouping) keys(q *Query, clause []*pg.Node) {
	for _, n := range clause {
		v := g.key(q, n)
		if v.Record {
			for _, c := range v.Fields {
				g.add(c.Expr, c.Type)
			}
			continue
		}
		v = g.in.DefaultType(v)
		g.add(v.Expr, v.Type)
	}
}

// key is an item of GROUP BY: a column, an output column by name or number, or
// an expression.
func (g *grouping) key(q *Query, n *pg.Node) expr.Val {
	x := g.in
	switch e := pg.Inner(n).(type) {
	case *pg.A_Const:
		i := int(e.GetIval().GetIval())
		if e.GetIval() == nil || i < 1 || i > len(q.Targets) {
			x.Fail(e.Location, "GROUP BY needs a column or its number, from 1 to %d", len(q.Targets))
		}
		return q.Targets[i-1].Val()
	case *pg.ColumnRef:
		parts := syntax.Names(e.Fields)
		if len(parts) == len(e.Fields) {
			if v, ok := x.Resolve(parts, e.Location); ok {
				return v
			}
		}
		for _, c := range q.Targets {
			if len(parts) == 1 && c.Name == parts[0] {
				return c.Val()
			}
		}
	case *pg.GroupingSet:
		x.Unmodelled("GROUPING SETS, ROLLUP or CUBE")
	}
	return x.Expr(n)
}

func (g *grouping) add(e ir.Expr, t schema.Type) *ir.Col {
	g.in.ByIdentityOnly(t, "GROUP BY")
	text := e.String()
	for i, old := range g.texts {
		if old == text {
			return &ir.Col{Row: g.row, Col: g.items[i].Name}
		}
	}
	name := "k" + strconv.Itoa(len(g.items)+1)
	g.in.Deriver.types[ir.Col{Row: g.row, Col: name}] = expr.LocalType(t)
	g.items, g.texts = append(g.items, ir.Item{Name: name, Type: expr.LocalType(t), Expr: e}), append(g.texts, text)
	return &ir.Col{Row: g.row, Col: name}
}

// rewrite turns an expression over the rows into one over the groups. What is no
// key must depend on the keys.
func (g *grouping) rewrite(e ir.Expr) ir.Expr {
	return ir.ReplaceExpr(e, func(e ir.Expr) ir.Expr {
		if c, ok := e.(*ir.Call); ok && c.Def != nil {
			return &ir.Call{Type: c.Type, Def: &ir.Derivation{Want: c.Def.Want, Rel: ir.MapRel(c.Def.Rel, g.rewrite)}}
		}
		text := e.String()
		for i, old := range g.texts {
			if old == text {
				return &ir.Col{Row: g.row, Col: g.items[i].Name}
			}
		}
		if c, ok := e.(*ir.Col); ok && c.Row != g.row {
			for _, s := range g.in.Levels[len(g.in.Levels)-1].Sources {
				if s.Row == c.Row {
					for _, d := range s.Cols {
						if k, ok := d.Expr.(*ir.Col); ok && k.Col == c.Col {
							return g.add(e, d.Type)
						}
					}
				}
			}
		}
		return nil
	})
}

// over sees the rows that are grouped.
func (g *grouping) over() *Place { return g.in }

// aggregate adds a call of an aggregate.
func (g *grouping) aggregate(agg ir.Agg, _ string, _ schema.Type) ir.Expr {
	text := ""
	if agg.Arg != nil {
		text = agg.Arg.String()
	}
	for _, a := range g.aggs {
		same := a.Arg == nil && agg.Arg == nil || a.Arg != nil && agg.Arg != nil && a.Arg.String() == text
		if same && a.Fn == agg.Fn && a.Distinct == agg.Distinct && a.Type == agg.Type {
			return &ir.Col{Row: g.row, Col: a.Name}
		}
	}
	name := "a" + strconv.Itoa(len(g.aggs)+1)
	g.in.Deriver.types[ir.Col{Row: g.row, Col: name}] = agg.Type
	g.aggs = append(g.aggs, ir.NamedAgg{Name: name, Agg: agg})
	return &ir.Col{Row: g.row, Col: name}
}

// window is what window functions look at: all rows of a query.
type window struct {
	from  ir.From
	where ir.Expr
	named []*pg.Node // of WINDOW
}

// orderly are the window functions whose value depends on the order of rows that ORDER BY does not tell apart.
var orderly = map[string]bool{"row_number": true, "ntile": true, "lag": true, "lead": true, "first_value": true, "last_value": true, "nth_value": true}

// windowCall translates a window function: a function of all rows of the
// query, and of this row, in all that the call names.
func (x *Place) windowCall(e *pg.FuncCall, name string) expr.Val {
	w := x.win
	if w == nil || x.Deriver == nil {
		x.Unmodelled(noWindow)
	}
	def := over.Definition(e.Over, w.named)
	if def == nil {
		x.Unmodelled("a window that extends another one")
	}
	var cols []ir.Item
	add := func(n *pg.Node) {
		v := x.DefaultType(x.One(n))
		cols = append(cols, ir.Item{Name: "w" + strconv.Itoa(len(cols)+1), Type: expr.LocalType(v.Type), Expr: v.Expr})
	}
	var args []expr.Val
	for _, a := range e.Args {
		args = append(args, x.DefaultType(x.One(a)))
		add(a)
	}
	for _, n := range def.PartitionClause {
		add(n)
	}
	for _, n := range def.OrderClause {
		add(pg.Inner(n).(*pg.SortBy).Node)
	}
	for _, n := range []*pg.Node{def.StartOffset, def.EndOffset, e.AggFilter} {
		if n != nil {
			add(n)
		}
	}
	t := x.windowResult(name, args)
	pos := x.Pos(e.Location)
	c := &ir.Call{Name: irnames.WindowFn + name + " at " + strconv.Itoa(pos.Line) + ":" + strconv.Itoa(pos.Col), Type: expr.LocalType(t)}
	c.Args = append(c.Args, ir.Open(ir.WantRows, &ir.Project{From: w.from, Where: w.where, Cols: cols}, ir.ArrayType(ir.KindOpaque)))
	for _, i := range cols {
		c.Args = append(c.Args, i.Expr)
	}
	if orderly[name] { // where rows come in any order, it depends on that
		c.Args = append(append(c.Args, x.Draft.Seed("any_order", pos)), x.RowKeys()...)
	}
	return expr.Val{Expr: c, Type: t}
}

// windowResult is the type of a window function.
func (x *Place) windowResult(name string, args []expr.Val) schema.Type {
	if name == "count" {
		return schema.TBigint
	}
	calls, _ := x.resolveAggregate(name, args)
	if len(calls) != 1 {
		return schema.TAny
	}
	if calls[0].Kind == 'f' {
		x.Unmodelled("the function %s with OVER", name)
	}
	return x.App.ResultType(calls[0].Returns)
}
