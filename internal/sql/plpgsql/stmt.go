package plpgsql

import (
	"slices"

	"github.com/txrobust/robust/internal/sql/pg"
)

// stmts reads statements up to a word that ends a list of them.
func (p *parser) stmts() []Stmt {
	if p.depth++; p.depth > maxDepth {
		p.fail(p.peek(0).Start, "statements are nested more than %d deep", maxDepth)
	}
	defer func() { p.depth-- }()
	var out []Stmt
	for {
		switch t := p.peek(0); {
		case p.atEnd():
			p.unexpected("END")
		case t.Kind == pg.Word && !p.isAssignment():
			switch t.Text {
			case "end", "else", "elsif", "elseif", "when", "exception":
				return out
			}
		}
		out = append(out, p.stmt())
	}
}

// isAssignment reports whether an assignment starts here. Words that are not
// reserved, such as open, may name variables.
func (p *parser) isAssignment() bool {
	t := p.peek(0)
	if t.Kind != pg.Param && !isName(t) || t.Kind == pg.Word && reserved[t.Text] {
		return false
	}
	depth := 0
	for n := 1; ; n++ {
		t := p.peek(n)
		switch {
		case t.Kind == pg.Comment:
			return false
		case is(t, "["):
			depth++
		case is(t, "]"):
			depth--
		case depth > 0:
			if is(t, ";") {
				return false
			}
		case is(t, ":="), is(t, "="):
			return true
		case is(t, "."):
			n++
			if !isName(p.peek(n)) {
				return false
			}
		default:
			return false
		}
	}
}

func (p *parser) stmt() Stmt {
	if p.isAssignment() {
		return p.assignment()
	}
	label, labelAt := "", p.peek(0).Start
	if p.is("<<") {
		label = p.label()
		if !p.is("declare") && !p.is("begin") && !p.is("loop") && !p.is("while") && !p.is("for") && !p.is("foreach") {
			p.fail(labelAt, "the label %q stands before no block or loop", label)
		}
	}
	at := p.place()
	t := p.peek(0)
	if t.Kind != pg.Word {
		if is(t, "(") || t.Kind == pg.Quoted {
			return p.sql(at)
		}
		p.unexpected("a statement")
	}
	switch t.Text {
	case "declare", "begin":
		b := p.block(label)
		p.expect(";")
		return b
	case "if":
		return p.ifStmt(at)
	case "case":
		return p.caseStmt(at)
	case "loop":
		return &Loop{At: at, Label: label, Body: p.loopBody(label)}
	case "while":
		p.i++
		cond := p.until("a condition", "loop")
		return &Loop{At: at, Label: label, Cond: cond, Body: p.loopBody(label)}
	case "for":
		return p.forStmt(at, label)
	case "foreach":
		return p.foreachStmt(at, label)
	case "exit", "continue":
		p.i++
		s := &Exit{At: at, Continue: t.Text == "continue"}
		if !p.is("when") && !p.is(";") {
			s.Label = p.name("a label, WHEN or a semicolon")
		}
		if p.accept("when") {
			s.When = p.until("a condition", ";")
		}
		p.expect(";")
		return s
	case "return":
		return p.returnStmt(at)
	case "raise":
		return p.raise(at)
	case "assert":
		p.i++
		s := &Assert{At: at, Cond: p.until("a condition", ",", ";")}
		if p.accept(",") {
			s.Message = p.until("a message", ";")
		}
		p.expect(";")
		return s
	case "perform":
		p.i++
		if p.is(";") {
			p.unexpected("a query")
		}
		q, into := p.command()
		if into != nil {
			p.fail(q.Blank[0], "PERFORM has no INTO: use SELECT … INTO")
		}
		return &SQL{At: at, Perform: true, Query: q}
	case "execute":
		p.i++
		s := &Execute{At: at}
		s.Query = p.until("a command", ";", "into", "using")
		for !p.accept(";") {
			switch {
			case p.is("into") && s.Into == nil:
				p.i++
				s.Into = p.targets()
			case p.is("using") && s.Using == nil:
				s.Using = p.using(";", "into")
			default:
				p.unexpected("INTO, USING or a semicolon")
			}
		}
		return s
	case "get":
		if is(p.peek(1), "diagnostics") || is(p.peek(2), "diagnostics") {
			return p.diagnostics(at)
		}
	case "open", "fetch", "move", "close":
		return p.cursor(at, t.Text)
	case "commit", "rollback":
		p.i++
		if p.accept("and") {
			p.accept("no")
			p.expect("chain")
		}
		p.expect(";")
		return &EndTxn{At: at, Rollback: t.Text == "rollback"}
	case "null":
		p.i++
		p.expect(";")
		return &Null{at}
	case "elsif", "elseif", "else", "when", "then", "end":
		p.unexpected("a statement")
	}
	return p.sql(at)
}

// using reads USING and its expressions, if there is one.
func (p *parser) using(stops ...string) []Span {
	var out []Span
	if !p.accept("using") {
		return nil
	}
	for {
		out = append(out, p.until("an expression", append([]string{","}, stops...)...))
		if !p.accept(",") {
			return out
		}
	}
}

func (p *parser) sql(at At) Stmt {
	q, into := p.command()
	return &SQL{At: at, Query: q, Into: into}
}

func (p *parser) assignment() Stmt {
	s := &Assign{At: p.place()}
	s.Target = p.dotted("a variable")
	for p.is("[") || p.is(".") {
		if p.accept(".") {
			s.Deep = true
			p.name("a field")
			continue
		}
		p.i++
		if !p.is(":") {
			s.Subscripts = append(s.Subscripts, p.until("a subscript", "]", ":"))
		}
		if p.accept(":") {
			s.Slice = true
			if !p.is("]") {
				s.Subscripts = append(s.Subscripts, p.until("a subscript", "]"))
			}
		}
		p.expect("]")
	}
	if !p.accept(":=") {
		p.expect("=")
	}
	s.Expr = p.until("an expression", ";")
	p.expect(";")
	return s
}

func (p *parser) loopBody(label string) []Stmt {
	p.expect("loop")
	body := p.stmts()
	p.expect("end")
	p.expect("loop")
	p.endLabel(label)
	p.expect(";")
	return body
}

func (p *parser) ifStmt(at At) Stmt {
	s := &If{At: at}
	for first := true; first || p.accept("elsif") || p.accept("elseif"); first = false {
		if first {
			p.i++
		}
		cond := p.until("a condition", "then")
		p.expect("then")
		p.branch()
		s.Branches = append(s.Branches, Branch{cond, p.stmts()})
	}
	if p.accept("else") {
		s.Else = p.stmts()
	}
	p.branches -= len(s.Branches)
	p.expect("end")
	p.expect("if")
	p.expect(";")
	return s
}

// branch counts one more branch.
func (p *parser) branch() {
	if p.branches++; p.branches > maxBranches {
		p.fail(p.peek(0).Start, "IF and CASE have more than %d branches here", maxBranches)
	}
}

func (p *parser) caseStmt(at At) Stmt {
	s := &Case{At: at}
	p.i++
	if !p.is("when") {
		s.Subject = p.until("an expression", "when")
	}
	for p.accept("when") {
		cond := p.until("a condition", "then")
		p.expect("then")
		p.branch()
		s.Branches = append(s.Branches, Branch{cond, p.stmts()})
	}
	if p.accept("else") {
		s.HasElse = true
		s.Else = p.stmts()
	}
	p.branches -= len(s.Branches)
	p.expect("end")
	p.expect("case")
	p.expect(";")
	return s
}

// queryWords are the words with which a query in FOR … IN may start.
var queryWords = map[string]bool{"select": true, "with": true, "values": true, "table": true,
	"insert": true, "update": true, "delete": true, "merge": true, "explain": true, "show": true}

func (p *parser) forStmt(at At, label string) Stmt {
	p.i++
	var targets []Name
	for {
		targets = append(targets, p.dotted("a variable"))
		if !p.accept(",") {
			break
		}
	}
	p.expect("in")
	if p.accept("execute") {
		q := p.until("a query", "loop", "using")
		using := p.using("loop")
		return &ForQuery{At: at, Label: label, Targets: targets, Kind: Dynamic, Query: q, Using: using, Body: p.loopBody(label)}
	}
	first := p.peek(0)
	reverse := p.accept("reverse")
	from := p.until("a range or a query", "loop", "..")
	if p.accept("..") {
		if len(targets) != 1 || len(targets[0].Parts) != 1 {
			p.fail(targets[0].At, "a loop over a range of integers has one variable")
		}
		s := &ForRange{At: at, Label: label, Var: targets[0].Parts[0], Reverse: reverse, From: from}
		s.To = p.until("a bound", "loop", "by")
		if p.accept("by") {
			s.By = p.until("a step", "loop")
		}
		s.Body = p.loopBody(label)
		return s
	}
	s := &ForQuery{At: at, Label: label, Targets: targets, Query: from}
	if !is(first, "(") && !(first.Kind == pg.Word && queryWords[first.Text]) {
		s.Kind = OfCursor
	}
	s.Body = p.loopBody(label)
	return s
}

func (p *parser) foreachStmt(at At, label string) Stmt {
	p.i++
	s := &Foreach{At: at, Label: label}
	for {
		s.Targets = append(s.Targets, p.dotted("a variable"))
		if !p.accept(",") {
			break
		}
	}
	if p.accept("slice") {
		s.Slice = !(p.peek(0).Kind == pg.Number && p.peek(0).Text == "0")
		p.i++
	}
	p.expect("in")
	p.expect("array")
	s.Expr = p.until("an array", "loop")
	s.Body = p.loopBody(label)
	return s
}

func (p *parser) returnStmt(at At) Stmt {
	p.i++
	switch {
	case p.is("next"):
		p.i++
		s := &ReturnNext{At: at}
		if !p.is(";") {
			s.Expr = p.until("an expression", ";")
		}
		p.expect(";")
		return s
	case p.is("query"):
		p.i++
		s := &ReturnQuery{At: at, Dynamic: p.accept("execute")}
		if !s.Dynamic {
			s.Query = p.until("a query", ";")
			p.expect(";")
			return s
		}
		s.Query = p.until("a query", ";", "using")
		s.Using = p.using(";")
		p.expect(";")
		return s
	}
	s := &Return{At: at}
	if !p.is(";") {
		s.Expr = p.until("an expression", ";")
	}
	p.expect(";")
	return s
}

func (p *parser) raise(at At) Stmt {
	p.i++
	s := &Raise{At: at, Error: true}
	level := p.accept("exception")
	for _, l := range []string{"debug", "log", "info", "notice", "warning"} {
		if !level && p.accept(l) {
			level, s.Error = true, false
		}
	}
	if !level && p.accept(";") {
		s.Again = true
		return s
	}
	s.State = raiseException
	switch t := p.peek(0); {
	case t.Kind == pg.Text: // a format
		for p.peek(0).Kind == pg.Text {
			p.i++
		}
		for p.accept(",") {
			s.Args = append(s.Args, p.until("an expression", ",", "using", ";"))
		}
	case !p.is("using") && !p.is(";"):
		s.State = ""
		if c := p.condition(); len(c.States) > 0 { // of several, RAISE takes the first
			s.State = c.States[0]
		}
	}
	s.Formatted = len(s.Args)
	if p.accept("using") {
		for {
			option := p.name("an option")
			if !p.accept(":=") {
				p.expect("=")
			}
			x := p.until("an expression", ",", ";")
			s.Args = append(s.Args, x)
			if option == "errcode" {
				if s.State == raiseException {
					s.State = stateOf(x.Text(p.src))
				} else { // told twice: an error of its own
					s.State = ""
				}
			}
			if !p.accept(",") {
				break
			}
		}
	}
	p.expect(";")
	return s
}

func (p *parser) diagnostics(at At) Stmt {
	p.i++
	s := &GetDiagnostics{At: at, Stacked: p.accept("stacked")}
	p.accept("current")
	p.expect("diagnostics")
	for {
		it := DiagItem{Target: p.dotted("a variable")}
		if !p.accept(":=") {
			p.expect("=")
		}
		it.Item = p.name("an item such as ROW_COUNT")
		s.Items = append(s.Items, it)
		if !p.accept(",") {
			break
		}
	}
	p.expect(";")
	return s
}

// directions are the words between FETCH or MOVE and a number of rows.
var directions = []string{"next", "prior", "first", "last", "absolute", "relative", "forward", "backward", "all"}

// given reads what a statement on a cursor computes, if there is something.
func (p *parser) given(verb string) Span {
	switch {
	case verb == "open" && is(p.peek(1), "("):
		return p.until("a cursor", ";", "for", "no", "scroll")
	case verb != "fetch" && verb != "move":
		return Span{}
	}
	for i := 0; !is(p.peek(i), "from") && !is(p.peek(i), "in"); i++ {
		if t := p.peek(i); is(t, ";") || is(t, "into") || p.i+i >= len(p.toks) {
			return Span{} // it says no more than the cursor
		}
	}
	for slices.ContainsFunc(directions, func(word string) bool { return p.is(word) }) {
		p.i++
	}
	if p.is("from") || p.is("in") {
		return Span{}
	}
	return p.until("a number of rows", "from", "in")
}

// cursor reads OPEN, FETCH, MOVE and CLOSE.
func (p *parser) cursor(at At, verb string) Stmt {
	p.i++
	s := &Cursor{At: at, Verb: verb}
	for verb == "fetch" && (p.is("next") || p.is("from") || p.is("in")) && !is(p.peek(1), "into") {
		p.i++
	}
	if next := p.peek(1); is(next, ";") || verb == "fetch" && is(next, "into") {
		s.Name = p.dotted("a cursor").Parts[0]
	}
	s.Given = p.given(verb)
	for !p.is(";") {
		switch {
		case p.atEnd():
			p.unexpected(`";"`)
		case verb == "open" && p.is("for") && !is(p.peek(1), "execute"):
			p.i++
			s.Query = p.until("a query", ";")
		case verb != "open" && p.accept("into"):
			s.Into = p.targets()
		default:
			p.i++
		}
	}
	p.i++
	return s
}
