package schedules

import (
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/txrobust/robust/internal/ir"
)

// Values that differ, but are one value for a function of the program, and those of which
// alone a function gives a result, make conditions true that simple values do not.

const (
	// maxVariants bounds the variants that are kept for a function.
	maxVariants = 4
	// maxLength bounds the texts that are made as long as the program's numbers say.
	maxLength = 64
	// textSamples is how many samples of a domain are looked through for letters.
	textSamples = 16
	// maxBases bounds the values of a kind that variants are made of.
	maxBases = 6
)

// spellings are texts that other types are read from, two for each of some values.
var spellings = []string{"1", "01", "2", "1.50", "1.5", "2025-01-02", "20250102", "2025-01-02 03:04:05", "2025-01-02T03:04:05", "true", "t",
	"10.0.0.1", "10.0.0.1/32", "00000000-0000-4000-8000-00000000000a", "00000000-0000-4000-8000-00000000000A", "1 day", "24:00:00", `{"a": 1}`, `{"a":1}`}

// vary adds variants of the values for the calls of the program.
func (v *values) vary() {
	var added []ir.Value
	for _, t := range v.p.Txns {
		ir.Walk(t.Body, func(s ir.Stmt) {
			arguments(t, s, func(c *ir.Call, i int, kind ir.Kind) { added = append(added, v.variantsFor(c, i, kind)...) })
		})
	}
	for _, x := range added {
		if !slices.Contains(v.kinds[x.Kind], x) {
			v.kinds[x.Kind] = append(v.kinds[x.Kind], x)
		}
	}
}

// arguments calls f for each argument of a function in a statement that is a column, a
// parameter or a local, with its kind.
func arguments(t *ir.Txn, s ir.Stmt, f func(c *ir.Call, i int, kind ir.Kind)) {
	rows := map[string]*ir.Table{}
	for _, src := range ir.Reads(s) {
		rows[src.Row] = src.Table
	}
	for _, e := range ir.Exprs(s) {
		ir.WalkExpr(e, func(e ir.Expr) {
			c, ok := e.(*ir.Call)
			if !ok {
				return
			}
			for i, x := range c.Args {
				switch x := x.(type) {
				case *ir.Var:
					if typ, ok := t.LocalType(x.Name); ok {
						f(c, i, typ.Kind)
					}
				case *ir.Col:
					if table := rows[x.Row]; table != nil && table.Column(x.Col) >= 0 {
						f(c, i, table.Columns[table.Column(x.Col)].Type.Kind)
					}
				}
			}
		})
	}
}

// unary is a call of a function as a function of one of its arguments.
type unary func(x ir.Value) (ir.Value, bool)

// unaryOf gives the call as a function of its i-th argument, nil if another one is not
// constant or nothing is known of the function.
func unaryOf(c *ir.Call, i int) unary {
	f := c.Function()
	if f == nil || f.Eval == nil || c.Def != nil {
		return nil
	}
	args := make([]ir.Value, len(c.Args))
	for k, a := range c.Args {
		if k == i {
			continue
		}
		x, constant := a.(*ir.Const)
		if !constant || x.Value.IsNull() {
			return nil
		}
		args[k] = x.Value
	}
	return func(x ir.Value) (ir.Value, bool) {
		all := slices.Clone(args)
		all[i] = x
		y, err := f.Eval(all, c.Type)
		return y, err == nil && !y.IsNull()
	}
}

// variantsFor gives values for the i-th argument of a call, which is of a kind: those that
// the function maps where it maps another one, to a number of the program, or to a truth
// value that it has for no value that is tried.
func (v *values) variantsFor(c *ir.Call, i int, kind ir.Kind) []ir.Value {
	f := unaryOf(c, i)
	if f == nil || kind != ir.KindText && kind != ir.KindNum && kind != ir.KindTime {
		return nil
	}
	return v.variantsOf(f, kind)
}

func (v *values) variantsOf(f unary, kind ir.Kind) []ir.Value {
	var alike, asked []ir.Value
	first := map[ir.Value]ir.Value{} // by result
	for _, x := range slices.Concat(v.kinds[kind], v.candidates(kind)) {
		y, ok := f(x)
		if !ok || !inDomain(v.p, x) {
			continue
		}
		other, is := first[y]
		switch {
		case is && other != x && y.Kind != ir.KindBool:
			alike = append(alike, other, x)
		case !is && (y.Kind == ir.KindBool || v.asked(y)):
			asked = append(asked, x)
		}
		if !is {
			first[y] = x
		}
	}
	return slices.Concat(distinct(alike), distinct(asked))
}

// distinct gives the first different ones of a list.
func distinct(list []ir.Value) []ir.Value {
	var out []ir.Value
	for _, x := range list {
		if len(out) < maxVariants && !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return out
}

// asked reports whether the program compares with an integer, or with the one before.
func (v *values) asked(y ir.Value) bool {
	return y.Kind == ir.KindInt && (slices.Contains(v.numbers, y.I) || slices.Contains(v.numbers, y.I-1))
}

// candidates gives values of a kind that are close to those that are tried.
func (v *values) candidates(kind ir.Kind) []ir.Value {
	bases := v.kinds[kind]
	bases = bases[:min(maxBases, len(bases))]
	var out []ir.Value
	switch kind {
	case ir.KindText:
		bases = slices.Concat(bases, v.samplesAsText())
		for _, x := range bases {
			out = append(out, x, ir.Text(strings.ToUpper(x.S)), ir.Text(strings.ToLower(x.S)), ir.Text(x.S+" "), ir.Text(" "+x.S))
		}
		for _, spelling := range spellings {
			out = append(out, ir.Text(spelling))
		}
		for _, n := range v.numbers {
			if n >= 0 && n <= maxLength {
				long := strings.Repeat("a", int(n))
				out = append(out, ir.Text(long), ir.Text(long+"a"), ir.Text(long+"b"), ir.Text("b"+long))
			}
		}
		for _, n := range slices.Sorted(maps.Keys(v.literals)) {
			if lit := v.literals[n]; lit.Kind == ir.KindText {
				out = append(out, ir.Text("a"+lit.S), ir.Text(lit.S+"a"))
			}
		}
	case ir.KindNum:
		for _, x := range bases {
			for _, part := range []int64{2, 25, 250, 2500, 250_000} {
				out = append(out, ir.Num(new(big.Rat).Add(x.Rat(), big.NewRat(1, part))))
			}
		}
	case ir.KindTime:
		for _, x := range bases {
			for _, later := range []time.Duration{100 * time.Millisecond, time.Second, time.Minute, time.Hour} {
				out = append(out, ir.Time(x.I+later.Microseconds()))
			}
		}
	}
	return out
}

// samplesAsText gives samples of the domains of texts in the program's tables: those
// with letters, which can be written in two ways, if there are some.
func (v *values) samplesAsText() []ir.Value {
	var out []ir.Value
	for _, t := range v.p.Tables {
		for i := range t.Columns {
			s := columnType(t, i)
			if s.d == nil || s.t.Kind != ir.KindText && s.t.Kind != ir.KindOpaque {
				continue
			}
			list := s.samples(textSamples)
			letters := slices.DeleteFunc(slices.Clone(list), func(x ir.Value) bool { return strings.ToUpper(x.S) == x.S })
			if len(letters) > 0 {
				list = letters
			}
			for _, x := range list[:min(2, len(list))] {
				out = append(out, ir.Text(x.S))
			}
		}
	}
	return out
}

// maxKeys bounds the keys of documents that are tried.
const maxKeys = 4

// documents gives the values of a domain of JSON documents that have the keys which the
// program gives to functions.
func (v *values) documents(d ir.Domain) []ir.Value {
	var keys, texts []string
	for _, t := range v.p.Txns {
		ir.Walk(t.Body, func(s ir.Stmt) {
			for _, e := range ir.Exprs(s) {
				ir.WalkExpr(e, func(e ir.Expr) {
					if c, is := e.(*ir.Call); is {
						keys = append(keys, textsIn(c.Args)...)
					}
				})
			}
		})
	}
	slices.Sort(keys)
	keys = slices.Compact(keys)
	keys = keys[:min(maxKeys, len(keys))]
	for _, x := range slices.Concat(v.quoted(keys), v.limits(), []string{"1", "2", `"a"`, "true"}) {
		whole := ""
		for i, k := range keys {
			whole += strings.Repeat(", ", min(i, 1)) + strconv.Quote(k) + ": " + x
		}
		texts = append(texts, "{"+whole+"}")
	}
	for _, k := range keys {
		texts = append(texts, "{"+strconv.Quote(k)+": 1}")
		for _, inner := range keys {
			texts = append(texts, "{"+strconv.Quote(k)+": {"+strconv.Quote(inner)+": 1}}")
		}
	}
	var out []ir.Value
	for _, text := range texts {
		if x, ok := d.Read(text); ok && len(keys) > 0 && x.Kind == ir.KindOpaque && d.Fits(x) {
			out = append(out, x)
		}
	}
	return out
}

// quoted gives the first texts of the program that are no keys, as JSON.
func (v *values) quoted(keys []string) []string {
	var out []string
	for _, n := range slices.Sorted(maps.Keys(v.literals)) {
		if lit := v.literals[n]; lit.Kind == ir.KindText && len(out) < maxKeys && !slices.Contains(keys, lit.S) {
			out = append(out, strconv.Quote(lit.S))
		}
	}
	return out
}

// limits gives the largest integers of the program, as JSON, and those right above them:
// where a document holds a number, programs compare it with these.
func (v *values) limits() []string {
	numbers := slices.Sorted(slices.Values(v.numbers))
	slices.Reverse(numbers)
	var out []string
	for _, n := range numbers[:min(maxKeys, len(numbers))] {
		out = append(out, strconv.FormatInt(n+1, 10), strconv.FormatInt(n, 10))
	}
	return out
}

// textsIn gives the constant texts among expressions.
func textsIn(list []ir.Expr) []string {
	var out []string
	for _, e := range list {
		if c, is := e.(*ir.Const); is && c.Value.Kind == ir.KindText {
			out = append(out, c.Value.S)
		}
	}
	return out
}
