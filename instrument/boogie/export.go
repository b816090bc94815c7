package boogie

import (
	"fmt"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/internal/wellformed"
)

// Options bound the data. The zero value bounds nothing.
type Options struct {
	// Rows bounds the different keys that rows of a table have in an
	// execution, where the keys are not few anyway. Zero is no bound:
	// quantifiers stand for the rows.
	Rows int
	// Values, if not nil, gives the values of parameters whose type has no
	// finite domain, like reach.Options.Values: NULL is none of them. Nil
	// stands for all values.
	Values func(t ir.Type) []ir.Value
	// Any names the tables whose initial rows are any that satisfy the
	// constraints and invariants, instead of those that the program declares.
	Any []string
	// Empty names the tables that begin without rows.
	Empty []string
}

// Export gives the text of the Boogie program. The transactions of p must be
// structured. Equal programs give equal texts. An error is an *ir.Error at what
// cannot be exported.
func Export(p *ir.Program, opt Options) (text string, err error) {
	wellformed.Structure(p)
	x := &exporter{prog: p, opt: opt, tables: map[*ir.Table]*table{}, names: map[string]bool{},
		texts: map[string]string{}, funcs: map[string]string{}, needs: map[string]bool{}}
	defer func() {
		if r := recover(); r != nil {
			f, ok := r.(failure)
			if !ok {
				panic(r)
			}
			text, err = "", f.err
		}
	}()
	return x.program(), nil
}

// failure is the panic that carries an error to Export.
type failure struct{ err *ir.Error }

func fail(pos ir.Pos, format string, args ...any) {
	panic(failure{ir.Errorf(pos, format, args...)})
}

// exporter is the state of one Export.
type exporter struct {
	prog   *ir.Program
	opt    Options
	tables map[*ir.Table]*table
	order  []*table
	groups []*group
	names  map[string]bool // global names in use
	texts  map[string]string
	sorted []string // the texts in order
	funcs  map[string]string
	needs  map[string]bool // helper functions used
	fresh  bool            // the program draws FRESH values
	out    strings.Builder
}

// program prints everything. Transactions come first to be translated, since
// they tell which constants and functions there are, and late in the text.
func (x *exporter) program() string {
	for _, kw := range keywords {
		x.names[kw] = true
	}
	x.collect()
	x.declareTables()
	var procs []*proc
	for _, t := range x.prog.Txns {
		procs = append(procs, x.transaction(t))
	}
	main := x.main(procs)

	x.head()
	x.constants()
	for _, t := range x.order {
		x.variables(t)
	}
	if x.fresh {
		x.print("// The next value that was never used before.\nvar %s: int;\n\n", freshVar)
	}
	for _, p := range procs {
		x.out.WriteString(p.text(x))
	}
	x.out.WriteString(main)
	return x.out.String()
}

func (x *exporter) print(format string, args ...any) { fmt.Fprintf(&x.out, format, args...) }

func (x *exporter) head() {
	x.print("// Program %s for Boogie: boogie -loopUnroll:N explores the executions of up to\n// N transactions under serializability. An error is a way to the error state.\n", oneLine(x.prog.Name))
	if x.opt.Rows > 0 {
		x.print("// The rows of a table have at most %d different keys in an execution.\n", x.opt.Rows)
	}
	for _, t := range x.prog.Txns {
		ir.Walk(t.Body, func(s ir.Stmt) {
			if u, ok := s.(*ir.Unmodelled); ok {
				x.print("// Not explored, at %s: %s\n", oneLine(u.Pos.String()), oneLine(u.Reason))
			}
		})
	}
	x.print("\n")
}

// oneLine makes a text fit for a comment.
func oneLine(s string) string { return quote.Line(strings.Join(strings.Fields(s), " ")) }

// collect finds the texts and whether FRESH values are drawn.
func (x *exporter) collect() {
	seen := map[string]bool{}
	note := func(v ir.Value) {
		switch v.Kind {
		case ir.KindText, ir.KindOpaque, ir.KindArray:
			seen[v.S] = true
		}
	}
	expr := func(e ir.Expr) {
		ir.WalkExpr(e, func(e ir.Expr) {
			if c, ok := e.(*ir.Const); ok {
				note(c.Value)
			}
		})
	}
	for _, t := range x.prog.Tables {
		x.fresh = x.fresh || t.Rowid
		for _, r := range t.Rows {
			for _, v := range r {
				note(v)
			}
		}
		for _, c := range t.Checks {
			expr(c.Expr)
		}
		for _, u := range t.Uniques {
			expr(u.Where)
		}
		for _, u := range t.Exclusions {
			expr(u.Expr)
		}
	}
	for _, inv := range x.prog.Invariants {
		expr(inv.Expr)
	}
	for _, t := range x.prog.Txns {
		for _, q := range t.Params {
			x.fresh = x.fresh || q.Fresh
			if x.opt.Values != nil && !finite(x.prog, q.Type) {
				for _, v := range x.opt.Values(q.Type) {
					note(v)
				}
			}
		}
		for _, l := range t.Locals {
			if l.Kept {
				note(l.Type.Zero())
			}
		}
		ir.Walk(t.Body, func(s ir.Stmt) {
			if h, ok := s.(*ir.Havoc); ok && h.Fresh {
				x.fresh = true
			}
			for _, e := range ir.Exprs(s) {
				expr(e)
			}
		})
	}
	x.nameTexts(seen)
}

// finite reports whether the values of a type are those of a finite domain.
func finite(p *ir.Program, t ir.Type) bool {
	return t.Kind == ir.KindBool || t.Kind == ir.KindInt && p.Domain != nil
}

// constants declares the texts, the keys that are chosen, and the functions.
func (x *exporter) constants() {
	if len(x.sorted) > 0 {
		x.print("// Texts and other values by name, in their order.\n")
		for i, s := range x.sorted {
			x.print("const %s: int;\naxiom %s == %d;\n", x.texts[s], x.texts[s], x.textValue(i))
		}
		x.print("\n")
	}
	for _, g := range x.groups {
		g.declare(x)
	}
	for _, name := range sortedKeys(x.funcs) {
		x.print("%s\n", x.funcs[name])
	}
	if len(x.funcs) > 0 {
		x.print("\n")
	}
	for _, h := range helpers {
		if x.needs[h.name] {
			x.print("%s\n", h.text)
		}
	}
}

// helpers are functions for operators that Boogie has not.
var helpers = []struct{ name, text string }{
	{"quo", `// Division that truncates towards zero, and its remainder.
function {:inline} quo(a: int, b: int) returns (int) { if a >= 0 then a div b else -((-a) div b) }
`},
	{"rem", `function {:inline} rem(a: int, b: int) returns (int) { if a >= 0 then a mod b else -((-a) mod b) }
`},
	{"fraction", `// The remainder of a division of rationals.
function {:inline} fraction(a: real, b: real) returns (real) {
  a - b * (if a / b >= 0.0 then real(int(a / b)) else -real(int(-(a / b)))) }
`},
}
