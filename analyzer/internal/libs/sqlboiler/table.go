package sqlboiler

import (
	"go/constant"
	"go/types"
	"reflect"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
)

// table is what sqlboiler makes a struct of.
type table struct {
	named *types.Named
	// name is its name as it stands in statements, with quotes, plain without, and with the schema.
	name, plain string
	fields      []*field
	// softly says that Find leaves out rows which are deleted softly.
	softly bool
	// stamped are the fields that Insert, Update and Upsert themselves set.
	stamped map[string]map[int]bool
}

// field is a column, and the field of the struct that holds it.
type field struct {
	name       string
	t          types.Type
	at         int
	key        bool
	hasDefault bool
	// generated says that the database computes it, kept that Update leaves it out unless it is asked for.
	generated, kept bool
}

// field gives the column with a name, nil if there is none.
func (t *table) field(name string) *field {
	for _, f := range t.fields {
		if f.name == name {
			return f
		}
	}
	return nil
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

// tableOf gives the table of a struct that sqlboiler generated, nil for other types. Its name and its key are in the
// text of the function that finds a row.
func (u *usage) tableOf(n *types.Named) *table {
	if n == nil || n.Obj().Pkg() == nil {
		return nil
	}
	if t, ok := u.tables[n]; ok {
		return t
	}
	u.tables[n] = nil
	s, ok := n.Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	pkg := u.p.PackageOf(n.Obj().Pkg())
	if pkg == nil {
		return nil
	}
	t := &table{named: n}
	for i := range s.NumFields() {
		if name := columnOf(s, i); name != "" {
			t.fields = append(t.fields, &field{name: name, t: s.Field(i).Type(), at: i})
		}
	}
	find := pkg.Func("Find" + n.Obj().Name())
	if find == nil || u.p.GeneratedBy(find) != generator || len(t.fields) == 0 {
		return nil
	}
	if !t.found(find) {
		return nil
	}
	t.defaults(pkg)
	t.stamped = map[string]map[int]bool{}
	for _, name := range []string{"Insert", "Update", "Upsert"} {
		if m := u.method(n, name); m != nil {
			t.stamped[name] = sets(m)
		}
	}
	if m := u.method(n, "Update"); m != nil {
		for _, text := range constants(m) {
			if f := t.field(text); f != nil {
				f.kept = true
			}
		}
	}
	u.tables[n] = t
	return t
}

// columnOf gives the column that a field of a struct is, "" if it is none.
func columnOf(s *types.Struct, i int) string {
	name, _, _ := strings.Cut(reflect.StructTag(s.Tag(i)).Get("boil"), ",")
	if name == "-" {
		return ""
	}
	return name
}

// found reads the text of a function that finds a row.
func (t *table) found(find *ssa.Function) bool {
	for _, text := range constants(find) {
		rest, ok := strings.CutPrefix(text, "select %s from ")
		if !ok {
			continue
		}
		name, condition, ok := strings.Cut(rest, " where ")
		if !ok {
			return false
		}
		t.name, t.plain = name, strings.ReplaceAll(name, `"`, "")
		condition, t.softly = strings.CutSuffix(condition, ` and "deleted_at" is null`)
		for part := range strings.SplitSeq(condition, " AND ") {
			column, _, _ := strings.Cut(part, "=")
			f := t.field(strings.Trim(strings.TrimSpace(column), `"`))
			if f == nil {
				return false
			}
			f.key = true
		}
		return !strings.ContainsAny(name, "`%")
	}
	return false
}

// defaults reads which columns have defaults: it is in a variable of the package.
func (t *table) defaults(pkg *ssa.Package) {
	names, known := listVar(pkg, t.named.Obj().Name()+"ColumnsWithDefault")
	for _, f := range t.fields {
		f.hasDefault = !known
	}
	for _, n := range names {
		if f := t.field(n); f != nil {
			f.hasDefault = true
		}
	}
	computed, _ := listVar(pkg, t.named.Obj().Name()+"GeneratedColumns")
	for _, n := range computed {
		if f := t.field(n); f != nil {
			f.generated = true
		}
	}
}

// listVar gives the texts that the initializer of a package puts into a variable, whose name begins with a small letter.
func listVar(pkg *ssa.Package, name string) (list []string, known bool) {
	for member, m := range pkg.Members {
		g, ok := m.(*ssa.Global)
		if !ok || !strings.EqualFold(member, name) {
			continue
		}
		gotypes.EachInstr(pkg.Func("init"), func(instr ssa.Instruction) {
			s, ok := instr.(*ssa.Store)
			if !ok || s.Addr != ssa.Value(g) {
				return
			}
			slice, ok := s.Val.(*ssa.Slice)
			if !ok {
				return
			}
			known = true
			for _, r := range *slice.X.Referrers() {
				if at, ok := r.(*ssa.IndexAddr); ok {
					for _, e := range *at.Referrers() {
						if store, ok := e.(*ssa.Store); ok {
							text, isText := constantText(store.Val)
							list, known = append(list, text), known && isText
						}
					}
				}
			}
		})
	}
	return list, known
}

func constantText(v ssa.Value) (string, bool) {
	c, ok := v.(*ssa.Const)
	if !ok || c.Value == nil || c.Value.Kind() != constant.String {
		return "", false
	}
	return constant.StringVal(c.Value), true
}

// constants gives the constant texts in a function, in order.
func constants(f *ssa.Function) []string {
	var out []string
	gotypes.EachInstr(f, func(instr ssa.Instruction) {
		for _, op := range instr.Operands(nil) {
			if *op != nil {
				if s, ok := constantText(*op); ok {
					out = append(out, s)
				}
			}
		}
	})
	return out
}

// sets gives the fields of its receiver that a method stores in, or whose addresses it gives to a function.
func sets(m *ssa.Function) map[int]bool {
	out := map[int]bool{}
	gotypes.EachInstr(m, func(instr ssa.Instruction) {
		at, ok := instr.(*ssa.FieldAddr)
		if !ok || len(m.Params) == 0 || at.X != ssa.Value(m.Params[0]) {
			return
		}
		for _, r := range *at.Referrers() {
			if load, isLoad := r.(*ssa.UnOp); !isLoad || load.X != ssa.Value(at) {
				out[at.Field] = true
			}
		}
	})
	return out
}

// method gives the method of a struct, or of a pointer to it.
func (u *usage) method(n *types.Named, name string) *ssa.Function {
	o, _, _ := types.LookupFieldOrMethod(types.NewPointer(n), true, n.Obj().Pkg(), name)
	m, ok := o.(*types.Func)
	if !ok {
		return nil
	}
	pkg := u.p.PackageOf(n.Obj().Pkg())
	if pkg == nil {
		return nil
	}
	return pkg.Prog.FuncValue(m)
}

// related gives the tables that loading a relation reads, by the functions that load it: A.B loads B of what A loads.
func (u *usage) related(t *table, name string) (tables []string, known bool) {
	first, rest, more := strings.Cut(name, ".")
	s := t.named.Underlying().(*types.Struct)
	var loader, relation types.Type
	for i := range s.NumFields() {
		switch f := s.Field(i); f.Name() {
		case "L":
			loader = f.Type()
		case "R":
			relation = gotypes.Deref(f.Type())
		}
	}
	if loader == nil || relation == nil {
		return nil, false
	}
	n := gotypes.NamedOf(loader)
	if n == nil {
		return nil, false
	}
	load := u.method(n, "Load"+first)
	if load == nil || u.p.GeneratedBy(load) != generator {
		return nil, false
	}
	gotypes.EachInstr(load, func(instr ssa.Instruction) {
		c, ok := instr.(*ssa.Call)
		if !ok || c.Call.StaticCallee() == nil {
			return
		}
		switch f := c.Call.StaticCallee(); f.Name() {
		case "From", "InnerJoin":
			if text, isText := constantText(c.Call.Args[0]); isText {
				table, _, _ := strings.Cut(text, " ")
				tables = append(tables, strings.Trim(strings.ReplaceAll(table, `"`, ""), "`"))
			}
		}
	})
	if len(tables) == 0 || !more {
		return tables, len(tables) > 0
	}
	r, ok := relation.Underlying().(*types.Struct)
	if !ok {
		return nil, false
	}
	for i := range r.NumFields() {
		if r.Field(i).Name() != first {
			continue
		}
		next := u.tableOf(elementOf(r.Field(i).Type()))
		if next == nil {
			return nil, false
		}
		inner, ok := u.related(next, rest)
		return append(tables, inner...), ok
	}
	return nil, false
}

// elementOf gives the struct that a type points to, or that a slice has pointers to.
func elementOf(t types.Type) *types.Named {
	t = gotypes.Deref(t)
	if s, ok := t.Underlying().(*types.Slice); ok {
		t = gotypes.Deref(s.Elem())
	}
	return gotypes.NamedOf(t)
}
