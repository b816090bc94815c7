package gorm

import (
	"strings"

	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/sqltext"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/gormmodel"
)

// preload reads the rows of other tables that Preload names. dest is the struct
// whose rows they are, nil for several.
func (in *run) preload(r *chain, s *subject, dest *memory.Cell) {
	for _, name := range s.d.preloads {
		in.preloadOne(r, s, dest, name)
	}
}

func (in *run) preloadOne(r *chain, s *subject, dest *memory.Cell, name string) {
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
		m, name = in.lib.models().Model(rel.Other), rest
	}
	if len(relations) == 0 {
		in.Anything(r.h, nil, true, "Preload of a relation that is not known")
		return
	}
	for i, rel := range relations {
		other := in.lib.models().Model(rel.Other)
		if dest != nil {
			if c := memory.PartAt(dest, rel.Path); c != nil && (i == 0 || rel == relations[0]) {
				defer in.Forget(c)
			}
		}
		if other == nil || other.Table == "" || rel.Kind == gormmodel.Unclear || rel.Kind == gormmodel.ManyToMany {
			tables := []string{rel.Join}
			if other == nil || other.Table == "" || rel.Join == "" {
				tables = nil
			} else {
				tables = append(tables, other.Table)
			}
			in.Anything(r.h, tables, true, "Preload of "+rel.Name)
			continue
		}
		f := sqltext.Frag("SELECT * FROM " + gormmodel.QuoteTable(other.Table) + " WHERE ")
		own, ok := in.ownKeys(dest, s.destModel, rel)
		if ok && i == 0 && !limited {
			var parts []sqltext.Fragment
			for k, v := range own {
				parts = append(parts, sqltext.Frag(gormmodel.QuoteTable(other.Table)+"."+gormmodel.Quote(rel.Theirs[k])+" = ").Plus(in.ParamOf(v)))
			}
			if other.Deleted != nil {
				parts = append(parts, sqltext.Frag(gormmodel.QuoteTable(other.Table)+"."+gormmodel.Quote(other.Deleted.Column)+" IS NULL"))
			}
			f = f.Plus(sqltext.JoinFragments(parts, " AND "))
		} else {
			f.Text += client.Hole
		}
		rs := in.SendText(r.h, f)
		rs.Query.Returned = true
		in.Execute(rs)
	}
}

// ownKeys gives the values of the columns of a struct by which a relation goes.
func (in *run) ownKeys(dest *memory.Cell, m *gormmodel.Model, rel *gormmodel.Relation) ([]memory.Value, bool) {
	if dest == nil || m == nil {
		return nil, false
	}
	var out []memory.Value
	for _, name := range rel.Own {
		f := m.Field(name)
		if f == nil {
			return nil, false
		}
		c := memory.PartAt(dest, f.Path)
		if c == nil {
			return nil, false
		}
		out = append(out, memory.Box{V: in.Load(c), T: f.Type})
	}
	return out, len(out) > 0
}
