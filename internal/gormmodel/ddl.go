package gormmodel

import (
	"cmp"
	"fmt"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// Statement is DDL that makes the table of a model, or changes it.
type Statement struct {
	Model *Model
	SQL   string
}

// Schema gives the statements by which AutoMigrate of GORM's PostgreSQL driver
// makes the tables of models: the tables in the order of their names, then their
// indexes, then their foreign keys. Of several models with one table the first
// one counts. Without keys there are no foreign keys.
func Schema(models []*Model, keys bool) []Statement {
	byTable := map[string]*Model{}
	var list []*Model
	for _, m := range models {
		if m.Table != "" && byTable[m.Table] == nil && len(m.Fields) > 0 {
			byTable[m.Table] = m
			list = append(list, m)
		}
	}
	slices.SortFunc(list, func(a, b *Model) int { return cmp.Compare(a.Table, b.Table) })
	var out []Statement
	for _, m := range list {
		out = append(out, Statement{m, m.table()})
	}
	for _, m := range list {
		for _, s := range m.indexes() {
			out = append(out, Statement{m, s})
		}
	}
	if !keys {
		return out
	}
	var foreign []Statement
	for _, m := range list {
		for _, r := range m.Relations {
			if s, ok := r.key(m, byTable); ok && !slices.Contains(foreign, s) {
				foreign = append(foreign, s)
			}
		}
	}
	slices.SortFunc(foreign, func(a, b Statement) int { return cmp.Compare(a.SQL, b.SQL) })
	return append(out, foreign...)
}

// table gives CREATE TABLE.
func (m *Model) table() string {
	var lines []string
	for _, f := range m.Fields {
		if f.tags["-"] == "migration" {
			continue
		}
		line := Quote(f.Column) + " " + f.sqlType()
		if f.NotNull {
			line += " NOT NULL"
		}
		if d := f.defaultSQL(); d != "" {
			line += " DEFAULT " + d
		}
		lines = append(lines, line)
	}
	if len(m.Keys) > 0 {
		var names []string
		for _, k := range m.Keys {
			names = append(names, Quote(k.Column))
		}
		lines = append(lines, "PRIMARY KEY ("+strings.Join(names, ", ")+")")
	}
	for _, f := range m.Fields {
		if f.Unique {
			lines = append(lines, "UNIQUE ("+Quote(f.Column)+")")
		}
		if c := f.tags["CHECK"]; c != "" {
			if name, cond, found := strings.Cut(c, ","); found && isName(name) {
				c = cond
			}
			lines = append(lines, "CHECK ("+strings.TrimSpace(c)+")")
		}
	}
	return "CREATE TABLE " + QuoteTable(m.Table) + " (\n  " + strings.Join(lines, ",\n  ") + "\n);\n"
}

func isName(s string) bool {
	s = strings.TrimSpace(s)
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
}

// defaultSQL gives what stands behind DEFAULT, "" for nothing.
func (f *Field) defaultSQL() string {
	switch {
	case f.Default == "" || f.Default == "(-)" || f.Auto:
		return ""
	case f.Constant && kind(deref(f.Type)) == types.IsString:
		return "'" + strings.ReplaceAll(f.Default, "'", "''") + "'"
	}
	return f.Default
}

// sqlType gives the type of the column.
func (f *Field) sqlType() string {
	size, _ := strconv.Atoi(f.tags["SIZE"])
	t := deref(f.Type)
	if tag := f.tags["TYPE"]; tag != "" {
		switch strings.ToLower(tag) {
		case "bool", "int", "uint", "float", "string", "time", "bytes":
			t = generic[strings.ToLower(tag)]
		default:
			if f.Auto {
				switch strings.ToLower(tag) {
				case "bigint", "int8":
					return "bigserial"
				case "integer", "int", "int4":
					return "serial"
				}
			}
			return tag
		}
	}
	if n := wellKnown(t); n != "" {
		return n
	}
	if f.tags["SERIALIZER"] != "" || f.tags["JSON"] != "" {
		return "text"
	}
	t = inner(t)
	if isTime(t) {
		if p := f.tags["PRECISION"]; p != "" {
			return "timestamptz(" + p + ")"
		}
		return "timestamptz"
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch kind(t) {
		case types.IsBoolean:
			return "boolean"
		case types.IsInteger:
			if size == 0 {
				size = bits(u)
			}
			return integer(size, f.Auto)
		case types.IsFloat:
			if p := f.tags["PRECISION"]; p != "" {
				if s := f.tags["SCALE"]; s != "" {
					return fmt.Sprintf("numeric(%s, %s)", p, s)
				}
				return fmt.Sprintf("numeric(%s)", p)
			}
			return "decimal"
		case types.IsString:
			if size > 0 && size <= 10485760 {
				return fmt.Sprintf("varchar(%d)", size)
			}
			return "text"
		}
	case *types.Slice, *types.Array:
		return "bytea"
	}
	return "text"
}

// generic are the types that a tag may name without SQL.
var generic = map[string]types.Type{"bool": types.Typ[types.Bool], "int": types.Typ[types.Int], "uint": types.Typ[types.Uint],
	"float": types.Typ[types.Float64], "string": types.Typ[types.String], "bytes": types.NewSlice(types.Typ[types.Uint8]),
	"time": types.NewNamed(types.NewTypeName(0, types.NewPackage("time", "time"), "Time", nil), types.NewStruct(nil, nil), nil)}

// wellKnown gives the column types of types of libraries that choose them.
func wellKnown(t types.Type) string {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil {
		return ""
	}
	return columnTypes[n.Obj().Pkg().Path()+"."+n.Obj().Name()]
}

var columnTypes = map[string]string{
	"gorm.io/gorm.DeletedAt":                "timestamptz",
	"gorm.io/datatypes.JSON":                "jsonb",
	"gorm.io/datatypes.JSONMap":             "jsonb",
	"gorm.io/datatypes.JSONType":            "jsonb",
	"gorm.io/datatypes.JSONSlice":           "jsonb",
	"gorm.io/datatypes.Date":                "date",
	"gorm.io/datatypes.Time":                "time",
	"gorm.io/datatypes.UUID":                "uuid",
	"github.com/google/uuid.UUID":           "text",
	"github.com/gofrs/uuid.UUID":            "text",
	"github.com/gofrs/uuid/v5.UUID":         "text",
	"github.com/shopspring/decimal.Decimal": "text",
	"github.com/lib/pq.StringArray":         "text[]",
}

// inner gives what a struct such as sql.NullString is about.
func inner(t types.Type) types.Type {
	for !isTime(t) {
		s, ok := t.Underlying().(*types.Struct)
		if !ok || s.NumFields() == 0 {
			break
		}
		t = deref(s.Field(0).Type())
	}
	return t
}

// bits gives the size of an integer as the driver counts: an unsigned one needs
// one more.
func bits(b *types.Basic) int {
	n := 64
	switch b.Kind() {
	case types.Int8, types.Uint8:
		n = 8
	case types.Int16, types.Uint16:
		n = 16
	case types.Int32, types.Uint32:
		n = 32
	}
	if b.Info()&types.IsUnsigned != 0 {
		n++
	}
	return n
}

func integer(size int, auto bool) string {
	name := "bigint"
	switch {
	case size <= 16:
		name = "smallint"
	case size <= 32:
		name = "integer"
	}
	if auto {
		return map[string]string{"bigint": "bigserial", "integer": "serial", "smallint": "smallserial"}[name]
	}
	return name
}

// index is an index that tags describe, of one or several fields.
type index struct {
	name, where string
	unique      bool
	cols        []string
}

// indexes gives CREATE INDEX for the tags index and uniqueIndex. Those that are
// not unique matter to nobody here.
func (m *Model) indexes() []string {
	var all []*index
	for _, f := range m.Fields {
		for _, piece := range f.pieces {
			key, value, _ := strings.Cut(piece, ":")
			key = strings.ToUpper(strings.TrimSpace(key))
			if key != "INDEX" && key != "UNIQUEINDEX" {
				continue
			}
			name, rest, _ := strings.Cut(value, ",")
			opts := map[string]string{}
			for _, o := range strings.Split(rest, ",") {
				k, v, found := strings.Cut(o, ":")
				if !found {
					v = k
				}
				opts[strings.ToUpper(strings.TrimSpace(k))] = v
			}
			if name == "" {
				part := f.Name
				if c := opts["COMPOSITE"]; c != "" {
					part = c
				}
				name = "idx_" + strings.ReplaceAll(m.Table, ".", "_") + "_" + Naming{}.Column(part)
			}
			at := slices.IndexFunc(all, func(x *index) bool { return x.name == name })
			if at < 0 {
				all = append(all, &index{name: name})
				at = len(all) - 1
			}
			x := all[at]
			col := Quote(f.Column)
			if e := opts["EXPRESSION"]; e != "" {
				col = "(" + e + ")"
			}
			x.cols = append(x.cols, col)
			x.where = cmp.Or(x.where, opts["WHERE"])
			x.unique = x.unique || key == "UNIQUEINDEX" || opts["UNIQUE"] != "" || strings.EqualFold(opts["CLASS"], "UNIQUE")
		}
	}
	var out []string
	for _, x := range all {
		if !x.unique {
			continue
		}
		s := "CREATE UNIQUE INDEX " + Quote(x.name) + " ON " + QuoteTable(m.Table) + " (" + strings.Join(x.cols, ", ") + ")"
		if x.where != "" {
			s += " WHERE " + x.where
		}
		out = append(out, s+";\n")
	}
	return out
}

// key gives the foreign key of a relation whose tables are both known.
func (r *Relation) key(m *Model, byTable map[string]*Model) (Statement, bool) {
	var other *Model
	for _, o := range byTable {
		if types.Identical(o.Type, r.Other) {
			other = o
		}
	}
	if other == nil || byTable[m.Table] != m {
		return Statement{}, false
	}
	child, parent, own, theirs := m, other, r.Own, r.Theirs
	switch r.Kind {
	case HasOne, HasMany:
		child, parent, own, theirs = other, m, r.Theirs, r.Own
	case BelongsTo:
	default:
		return Statement{}, false
	}
	s := "ALTER TABLE " + QuoteTable(child.Table) + " ADD FOREIGN KEY (" + quoteAll(own) + ") REFERENCES " + QuoteTable(parent.Table) + " (" + quoteAll(theirs) + ")"
	if r.OnDelete != "" {
		s += " ON DELETE " + r.OnDelete
	}
	if r.OnUpdate != "" {
		s += " ON UPDATE " + r.OnUpdate
	}
	return Statement{child, s + ";\n"}, true
}

func quoteAll(names []string) string {
	var out []string
	for _, n := range names {
		out = append(out, Quote(n))
	}
	return strings.Join(out, ", ")
}
