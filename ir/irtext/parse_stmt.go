package irtext

import (
	"slices"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/irnames"
	"github.com/txrobust/robust/internal/irwords"
	"github.com/txrobust/robust/internal/wellformed"
)

func (p *parser) transaction(pos ir.Pos) *ir.Txn {
	t := &ir.Txn{Pos: pos, Name: p.name("the transaction's name")}
	if p.prog.Txn(t.Name) != nil {
		p.fail(pos, "transaction %s is declared twice", t.Name)
	}
	p.txn = t
	defer func() { p.txn = nil }()
	if p.is("(") {
		p.list("(", ")", func() {
			fresh := p.accept("fresh")
			q := ir.Param{Fresh: fresh, Name: p.localName("a parameter")}
			q.Type = p.typ()
			q.NotNull = p.accept("not", "null")
			t.Params = append(t.Params, q)
		})
	}
	if p.accept("level") {
		tok := p.next()
		if tok.kind != tokText {
			p.fail(tok.pos, "expected the isolation level in quotes, found %s", tok)
		}
		t.Level = tok.text
	}
	p.expect("{")
	for {
		switch {
		case p.accept(";"):
			continue
		case p.is("local"), p.is("reg"):
			kept := p.next().text == "reg"
			if len(t.Locals) >= wellformed.MaxLocals {
				p.fail(p.tok().pos, "a transaction has more than %d locals", wellformed.MaxLocals)
			}
			l := ir.Local{Name: p.localName("a local"), Kept: kept}
			l.Type = p.typ()
			t.Locals = append(t.Locals, l)
			if kept && p.regs != nil {
				p.regs[l.Name] = l.Type
			}
			continue
		}
		break
	}
	if p.labelled() {
		for !p.accept("}") {
			p.instruction()
		}
		for i, in := range t.Labelled {
			if in.Stmt != nil {
				ir.Number(in.Stmt, i+1)
			}
		}
		return t
	}
	t.Body = p.body()
	n := 0
	ir.Walk(t.Body, func(s ir.Stmt) {
		n++
		ir.Number(s, n)
	})
	return t
}

// localName reads a name that is neither declared here nor a shared variable.
func (p *parser) localName(what string) string {
	pos := p.tok().pos
	name := p.name(what)
	if _, ok := p.txn.LocalType(name); ok {
		p.fail(pos, "%s is declared twice", name)
	}
	if p.prog.Table(name) != nil {
		p.fail(pos, "%s is the name of a table or shared variable", name)
	}
	return name
}

func (p *parser) labelled() bool {
	t := p.tok()
	return (t.kind == tokIdent && !irwords.Keywords[t.text] || t.kind == tokQuoted) &&
		p.peekAt(1).kind == tokPunct && p.peekAt(1).text == ":"
}

// instruction reads "label: stmt; goto label;".
func (p *parser) instruction() {
	in := ir.Instr{Pos: p.tok().pos, Label: p.name("a label")}
	if len(p.txn.Labelled) >= wellformed.MaxLabels {
		p.fail(in.Pos, "a transaction has more than %d labelled instructions", wellformed.MaxLabels)
	}
	p.expect(":")
	switch {
	case p.accept("begin"), p.accept("skip"), p.accept("end"), p.accept("com"):
		// The transaction's own brackets do nothing here.
	default:
		var list []ir.Stmt
		p.statement(&list)
		for k, s := range list {
			switch s.(type) {
			case *ir.If, *ir.Block, *ir.While, *ir.ForRange, *ir.Foreach, *ir.Break, *ir.Continue, *ir.Return:
				p.fail(in.Pos, "a labelled instruction is simple: use assume and goto for control")
			}
			step := ir.Instr{Pos: in.Pos, Label: in.Label, Stmt: s}
			if k < len(list)-1 {
				// Reads of shared variables inside an expression become steps of
				// their own, with labels made from the instruction's place.
				in.Label = in.Label + "'"
				step.Goto = in.Label
				p.txn.Labelled = append(p.txn.Labelled, step)
			} else {
				in.Stmt = s
			}
		}
	}
	p.accept(";")
	p.expect("goto")
	if p.accept("end") {
		in.Goto = ""
	} else {
		in.Goto = p.name("a label")
	}
	p.accept(";")
	p.txn.Labelled = append(p.txn.Labelled, in)
}

// body reads statements up to the closing brace, which it takes.
func (p *parser) body() []ir.Stmt {
	var out []ir.Stmt
	for !p.accept("}") {
		if p.accept(";") {
			continue
		}
		if p.tok().kind == tokEOF {
			p.fail(p.tok().pos, "a { is never closed")
		}
		start := p.i
		p.statement(&out)
		prev, t := p.toks[p.i-1], p.tok()
		if !p.is(";") && !p.is("}") && t.kind != tokEOF && prev.text != "}" && t.pos.Line == prev.pos.Line && p.i > start {
			p.fail(t.pos, "expected ; or } before %s", t)
		}
	}
	return out
}

func (p *parser) block() []ir.Stmt {
	p.expect("{")
	return p.body()
}

// statement reads one statement and appends it, after the reads of shared
// variables that its expressions need.
func (p *parser) statement(out *[]ir.Stmt) {
	p.inside()
	defer func() { p.blocks-- }()
	at := ir.At{Pos: p.tok().pos}
	add := func(s ir.Stmt) {
		*out = append(*out, p.reads...)
		p.reads = nil
		*out = append(*out, s)
	}
	switch {
	case p.accept("if"):
		s := &ir.If{At: at, Cond: p.expr()}
		add(s)
		s.Then = p.block()
		if p.accept("else") {
			if p.is("if") {
				p.statement(&s.Else)
			} else {
				s.Else = p.block()
			}
		}
	case p.accept("while"):
		p.noVar = "in the condition of a while: read it into a register before the loop and at its end"
		s := &ir.While{At: at, Cond: p.expr()}
		p.noVar = ""
		s.Label = p.optLabel()
		add(s)
		s.Body = p.block()
	case p.accept("block"):
		s := &ir.Block{At: at, Label: p.name("a label")}
		add(s)
		s.Body = p.block()
	case p.accept("for"):
		s := &ir.ForRange{At: at}
		varAt := p.tok().pos
		s.Var = p.name("the loop's variable")
		p.expect("in")
		s.Reverse = p.accept("reverse")
		s.From = p.exprAt(irwords.PrecAdd)
		p.expect("..")
		s.To = p.exprAt(irwords.PrecAdd)
		p.assign(varAt, s.Var, ir.IntType)
		s.Label = p.optLabel()
		add(s)
		s.Body = p.block()
	case p.accept("foreach"):
		s := &ir.Foreach{At: at}
		intoAt := p.tok().pos
		s.Into = p.names("a local")
		p.expect(":=")
		p.expect("select")
		s.Cols = nil
		cols := p.deferredCols()
		s.Query = p.query()
		s.Cols = cols()
		s.Order, s.Locks = p.order(), p.locks()
		s.Ahead = p.accept("ahead")
		if p.accept("found") {
			s.Found = p.declared(ir.BoolType)
		}
		p.intoTypes(intoAt, s.Into, s.Cols)
		p.rows = nil
		s.Label = p.optLabel()
		add(s)
		s.Body = p.block()
	case p.accept("emit"):
		if p.accept("select") {
			s := &ir.EmitRows{At: at}
			cols := p.deferredCols()
			s.Query = p.query()
			s.Cols = cols()
			s.Order, s.Limit, s.Locks = p.order(), p.limit(), p.locks()
			p.rows = nil
			add(s)
			return
		}
		s := &ir.Emit{At: at}
		for {
			s.Exprs = append(s.Exprs, p.expr())
			if !p.accept(",") {
				break
			}
		}
		add(s)
	case p.accept("insert"):
		add(p.insert(at))
	case p.accept("update"):
		src := p.source()
		s := &ir.Update{At: at, Table: src.Table, Row: src.Row}
		p.rows = []ir.Source{src}
		p.expect("set")
		s.Sets = p.sets(src.Table)
		s.Where = p.optWhere()
		p.rows = nil
		add(s)
	case p.accept("delete"):
		src := p.source()
		s := &ir.Delete{At: at, Table: src.Table, Row: src.Row}
		p.rows = []ir.Source{src}
		s.Where = p.optWhere()
		p.rows = nil
		s.Moved = p.accept("moved")
		add(s)
	case p.accept("cascade"):
		s := &ir.Cascade{At: at, Table: p.tableName()}
		name := p.tok()
		s.Key = slices.IndexFunc(s.Table.ForeignKeys, func(f ir.ForeignKey) bool { return f.Name == name.text })
		if p.name("a foreign key"); s.Key < 0 {
			p.fail(name.pos, "%s has no foreign key %s", s.Table.Name, name.text)
		}
		if p.accept("set") {
			p.list("(", ")", func() { s.Values = append(s.Values, p.expr()) })
		}
		add(s)
	case p.accept("dropped"):
		add(p.dropped(at))
	case p.accept("lock"):
		add(p.lock(at))
	case p.accept("assume"):
		add(&ir.Assume{At: at, Cond: p.expr()})
	case p.accept("abort"):
		add(&ir.Abort{At: at})
	case p.accept("break"):
		add(&ir.Break{At: at, Label: p.optName()})
	case p.accept("continue"):
		add(&ir.Continue{At: at, Label: p.optName()})
	case p.accept("return"):
		add(&ir.Return{At: at})
	case p.accept("savepoint"):
		add(&ir.Savepoint{At: at, Name: p.name("a savepoint")})
	case p.accept("rollback", "to"):
		add(&ir.RollbackTo{At: at, Name: p.name("a savepoint")})
	case p.accept("unmodelled"):
		s := &ir.Unmodelled{At: at, ReadOnly: p.accept("read"), Tables: p.tableSet()}
		s.Reason = p.text("the reason")
		add(s)
	case p.accept("copy"):
		s := &ir.CopyTable{At: at, Dst: p.tableName()}
		p.expect("from")
		s.Src = p.tableName()
		add(s)
	case p.accept("fail"):
		add(&ir.Fail{At: at})
	default:
		p.assignment(at, add)
	}
}

// tableSet reads what print's tableSet writes.
func (p *parser) tableSet() []*ir.Table {
	if p.accept("*") {
		return nil
	}
	tables := []*ir.Table{}
	p.list("(", ")", func() { tables = append(tables, p.tableName()) })
	return tables
}

func (p *parser) text(what string) string {
	t := p.next()
	if t.kind != tokText {
		p.fail(t.pos, "expected %s in quotes, found %s", what, t)
	}
	return t.text
}

func (p *parser) optLabel() string {
	if p.accept("label") {
		return p.name("a label")
	}
	return ""
}

// optName reads a label on the same line, if there is one.
func (p *parser) optName() string {
	t := p.tok()
	if t.pos.Line == p.toks[p.i-1].pos.Line && (t.kind == tokQuoted || t.kind == tokIdent && !irwords.Keywords[t.text]) {
		return p.name("a label")
	}
	return ""
}

func (p *parser) assignment(at ir.At, add func(ir.Stmt)) {
	var into []string
	intoAt := p.tok().pos
	if p.is("(") {
		into = p.names("a local")
	} else {
		into = []string{p.name("a statement")}
	}
	p.expect(":=")
	if p.accept("select") {
		add(p.selectInto(at, intoAt, into))
		return
	}
	if len(into) != 1 {
		p.fail(p.tok().pos, "expected a select, found %s", p.tok())
	}
	name := into[0]
	if t := p.prog.Table(name); t != nil {
		if !t.Var {
			p.fail(intoAt, "%s is a table: use insert, update or delete", name)
		}
		add(&ir.Update{At: at, Table: t, Row: t.Name, Sets: []ir.Set{{Col: 0, Expr: p.expr()}}})
		return
	}
	switch {
	case p.accept("*"):
		p.assign(intoAt, name, ir.IntType)
		add(&ir.Havoc{At: at, Var: name, NotNull: !p.accept("null")})
	case p.accept("fresh"):
		p.assign(intoAt, name, ir.IntType)
		add(&ir.Havoc{At: at, Var: name, Fresh: true, NotNull: true})
	case p.varRead():
		t := p.tableName()
		p.assign(intoAt, name, t.Columns[0].Type)
		add(readVar(at, name, t))
	default:
		e := p.expr()
		p.assign(intoAt, name, p.typeOf(e))
		add(&ir.Assign{At: at, Var: name, Expr: e})
	}
}

// varRead reports whether the right side is a shared variable and no more.
func (p *parser) varRead() bool {
	t := p.tok()
	if t.kind != tokIdent && t.kind != tokQuoted || irwords.Keywords[t.text] && t.kind == tokIdent {
		return false
	}
	if tab := p.prog.Table(t.text); tab == nil || !tab.Var {
		return false
	}
	n := p.peekAt(1)
	return n.kind == tokEOF || n.kind == tokPunct && (n.text == ";" || n.text == "}") ||
		n.kind == tokIdent && n.pos.Line > t.pos.Line && !irwords.Keywords[n.text] || n.text == "goto"
}

func readVar(at ir.At, into string, t *ir.Table) *ir.Select {
	return &ir.Select{At: at, Into: []string{into}, Cols: []ir.Expr{&ir.Col{Row: t.Name, Col: irnames.VarColumn}}, Query: ir.Query{From: []ir.Source{{Table: t, Row: t.Name}}}}
}

// aggregate reads an aggregate; its argument, unless nil, is read later, when its
// row variables are in scope.
func (p *parser) aggregate() (a ir.Agg, arg func() ir.Expr) {
	p.expect("agg")
	a.Fn = p.name("an aggregate function")
	p.expect("(")
	a.Distinct = p.accept("distinct")
	if !p.accept("*") {
		arg = p.deferred()
	}
	p.expect(")")
	a.Type = p.typ()
	return a, arg
}

func (p *parser) selectInto(at ir.At, intoAt ir.Pos, into []string) ir.Stmt {
	s := &ir.Select{At: at, Into: into}
	if p.is("agg") {
		var later []func()
		for p.is("agg") {
			a, arg := p.aggregate()
			k := len(s.Aggs)
			if arg != nil {
				later = append(later, func() { s.Aggs[k].Arg = arg() })
			}
			s.Aggs = append(s.Aggs, a)
			if !p.accept(",") {
				break
			}
		}
		s.Query = p.query()
		for _, f := range later {
			f()
		}
		p.rows = nil
		if len(into) != len(s.Aggs) {
			p.fail(at.Pos, "%d locals for %d values", len(into), len(s.Aggs))
		}
		for k, l := range into {
			p.assign(intoAt, l, s.Aggs[k].Type)
		}
		return s
	}
	cols := p.deferredCols()
	s.Query = p.query()
	s.Cols = cols()
	s.Order, s.Locks = p.order(), p.locks()
	p.intoTypes(intoAt, into, s.Cols)
	p.rows = nil
	if p.accept("found") {
		s.Found = p.declared(ir.BoolType)
	}
	return s
}

func (p *parser) intoTypes(pos ir.Pos, into []string, cols []ir.Expr) {
	if len(into) != len(cols) {
		p.fail(pos, "%d locals for %d values", len(into), len(cols))
	}
	for k, l := range into {
		p.assign(pos, l, p.typeOf(cols[k]))
	}
}

// declared reads the name of a local that is set to a value of type t.
func (p *parser) declared(t ir.Type) string {
	pos := p.tok().pos
	name := p.name("a local")
	p.assign(pos, name, t)
	return name
}

// assign declares name if it is new. Its type is t, or the register's.
func (p *parser) assign(pos ir.Pos, name string, t ir.Type) {
	if p.prog.Table(name) != nil {
		p.fail(pos, "%s is a table or shared variable, but a local is wanted here", name)
	}
	if _, ok := p.txn.LocalType(name); ok {
		return
	}
	if p.regs != nil {
		if old, ok := p.regs[name]; ok {
			t = old
		}
		p.regs[name] = t
	}
	if t.Kind == ir.KindNull {
		p.fail(pos, "the type of %s is not known here: declare it with local %s TYPE", name, name)
	}
	if len(p.txn.Locals) >= wellformed.MaxLocals {
		p.fail(pos, "a transaction has more than %d locals", wellformed.MaxLocals)
	}
	p.txn.Locals = append(p.txn.Locals, ir.Local{Name: name, Type: t, Kept: p.kept})
}

func (p *parser) insert(at ir.At) ir.Stmt {
	s := &ir.Insert{At: at, Table: p.tableName()}
	s.Cols = p.columns(s.Table)
	p.expect("values")
	p.list("(", ")", func() { s.Values = append(s.Values, p.expr()) })
	if len(s.Cols) != len(s.Values) {
		p.fail(at.Pos, "%d columns, but %d values", len(s.Cols), len(s.Values))
	}
	if p.accept("on", "conflict") {
		c := &ir.Conflict{Row: s.Table.Name}
		if p.is("(") {
			c.Target = p.columns(s.Table)
		}
		p.expect("do")
		if !p.accept("nothing") {
			p.expect("update")
			c.Row = p.name("a row variable")
			c.Lock = p.conflictLock()
			p.expect("set")
			p.rows = []ir.Source{{Table: s.Table, Row: c.Row}, {Table: s.Table, Row: ir.Excluded}}
			c.Sets = p.sets(s.Table)
			c.Where = p.optWhere()
			p.rows = nil
		}
		s.Conflict = c
	}
	if p.accept("done") {
		s.Done = p.declared(ir.BoolType)
	}
	if p.accept("moved") {
		s.Moved = p.columns(s.Table)
	}
	return s
}

func (p *parser) sets(t *ir.Table) []ir.Set {
	var out []ir.Set
	for {
		c := p.column(t)
		p.expect("=")
		out = append(out, ir.Set{Col: c, Expr: p.expr()})
		if !p.accept(",") {
			return out
		}
	}
}

func (p *parser) source() ir.Source {
	t := p.tableName()
	row := t.Name
	if n := p.tok(); n.kind == tokQuoted || n.kind == tokIdent && !irwords.Keywords[n.text] {
		row = p.name("a row variable")
	}
	return ir.Source{Table: t, Row: row}
}

// query reads "from T r, … [where E]" and leaves its row variables in scope.
func (p *parser) query() ir.Query {
	p.expect("from")
	var q ir.Query
	for {
		q.From = append(q.From, p.source())
		if !p.accept(",") {
			break
		}
	}
	if p.rows = append(append([]ir.Source{}, p.rows...), q.From...); len(p.rows) > wellformed.MaxRows {
		p.fail(p.tok().pos, "more than %d row variables are in scope", wellformed.MaxRows)
	}
	q.Where = p.optWhere()
	return q
}

func (p *parser) optWhere() ir.Expr {
	if !p.accept("where") {
		return nil
	}
	return p.expr()
}

func (p *parser) order() []ir.Order {
	if !p.accept("order", "by") {
		return nil
	}
	var out []ir.Order
	for {
		o := ir.Order{Expr: p.expr()}
		o.Desc = p.accept("desc")
		out = append(out, o)
		if !p.accept(",") {
			return out
		}
	}
}

func (p *parser) limit() ir.Expr {
	if !p.accept("limit") {
		return nil
	}
	return p.expr()
}
