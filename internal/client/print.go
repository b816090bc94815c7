package client

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// String gives the text that Print writes.
func (t *Txn) String() string {
	var b bytes.Buffer
	Print(&b, t)
	return b.String()
}

// Print writes a transaction as text, for people:
//
//	txn Transfer(from int, to int fresh) at repeatable read
//	  var balance int
//	  query "SELECT …" (from) into balance found ok
//	  if !ok
//	    rollback
//
// Equal transactions give equal texts; places are left out. The error is that of
// w.
func Print(w io.Writer, t *Txn) error {
	p := &printer{}
	var params []string
	for _, v := range t.Vars {
		if v.Input {
			params = append(params, v.text())
		}
	}
	head := fmt.Sprintf("txn %s(%s)", t.Name, strings.Join(params, ", "))
	var levels []string
	for _, l := range t.Levels {
		levels = append(levels, cmp.Or(l, "default"))
	}
	if len(levels) > 1 || len(t.Levels) == 1 && t.Levels[0] != "" {
		head += " at " + strings.Join(levels, " or ")
	}
	if t.Auto {
		head += " auto"
	}
	if t.Joined {
		head += " joined"
	}
	p.line("%s", head)
	p.indent++
	for _, v := range t.Vars {
		if !v.Input {
			p.line("var %s", v.text())
		}
	}
	p.stmts(t.Body)
	_, err := w.Write(p.out.Bytes())
	return err
}

func (k Kind) String() string {
	switch k {
	case Any:
		return "any"
	case Int:
		return "int"
	case Float:
		return "float"
	case Bool:
		return "bool"
	case Text:
		return "text"
	case Time:
		return "time"
	}
	return "kind " + strconv.Itoa(int(k))
}

func (v Var) text() string {
	s := v.Name + " " + v.Kind.String()
	if v.Nullable {
		s += " null"
	}
	if v.Fresh {
		s += " fresh"
	}
	return s
}

type printer struct {
	out    bytes.Buffer
	indent int
}

func (p *printer) line(format string, args ...any) {
	p.out.WriteString(strings.Repeat("  ", p.indent))
	fmt.Fprintf(&p.out, format, args...)
	p.out.WriteByte('\n')
}

// body writes statements that stand inside another one.
func (p *printer) body(list []Stmt) {
	p.indent++
	p.stmts(list)
	p.indent--
}

func labelled(word, label string) string {
	if label == "" {
		return word
	}
	return word + " " + label
}

func (p *printer) stmts(list []Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *Query:
			p.line("query %s", s.text())
		case *ForRows:
			p.line("%s of %s", labelled("rows", s.Label), s.Query.text())
			p.body(s.Body)
		case *Assign:
			p.line("%s = %s", s.Var, ExprString(s.Expr))
		case *Havoc:
			switch {
			case s.Fresh:
				p.line("%s = * fresh", s.Var)
			case s.Lost != "":
				p.line("%s = * lost %s", s.Var, s.Lost)
			default:
				p.line("%s = *", s.Var)
			}
		case *Guess:
			p.line("guess %s", s.What)
		case *If:
			p.line("if %s", ExprString(s.Cond))
			p.body(s.Then)
			if len(s.Else) > 0 {
				p.line("else")
				p.body(s.Else)
			}
		case *Loop:
			p.line("%s", labelled("loop", s.Label))
			p.body(s.Body)
		case *Block:
			p.line("%s", labelled("block", s.Label))
			p.body(s.Body)
		case *Break:
			p.line("%s", labelled("break", s.Label))
		case *Continue:
			p.line("%s", labelled("continue", s.Label))
		case *Commit:
			p.line("commit")
		case *Rollback:
			p.line("rollback")
		case *Emit:
			p.line("emit %s", exprList(s.Exprs))
		case *Savepoint:
			p.line("savepoint %s", s.Name)
		case *RollbackTo:
			p.line("rollback to %s", s.Name)
		case *Unknown:
			p.line("%s", s.text())
		default:
			panic(fmt.Sprintf("client: unknown statement %T", s))
		}
	}
}

func (s *Unknown) text() string {
	word, tables := "unknown", "*"
	if s.ReadOnly {
		word += " read"
	}
	if s.Tables != nil {
		tables = "(" + strings.Join(s.Tables, ", ") + ")"
	}
	return word + " " + tables + " " + strconv.Quote(s.Reason)
}

func (q *Query) text() string {
	s := strconv.Quote(strings.Join(strings.Fields(strings.ReplaceAll(q.SQL, Hole, "⟨?⟩")), " "))
	var args []string
	for _, e := range q.Args {
		args = append(args, ExprString(e))
	}
	for _, a := range q.Named {
		args = append(args, a.Name+": "+ExprString(a.Expr))
	}
	if q.Open {
		args = append(args, "…")
	}
	if len(args) > 0 {
		s += " (" + strings.Join(args, ", ") + ")"
	}
	var into []string
	for _, name := range q.Into {
		if name == "" {
			name = "_"
		}
		into = append(into, name)
	}
	for _, a := range q.ByName {
		into = append(into, a.Name+": "+ExprString(a.Expr))
	}
	if len(into) > 0 {
		s += " into " + strings.Join(into, ", ")
	}
	for _, flag := range []struct{ word, name string }{{"found", q.Found}, {"null", q.Null}, {"count", q.Count}} {
		if flag.name != "" {
			s += " " + flag.word + " " + flag.name
		}
		if flag.word == "null" && q.Every {
			s += " of every row"
		}
	}
	if q.Returned {
		s += " returned"
	}
	return s
}

// ExprString gives an expression as text, with all its parentheses.
func ExprString(e Expr) string {
	switch e := e.(type) {
	case *VarExpr:
		return e.Name
	case *Const:
		return e.Value.String()
	case *Op:
		if len(e.Args) == 1 {
			if e.Op == "null" {
				return operand(e.Args[0]) + " is null"
			}
			return e.Op + operand(e.Args[0])
		}
		var parts []string
		for _, a := range e.Args {
			parts = append(parts, operand(a))
		}
		return strings.Join(parts, " "+e.Op+" ")
	case *Call:
		return e.Name + "(" + exprList(e.Args) + ")"
	}
	panic(fmt.Sprintf("client: unknown expression %T", e))
}

// operand is an expression beside an operator.
func operand(e Expr) string {
	if o, ok := e.(*Op); ok && (len(o.Args) > 1 || o.Op == "null") {
		return "(" + ExprString(e) + ")"
	}
	return ExprString(e)
}

func exprList(list []Expr) string {
	var parts []string
	for _, e := range list {
		parts = append(parts, ExprString(e))
	}
	return strings.Join(parts, ", ")
}
