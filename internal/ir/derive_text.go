package ir

import (
	"fmt"
	"strings"

	"github.com/txrobust/robust/internal/irwords"
)

// text is the text form without the arguments.
func (d *Derivation) text() string {
	parts := make([]string, len(d.Params))
	for i, p := range d.Params {
		parts[i] = irwords.Ident(p.Name) + " " + p.Type.String()
	}
	return d.Want.String() + " (" + strings.Join(parts, ", ") + ") " + relString(d.Rel)
}

func relString(r Rel) string {
	switch r := r.(type) {
	case *Given:
		return "given " + irwords.Ident(r.Param) + " (" + columnsString(r.Cols) + ")"
	case *Elems:
		if r.Array != nil {
			return "elems " + r.Type.String() + " (" + r.Array.String() + ")"
		}
		return "series (" + r.Lo.String() + ", " + r.Hi.String() + ")"
	case *Project:
		out := "project"
		if r.Distinct {
			out += " distinct"
		}
		out += " from " + fromString(r.From) + where(r.Where) + " cols (" + itemsString(r.Cols) + ")"
		if r.On != nil {
			out += " first of (" + exprList(r.On) + ")"
		}
		out += orderString(r.Order)
		if r.Limit != nil {
			out += " limit " + r.Limit.String()
		}
		if r.Offset != nil {
			out += " offset " + r.Offset.String()
		}
		return out
	case *Group:
		aggs := make([]string, len(r.Aggs))
		for i, a := range r.Aggs {
			aggs[i] = irwords.Ident(a.Name) + " " + aggString(a.Agg)
		}
		return "group from " + fromString(r.From) + where(r.Where) + " cols (" + itemsString(r.Keys) + ") aggs (" + strings.Join(aggs, ", ") + ")"
	case *SetOp:
		all := ""
		if r.All {
			all = " all"
		}
		if r.Again != "" {
			all += " again " + irwords.Ident(r.Again)
		}
		return r.Op.String() + all + " (" + relString(r.L) + ") (" + relString(r.R) + ")"
	}
	panic(fmt.Sprintf("ir: print: unknown relation %T", r))
}

func columnsString(cols []Column) string {
	parts := make([]string, len(cols))
	for i, c := range cols {
		parts[i] = irwords.Ident(c.Name) + " " + c.Type.String()
	}
	return strings.Join(parts, ", ")
}

func itemsString(items []Item) string {
	parts := make([]string, len(items))
	for i, c := range items {
		parts[i] = irwords.Ident(c.Name) + " " + c.Type.String() + " = " + c.Expr.String()
	}
	return strings.Join(parts, ", ")
}

func fromString(f From) string {
	switch f := f.(type) {
	case nil:
		return "none"
	case *Leaf:
		return "(" + relString(f.Rel) + ") " + irwords.Ident(f.Row)
	case *Join:
		out := "join " + f.Kind.String() + " " + fromString(f.L) + " " + fromString(f.R)
		if f.On != nil {
			out += " on (" + f.On.String() + ")"
		}
		return out
	}
	panic(fmt.Sprintf("ir: print: unknown FROM %T", f))
}
