package gormmodel

import (
	"go/types"
	"slices"
	"strings"
)

// Model is a struct that is stored in a table.
type Model struct {
	// Type is the struct, Name the name of its type, or "".
	Type types.Type
	Name string
	// Table is the table, "" if it is not known, as "schema.table" if a method
	// TableName says so.
	Table string
	// Fields are the columns, in order; Keys those of the primary key.
	Fields, Keys []*Field
	// Relations are the fields that stand for rows of other tables.
	Relations []*Relation
	// Deleted is the column that says since when a row counts as deleted, nil if
	// rows are removed.
	Deleted *Field
	// Odd, if not "", says why statements on the table are not the usual ones.
	Odd string
}

// Field is a field of a struct, or of one that is embedded, with a column.
type Field struct {
	Name, Column string
	// Path are the indexes of the field and of what it is embedded in.
	Path []int
	Type types.Type
	// Key says that it belongs to the primary key, Auto that the database gives it
	// its number.
	Key, Auto       bool
	NotNull, Unique bool
	// Create, Update and Read say which statements have to do with the column.
	Create, Update, Read bool
	// AutoCreate and AutoUpdate say that GORM sets it to the time of the statement.
	AutoCreate, AutoUpdate bool
	// HasDefault says that the zero value stands for a default: Default if
	// Constant, else what the database has.
	HasDefault, Constant bool
	Default              string
	tags                 map[string]string
	pieces               []string
}

// Relation is a field that stands for rows of another table.
type Relation struct {
	Name string
	Path []int
	Type types.Type
	// Other is the struct of the other table.
	Other types.Type
	Kind  RelationKind
	// Own and Theirs are the columns that are equal, by pairs; Own belongs to the
	// table of the struct that has the field.
	Own, Theirs []string
	// Join is the table between the two (ManyToMany).
	Join string
	// OnDelete and OnUpdate are what the constraint says, in the words of SQL.
	OnDelete, OnUpdate string
	tags               map[string]string
}

// RelationKind says whose key a relation is about.
type RelationKind uint8

const (
	Unclear RelationKind = iota
	BelongsTo
	HasOne
	HasMany
	ManyToMany
)

// Parser finds out how structs are stored.
type Parser struct {
	Naming Naming
	// TableName gives what the method TableName of a type returns, if it has one;
	// "" is one that is not known.
	TableName func(t *types.Named) (name string, has bool)
	models    map[types.Type]*Model
}

// Model gives the model that values of t are: structs, and pointers and slices
// of them. It is nil if t is none.
func (p *Parser) Model(t types.Type) *Model {
	t = elem(t)
	s, ok := t.Underlying().(*types.Struct)
	if !ok || isTime(t) || hasMethod(t, "Value") || hasMethod(t, "GormDataType") {
		return nil
	}
	if m, ok := p.models[t]; ok {
		return m
	}
	if p.models == nil {
		p.models = map[types.Type]*Model{}
	}
	m := &Model{Type: t}
	p.models[t] = m
	if n, ok := t.(*types.Named); ok {
		m.Name = n.Obj().Name()
		m.Table = p.Naming.Table(m.Name)
		if p.TableName != nil {
			if name, has := p.TableName(n); has {
				m.Table = name
			}
		}
	}
	var all []*Field
	p.fields(m, s, nil, &all)
	m.choose(p.Naming, all)
	for _, r := range m.Relations {
		p.relate(m, r)
	}
	return m
}

// elem gives what pointers and slices refer to in the end.
func elem(t types.Type) types.Type {
	for {
		t = types.Unalias(t)
		switch u := t.Underlying().(type) {
		case *types.Pointer:
			t = u.Elem()
		case *types.Slice:
			if _, named := t.(*types.Named); named && hasMethod(t, "Value") {
				return t
			}
			t = u.Elem()
		default:
			return t
		}
	}
}

// fields collects the columns and relations of a struct.
func (p *Parser) fields(m *Model, s *types.Struct, path []int, out *[]*Field) {
	for i := range s.NumFields() {
		v := s.Field(i)
		if !v.Exported() {
			continue
		}
		f := newField(v, s.Tag(i), append(slices.Clone(path), i))
		if _, off := f.tags["-"]; off && f.tags["-"] != "migration" {
			continue
		}
		t := types.Unalias(v.Type())
		if ptr, ok := t.Underlying().(*types.Pointer); ok {
			t = types.Unalias(ptr.Elem())
		}
		_, embed := f.tags["EMBEDDED"]
		column := isColumn(t, f.tags)
		if inner, ok := t.Underlying().(*types.Struct); ok && (embed || v.Embedded() && !column) {
			if _, isPointer := v.Type().Underlying().(*types.Pointer); isPointer {
				m.Odd = "fields of the pointer " + v.Name() + ", which is embedded"
				continue
			}
			n := len(*out)
			p.fields(m, inner, f.Path, out)
			for _, g := range (*out)[n:] {
				g.Column = f.tags["EMBEDDEDPREFIX"] + columnOf(g, p.Naming)
			}
			continue
		}
		if !column {
			m.Relations = append(m.Relations, &Relation{Name: v.Name(), Path: f.Path, Type: v.Type(), Other: elem(v.Type()), tags: f.tags})
			continue
		}
		f.special(t)
		if isNamed(t, "gorm.io/gorm", "DeletedAt") {
			m.Deleted = f
			if f.tags["ZEROVALUE"] != "" {
				m.Odd = "a zero value of its own in " + v.Name()
			}
		} else {
			for _, name := range []string{"QueryClauses", "CreateClauses", "UpdateClauses", "DeleteClauses"} {
				if hasMethod(t, name) {
					m.Odd = "the type of " + v.Name() + ", which changes statements"
				}
			}
		}
		*out = append(*out, f)
	}
}

func columnOf(f *Field, n Naming) string {
	if f.Column != "" {
		return f.Column
	}
	return n.Column(f.Name)
}

// choose makes columns of fields: of several with one name the outermost counts.
func (m *Model) choose(n Naming, all []*Field) {
	byColumn := map[string]int{}
	for _, f := range all {
		f.Column = columnOf(f, n)
		if at, ok := byColumn[f.Column]; ok {
			if len(f.Path) < len(m.Fields[at].Path) {
				m.Fields[at] = f
			}
			continue
		}
		byColumn[f.Column] = len(m.Fields)
		m.Fields = append(m.Fields, f)
	}
	for _, f := range m.Fields {
		if f.Key {
			m.Keys = append(m.Keys, f)
		}
	}
	first := m.Field("id")
	if first != nil && len(m.Keys) == 0 {
		first.Key = true
		m.Keys = append(m.Keys, first)
	}
	if key := m.Key(); key != nil && isInteger(key.Type) && key.tags["AUTOINCREMENT"] == "" {
		key.Auto, key.HasDefault = true, true
		key.Constant = false
	}
}

// Key gives the column by which GORM orders, and to which it compares single
// numbers; nil if there is none.
func (m *Model) Key() *Field {
	if f := m.Field("id"); f != nil && f.Key {
		return f
	}
	if len(m.Keys) == 1 {
		return m.Keys[0]
	}
	for _, f := range m.Keys {
		if f.Auto {
			return f
		}
	}
	return nil
}

// Field gives the field with a column or name, nil if there is none.
func (m *Model) Field(name string) *Field {
	for _, f := range m.Fields {
		if f.Column == name {
			return f
		}
	}
	for _, f := range m.Fields {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// Relation gives the relation with a name, nil if there is none.
func (m *Model) Relation(name string) *Relation {
	for _, r := range m.Relations {
		if r.Name == name {
			return r
		}
	}
	return nil
}

// newField reads the tag of a field.
func newField(v *types.Var, tag string, path []int) *Field {
	f := &Field{Name: v.Name(), Path: path, Type: v.Type(), Create: true, Update: true, Read: true, tags: map[string]string{}}
	f.pieces = settings(structTag(tag))
	for _, piece := range f.pieces {
		key, value, found := strings.Cut(piece, ":")
		key = strings.ToUpper(strings.TrimSpace(key))
		if !found {
			value = key
		}
		f.tags[key] = value
	}
	if v, ok := f.tags["-"]; ok {
		f.tags["-"] = strings.ToLower(strings.TrimSpace(v))
	}
	f.Column = f.tags["COLUMN"]
	f.Key = isSet(f.tags, "PRIMARYKEY", "PRIMARY_KEY")
	f.Auto = isSet(f.tags, "AUTOINCREMENT")
	f.NotNull = isSet(f.tags, "NOT NULL", "NOTNULL")
	f.Unique = isSet(f.tags, "UNIQUE")
	f.HasDefault = f.Auto
	if d, ok := f.tags["DEFAULT"]; ok {
		f.HasDefault, f.Default = true, strings.TrimSpace(d)
		call := strings.Contains(f.Default, "(") && strings.Contains(f.Default, ")")
		k := kind(deref(v.Type()))
		f.Constant = !call && f.Default != "" && !strings.EqualFold(f.Default, "null") && k != 0
		if k == types.IsString {
			f.Default = strings.Trim(strings.Trim(f.Default, "'"), `"`)
		}
	}
	if v, ok := f.tags["->"]; ok {
		f.Create, f.Update, f.Read = false, false, !strings.EqualFold(v, "false")
	}
	if v, ok := f.tags["<-"]; ok && v != "<-" {
		f.Create, f.Update = strings.Contains(v, "create"), strings.Contains(v, "update")
	}
	return f
}

// special finds the columns that GORM sets to the time.
func (f *Field) special(t types.Type) {
	timed := isTime(t) || isInteger(t)
	auto := func(key, name string) bool {
		if v, ok := f.tags[key]; ok {
			return !strings.EqualFold(v, "false")
		}
		return f.Name == name && timed
	}
	f.AutoCreate = auto("AUTOCREATETIME", "CreatedAt")
	f.AutoUpdate = auto("AUTOUPDATETIME", "UpdatedAt")
}

// settings gives the parts of a tag, which ; separates unless \ stands before it.
func settings(tag string) []string {
	var out []string
	for _, part := range strings.Split(strings.ReplaceAll(tag, `\;`, "\x00"), ";") {
		if part = strings.TrimSpace(strings.ReplaceAll(part, "\x00", ";")); part != "" {
			out = append(out, part)
		}
	}
	return out
}

func isSet(tags map[string]string, keys ...string) bool {
	for _, k := range keys {
		if v, ok := tags[k]; ok && !strings.EqualFold(v, "false") {
			return true
		}
	}
	return false
}
