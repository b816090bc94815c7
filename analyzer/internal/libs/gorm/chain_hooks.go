package gorm

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/session"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/gormmodel"
)

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
	if in.St == nil {
		return
	}
	in.Either(in.Settled(ok), func() {
		f()
		for _, name := range after {
			if in.St == nil {
				return
			}
			if err := in.hook(r, s, name); err != nil {
				in.Either(in.Settled(in.Failed(err)), func() { in.setResult(r, err, nil) }, func() {})
			}
		}
	}, func() {})
	if own && in.St != nil {
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
	if fn == nil || in.St == nil {
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
	if in.St == nil {
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
