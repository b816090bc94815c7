package gopg

import (
	"go/types"
	"reflect"
	"slices"
	"strings"

	"github.com/jinzhu/inflection"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/internal/quote"
)

// table is what go-pg makes of a struct: newTable of its package orm.
type table struct {
	t types.Type
	// name and alias are as they stand in statements; plain is the name without quotes.
	name, alias, plain string
	fields             []*field
	deleted            *field // the one of soft deletion
	// odd, if not "", says why statements on the table are not modelled.
	odd string
}

// field is a column of a table. path leads to its field, through embedded structs.
type field struct {
	name, column string // without quotes, and as it stands in statements
	t            types.Type
	path         []int
	key          bool
	useZero      bool // its zero value is not NULL
	notNull      bool
	hasDefault   bool
}

// keys are the columns of the primary key.
func (t *table) keys() []*field {
	var out []*field
	for _, f := range t.fields {
		if f.key {
			out = append(out, f)
		}
	}
	return out
}

// data are the other columns.
func (t *table) data() []*field {
	return slices.DeleteFunc(slices.Clone(t.fields), func(f *field) bool { return f.key })
}

// field gives the column with a name, nil if there is none.
func (t *table) field(name string) *field {
	at := slices.IndexFunc(t.fields, func(f *field) bool { return f.name == name })
	if at < 0 {
		return nil
	}
	return t.fields[at]
}

// tableOf gives the table of a struct, of a pointer to one, or of a slice of either; many
// says that it is a slice. It is nil for other types.
func (u *usage) tableOf(t types.Type) (tab *table, many bool) {
	for t != nil {
		switch x := types.Unalias(t).Underlying().(type) {
		case *types.Pointer:
			t = x.Elem()
			continue
		case *types.Slice:
			if many {
				return nil, false
			}
			t, many = x.Elem(), true
			continue
		case *types.Struct:
			if named, ok := types.Unalias(t).(*types.Named); ok && !gotypes.IsTime(t) && !gotypes.Storable(t) {
				return u.table(named, x), many
			}
		}
		break
	}
	return nil, false
}

// table gives the table of a struct, which is read once.
func (u *usage) table(named *types.Named, s *types.Struct) *table {
	if known, ok := u.tables.At(named).(*table); ok {
		return known
	}
	model := underscore(named.Obj().Name())
	t := &table{t: named, alias: quote.Ident(model)}
	t.setName(inflection.Plural(model))
	u.tables.Set(named, t)
	t.read(s, model, nil)
	for _, hook := range []string{"BeforeScan", "AfterScan", "AfterSelect", "BeforeInsert", "AfterInsert", "BeforeUpdate", "AfterUpdate", "BeforeDelete", "AfterDelete"} {
		if o, _, _ := types.LookupFieldOrMethod(types.NewPointer(named), true, named.Obj().Pkg(), hook); o != nil {
			t.odd = "a struct with the hook " + hook
		}
	}
	if u.inflects {
		t.odd = "a table whose name a function of the program makes"
	}
	return t
}

func (t *table) setName(name string) { t.plain, t.name = name, quote.Name(name) }

// read adds the columns of a struct.
func (t *table) read(s *types.Struct, model string, path []int) {
	for i := range s.NumFields() {
		f := s.Field(i)
		tag := parseTag(s.Tag(i))
		at := append(slices.Clone(path), i)
		switch {
		case f.Embedded():
			t.embed(f, tag, model, at)
		case f.Name() == "tableName":
			if path == nil {
				t.named(tag)
			}
		case f.Exported():
			t.add(f, tag, model, at)
		}
	}
}

// embed adds the columns of an embedded struct.
func (t *table) embed(f *types.Var, tag tag, model string, path []int) {
	inner, ok := gotypes.Deref(f.Type()).Underlying().(*types.Struct)
	switch {
	case tag.name == "-" || !ok:
	case gotypes.IsPointer(f.Type()), tag.has("inherit"):
		t.odd = "an embedded struct that is not modelled"
	default:
		t.read(inner, model, path)
	}
}

// named reads the tag of the field tableName.
func (t *table) named(tag tag) {
	switch {
	case tag.name == "_" || strings.ContainsAny(tag.name, "?(") || tag.has("select"):
		t.odd = "a table whose name is not modelled"
	case tag.name != "":
		t.setName(tag.name)
	}
	if alias := tag.options["alias"]; alias != "" {
		t.alias = quote.Ident(alias)
	}
}

// add adds the column of a field.
func (t *table) add(v *types.Var, tag tag, model string, path []int) {
	if tag.name == "-" || tag.has("rel") || tag.has("many2many") {
		return
	}
	f := &field{name: underscore(v.Name()), t: v.Type(), path: path, useZero: tag.has("use_zero"), notNull: tag.has("notnull"), hasDefault: tag.has("default")}
	if tag.name != "" {
		f.name = tag.name
	}
	f.column = quote.Ident(f.name)
	switch {
	case tag.has("pk"):
		f.key = true
	case strings.HasSuffix(f.name, "_id"), strings.HasSuffix(f.name, "_uuid"), strings.HasPrefix(f.name, "fk_"), len(t.keys()) > 0, tag.has("nopk"):
	default:
		f.key = f.name == "id" || f.name == "uuid" || f.name == "pk_"+model
	}
	if mayBeRelation(v.Type()) {
		t.odd = "a field that may be a relation (" + v.Name() + ")"
	}
	t.fields = slices.DeleteFunc(t.fields, func(o *field) bool { return o.name == f.name })
	t.fields = append(t.fields, f)
	if tag.has("soft_delete") {
		t.deleted = f
		if !gotypes.IsTime(f.t) || gotypes.IsPointer(f.t) {
			t.odd = "soft deletion by what is no time"
		}
	}
}

// mayBeRelation reports whether go-pg may take a field for a relation without a tag that
// says so: one with structs.
func mayBeRelation(t types.Type) bool {
	for range 3 {
		switch u := t.Underlying().(type) {
		case *types.Pointer:
			t = u.Elem()
		case *types.Slice:
			t = u.Elem()
		case *types.Struct:
			return !gotypes.IsTime(t) && !gotypes.Storable(t)
		}
	}
	return false
}

// tag is a tag of a struct's field, with its name and its options.
type tag struct {
	name    string
	options map[string]string
}

func (t tag) has(option string) bool {
	_, ok := t.options[option]
	return ok
}

// parseTag reads what a tag has for pg: a name and options of the form name or name:value,
// with commas between them. A value may stand in quotes.
func parseTag(text string) tag {
	out := tag{options: map[string]string{}}
	rest := reflect.StructTag(text).Get("pg")
	for first := true; rest != ""; first = false {
		end, quoted := len(rest), false
		for i := range len(rest) {
			if rest[i] == '\'' {
				quoted = !quoted
			} else if rest[i] == ',' && !quoted {
				end = i
				break
			}
		}
		part := strings.TrimSpace(rest[:end])
		rest = rest[min(end+1, len(rest)):]
		key, value, isOption := strings.Cut(part, ":")
		if first && !isOption {
			out.name = strings.Trim(part, "'")
			continue
		}
		out.options[key] = strings.Trim(value, "'")
	}
	return out
}

// underscore gives the words of a name in small letters, with _ between them: Underscore of
// go-pg's package internal.
func underscore(s string) string {
	upper := func(i int) bool { return s[i] >= 'A' && s[i] <= 'Z' }
	lower := func(i int) bool { return s[i] >= 'a' && s[i] <= 'z' }
	var out strings.Builder
	for i := range len(s) {
		if !upper(i) {
			out.WriteByte(s[i])
			continue
		}
		if i > 0 && i+1 < len(s) && (lower(i-1) || lower(i+1)) {
			out.WriteByte('_')
		}
		out.WriteByte(s[i] + 'a' - 'A')
	}
	return out.String()
}
