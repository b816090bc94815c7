package irtext

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/irwords"
	"github.com/txrobust/robust/internal/wellformed"
)

// Parse reads the text form (the litmus language). file is used in positions.
// The result has passed Check.
//
// A program is: program NAME, then declarations in any order:
//
//	domain LO..HI
//	var x [TYPE] [= LITERAL] {, …}
//	table T (col TYPE [not null], …, rowid | key (…), unique N (…) [where E],
//	         foreign N (…) references U (…) [on delete cascade | on delete set null], check N E)
//	row T (LITERAL, …)
//	invariant (T r, …) E
//	txn T(PARAM, …) { … }            any number of sessions
//	process P { txn … }              also P[3] and P[*]
//
// In a transaction a declared var is shared, and other names are local;
// undeclared ones are declared by their first assignment, as registers inside
// a process and as plain locals elsewhere. A body that starts with "label:"
// is in the labelled form, each line being "label: INSTRUCTION; goto label;".
func Parse(file, src string) (*ir.Program, error) {
	if len(src) > wellformed.MaxText {
		return nil, ir.Errorf(ir.Pos{File: file, Line: 1, Col: 1}, "this program has %d MB, and at most %d MB are read", len(src)>>20, wellformed.MaxText>>20)
	}
	toks, err := scan(file, src)
	if err != nil {
		return nil, err
	}
	p := &parser{toks: toks, prog: &ir.Program{}}
	if err := wellformed.Catch(p.program); err != nil {
		return nil, err
	}
	if err := wellformed.Check(p.prog); err != nil {
		return nil, err
	}
	return p.prog, nil
}

type parser struct {
	toks []token
	i    int
	prog *ir.Program

	// in a transaction
	txn   *ir.Txn
	kept  bool               // undeclared names are registers
	regs  map[string]ir.Type // registers of the process
	rows  []ir.Source        // row variables in scope
	reads []ir.Stmt          // reads of shared variables to be put before the statement
	noVar string             // why shared variables cannot be read here, or ""
	// derived says that the expression stands in a derivation.
	derived bool

	depth, blocks int // nesting of expressions and statements
}

func (p *parser) fail(pos ir.Pos, format string, args ...any) {
	panic(wellformed.ParseFailure{Err: ir.Errorf(pos, format, args...)})
}

func (p *parser) tok() token { return p.toks[p.i] }

// next takes a token; the end of the file stays where it is.
func (p *parser) next() token {
	t := p.toks[p.i]
	if t.kind != tokEOF {
		p.i++
	}
	return t
}

func (p *parser) peekAt(n int) token {
	if p.i+n < len(p.toks) {
		return p.toks[p.i+n]
	}
	return p.toks[len(p.toks)-1]
}

// is reports whether the next token is the word or sign s.
func (p *parser) is(s string) bool {
	t := p.tok()
	return (t.kind == tokIdent || t.kind == tokPunct) && t.text == s
}

// accept takes the words or signs if all of them come next.
func (p *parser) accept(words ...string) bool {
	for k, w := range words {
		t := p.peekAt(k)
		if !(t.kind == tokIdent || t.kind == tokPunct) || t.text != w {
			return false
		}
	}
	p.i += len(words)
	return true
}

func (p *parser) expect(s string) token {
	if !p.is(s) {
		p.fail(p.tok().pos, "expected %q, found %s", s, p.tok())
	}
	return p.next()
}

func (t token) String() string {
	switch t.kind {
	case tokEOF:
		return "the end of the file"
	case tokText:
		return irwords.Text(t.text)
	}
	return strconv.Quote(t.text)
}

func (p *parser) name(what string) string {
	t := p.tok()
	if t.kind == tokQuoted || t.kind == tokIdent && !irwords.Keywords[t.text] {
		p.i++
		return t.text
	}
	p.fail(t.pos, "expected %s, found %s", what, t)
	return ""
}

func (p *parser) list(open, close string, item func()) {
	p.expect(open)
	if p.accept(close) {
		return
	}
	for {
		item()
		if p.accept(close) {
			return
		}
		p.expect(",")
	}
}

func (p *parser) names(what string) []string {
	var out []string
	p.list("(", ")", func() { out = append(out, p.name(what)) })
	return out
}

func (p *parser) program() {
	p.expect("program")
	p.prog.Name = p.name("the program's name")
	for p.tok().kind != tokEOF {
		pos := p.tok().pos
		switch {
		case p.accept("domain"):
			lo := p.integer()
			p.expect("..")
			p.prog.Domain = &ir.Range{Lo: lo, Hi: p.integer()}
			if p.prog.Domain.Lo > p.prog.Domain.Hi {
				p.fail(pos, "the domain is empty: write the smaller number first")
			}
		case p.accept("var"):
			p.vars()
		case p.accept("table"):
			p.table(pos)
		case p.accept("row"):
			t := p.tableName()
			var row []ir.Value
			p.list("(", ")", func() {
				if len(row) < len(t.Columns) {
					row = append(row, p.literal(t.Columns[len(row)].Type))
				} else {
					p.fail(p.tok().pos, "table %s has only %d columns", t.Name, len(t.Columns))
				}
			})
			if len(row) < len(t.Columns) {
				p.fail(pos, "table %s has %d columns, but the row has %d values", t.Name, len(t.Columns), len(row))
			}
			t.Rows = append(t.Rows, row)
		case p.accept("invariant"):
			inv := &ir.Invariant{Pos: pos}
			p.list("(", ")", func() { inv.From = append(inv.From, p.source()) })
			p.noVar = "in an invariant"
			p.rows = inv.From
			inv.Expr = p.expr()
			p.rows, p.noVar = nil, ""
			p.prog.Invariants = append(p.prog.Invariants, inv)
		case p.accept("txn"):
			p.kept, p.regs = false, nil
			p.prog.Txns = append(p.prog.Txns, p.transaction(pos))
		case p.accept("process"):
			p.process(pos)
		case p.accept(";"):
		default:
			p.fail(pos, "expected a declaration (var, table, row, invariant, txn, process or domain), found %s", p.tok())
		}
	}
	if len(p.prog.Processes) > 0 {
		inProcess := map[*ir.Txn]bool{}
		for _, pr := range p.prog.Processes {
			for _, t := range pr.Txns {
				inProcess[t] = true
			}
		}
		for _, t := range p.prog.Txns {
			if !inProcess[t] {
				p.fail(t.Pos, "transaction %s is outside of every process, but the program has processes: move it into one", t.Name)
			}
		}
	}
}

func (p *parser) integer() int64 {
	neg := p.accept("-")
	t := p.next()
	if t.kind != tokInt {
		p.fail(t.pos, "expected a whole number, found %s", t)
	}
	i, err := strconv.ParseInt(t.text, 10, 64)
	if err != nil {
		p.fail(t.pos, "%s is too large", t.text)
	}
	if neg {
		return -i
	}
	return i
}

func (p *parser) vars() {
	for {
		pos := p.tok().pos
		name := p.name("the name of a shared variable")
		if p.prog.Table(name) != nil {
			p.fail(pos, "%s is declared twice", name)
		}
		typ := ir.IntType
		if t := p.tok(); t.kind == tokIdent {
			if _, ok := parseType(t.text); ok {
				typ = p.typ()
			}
		}
		init := typ.Zero()
		if p.accept("=") || p.accept(":=") {
			init = p.literal(typ)
		}
		p.prog.Tables = append(p.prog.Tables, ir.NewVar(pos, name, typ, init))
		if !p.accept(",") {
			return
		}
	}
}

func (p *parser) typ() ir.Type {
	t := p.next()
	name := t.text
	if p.is("[") && p.peekAt(1).text == "]" {
		p.i += 2
		name += "[]"
	}
	typ, ok := parseType(name)
	if t.kind != tokIdent || !ok {
		p.fail(t.pos, "expected a type (int, num, bool, text, time, opaque or an array of them), found %s", t)
	}
	return typ
}

// literal reads a literal; want gives the type where the literal is plain.
func (p *parser) literal(want ir.Type) ir.Value {
	pos := p.tok().pos
	v, ok := p.tryLiteral()
	if !ok {
		p.fail(pos, "expected a literal, found %s", p.tok())
	}
	v = v.Convert(want)
	if want.Kind != ir.KindNull && !v.IsNull() && v.Kind != want.Kind {
		p.fail(pos, "expected a literal of type %s, found %s", want, v)
	}
	return v
}

func (p *parser) tryLiteral() (ir.Value, bool) {
	t := p.tok()
	neg := t.text == "-" && t.kind == tokPunct
	if neg {
		t = p.peekAt(1)
	}
	switch {
	case t.kind == tokInt:
		return ir.Int(p.integer()), true
	case t.kind == tokNum:
		p.i++
		if neg {
			p.i++
		}
		r, _ := new(big.Rat).SetString(t.text)
		if neg {
			r.Neg(r)
		}
		return ir.Num(r), true
	case neg:
		return ir.Null, false
	case t.kind == tokText:
		p.i++
		return ir.Text(t.text), true
	case p.accept("true"):
		return ir.Bool(true), true
	case p.accept("false"):
		return ir.Bool(false), true
	case p.accept("null"):
		return ir.Null, true
	}
	if t.kind == tokIdent && p.peekAt(1).kind == tokText {
		arg := p.peekAt(1)
		switch t.text {
		case "num":
			r, ok := new(big.Rat).SetString(arg.text)
			if !ok {
				p.fail(arg.pos, "%q is not a number", arg.text)
			}
			p.i += 2
			return ir.Num(r), true
		case "time":
			i, err := strconv.ParseInt(arg.text, 10, 64)
			if err != nil {
				p.fail(arg.pos, "a time is written as a number of microseconds, not as %q", arg.text)
			}
			p.i += 2
			return ir.Time(i), true
		case "array":
			p.i += 2
			return ir.Value{Kind: ir.KindArray, S: arg.text}, true
		case "opaque":
			p.i += 2
			return ir.Opaque(arg.text), true
		}
	}
	return ir.Null, false
}

func (p *parser) tableName() *ir.Table {
	pos := p.tok().pos
	name := p.name("a table")
	t := p.prog.Table(name)
	if t == nil {
		p.fail(pos, "there is no table or variable %s: declare it before it is used", name)
	}
	return t
}

func (p *parser) columns(t *ir.Table) []int {
	out := []int{}
	p.list("(", ")", func() { out = append(out, p.column(t)) })
	return out
}

func (p *parser) column(t *ir.Table) int {
	pos := p.tok().pos
	name := p.name("a column")
	c := t.Column(name)
	if c < 0 {
		p.fail(pos, "table %s has no column %s", t.Name, name)
	}
	return c
}

func (p *parser) table(pos ir.Pos) {
	t := &ir.Table{Pos: pos, Name: p.name("the table's name")}
	if p.prog.Table(t.Name) != nil {
		p.fail(pos, "%s is declared twice", t.Name)
	}
	self := []ir.Source{{Table: t, Row: t.Name}}
	condition := func() ir.Expr {
		p.rows, p.noVar = self, "in a constraint"
		e := p.expr()
		p.rows, p.noVar = nil, ""
		return e
	}
	// Registered first so that a foreign key may name the table itself.
	p.prog.Tables = append(p.prog.Tables, t)
	hasKey := false
	p.list("(", ")", func() {
		pos := p.tok().pos
		switch {
		case p.accept("rowid"):
			if len(t.Columns) > 0 {
				p.fail(pos, "rowid must come first")
			}
			t.Rowid, t.Key, hasKey = true, []int{0}, true
			t.Columns = append(t.Columns, ir.Column{Name: "rowid", Type: ir.IntType, NotNull: true})
		case p.accept("key"):
			if hasKey {
				p.fail(pos, "table %s has two primary keys", t.Name)
			}
			t.Key, hasKey = p.columns(t), true
			for _, k := range t.Key {
				t.Columns[k].NotNull = true
			}
		case p.accept("unique"):
			u := ir.Unique{Pos: pos, Name: p.name("the constraint's name"), Columns: p.columns(t)}
			if p.accept("where") {
				u.Where = condition()
			}
			t.Uniques = append(t.Uniques, u)
		case p.accept("exclude"):
			t.Exclusions = append(t.Exclusions, p.exclusion(pos, t))
		case p.accept("foreign"):
			f := ir.ForeignKey{Pos: pos, Name: p.name("the constraint's name"), Columns: p.columns(t)}
			p.expect("references")
			f.Ref = p.tableName()
			f.RefColumns = p.columns(f.Ref)
			switch {
			case p.accept("on", "delete", "cascade"):
				f.OnDelete = ir.CascadeDelete
			case p.accept("on", "delete", "set", "null"):
				f.OnDelete = ir.SetNull
			case p.accept("on", "delete", "set", "default"):
				f.OnDelete = ir.SetDefault
			}
			switch {
			case p.accept("on", "update", "cascade"):
				f.OnUpdate = ir.CascadeUpdate
			case p.accept("on", "update", "set", "null"):
				f.OnUpdate = ir.SetNull
			case p.accept("on", "update", "set", "default"):
				f.OnUpdate = ir.SetDefault
			}
			t.ForeignKeys = append(t.ForeignKeys, f)
		case p.accept("generated"):
			hidden := p.accept("hidden")
			c := &t.Columns[p.column(t)]
			c.Generated, c.Hidden = condition(), hidden
		case p.accept("check"):
			t.Checks = append(t.Checks, ir.TableCheck{Pos: pos, Name: p.name("the constraint's name"), Expr: condition()})
		default:
			c := ir.Column{Name: p.name("a column or a constraint")}
			c.Type = p.typ()
			c.NotNull = p.accept("not", "null")
			t.Columns = append(t.Columns, c)
		}
	})
	if !hasKey {
		p.fail(pos, "table %s has no key: write key (…), or rowid as the first item", t.Name)
	}
}

// exclusion reads NAME (ROW, ROW) where CONDITION.
func (p *parser) exclusion(pos ir.Pos, t *ir.Table) ir.Exclusion {
	x := ir.Exclusion{Pos: pos, Name: p.name("the constraint's name")}
	p.expect("(")
	x.Rows[0] = p.name("a row variable")
	p.expect(",")
	x.Rows[1] = p.name("a row variable")
	p.expect(")")
	p.expect("where")
	p.rows, p.noVar = x.Sources(t), "in a constraint"
	x.Expr = p.expr()
	p.rows, p.noVar = nil, ""
	return x
}

func (p *parser) process(pos ir.Pos) {
	pr := &ir.Process{Pos: pos, Name: p.name("the process's name"), Copies: 1}
	if p.accept("[") {
		if p.accept("*") {
			pr.Copies = ir.Any
		} else {
			at := p.tok().pos
			pr.Copies = int(p.integer())
			if pr.Copies < 1 {
				p.fail(at, "a process has at least one copy")
			}
		}
		p.expect("]")
	}
	if p.accept("regs") {
		for p.tok().kind == tokIdent && !irwords.Keywords[p.tok().text] {
			p.i++
			p.accept(",")
		}
	}
	p.expect("{")
	p.kept, p.regs = true, map[string]ir.Type{}
	for !p.accept("}") {
		at := p.tok().pos
		if p.accept(";") {
			continue
		}
		p.expect("txn")
		t := p.transaction(at)
		pr.Txns = append(pr.Txns, t)
		p.prog.Txns = append(p.prog.Txns, t)
	}
	if len(pr.Txns) == 0 {
		p.fail(pos, "process %s runs no transaction", pr.Name)
	}
	p.prog.Processes = append(p.prog.Processes, pr)
}

// deeper is called where an expression goes one step further in.
func (p *parser) deeper() {
	if p.depth++; p.depth > wellformed.MaxDepth {
		p.fail(p.tok().pos, "the expression is nested too deep")
	}
}

// inside is the same for blocks of statements.
func (p *parser) inside() {
	if p.blocks++; p.blocks > wellformed.MaxBlocks {
		p.fail(p.tok().pos, "statements are nested more than %d deep", wellformed.MaxBlocks)
	}
}

// parseType is the inverse of ir.Type.String.
func parseType(s string) (ir.Type, bool) {
	elem, isArray := strings.CutSuffix(s, "[]")
	for k := ir.KindInt; k <= ir.KindOpaque; k++ {
		if k != ir.KindArray && k.String() == elem {
			if isArray {
				return ir.ArrayType(k), true
			}
			return ir.Type{Kind: k}, true
		}
	}
	return ir.Type{}, false
}
