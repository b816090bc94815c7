package load

import "github.com/txrobust/robust/internal/sql/schema"

// CommonType is the type of a variable for all of list: the widest of numbers,
// or else the first. A text that stands beside others gives way, unless texts
// are values of the variable.
func CommonType(list []schema.Type, texts bool) schema.Type {
	out := list[0]
	for _, t := range list {
		switch {
		case out.Name == schema.NInt && t.Name == schema.NInt:
			if t.PgName() == schema.TBigint.PgName() { // the widest one
				out = t
			}
		case out.Name == schema.NInt && t.Numeric(), out.Name == schema.NNumeric && t.Name == schema.NFloat, out.Name == schema.NDate && t.Name == schema.NStamp,
			out.Name == schema.NText && !texts, t.Name == schema.NText && texts:
			out = t
		}
	}
	return out.Plain()
}
