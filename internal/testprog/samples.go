package testprog

import "github.com/txrobust/robust/ir"

// Samples gives two values of every type.
func Samples(t ir.Type) []ir.Value {
	switch t.Kind {
	case ir.KindInt:
		return []ir.Value{ir.Int(1), ir.Int(2)}
	case ir.KindNum:
		return []ir.Value{ir.Int(1).Convert(t), ir.Int(2).Convert(t)}
	case ir.KindBool:
		return []ir.Value{ir.Bool(false), ir.Bool(true)}
	case ir.KindText:
		return []ir.Value{ir.Text("a"), ir.Text("b")}
	case ir.KindTime:
		return []ir.Value{ir.Time(1), ir.Time(2)}
	case ir.KindOpaque:
		return []ir.Value{ir.Opaque("a"), ir.Opaque("b")}
	case ir.KindArray:
		elems := Samples(ir.Type{Kind: t.Elem})
		return []ir.Value{ir.Array(elems[:1]), ir.Array(elems)}
	}
	panic("testprog: no sample of type " + t.String())
}

// WithRows gives every table n rows of samples, at most two.
func WithRows(p *ir.Program, n int) *ir.Program {
	for _, table := range p.Tables {
		table.Rows = nil
		for i := range n {
			var row []ir.Value
			for _, c := range table.Columns {
				row = append(row, Samples(c.Type)[i])
			}
			table.Rows = append(table.Rows, row)
		}
	}
	return p
}
