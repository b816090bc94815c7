package gormmodel

import (
	"go/types"
	"strings"
)

// relate finds out the columns that a relation is about.
func (p *Parser) relate(m *Model, r *Relation) {
	for _, part := range strings.Split(r.tags["CONSTRAINT"], ",") {
		k, v, _ := strings.Cut(part, ":")
		switch strings.ToUpper(strings.TrimSpace(k)) {
		case "ONDELETE":
			r.OnDelete = strings.TrimSpace(v)
		case "ONUPDATE":
			r.OnUpdate = strings.TrimSpace(v)
		}
	}
	other := p.Model(r.Other)
	if other == nil || other.Table == "" {
		return
	}
	for tag := range r.tags {
		if strings.HasPrefix(tag, "POLYMORPHIC") {
			return
		}
	}
	if join := r.tags["MANY2MANY"]; join != "" {
		r.Kind, r.Join = ManyToMany, p.Naming.joinTable(join)
		return
	}
	_, many := deref(r.Type).Underlying().(*types.Slice)
	if !many && p.belongs(m, other, r) {
		return
	}
	p.has(m, other, r, many)
}

// joinTable gives the table between two others, by the name in the tag.
func (n Naming) joinTable(name string) string {
	if !n.NoLowerCase && strings.ToLower(name) == name {
		return n.TablePrefix + name
	}
	return n.Table(name)
}

// belongs reports whether the struct has the key of the other one.
func (p *Parser) belongs(m, other *Model, r *Relation) bool {
	names, refs := list(r.tags["FOREIGNKEY"]), list(r.tags["REFERENCES"])
	if len(names) > 0 {
		for i, name := range names {
			own := m.Field(name)
			if own == nil {
				return false
			}
			theirs := other.referred(refs, i, len(names))
			if theirs == nil {
				return false
			}
			r.Own, r.Theirs = append(r.Own, own.Column), append(r.Theirs, theirs.Column)
		}
		r.Kind = BelongsTo
		return true
	}
	keys := other.Keys
	if len(refs) > 0 {
		keys = nil
		for i := range refs {
			if f := other.referred(refs, i, len(refs)); f != nil {
				keys = append(keys, f)
			}
		}
	}
	var own, theirs []string
	for _, k := range keys {
		tries := []string{r.Name + k.Name}
		if len(keys) == 1 {
			tries = append(tries, r.Name+"ID", r.Name+"Id", p.Naming.Column(r.Name+"ID"))
		}
		for _, name := range tries {
			if f := m.Field(name); f != nil {
				own, theirs = append(own, f.Column), append(theirs, k.Column)
				break
			}
		}
	}
	if len(keys) == 0 || len(own) != len(keys) {
		return false
	}
	r.Kind, r.Own, r.Theirs = BelongsTo, own, theirs
	return true
}

// has finds the columns of the other struct that hold the key of this one.
func (p *Parser) has(m, other *Model, r *Relation, many bool) {
	names, refs := list(r.tags["FOREIGNKEY"]), list(r.tags["REFERENCES"])
	var own, theirs []string
	if len(names) > 0 {
		for i, name := range names {
			f, k := other.Field(name), m.referred(refs, i, len(names))
			if f == nil || k == nil {
				return
			}
			own, theirs = append(own, k.Column), append(theirs, f.Column)
		}
	} else {
		for _, k := range m.Keys {
			tries := []string{m.Name + k.Name}
			if len(m.Keys) == 1 {
				tries = append(tries, m.Name+"ID", m.Name+"Id")
			}
			found := false
			for _, name := range tries {
				if f := other.Field(name); f != nil {
					own, theirs, found = append(own, k.Column), append(theirs, f.Column), true
					break
				}
			}
			if !found {
				return
			}
		}
	}
	if len(own) == 0 {
		return
	}
	r.Kind, r.Own, r.Theirs = HasOne, own, theirs
	if many {
		r.Kind = HasMany
	}
}

// referred gives the i-th of n columns that keys refer to.
func (m *Model) referred(refs []string, i, n int) *Field {
	switch {
	case i < len(refs):
		return m.Field(refs[i])
	case n == 1:
		return m.Key()
	case i < len(m.Keys):
		return m.Keys[i]
	}
	return nil
}

func list(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' })
}
