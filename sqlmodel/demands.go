package sqlmodel

import (
	"cmp"
	"maps"
	"slices"

	"github.com/txrobust/robust/internal/sql/query"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/ir"
)

// demand holds all that is assigned to a local of type t from here on to its domain, nil if it is
// none.
func (b *Routine) demand(u *schema.UserType, t schema.Type, local string, pos ir.Pos) {
	if !u.Demanding() {
		return
	}
	list, leftOut := b.App.Demands(u, t, ir.V(local))
	b.Demands[local] = append(b.Demands[local], list...)
	b.MayBreak(u, cmp.Or(leftOut, u.RefusesNull()), pos)
}

// demandParts marks that domains may refuse fields of a row that is assigned. They refuse
// nothing of what is stored in a column of the same type.
func (b *Routine) demandParts(fields []query.Field, values []query.Column, pos ir.Pos) {
	for i, fd := range fields {
		notNull := slices.ContainsFunc(fd.Within, (*schema.UserType).NotNull) // there may be no row
		if i < len(values) && !notNull {
			if c := values[i].Of; c != nil && c.Domain == fd.Domain && slices.Equal(c.Within, fd.Within) {
				continue
			}
		}
		b.MayRefuseAny(fd.Within, nil, pos)
	}
}

// demandOfRecord marks what domains may refuse of a field of type t that is assigned, in a
// variable of type record: it has the type that the query had which filled the record.
func (b *Routine) demandOfRecord(t schema.Type, pos ir.Pos) {
	for _, key := range slices.Sorted(maps.Keys(b.App.Declarations.TypesByKey)) {
		if u := b.App.Declarations.TypesByKey[key]; u.Base.Same(t) {
			b.MayRefuseAny([]*schema.UserType{u}, nil, pos)
		}
	}
}

// demandNotNull makes each assignment of NULL to a variable from here on an error.
func (b *Routine) demandNotNull(v *query.Variable) {
	for _, d := range v.Dests() {
		if v.IsRecord {
			b.Unmodelled("a record that is NOT NULL")
		}
		b.Demands[d.Local] = append(b.Demands[d.Local], query.Demand{Cond: query.IsNotNull(ir.V(d.Local)), State: query.NullVariable})
	}
}
