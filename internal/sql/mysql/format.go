package mysql

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/txrobust/robust/ir"
)

// format is the part of a type that says which values a column holds, and what it makes of
// others when it stores them. It is an ir.Domain.
type format struct {
	// name is the type in SQL.
	name string
	kind kind
	// lo and hi are the whole numbers of an integer.
	lo, hi int64
	// length is how many characters a text has at most; pads says that blanks at its end
	// go. labels are the texts of an ENUM.
	length int
	pads   bool
	labels []string
	// digits is how many digits stand before the point of a decimal, scale how many behind
	// it, or behind the seconds of a time. unsigned says that it is not negative.
	digits, scale int
	unsigned      bool
}

// integers are the bits of the integer types.
var integers = map[string]uint{"TINYINT": 8, "INT1": 8, "BOOL": 8, "BOOLEAN": 8, "SMALLINT": 16, "INT2": 16, "MEDIUMINT": 24, "INT3": 24,
	"INT": 32, "INTEGER": 32, "INT4": 32, "BIGINT": 64, "INT8": 64, "SERIAL": 64}

// newFormat makes the format of a type, whose name is in upper case, with what stands in
// parentheses behind it. It is nil where every value of the kind fits.
func newFormat(name string, k kind, args []token, unsigned bool) *format {
	var numbers []int
	f := &format{kind: k, unsigned: unsigned, name: name}
	for _, t := range args {
		switch {
		case t.kind == number:
			n, err := strconv.Atoi(t.text)
			if err != nil {
				n = math.MaxInt32
			}
			numbers = append(numbers, n)
		case t.kind == text:
			s, _ := unquote(t.text)
			f.labels = append(f.labels, strings.TrimRight(s, " "))
		}
	}
	arg := func(i, otherwise int) int {
		if i < len(numbers) {
			return numbers[i]
		}
		return otherwise
	}
	if len(numbers) > 0 {
		f.name = strings.ReplaceAll(name+fmt.Sprint(numbers), " ", ", ")
		f.name = strings.NewReplacer("[", "(", "]", ")").Replace(f.name)
	}
	if unsigned {
		f.name += " UNSIGNED"
	}
	switch k {
	case integer:
		bits := integers[name]
		f.lo, f.hi = -1<<(bits-1), 1<<(bits-1)-1
		if unsigned {
			f.lo, f.hi = 0, math.MaxInt64 // beyond which the model has no numbers
			if bits < 64 {
				f.hi = 1<<bits - 1
			}
		}
	case decimal:
		f.scale = arg(1, 0)
		f.digits = arg(0, 10) - f.scale
	case str:
		switch name {
		case "ENUM":
			f.name += "('" + strings.Join(f.labels, "', '") + "')"
		case "VARCHAR", "NVARCHAR", "VARBINARY":
			f.length = arg(0, math.MaxInt32)
		case "CHAR", "CHARACTER", "NCHAR", "NATIONAL":
			f.length, f.pads = arg(0, 1), true
		default:
			return nil
		}
	case datetime:
		f.scale = arg(0, 0)
	default:
		return nil
	}
	return f
}

func (f *format) String() string { return f.name }

// Fits reports whether a value that is not NULL is one of a column.
func (f *format) Fits(v ir.Value) bool {
	switch f.kind {
	case integer:
		return v.Kind == ir.KindInt && v.I >= f.lo && v.I <= f.hi
	case decimal:
		if v.Kind != ir.KindNum {
			return false
		}
		r := v.Rat()
		digits, exact := r.FloatPrec()
		limit := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(f.digits)), nil))
		return exact && digits <= f.scale && (!f.unsigned || r.Sign() >= 0) && new(big.Rat).Abs(r).Cmp(limit) < 0
	case str:
		return v.Kind == ir.KindText && (f.labels == nil && len([]rune(v.S)) <= f.length || slices.Contains(f.labels, v.S)) && !(f.pads && strings.HasSuffix(v.S, " "))
	case datetime:
		unit := int64(math.Pow10(6 - min(f.scale, 6)))
		return v.Kind == ir.KindTime && v.I%unit == 0
	}
	return true
}

// Sample gives values that differ.
func (f *format) Sample(i int) (ir.Value, bool) {
	if i < 0 || i > 20 {
		return ir.Null, false
	}
	v := ir.Null
	switch f.kind {
	case integer:
		v = ir.Int(int64(i))
	case decimal:
		v = ir.Num(big.NewRat(int64(i), 1))
	case str:
		switch {
		case f.labels != nil && i >= len(f.labels):
			return ir.Null, false
		case f.labels != nil:
			v = ir.Text(f.labels[i])
		default:
			v = ir.Text(string(rune('a' + i)))
		}
	case datetime:
		v = ir.Time(time.Date(2024, 1, 1+i, 0, 0, 0, 0, time.UTC).UnixMicro())
	}
	return v, f.Fits(v)
}

// Literal writes a value in SQL.
func (f *format) Literal(v ir.Value) string {
	switch v.Kind {
	case ir.KindInt:
		return strconv.FormatInt(v.I, 10)
	case ir.KindNum:
		return v.Rat().FloatString(f.scale)
	case ir.KindTime:
		return "'" + time.UnixMicro(v.I).UTC().Format("2006-01-02 15:04:05.999999") + "'"
	}
	return "'" + strings.NewReplacer(`\`, `\\`, "'", "''").Replace(v.S) + "'"
}

// Read reads what a server prints.
func (f *format) Read(s string) (ir.Value, bool) {
	v, ok := ir.Text(s), true
	switch f.kind {
	case integer:
		i, err := strconv.ParseInt(s, 10, 64)
		v, ok = ir.Int(i), err == nil
	case decimal:
		r, isNumber := new(big.Rat).SetString(s)
		if !isNumber {
			return ir.Null, false
		}
		v = ir.Num(r)
	case datetime:
		at, err := time.Parse("2006-01-02 15:04:05.999999", s)
		v, ok = ir.Time(at.UnixMicro()), err == nil
	}
	return v, ok && f.Fits(v)
}

var errNoLabel = errors.New("a text that is no value of an ENUM")

// kept is what a column makes of a value that it can hold, but not as it is: it rounds
// decimals, cuts times and blanks, and writes values of an ENUM as they are declared. The
// values of parameters are those of their columns, but for the case of letters of an ENUM.
func (c *column) kept(v value) ir.Expr {
	f := c.format
	if f == nil || v.param != "" && f.labels == nil {
		return v.e
	}
	known := func(name string, eval func(v ir.Value) (ir.Value, error)) ir.Expr {
		if k, ok := v.constant(); ok {
			if out, err := eval(k.Convert(c.t.ir())); err == nil {
				return ir.C(out)
			}
		}
		fn := &ir.Function{Name: name, Params: []ir.Kind{c.t.ir().Kind}, Result: c.t.ir().Kind, Strict: true,
			Eval: func(args []ir.Value, _ ir.Type) (ir.Value, error) { return eval(args[0]) }}
		return &ir.Call{Name: name, Args: []ir.Expr{v.e}, Type: c.t.ir(), Fn: fn}
	}
	switch {
	case c.t.kind == decimal && v.scale > f.scale:
		return known("mysql round "+strconv.Itoa(f.scale), func(v ir.Value) (ir.Value, error) {
			r, _ := new(big.Rat).SetString(v.Rat().FloatString(f.scale)) // half away from zero
			return ir.Num(r), nil
		})
	case c.t.kind == datetime && v.scale > f.scale: // which of the two depends on the version
		return &ir.Call{Name: "mysql cut or round " + strconv.Itoa(f.scale), Args: []ir.Expr{v.e}, Type: c.t.ir()}
	case f.labels != nil && v.labels != c.labels():
		return known("mysql as "+f.name, func(v ir.Value) (ir.Value, error) {
			for _, l := range f.labels {
				if strings.EqualFold(l, strings.TrimRight(v.S, " ")) {
					return ir.Text(l), nil
				}
			}
			return ir.Null, errNoLabel
		})
	case f.pads && !v.padded:
		return known("mysql without blanks", func(v ir.Value) (ir.Value, error) { return ir.Text(strings.TrimRight(v.S, " ")), nil })
	}
	return v.e
}

// wide reports whether the values of a column are integers of which all are taken to fit.
func (c *column) wide() bool {
	return c.t.kind == integer && !c.format.unsigned && c.format.hi >= math.MaxInt32
}

// labels are those of an ENUM as one text, "" for other types.
func (c *column) labels() string {
	if c.format == nil || c.format.labels == nil {
		return ""
	}
	return c.format.name
}

// notNegative is x, an integer, which must not be negative: the server fails otherwise.
func notNegative(x, no ir.Expr) ir.Expr {
	// A division by a constant would be an error wherever it stands.
	zero := &ir.Cond{If: no, Then: ir.C(ir.Int(0)), Else: ir.C(ir.Int(1))}
	return &ir.Cond{If: no, Then: ir.Op(ir.Div, ir.C(ir.Int(1)), zero), Else: x}
}

// check is a CHECK as it stands in a file.
type check struct {
	name string
	pos  ir.Pos
	st   *statement
	cond []token
	// of is the column behind which it stands, "" for one of the table.
	of string
}

// checks makes the checks of a table, when all of its columns are known. One that cannot be
// translated is some condition on the columns that it names.
func (l *loader) checks(t *table) {
	for _, c := range t.columns {
		if c.format != nil {
			t.ir.Columns[c.index].Domain = c.format
		}
		if c.format != nil && c.format.unsigned && c.t.kind != other {
			t.ir.Checks = append(t.ir.Checks, ir.TableCheck{Pos: t.pos, Name: t.name + "." + c.name + " unsigned",
				Expr: ir.Op(ir.Ge, &ir.Col{Row: t.name, Col: c.name}, ir.C(ir.Int(0)))})
		}
	}
	for i, k := range t.checked {
		name := k.name
		if name == "" {
			name = "CONSTRAINT_" + strconv.Itoa(i+1)
			if k.of != "" {
				name = t.name + "." + k.of
			}
		}
		t.ir.Checks = append(t.ir.Checks, ir.TableCheck{Pos: k.pos, Name: name, Expr: l.checkOf(t, k)})
	}
}

// checkOf translates a check.
func (l *loader) checkOf(t *table, k check) (e ir.Expr) {
	b := &builder{l: l, txn: &ir.Txn{}, types: map[string]typ{}, typed: map[string]bool{}, locals: map[string]value{}, at: ir.At{Pos: k.pos}}
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		if _, un := r.(unsupported); !un {
			panic(r)
		}
		var args []ir.Expr
		for _, c := range t.columns {
			if slices.ContainsFunc(k.cond, func(n token) bool { return n.isName() && strings.EqualFold(n.text, c.name) }) {
				args = append(args, &ir.Col{Row: t.name, Col: c.name})
			}
		}
		e = &ir.Call{Name: "mysql check " + t.name + " " + strconv.Itoa(k.pos.Line) + ":" + strconv.Itoa(k.pos.Col), Args: args, Type: ir.BoolType}
		l.note(k.pos, "this check is not modelled: it is taken for some condition on the columns that it names")
	}()
	cond, err := l.condition(k.st, k.cond)
	if err != "" {
		fail("%s", err)
	}
	sc := &scope{rows: []scopeRow{{alias: t.name, t: t, row: t.name}}}
	e = b.cond(cond, sc, false)
	if len(b.body) > 0 || len(b.txn.Params) > 0 {
		fail("a check that is no function of the row")
	}
	return e
}
