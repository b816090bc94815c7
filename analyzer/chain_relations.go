package analyzer

import (
	"go/types"
	"slices"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/gormmodel"
)

// saveRelations inserts the rows of other tables that a struct belongs to, as GORM
// does before it writes the struct; update says that it is no new row.
func (in *interp) saveRelations(r *chain, s *subject, update bool) {
	in.relations(r, s, gormmodel.BelongsTo, gormmodel.Unclear)
	if update {
		in.saveRelated(r, s)
	}
}

// saveRelated inserts the rows of other tables that belong to a struct.
func (in *interp) saveRelated(r *chain, s *subject) {
	in.relations(r, s, gormmodel.HasOne, gormmodel.HasMany, gormmodel.ManyToMany)
}

// relations inserts the rows in the fields of a struct that are not zero.
func (in *interp) relations(r *chain, s *subject, kinds ...gormmodel.RelationKind) {
	in.saving++
	defer func() { in.saving-- }()
	in.eachRelation(s, func(rel *gormmodel.Relation, c *cell, nz client.Expr) {
		if slices.Contains(kinds, rel.Kind) && in.st != nil {
			in.either(nz, func() { in.saveRelation(r, s, rel, c) }, func() {})
		}
	})
}

// eachRelation calls f for the relations of a struct whose rows are saved with
// it, with the condition under which there are some.
func (in *interp) eachRelation(s *subject, f func(rel *gormmodel.Relation, c *cell, nz client.Expr)) {
	if s.destModel == nil || s.dest == nil {
		return
	}
	for _, rel := range s.destModel.Relations {
		if slices.Contains(s.d.omits, rel.Name) || slices.Contains(s.d.omits, associations) ||
			len(s.d.selects) > 0 && !slices.Contains(s.d.selects, rel.Name) && !slices.Contains(s.d.selects, associations) {
			continue
		}
		c := partAt(s.dest, rel.Path)
		if c == nil {
			continue
		}
		nz := in.nonZero(in.load(c), rel.Type)
		if is, known := in.known(nz); known && !is {
			continue
		}
		f(rel, c, nz)
	}
}

// saveRelation inserts the rows in a field.
func (in *interp) saveRelation(r *chain, s *subject, rel *gormmodel.Relation, c *cell) {
	other := in.p.models().Model(rel.Other)
	cells, ok := in.related(rel, c)
	if !ok || other == nil || s.d.fullSave || rel.Kind == gormmodel.ManyToMany || rel.Kind == gormmodel.Unclear ||
		len(cells) > maxRelated || in.saving > maxSaving {
		in.lostRelation(r, s, rel, c)
		return
	}
	for _, to := range cells {
		how := &conflict{nothing: true}
		if rel.Kind != gormmodel.BelongsTo {
			how = &conflict{excluded: rel.Theirs}
			for _, k := range other.Keys {
				how.columns = append(how.columns, k.Column)
			}
			in.copyKeys(s.dest, s.destModel, rel.Own, to, other, rel.Theirs)
		}
		one := in.newChain(r.h, &draft{conflict: how, skipHooks: s.d.skipHooks})
		in.create(one, box{&pointer{to: to}, types.NewPointer(other.Type)})
		if in.st == nil {
			return
		}
		if err, isFailure := in.load(one.err).(*failure); !isFailure || !isTrue(client.Not(in.failed(err))) {
			in.st.mem[r.err] = in.load(one.err)
		}
		if rel.Kind == gormmodel.BelongsTo {
			in.copyKeys(to, other, rel.Theirs, s.dest, s.destModel, rel.Own)
		}
	}
}

// maxRelated bounds the rows in a field that are inserted one by one.
const maxRelated = 16

// maxSaving bounds the rows in rows in rows that are.
const maxSaving = 2

// related gives the structs in a field, if they are known.
func (in *interp) related(rel *gormmodel.Relation, c *cell) ([]*cell, bool) {
	v := unbox(in.load(c))
	if _, isStruct := c.t.Underlying().(*types.Struct); isStruct {
		return []*cell{c}, true
	}
	switch v := v.(type) {
	case *pointer:
		to, ok := in.structCell(v)
		return []*cell{to}, ok
	case *list, span:
		elems, _ := in.listOf(v)
		var out []*cell
		for i, e := range elems {
			switch e := unbox(e).(type) {
			case *pointer:
				to, ok := in.structCell(e)
				if !ok {
					return nil, false
				}
				out = append(out, to)
			case *aggregate:
				if sp, isSpan := v.(span); isSpan && sp.array.part(i) != nil {
					out = append(out, sp.array.part(i))
					continue
				}
				to := in.newCell(rel.Other, rel.Name, zeroed) // what comes back is lost
				in.store(to, e)
				out = append(out, to)
			default:
				return nil, false
			}
		}
		return out, true
	}
	return nil, false
}

// copyKeys stores keys of one struct in another one.
func (in *interp) copyKeys(from *cell, fm *gormmodel.Model, names []string, to *cell, tm *gormmodel.Model, theirs []string) {
	for i, name := range names {
		a, b := fm.Field(name), tm.Field(theirs[i])
		if a == nil || b == nil {
			continue
		}
		c := partAt(from, a.Path)
		if c == nil || partAt(to, b.Path) == nil {
			continue
		}
		in.storeField(to, b, in.load(c))
	}
}

// lostRelation stands for writes of rows in a field that are not known.
func (in *interp) lostRelation(r *chain, s *subject, rel *gormmodel.Relation, c *cell) {
	var tables []string
	if other := in.p.models().Model(rel.Other); other != nil && other.Table != "" && len(other.Relations) == 0 {
		tables = []string{other.Table}
		if rel.Join != "" {
			tables = append(tables, rel.Join)
		}
	}
	in.emitValue(in.load(c))
	in.anything(r.h, tables, false, "the rows of "+rel.Name+", which are saved, too")
	if rel.Kind == gormmodel.BelongsTo {
		for _, name := range rel.Own {
			if f := s.destModel.Field(name); f != nil {
				if fc := partAt(s.dest, f.Path); fc != nil {
					in.forget(fc)
				}
			}
		}
	}
	in.forget(c)
}
