package mysql

import (
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/txrobust/robust/ir"
	"github.com/xwb1989/sqlparser"
)

// scope is the rows that names may mean.
type scope struct {
	rows  []scopeRow
	outer *scope
	// closed: what is found in an outer scope makes the statement one that is
	// not modelled.
	closed bool
	// group collects aggregates, where they may stand.
	group *group
}

type scopeRow struct {
	alias string
	t     *table
	row   string // the row variable
	// now, if not nil, gives the values of columns that were assigned before.
	now map[*column]value
	// apart says that the server may compute all values before it assigns any.
	apart bool
}

// group is the aggregates of a query.
type group struct {
	aggs   []ir.Agg
	into   []string
	within bool // inside of an aggregate
}

// maxExpr is how many nodes an expression may have where a part of it is used
// twice.
const maxExpr = 5000

// small fails for expressions that grow beyond all bounds.
func small(es ...ir.Expr) {
	n := 0
	for _, e := range es {
		if e != nil && !counted(e, &n) {
			fail("an expression that is too large")
		}
	}
}

func counted(e ir.Expr, n *int) bool {
	if *n++; *n > maxExpr {
		return false
	}
	switch e := e.(type) {
	case *ir.Unary:
		return counted(e.X, n)
	case *ir.Binary:
		return counted(e.X, n) && counted(e.Y, n)
	case *ir.Cond:
		return counted(e.If, n) && counted(e.Then, n) && counted(e.Else, n)
	case *ir.Call:
		for _, a := range e.Args {
			if !counted(a, n) {
				return false
			}
		}
	case *ir.Exists:
		return e.Query.Where == nil || counted(e.Query.Where, n)
	}
	return true
}

func isNull(e ir.Expr) ir.Expr { return &ir.Unary{Op: ir.IsNull, X: e} }

// asValue makes a number of a condition.
func asValue(v value) value {
	if v.t.kind != boolean {
		return v
	}
	small(v.e, v.e)
	e := ir.Expr(&ir.Cond{If: v.e, Then: ir.C(ir.Int(1)), Else: ir.C(ir.Int(0))})
	if !v.nn {
		e = strict(v.e, false, e)
	}
	return value{e: e, t: typ{kind: integer}, nn: v.nn}
}

// column finds a column by its name.
func (b *builder) column(n *sqlparser.ColName, sc *scope) value {
	name, of := n.Name.String(), n.Qualifier.Name.String()
	closed := false
	for s := sc; s != nil; s = s.outer {
		var found *scopeRow
		var col *column
		for i := range s.rows {
			r := &s.rows[i]
			if of != "" && !strings.EqualFold(of, r.alias) {
				continue
			}
			if c := r.t.column(name); c != nil {
				if col != nil {
					panic(ir.Errorf(b.at.Pos, "column %s is ambiguous; write the table before it", name))
				}
				found, col = r, c
			}
		}
		if col != nil {
			if closed {
				fail("a correlated subquery that is used as a value")
			}
			if s.group != nil && !s.group.within {
				fail("a column beside an aggregate")
			}
			if v, ok := found.now[col]; ok {
				if found.apart {
					fail("an assignment that sees another one, where a subquery reads the table that is updated")
				}
				return v
			}
			return columnValue(col, found.row)
		}
		closed = closed || s.closed
	}
	if of != "" {
		name = of + "." + name
	}
	if sc == nil {
		fail("a column where there is no row")
	}
	panic(ir.Errorf(b.at.Pos, "there is no column %s", name))
}

func columnValue(c *column, row string) value {
	v := value{e: &ir.Col{Row: row, Col: c.name}, t: c.t, nn: c.notNull, labels: c.labels()}
	if f := c.format; f != nil {
		v.unsigned, v.scale, v.padded = f.unsigned && c.t.kind == integer, f.scale, f.pads
	}
	if c.key >= 0 {
		v.key = &ir.Col{Row: row, Col: c.name + " collated"}
	}
	return v
}

// cond translates a condition. With weak, it may be false in place of NULL.
func (b *builder) cond(e sqlparser.Expr, sc *scope, weak bool) ir.Expr {
	switch n := e.(type) {
	case *sqlparser.ParenExpr:
		return b.cond(n.Expr, sc, weak)
	case *sqlparser.AndExpr:
		return ir.Op(ir.And, b.cond(n.Left, sc, weak), b.cond(n.Right, sc, weak))
	case *sqlparser.OrExpr:
		return ir.Op(ir.Or, b.cond(n.Left, sc, weak), b.cond(n.Right, sc, weak))
	case *sqlparser.ComparisonExpr:
		if sub, ok := n.Right.(*sqlparser.Subquery); ok && n.Operator == sqlparser.InStr {
			return b.in(n.Left, sub, sc, weak)
		}
	}
	v := b.val(e, sc)
	v = b.settle(v, typ{kind: integer})
	switch v.t.kind {
	case boolean, null:
		return v.e
	case integer, decimal:
		return ir.Op(ir.Ne, v.e, ir.C(ir.Int(0)))
	}
	fail("%s as a condition", kindWords[v.t.kind])
	return nil
}

// val translates an expression.
func (b *builder) val(e sqlparser.Expr, sc *scope) value {
	truth := func(e ir.Expr, nn bool) value { return value{e: e, t: typ{kind: boolean}, nn: nn} }
	switch n := e.(type) {
	case *sqlparser.ParenExpr:
		return b.val(n.Expr, sc)
	case *sqlparser.NullVal:
		return value{e: ir.C(ir.Null), t: typ{kind: null}}
	case sqlparser.BoolVal:
		if n {
			return value{e: ir.C(ir.Int(1)), t: typ{kind: integer}, nn: true}
		}
		return value{e: ir.C(ir.Int(0)), t: typ{kind: integer}, nn: true}
	case *sqlparser.SQLVal:
		return b.literal(n)
	case *sqlparser.ColName:
		if name, isVar := strings.CutPrefix(n.Name.String(), "@"); isVar {
			if strings.HasPrefix(name, "@") {
				fail("a variable of the server")
			}
			name = strings.ToLower(name)
			v, set := b.locals[name]
			switch {
			case !set:
				return b.param(name)
			case v.e == nil:
				fail("the variable @%s, whose value is not modelled", name)
			}
			return v
		}
		return b.column(n, sc)
	case *sqlparser.AndExpr, *sqlparser.OrExpr:
		return truth(b.cond(e, sc, false), false)
	case *sqlparser.NotExpr:
		return truth(ir.NotE(b.cond(n.Expr, sc, false)), false)
	case *sqlparser.IsExpr:
		switch n.Operator {
		case sqlparser.IsNullStr:
			return truth(isNull(b.val(n.Expr, sc).e), true)
		case sqlparser.IsNotNullStr:
			return truth(ir.NotE(isNull(b.val(n.Expr, sc).e)), true)
		}
		is := ir.Op(ir.Is, b.cond(n.Expr, sc, false), ir.C(ir.Bool(strings.HasSuffix(n.Operator, "true"))))
		if strings.HasPrefix(n.Operator, "is not") {
			is = ir.NotE(is)
		}
		return truth(is, true)
	case *sqlparser.ComparisonExpr:
		return b.comparison(n, sc)
	case *sqlparser.RangeCond:
		x, lo, hi := b.val(n.Left, sc), b.val(n.From, sc), b.val(n.To, sc)
		small(x.e, x.e)
		c := ir.Op(ir.And, b.compare(ir.Ge, x, lo), b.compare(ir.Le, x, hi))
		if n.Operator == sqlparser.NotBetweenStr {
			c = ir.NotE(c)
		}
		return truth(c, false)
	case *sqlparser.ExistsExpr:
		q := b.query(n.Subquery.Select, &scope{outer: sc, group: nil}, true)
		return truth(&ir.Exists{Query: q.q}, true)
	case *sqlparser.Subquery:
		return b.scalar(n.Select, sc)
	case *sqlparser.UnaryExpr:
		if n.Operator != sqlparser.UMinusStr && n.Operator != sqlparser.UPlusStr {
			fail("the operator %s", strings.TrimSpace(n.Operator))
		}
		v := b.number(b.val(n.Expr, sc))
		if n.Operator == sqlparser.UPlusStr {
			return v
		}
		if c, ok := v.constant(); ok && c.Kind == ir.KindInt {
			return value{e: ir.C(ir.Int(-c.I)), t: v.t, nn: true}
		}
		return value{e: &ir.Unary{Op: ir.Neg, X: v.e}, t: v.t, nn: v.nn, scale: v.scale}
	case *sqlparser.BinaryExpr:
		return b.arithmetic(n, sc)
	case *sqlparser.FuncExpr:
		return b.call(n, sc)
	case *sqlparser.CaseExpr:
		return b.caseOf(n, sc)
	case *sqlparser.ValuesFuncExpr:
		for s := sc; s != nil; s = s.outer {
			for _, r := range s.rows {
				if c := r.t.column(n.Name.Name.String()); c != nil && r.alias == "" {
					return columnValue(c, ir.Excluded)
				}
			}
		}
		fail("VALUES() outside of ON DUPLICATE KEY UPDATE")
	}
	fail("an expression of a kind that is not modelled: %s", shown(e))
	return value{}
}

// shown is an expression for a reason.
func shown(e sqlparser.Expr) string {
	s := sqlparser.String(e)
	if r := []rune(s); len(r) > 40 {
		s = string(r[:40]) + "…"
	}
	return s
}

func (b *builder) literal(n *sqlparser.SQLVal) value {
	s := string(n.Val)
	switch n.Type {
	case sqlparser.IntVal:
		i, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			fail("a number beyond 64 bits")
		}
		return value{e: ir.C(ir.Int(i)), t: typ{kind: integer}, nn: true}
	case sqlparser.FloatVal:
		r, ok := new(big.Rat).SetString(s)
		if !ok || strings.ContainsAny(s, "eE") {
			fail("a floating-point number")
		}
		digits, _ := r.FloatPrec()
		return value{e: ir.C(ir.Num(r)), t: typ{kind: decimal}, nn: true, scale: digits}
	case sqlparser.StrVal:
		return value{e: ir.C(ir.Text(s)), t: typ{kind: str}, nn: true}
	case sqlparser.ValArg:
		return b.param(strings.TrimPrefix(s, ":"))
	}
	fail("a constant in bits or hexadecimal digits")
	return value{}
}

// number makes a number of a value, or fails.
func (b *builder) number(v value) value {
	v = asValue(v)
	switch v.t.kind {
	case integer, decimal, null:
		return v
	case unknown:
		return b.settle(v, typ{kind: decimal})
	}
	fail("arithmetic on %s", kindWords[v.t.kind])
	return v
}

func (b *builder) arithmetic(n *sqlparser.BinaryExpr, sc *scope) value {
	x, y := asValue(b.val(n.Left, sc)), asValue(b.val(n.Right, sc))
	ops := map[string]ir.BinaryOp{sqlparser.PlusStr: ir.Add, sqlparser.MinusStr: ir.Sub, sqlparser.MultStr: ir.Mul}
	op, exact := ops[n.Operator]
	if x.t.kind == unknown && y.t.kind != unknown {
		x = b.settle(x, y.t)
	}
	if y.t.kind == unknown && x.t.kind != unknown {
		y = b.settle(y, x.t)
	}
	x, y = b.number(x), b.number(y)
	t := typ{kind: integer}
	if x.t.kind == decimal || y.t.kind == decimal {
		t.kind = decimal
	}
	if x.t.kind == null || y.t.kind == null {
		return value{e: ir.C(ir.Null), t: typ{kind: null}}
	}
	if exact {
		return exactly(op, x, y, t)
	}
	switch n.Operator {
	case sqlparser.DivStr:
		t.kind = decimal
	case sqlparser.IntDivStr:
		t.kind = integer
	case sqlparser.ModStr:
	default:
		fail("the operator %s", n.Operator)
	}
	if (x.unsigned || y.unsigned) && n.Operator == sqlparser.IntDivStr {
		if c, ok := y.constant(); !ok || c.Kind != ir.KindInt || c.I < 0 {
			fail("a quotient of unsigned numbers")
		}
	}
	return value{e: &ir.Call{Name: "mysql " + n.Operator, Args: []ir.Expr{x.e, y.e}, Type: t.ir()}, t: t, scale: anyScale}
}

// anyScale is the scale of decimals of which it is not known.
const anyScale = 100

// exactly adds, subtracts or multiplies. Where an operand is unsigned, a result that is
// negative is an error.
func exactly(op ir.BinaryOp, x, y value, t typ) value {
	out := value{e: ir.Op(op, x.e, y.e), t: t, nn: x.nn && y.nn, scale: max(x.scale, y.scale)}
	if op == ir.Mul {
		out.scale = x.scale + y.scale
	}
	if t.kind != integer || !x.unsigned && !y.unsigned {
		return out
	}
	out.unsigned = true
	positive := func(v value) bool {
		c, ok := v.constant()
		return v.unsigned || ok && c.I >= 0
	}
	if op != ir.Sub && positive(x) && positive(y) {
		return out
	}
	small(out.e, out.e)
	out.e = notNegative(out.e, ir.Op(ir.Lt, out.e, ir.C(ir.Int(0))))
	return out
}

func (b *builder) comparison(n *sqlparser.ComparisonExpr, sc *scope) value {
	truth := func(e ir.Expr) value { return value{e: e, t: typ{kind: boolean}} }
	ops := map[string]ir.BinaryOp{sqlparser.EqualStr: ir.Eq, sqlparser.NotEqualStr: ir.Ne, sqlparser.LessThanStr: ir.Lt, sqlparser.LessEqualStr: ir.Le,
		sqlparser.GreaterThanStr: ir.Gt, sqlparser.GreaterEqualStr: ir.Ge, sqlparser.NullSafeEqualStr: ir.Is}
	if op, ok := ops[n.Operator]; ok {
		return truth(b.compare(op, b.val(n.Left, sc), b.val(n.Right, sc)))
	}
	switch n.Operator {
	case sqlparser.InStr, sqlparser.NotInStr:
		var c ir.Expr
		switch r := n.Right.(type) {
		case sqlparser.ValTuple:
			x := b.val(n.Left, sc)
			for _, e := range r {
				c = ir.OrE(c, b.compare(ir.Eq, x, b.val(e, sc)))
			}
		case *sqlparser.Subquery:
			c = b.in(n.Left, r, sc, false)
		default:
			fail("IN of something that is neither a list nor a query")
		}
		small(c)
		if n.Operator == sqlparser.NotInStr {
			c = ir.NotE(c)
		}
		return truth(c)
	case sqlparser.LikeStr, sqlparser.NotLikeStr:
		x, y := b.val(n.Left, sc), b.val(n.Right, sc)
		x, y = b.settle(x, typ{kind: str}), b.settle(y, typ{kind: str})
		if n.Escape != nil || x.t.kind != str || y.t.kind != str {
			fail("LIKE of this form")
		}
		c := ir.Expr(&ir.Call{Name: "mysql like " + x.t.coll + y.t.coll, Args: []ir.Expr{x.e, y.e}, Type: ir.BoolType})
		if n.Operator == sqlparser.NotLikeStr {
			c = ir.NotE(c)
		}
		return truth(c)
	}
	fail("the operator %s", n.Operator)
	return value{}
}

// mixed is the collation of the results of functions, which depends on the
// arguments in ways that are not modelled.
const mixed = "mixed"

// compare compares two values as MySQL does, without its conversions between
// numbers and texts.
func (b *builder) compare(op ir.BinaryOp, x, y value) ir.Expr {
	x, y = asValue(x), asValue(y)
	if x.t.kind == unknown {
		x = b.settle(x, y.t)
	}
	if y.t.kind == unknown {
		y = b.settle(y, x.t)
	}
	if x.t.kind == unknown || y.t.kind == unknown {
		x.t, y.t = typ{kind: str}, typ{kind: str} // of two parameters: another pass knows
	}
	x, y = convert(x, y.t), convert(y, x.t)
	isNumber := func(k kind) bool { return k == integer || k == decimal }
	isTime := func(k kind) bool { return k == datetime || k == date }
	switch {
	case x.t.kind == null || y.t.kind == null:
		if op == ir.Is {
			return ir.Op(ir.And, isNull(x.e), isNull(y.e))
		}
		return ir.C(ir.Null)
	case isNumber(x.t.kind) && isNumber(y.t.kind), isTime(x.t.kind) && isTime(y.t.kind):
		return ir.Op(op, x.e, y.e)
	case x.t.kind == str && y.t.kind == str:
		if (x.t.enum || y.t.enum) && op != ir.Eq && op != ir.Ne && op != ir.Is {
			fail("the order of an ENUM")
		}
		coll := common(x.t.coll, y.t.coll)
		small(x.e, x.e, y.e, y.e)
		return ir.Op(op, x.compared(coll), y.compared(coll))
	}
	fail("a comparison of %s with %s", kindWords[x.t.kind], kindWords[y.t.kind])
	return nil
}

// common is the collation by which texts of two collations are compared.
func common(x, y string) string {
	switch {
	case x == mixed || y == mixed:
		fail("a comparison of the result of a function on texts")
	case x == "" && y == "":
		return usual
	case x == "":
		return y
	case y != "" && x != y:
		fail("a comparison of texts of different collations")
	}
	return x
}

// layouts are the forms of constants that are times.
var layouts = []string{"2006-01-02 15:04:05", "2006-01-02 15:04:05.999999", "2006-01-02"}

// convert makes a number or time of a constant text where the other side is one.
func convert(v value, to typ) value {
	c, ok := v.constant()
	if !ok || v.t.kind != str {
		return v
	}
	digits := 0
	if _, fraction, ok := strings.Cut(c.S, "."); ok {
		digits = len(fraction)
	}
	switch to.kind {
	case integer:
		if i, err := strconv.ParseInt(c.S, 10, 64); err == nil && !strings.HasPrefix(c.S, "+") {
			return value{e: ir.C(ir.Int(i)), t: to, nn: true}
		}
	case datetime, date:
		for _, l := range layouts {
			if at, err := time.Parse(l, c.S); err == nil && at.Year() >= 1000 {
				return value{e: ir.C(ir.Time(at.UnixMicro())), t: typ{kind: datetime}, nn: true, scale: digits}
			}
		}
	}
	return v
}

// unify gives several values one type, as branches of a conditional have.
func (b *builder) unify(vs []value) ([]value, typ) {
	t := typ{kind: null}
	for i := range vs {
		vs[i] = asValue(vs[i])
		v := vs[i].t
		switch {
		case v.kind == unknown || v.kind == null:
		case t.kind == null:
			t = v
		case t == v:
		case t.kind == integer && v.kind == decimal:
			t = v
		case t.kind == decimal && v.kind == integer:
		case t.kind == str && v.kind == str:
			switch {
			case t.coll == "":
				t = v
			case v.coll != "":
				t.coll = mixed
			}
			t.enum = false
		default:
			fail("a conditional of %s and %s", kindWords[t.kind], kindWords[v.kind])
		}
	}
	for i := range vs {
		if vs[i].t.kind == unknown {
			vs[i] = b.settle(vs[i], t)
		}
	}
	return vs, t
}

func (b *builder) caseOf(n *sqlparser.CaseExpr, sc *scope) value {
	var conds []ir.Expr
	var vals []value
	for _, w := range n.Whens {
		if n.Expr != nil {
			conds = append(conds, b.compare(ir.Eq, b.val(n.Expr, sc), b.val(w.Cond, sc)))
		} else {
			conds = append(conds, b.cond(w.Cond, sc, true))
		}
		vals = append(vals, b.val(w.Val, sc))
	}
	last := value{e: ir.C(ir.Null), t: typ{kind: null}}
	if n.Else != nil {
		last = b.val(n.Else, sc)
	}
	vals, t := b.unify(append(vals, last))
	out := vals[len(vals)-1]
	e, nn := out.e, out.nn
	for i := len(conds) - 1; i >= 0; i-- {
		e, nn = &ir.Cond{If: conds[i], Then: vals[i].e, Else: e}, nn && vals[i].nn
	}
	out = branch(vals)
	out.e, out.t, out.nn = e, t, nn
	return out
}

// branch is what is known of a value that is one of several.
func branch(vs []value) value {
	out := value{unsigned: true, padded: true, labels: vs[0].labels}
	for _, v := range vs {
		if v.t.kind == null {
			continue
		}
		out.scale, out.unsigned, out.padded = max(out.scale, v.scale), out.unsigned && v.unsigned, out.padded && v.padded
		if v.labels != out.labels {
			out.labels = ""
		}
	}
	return out
}
