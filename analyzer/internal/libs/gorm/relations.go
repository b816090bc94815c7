package gorm

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/session"
	"github.com/txrobust/robust/analyzer/internal/sqltext"
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
		if slices.Contains(kinds, rel.Kind) && in.Reached() {
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
		nz := in.NonZero(in.Load(c), rel.Type)
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
		if !in.Reached() {
			return
		}
		if err, isFailure := in.Load(one.err).(*memory.Failure); !isFailure || !memory.IsTrue(client.Not(in.Failed(err))) {
			in.Put(r.err, in.Load(one.err))
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
			f = f.Plus(sqltext.Join(parts, " AND "))
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

// hooks are the methods of models that GORM calls.
var hooks = []string{"BeforeSave", "BeforeCreate", "AfterCreate", "AfterSave", "BeforeUpdate", "AfterUpdate", "BeforeDelete", "AfterDelete", "AfterFind"}

// isHook reports whether a function is one that GORM calls, with the transaction
// of the statement.
func isHook(f *ssa.Function) bool {
	sig := f.Signature
	return sig.Recv() != nil && slices.Contains(hooks, f.Name()) && sig.Params().Len() == 1 && gotypes.IsNamed(sig.Params().At(0).Type(), "gorm.io/gorm", "DB")
}

// write runs a write with its hooks, in a transaction of its own where there is
// none and the hooks or relations need one.
func (in *run) write(r *chain, s *subject, before, after []string, relations bool, f func()) {
	hooked := false
	for _, name := range append(slices.Clone(before), after...) {
		hooked = hooked || in.hookMatters(s, name)
	}
	in.eachRelation(s, func(*gormmodel.Relation, *memory.Cell, client.Expr) { hooked = hooked || relations })
	h := r.h
	own := hooked && h.Kind != memory.Transaction && !in.lib.config.apart
	if own {
		r.h = in.Begin(h, nil)
	}
	ok := client.Expr(client.True)
	for _, name := range before {
		if in.changesStatement(s, name) {
			defer in.lostWrite(r, s, name+", which may change the statement", nil)
		}
		if err := in.hook(r, s, name); err != nil {
			ok = client.And(ok, client.Not(in.Failed(err)))
			in.setResult(r, err, nil)
		}
	}
	if !in.Reached() {
		return
	}
	in.Either(in.Settled(ok), func() {
		f()
		for _, name := range after {
			if !in.Reached() {
				return
			}
			if err := in.hook(r, s, name); err != nil {
				in.Either(in.Settled(in.Failed(err)), func() { in.setResult(r, err, nil) }, func() {})
			}
		}
	}, func() {})
	if own && in.Reached() {
		err, isFailure := in.Load(r.err).(*memory.Failure)
		if !isFailure {
			err = &memory.Failure{}
		}
		tx := r.h
		in.Either(in.Settled(in.Failed(err)), func() { in.Rollback(tx) }, func() { in.Commit(tx) })
	}
	r.h = h
}

// hookFunc gives the function of a model that GORM calls at some point.
func (in *run) hookFunc(s *subject, name string) *memory.Closure {
	m := s.destModel
	if m == nil || s.d.skipHooks && name != "AfterFind" {
		return nil
	}
	n, ok := types.Unalias(m.Type).(*types.Named)
	if !ok || len(in.P.Pkgs) == 0 {
		return nil
	}
	prog := in.P.Pkgs[0].Prog
	sel := prog.MethodSets.MethodSet(types.NewPointer(n)).Lookup(n.Obj().Pkg(), name)
	if sel == nil {
		return nil
	}
	sig := sel.Type().(*types.Signature)
	if sig.Params().Len() != 1 || !gotypes.IsNamed(sig.Params().At(0).Type(), "gorm.io/gorm", "DB") {
		return nil
	}
	fn := prog.MethodValue(sel)
	if fn == nil {
		return nil
	}
	return &memory.Closure{Fn: fn}
}

func (in *run) hasHook(s *subject, name string) bool { return in.hookFunc(s, name) != nil }

// hookMatters reports whether a hook has to do with the database.
func (in *run) hookMatters(s *subject, name string) bool {
	fn := in.hookFunc(s, name)
	if fn == nil {
		return false
	}
	f := fn.Fn
	if m, ok := f.Object().(*types.Func); ok && f.Synthetic != "" {
		if g := f.Prog.FuncValue(m); g != nil {
			f = g
		}
	}
	return in.P.Matters(f)
}

// hook calls a hook, and gives its error; nil if there is none.
func (in *run) hook(r *chain, s *subject, name string) *memory.Failure {
	fn := in.hookFunc(s, name)
	if fn == nil || !in.Reached() {
		return nil
	}
	errType := gotypes.ErrorType
	if s.dest == nil {
		if in.hookMatters(s, name) {
			in.Anything(r.h, nil, false, name+" of several rows")
		}
		return nil
	}
	inv := &session.Invocation{Fn: fn, Args: []memory.Value{&memory.Pointer{To: s.dest}, r.h}, At: in.Pos, T: errType}
	out := in.Control.EnterFunction(inv, fn.Fn, nil)
	if !in.Reached() {
		return nil
	}
	err, ok := memory.Unbox(out).(*memory.Failure)
	if !ok {
		return &memory.Failure{}
	}
	return err
}

// changesStatement reports whether a hook may add to the statement that it is
// called for.
func (in *run) changesStatement(s *subject, name string) bool {
	fn := in.hookFunc(s, name)
	if fn == nil {
		return false
	}
	found := false
	gotypes.EachInstr(fn.Fn, func(instr ssa.Instruction) {
		a, ok := instr.(*ssa.FieldAddr)
		if ok && gotypes.IsNamed(a.X.Type(), "gorm.io/gorm", "DB") {
			st := gotypes.Deref(a.X.Type()).Underlying().(*types.Struct)
			found = found || st.Field(a.Field).Name() == "Statement"
		}
	})
	return found
}
