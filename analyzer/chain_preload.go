package analyzer

import (
	"strings"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/gormmodel"
)

// preload reads the rows of other tables that Preload names. dest is the struct
// whose rows they are, nil for several.
func (in *interp) preload(r *chain, s *subject, dest *cell) {
	for _, name := range s.d.preloads {
		in.preloadOne(r, s, dest, name)
	}
}

func (in *interp) preloadOne(r *chain, s *subject, dest *cell, name string) {
	limited := strings.HasSuffix(name, client.Hole)
	name = strings.TrimSuffix(name, client.Hole)
	m := s.destModel
	if m == nil {
		m = s.m
	}
	var relations []*gormmodel.Relation
	for m != nil && name != "" {
		if name == associations {
			relations = append(relations, m.Relations...)
			break
		}
		first, rest, _ := strings.Cut(name, ".")
		rel := m.Relation(first)
		if rel == nil {
			relations = nil
			break
		}
		relations = append(relations, rel)
		m, name = in.p.models().Model(rel.Other), rest
	}
	if len(relations) == 0 {
		in.anything(r.h, nil, true, "Preload of a relation that is not known")
		return
	}
	for i, rel := range relations {
		other := in.p.models().Model(rel.Other)
		if dest != nil {
			if c := partAt(dest, rel.Path); c != nil && (i == 0 || rel == relations[0]) {
				defer in.forget(c)
			}
		}
		if other == nil || other.Table == "" || rel.Kind == gormmodel.Unclear || rel.Kind == gormmodel.ManyToMany {
			tables := []string{rel.Join}
			if other == nil || other.Table == "" || rel.Join == "" {
				tables = nil
			} else {
				tables = append(tables, other.Table)
			}
			in.anything(r.h, tables, true, "Preload of "+rel.Name)
			continue
		}
		f := frag("SELECT * FROM " + gormmodel.QuoteTable(other.Table) + " WHERE ")
		own, ok := in.ownKeys(dest, s.destModel, rel)
		if ok && i == 0 && !limited {
			var parts []fragment
			for k, v := range own {
				parts = append(parts, frag(gormmodel.QuoteTable(other.Table)+"."+gormmodel.Quote(rel.Theirs[k])+" = ").plus(in.paramOf(v)))
			}
			if other.Deleted != nil {
				parts = append(parts, frag(gormmodel.QuoteTable(other.Table)+"."+gormmodel.Quote(other.Deleted.Column)+" IS NULL"))
			}
			f = f.plus(joinFragments(parts, " AND "))
		} else {
			f.text += client.Hole
		}
		rs := in.sendText(r.h, f)
		rs.query.Returned = true
		in.execute(rs)
	}
}

// ownKeys gives the values of the columns of a struct by which a relation goes.
func (in *interp) ownKeys(dest *cell, m *gormmodel.Model, rel *gormmodel.Relation) ([]value, bool) {
	if dest == nil || m == nil {
		return nil, false
	}
	var out []value
	for _, name := range rel.Own {
		f := m.Field(name)
		if f == nil {
			return nil, false
		}
		c := partAt(dest, f.Path)
		if c == nil {
			return nil, false
		}
		out = append(out, box{in.load(c), f.Type})
	}
	return out, len(out) > 0
}
