package ir

import (
	"fmt"
	"strings"

	"github.com/txrobust/robust/internal/irwords"
)

// String is the text form, which irtext.Parse reads back.
func (p *Program) String() string {
	pr := &printer{}
	pr.program(p)
	return pr.b.String()
}

// String is the text form of the transaction.
func (t *Txn) String() string {
	pr := &printer{}
	pr.txn(t)
	return pr.b.String()
}

func (p *printer) program(prog *Program) {
	p.line("program %s", irwords.Ident(prog.Name))
	if prog.Domain != nil {
		p.line("domain %d..%d", prog.Domain.Lo, prog.Domain.Hi)
	}
	for _, t := range prog.Tables {
		p.table(t)
	}
	for _, t := range prog.Tables {
		if !t.Var {
			for _, r := range t.Rows {
				p.line("row %s (%s)", irwords.Ident(t.Name), valueList(r))
			}
		}
	}
	for _, inv := range prog.Invariants {
		p.line("invariant (%s) %s", sources(inv.From), inv.Expr.String())
	}
	if len(prog.Processes) == 0 {
		for _, t := range prog.Txns {
			p.txn(t)
		}
	}
	for _, proc := range prog.Processes {
		copies := ""
		switch {
		case proc.Copies == Any:
			copies = "[*]"
		case proc.Copies != 1:
			copies = fmt.Sprintf("[%d]", proc.Copies)
		}
		p.line("process %s%s {", irwords.Ident(proc.Name), copies)
		p.indent++
		for _, t := range proc.Txns {
			p.txn(t)
		}
		p.indent--
		p.line("}")
	}
}

func valueList(vs []Value) string {
	parts := make([]string, len(vs))
	for i, v := range vs {
		parts[i] = v.String()
	}
	return strings.Join(parts, ", ")
}

func (p *printer) table(t *Table) {
	if t.Var {
		init := ""
		if len(t.Rows) == 1 {
			init = " = " + t.Rows[0][0].String()
		}
		p.line("var %s %s%s", irwords.Ident(t.Name), t.Columns[0].Type, init)
		return
	}
	p.line("table %s (", irwords.Ident(t.Name))
	var items []string
	for i, c := range t.Columns {
		if t.Rowid && i == 0 {
			items = append(items, "rowid")
			continue
		}
		s := irwords.Ident(c.Name) + " " + c.Type.String()
		if c.NotNull {
			s += " not null"
		}
		items = append(items, s)
	}
	for _, c := range t.Columns {
		if c.Generated != nil {
			hidden := ""
			if c.Hidden {
				hidden = " hidden"
			}
			items = append(items, "generated"+hidden+" "+irwords.Ident(c.Name)+" "+c.Generated.String())
		}
	}
	cols := func(ix []int) string { return "(" + t.columnList(ix) + ")" }
	if !t.Rowid {
		items = append(items, "key "+cols(t.Key))
	}
	for _, u := range t.Uniques {
		s := "unique " + irwords.Ident(u.Name) + " " + cols(u.Columns)
		if u.Where != nil {
			s += " where " + u.Where.String()
		}
		items = append(items, s)
	}
	for _, x := range t.Exclusions {
		items = append(items, "exclude "+irwords.Ident(x.Name)+" ("+irwords.Ident(x.Rows[0])+", "+irwords.Ident(x.Rows[1])+") where "+x.Expr.String())
	}
	for _, f := range t.ForeignKeys {
		s := fmt.Sprintf("foreign %s %s references %s (%s)", irwords.Ident(f.Name), cols(f.Columns), irwords.Ident(f.Ref.Name), f.Ref.columnList(f.RefColumns))
		if f.OnDelete != NoAction {
			s += " on delete " + f.OnDelete.String()
		}
		if f.OnUpdate != NoAction {
			s += " on update " + f.OnUpdate.String()
		}
		items = append(items, s)
	}
	for _, c := range t.Checks {
		items = append(items, "check "+irwords.Ident(c.Name)+" "+c.Expr.String())
	}
	p.indent++
	for i, s := range items {
		if i < len(items)-1 {
			s += ","
		}
		p.line("%s", s)
	}
	p.indent--
	p.line(")")
}

func (t *Table) columnList(ix []int) string {
	parts := make([]string, len(ix))
	for i, c := range ix {
		parts[i] = irwords.Ident(t.Columns[c].Name)
	}
	return strings.Join(parts, ", ")
}

func (p *printer) txn(t *Txn) {
	params := make([]string, len(t.Params))
	for i, q := range t.Params {
		params[i] = irwords.Ident(q.Name) + " " + q.Type.String()
		if q.NotNull {
			params[i] += " not null"
		}
		if q.Fresh {
			params[i] = "fresh " + params[i]
		}
	}
	head := "txn " + irwords.Ident(t.Name)
	if len(params) > 0 {
		head += "(" + strings.Join(params, ", ") + ")"
	}
	if t.Level != "" {
		head += " level " + irwords.Text(t.Level)
	}
	p.line("%s {", head)
	p.indent++
	for _, l := range t.Locals {
		word := "local"
		if l.Kept {
			word = "reg"
		}
		p.line("%s %s %s;", word, irwords.Ident(l.Name), l.Type)
	}
	for _, in := range t.Labelled {
		body := "skip"
		if in.Stmt != nil {
			body = strings.TrimSuffix(in.Stmt.String(), ";")
		}
		to := in.Goto
		if to == "" {
			p.line("%s: %s; goto end;", irwords.Ident(in.Label), body)
		} else {
			p.line("%s: %s; goto %s;", irwords.Ident(in.Label), body, irwords.Ident(to))
		}
	}
	for _, s := range t.Body {
		if text := s.String(); text != "" {
			for line := range strings.SplitSeq(text, "\n") {
				p.line("%s", line)
			}
		}
	}
	p.indent--
	p.line("}")
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

func sources(from []Source) string {
	parts := make([]string, len(from))
	for i, s := range from {
		parts[i] = s.String()
	}
	return strings.Join(parts, ", ")
}

// String is the text form: the table, and the row variable if it has another name.
func (s Source) String() string {
	if s.Row == s.Table.Name {
		return irwords.Ident(s.Table.Name)
	}
	return irwords.Ident(s.Table.Name) + " " + irwords.Ident(s.Row)
}
