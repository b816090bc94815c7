package gorm

import (
	"go/types"
	"slices"

	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/gormmodel"
)

// saveRelations inserts the rows of other tables that a struct belongs to, as GORM
// does before it writes the struct; update says that it is no new row.
func (in *run) saveRelations(r *chain, s *subject, update bool) {
	in.relations(r, s, gormmodel.BelongsTo, gormmodel.Unclear)
	if update {
		in.saveRelated(r, s)
	}
}

// saveRelated inserts the rows of other tables that belong to a struct.
func (in *run) saveRelated(r *chain, s *subject) {
	in.relations(r, s, gormmodel.HasOne, gormmodel.HasMany, gormmodel.ManyToMany)
}

// relations inserts the rows in the fields of a struct that are not zero.
func (in *run) relations(r *chain, s *subject, kinds ...gormmodel.RelationKind) {
	in.lib.saving++
	defer func() { in.lib.saving-- }()
	in.eachRelation(s, func(rel *gormmodel.Relation, c *memory.Cell, nz client.Expr) {
		if slices.Contains(kinds, rel.Kind) && in.St != nil {
			in.Either(nz, func() { in.saveRelation(r, s, rel, c) }, func() {})
		}
	})
}

// eachRelation calls f for the relations of a struct whose rows are saved with
// it, with the condition under which there are some.
func (in *run) eachRelation(s *subject, f func(rel *gormmodel.Relation, c *memory.Cell, nz client.Expr)) {
	if s.destModel == nil || s.dest == nil {
		return
	}
	for _, rel := range s.destModel.Relations {
		if slices.Contains(s.d.omits, rel.Name) || slices.Contains(s.d.omits, associations) ||
			len(s.d.selects) > 0 && !slices.Contains(s.d.selects, rel.Name) && !slices.Contains(s.d.selects, associations) {
			continue
		}
		c := memory.PartAt(s.dest, rel.Path)
		if c == nil {
			continue
		}
		nz := in.nonZero(in.Load(c), rel.Type)
		if is, known := in.Known(nz); known && !is {
			continue
		}
		f(rel, c, nz)
	}
}

// saveRelation inserts the rows in a field.
func (in *run) saveRelation(r *chain, s *subject, rel *gormmodel.Relation, c *memory.Cell) {
	other := in.lib.models().Model(rel.Other)
	cells, ok := in.related(rel, c)
	if !ok || other == nil || s.d.fullSave || rel.Kind == gormmodel.ManyToMany || rel.Kind == gormmodel.Unclear ||
		len(cells) > maxRelated || in.lib.saving > maxSaving {
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
		one := newChain(in.Memory, r.h, &draft{conflict: how, skipHooks: s.d.skipHooks})
		in.create(one, memory.Box{V: &memory.Pointer{To: to}, T: types.NewPointer(other.Type)})
		if in.St == nil {
			return
		}
		if err, isFailure := in.Load(one.err).(*memory.Failure); !isFailure || !memory.IsTrue(client.Not(in.Failed(err))) {
			in.St.Mem[r.err] = in.Load(one.err)
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
func (in *run) related(rel *gormmodel.Relation, c *memory.Cell) ([]*memory.Cell, bool) {
	v := memory.Unbox(in.Load(c))
	if _, isStruct := c.T.Underlying().(*types.Struct); isStruct {
		return []*memory.Cell{c}, true
	}
	switch v := v.(type) {
	case *memory.Pointer:
		to, ok := in.StructCell(v)
		return []*memory.Cell{to}, ok
	case *memory.List, memory.Span:
		elems, _ := in.ListOf(v)
		var out []*memory.Cell
		for i, e := range elems {
			switch e := memory.Unbox(e).(type) {
			case *memory.Pointer:
				to, ok := in.StructCell(e)
				if !ok {
					return nil, false
				}
				out = append(out, to)
			case *memory.Aggregate:
				if sp, isSpan := v.(memory.Span); isSpan && sp.Array.Part(i) != nil {
					out = append(out, sp.Array.Part(i))
					continue
				}
				to := in.NewCell(rel.Other, rel.Name, memory.Zeroed) // what comes back is lost
				in.Store(to, e)
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
func (in *run) copyKeys(from *memory.Cell, fm *gormmodel.Model, names []string, to *memory.Cell, tm *gormmodel.Model, theirs []string) {
	for i, name := range names {
		a, b := fm.Field(name), tm.Field(theirs[i])
		if a == nil || b == nil {
			continue
		}
		c := memory.PartAt(from, a.Path)
		if c == nil || memory.PartAt(to, b.Path) == nil {
			continue
		}
		in.storeField(to, b, in.Load(c))
	}
}

// lostRelation stands for writes of rows in a field that are not known.
func (in *run) lostRelation(r *chain, s *subject, rel *gormmodel.Relation, c *memory.Cell) {
	var tables []string
	if other := in.lib.models().Model(rel.Other); other != nil && other.Table != "" && len(other.Relations) == 0 {
		tables = []string{other.Table}
		if rel.Join != "" {
			tables = append(tables, rel.Join)
		}
	}
	in.EmitValue(in.Load(c))
	in.Anything(r.h, tables, false, "the rows of "+rel.Name+", which are saved, too")
	if rel.Kind == gormmodel.BelongsTo {
		for _, name := range rel.Own {
			if f := s.destModel.Field(name); f != nil {
				if fc := memory.PartAt(s.dest, f.Path); fc != nil {
					in.Forget(fc)
				}
			}
		}
	}
	in.Forget(c)
}
