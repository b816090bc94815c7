package ir

import (
	"fmt"
	"strings"

	"github.com/txrobust/robust/internal/irwords"
)

// stmtString is the text form of a statement, on several lines if it has a
// body.
func stmtString(s Stmt) string {
	pr := &printer{}
	pr.stmt(s)
	return strings.TrimSuffix(pr.b.String(), "\n")
}

type printer struct {
	b      strings.Builder
	indent int
}

func (p *printer) line(format string, args ...any) {
	for i := 0; i < p.indent; i++ {
		p.b.WriteString("  ")
	}
	fmt.Fprintf(&p.b, format, args...)
	p.b.WriteByte('\n')
}

func (p *printer) stmts(list []Stmt) {
	for _, s := range list {
		p.stmt(s)
	}
}

func (p *printer) block(head string, body []Stmt) {
	p.line("%s {", head)
	p.indent++
	p.stmts(body)
	p.indent--
	p.line("}")
}

func (p *printer) stmt(s Stmt) {
	switch s := s.(type) {
	case *Assign:
		p.line("%s := %s;", irwords.Ident(s.Var), s.Expr.String())
	case *Havoc:
		what := "*"
		switch {
		case s.Fresh:
			what = "fresh"
		case !s.NotNull:
			what = "* null"
		}
		p.line("%s := %s;", irwords.Ident(s.Var), what)
	case *Select:
		p.line("%s;", selectString(s))
	case *Emit:
		p.line("emit %s;", exprList(s.Exprs))
	case *EmitRows:
		p.line("emit select %s%s%s%s%s;", exprList(s.Cols), queryString(s.Query), orderString(s.Order), limitString(s.Limit), lockString(s.Locks))
	case *Insert:
		p.line("%s;", insertString(s))
	case *Update:
		if s.Table.Var && s.Row == s.Table.Name && s.Where == nil && len(s.Sets) == 1 && !usesRow(s.Sets[0].Expr, s.Row) {
			p.line("%s := %s;", irwords.Ident(s.Table.Name), s.Sets[0].Expr.String())
			return
		}
		p.line("update %s set %s%s;", Source{Table: s.Table, Row: s.Row}, setList(s.Table, s.Sets), where(s.Where))
	case *Delete:
		moved := ""
		if s.Moved {
			moved = " moved"
		}
		p.line("delete %s%s%s;", Source{Table: s.Table, Row: s.Row}, where(s.Where), moved)
	case *Cascade:
		set := ""
		if len(s.Values) > 0 {
			set = " set (" + exprList(s.Values) + ")"
		}
		p.line("cascade %s %s%s;", irwords.Ident(s.Table.Name), irwords.Ident(s.ForeignKey().Name), set)
	case *LockTable:
		p.line("lock %s in %s;", irwords.Ident(s.Table.Name), s.Mode)
	case *LockRows:
		p.line("lock%s%s%s%s;", queryString(s.Query), orderString(s.Order), limitString(s.Limit), lockString(s.Locks))
	case *Dropped:
		p.line("%s;", droppedString(s))
	case *If:
		p.line("if %s {", s.Cond.String())
		p.indent++
		p.stmts(s.Then)
		p.indent--
		if len(s.Else) > 0 {
			p.line("} else {")
			p.indent++
			p.stmts(s.Else)
			p.indent--
		}
		p.line("}")
	case *While:
		p.block("while "+s.Cond.String()+labelString(s.Label), s.Body)
	case *Block:
		p.block("block "+irwords.Ident(s.Label), s.Body)
	case *ForRange:
		down := ""
		if s.Reverse {
			down = "reverse "
		}
		p.block(fmt.Sprintf("for %s in %s%s..%s%s", irwords.Ident(s.Var), down, exprString(s.From, irwords.PrecAdd), exprString(s.To, irwords.PrecAdd), labelString(s.Label)), s.Body)
	case *Foreach:
		head := fmt.Sprintf("foreach (%s) := select %s%s%s%s", identList(s.Into), exprList(s.Cols), queryString(s.Query), orderString(s.Order), lockString(s.Locks))
		if s.Ahead {
			head += " ahead"
		}
		if s.Found != "" {
			head += " found " + irwords.Ident(s.Found)
		}
		p.block(head+labelString(s.Label), s.Body)
	case *Break:
		p.line("break%s;", optIdent(s.Label))
	case *Continue:
		p.line("continue%s;", optIdent(s.Label))
	case *Return:
		p.line("return;")
	case *Assume:
		p.line("assume %s;", s.Cond.String())
	case *Abort:
		p.line("abort;")
	case *Send:
	case *Savepoint:
		p.line("savepoint %s;", irwords.Ident(s.Name))
	case *RollbackTo:
		p.line("rollback to %s;", irwords.Ident(s.Name))
	case *Unmodelled:
		mode := ""
		if s.ReadOnly {
			mode = "read "
		}
		p.line("unmodelled %s%s %s;", mode, tableSet(s.Tables), irwords.Text(s.Reason))
	case *CopyTable:
		p.line("copy %s from %s;", irwords.Ident(s.Dst.Name), irwords.Ident(s.Src.Name))
	case *Fail:
		p.line("fail;")
	default:
		panic(fmt.Sprintf("ir: print: unknown statement %T", s))
	}
}

// tableSet lists tables, of which nil is all.
func tableSet(tables []*Table) string {
	if tables == nil {
		return "*"
	}
	names := make([]string, len(tables))
	for i, t := range tables {
		names[i] = irwords.Ident(t.Name)
	}
	return "(" + strings.Join(names, ", ") + ")"
}

func limitString(limit Expr) string {
	if limit == nil {
		return ""
	}
	return " limit " + limit.String()
}

// usesRow reports whether e mentions the row variable row.
func usesRow(e Expr, row string) bool {
	found := false
	WalkExpr(e, func(e Expr) {
		if c, ok := e.(*Col); ok && c.Row == row {
			found = true
		}
	})
	return found
}

func optIdent(name string) string {
	if name == "" {
		return ""
	}
	return " " + irwords.Ident(name)
}

func labelString(label string) string {
	if label == "" {
		return ""
	}
	return " label " + irwords.Ident(label)
}

// IsVarRead recognises r := x for a shared variable x.
func (s *Select) IsVarRead() bool {
	if len(s.Into) != 1 || len(s.Cols) != 1 || len(s.Query.From) != 1 || s.Query.Where != nil ||
		s.Found != "" || len(s.Order) > 0 || len(s.Locks) > 0 {
		return false
	}
	src := s.Query.From[0]
	c, ok := s.Cols[0].(*Col)
	return src.Table.Var && src.Row == src.Table.Name && ok && c.Row == src.Row
}

func aggString(a Agg) string {
	arg := "*"
	if a.Arg != nil {
		arg = a.Arg.String()
	}
	if a.Distinct {
		arg = "distinct " + arg
	}
	return fmt.Sprintf("agg %s(%s) %s", irwords.Ident(a.Fn), arg, a.Type)
}

func selectString(s *Select) string {
	if s.IsVarRead() {
		return irwords.Ident(s.Into[0]) + " := " + irwords.Ident(s.Query.From[0].Table.Name)
	}
	cols := exprList(s.Cols)
	if len(s.Aggs) > 0 {
		parts := make([]string, len(s.Aggs))
		for i, a := range s.Aggs {
			parts[i] = aggString(a)
		}
		cols = strings.Join(parts, ", ")
	}
	out := fmt.Sprintf("(%s) := select %s%s%s%s", identList(s.Into), cols, queryString(s.Query), orderString(s.Order), lockString(s.Locks))
	if s.Found != "" {
		out += " found " + irwords.Ident(s.Found)
	}
	return out
}

func insertString(s *Insert) string {
	out := fmt.Sprintf("insert %s (%s) values (%s)", irwords.Ident(s.Table.Name), columnList(s.Table, s.Cols), exprList(s.Values))
	if c := s.Conflict; c != nil {
		out += " on conflict"
		if c.Target != nil {
			out += " (" + columnList(s.Table, c.Target) + ")"
		}
		if c.Sets == nil {
			out += " do nothing"
		} else {
			lock := ""
			if c.Lock == ForUpdate {
				lock = lockString(Locks{{Mode: c.Lock}})
			}
			out += " do update " + irwords.Ident(c.Row) + lock + " set " + setList(s.Table, c.Sets) + where(c.Where)
		}
	}
	if s.Done != "" {
		out += " done " + irwords.Ident(s.Done)
	}
	if len(s.Moved) > 0 {
		out += " moved (" + columnList(s.Table, s.Moved) + ")"
	}
	return out
}

func setList(t *Table, sets []Set) string {
	parts := make([]string, len(sets))
	for i, s := range sets {
		parts[i] = irwords.Ident(t.Columns[s.Col].Name) + " = " + s.Expr.String()
	}
	return strings.Join(parts, ", ")
}

func sources(from []Source) string {
	parts := make([]string, len(from))
	for i, s := range from {
		parts[i] = s.String()
	}
	return strings.Join(parts, ", ")
}

func where(e Expr) string {
	if e == nil {
		return ""
	}
	return " where " + e.String()
}

func queryString(q Query) string {
	return " from " + sources(q.From) + where(q.Where)
}

func orderString(os []Order) string {
	if len(os) == 0 {
		return ""
	}
	parts := make([]string, len(os))
	for i, o := range os {
		parts[i] = o.Expr.String()
		if o.Desc {
			parts[i] += " desc"
		}
	}
	return " order by " + strings.Join(parts, ", ")
}

func exprList(es []Expr) string {
	parts := make([]string, len(es))
	for i, e := range es {
		parts[i] = e.String()
	}
	return strings.Join(parts, ", ")
}

func identList(names []string) string {
	parts := make([]string, len(names))
	for i, n := range names {
		parts[i] = irwords.Ident(n)
	}
	return strings.Join(parts, ", ")
}

// String is the operator of the text form, such as "==".
func (op BinaryOp) String() string { return irwords.Operators[op].Word }

func exprString(e Expr, outer int) string {
	paren := func(prec int, s string) string {
		if prec < outer {
			return "(" + s + ")"
		}
		return s
	}
	switch e := e.(type) {
	case *Const:
		s := e.Value.String()
		if strings.HasPrefix(s, "-") {
			return paren(irwords.PrecNeg-1, s)
		}
		return s
	case *Var:
		return irwords.Ident(e.Name)
	case *Col:
		return irwords.Ident(e.Row) + "." + irwords.Ident(e.Col)
	case *Unary:
		switch e.Op {
		case Neg:
			if _, literal := e.X.(*Const); literal {
				return paren(irwords.PrecNeg, "-("+e.X.String()+")")
			}
			return paren(irwords.PrecNeg, "-"+exprString(e.X, irwords.PrecNeg+1))
		case Not:
			return paren(irwords.PrecNot, "not "+exprString(e.X, irwords.PrecNot))
		case IsNull:
			return paren(irwords.PrecCmp, exprString(e.X, irwords.PrecCmp+1)+" is null")
		}
	case *Binary:
		op := irwords.Operators[e.Op]
		left := op.Prec
		if op.Prec == irwords.PrecCmp {
			left++
		}
		right := exprString(e.Y, op.Prec+1)
		if e.Op == Is && right == "null" {
			right = "(null)" // "x is null" is the unary test
		}
		return paren(op.Prec, exprString(e.X, left)+" "+op.Word+" "+right)
	case *Cond:
		return "(if " + e.If.String() + " then " + e.Then.String() + " else " + e.Else.String() + ")"
	case *Call:
		if e.Def != nil {
			return "(derive " + e.Type.String() + " " + e.Def.text() + " of (" + exprList(e.Args) + "))"
		}
		s := irwords.Ident(e.Name) + "(" + exprList(e.Args) + ")"
		if Functions[e.Name] == nil || e.Fn != nil {
			return "opaque " + e.Type.String() + " " + s
		}
		return s
	case *Exists:
		return "exists (" + strings.TrimPrefix(queryString(e.Query), " ") + ")"
	}
	panic(fmt.Sprintf("ir: print: unknown expression %T", e))
}

// columnList lists the names of columns of a table.
func columnList(t *Table, cols []int) string {
	names := make([]string, len(cols))
	for i, c := range cols {
		names[i] = t.Columns[c].Name
	}
	return identList(names)
}
