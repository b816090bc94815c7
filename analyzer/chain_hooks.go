package analyzer

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/gormmodel"
)

// hooks are the methods of models that GORM calls.
var hooks = []string{"BeforeSave", "BeforeCreate", "AfterCreate", "AfterSave", "BeforeUpdate", "AfterUpdate", "BeforeDelete", "AfterDelete", "AfterFind"}

// isHook reports whether a function is one that GORM calls, with the transaction
// of the statement.
func isHook(f *ssa.Function) bool {
	sig := f.Signature
	return sig.Recv() != nil && slices.Contains(hooks, f.Name()) && sig.Params().Len() == 1 && isNamed(sig.Params().At(0).Type(), "gorm.io/gorm", "DB")
}

// write runs a write with its hooks, in a transaction of its own where there is
// none and the hooks or relations need one.
func (in *interp) write(r *chain, s *subject, before, after []string, relations bool, f func()) {
	hooked := false
	for _, name := range append(slices.Clone(before), after...) {
		hooked = hooked || in.hookMatters(s, name)
	}
	in.eachRelation(s, func(*gormmodel.Relation, *cell, client.Expr) { hooked = hooked || relations })
	h := r.h
	own := hooked && h.kind != transaction && !in.p.config.apart
	if own {
		r.h = in.begin(h, nil)
	}
	ok := client.Expr(client.True)
	for _, name := range before {
		if in.changesStatement(s, name) {
			defer in.lostWrite(r, s, name+", which may change the statement", nil)
		}
		if err := in.hook(r, s, name); err != nil {
			ok = client.And(ok, client.Not(in.failed(err)))
			in.setResult(r, err, nil)
		}
	}
	if in.st == nil {
		return
	}
	in.either(in.settled(ok), func() {
		f()
		for _, name := range after {
			if in.st == nil {
				return
			}
			if err := in.hook(r, s, name); err != nil {
				in.either(in.settled(in.failed(err)), func() { in.setResult(r, err, nil) }, func() {})
			}
		}
	}, func() {})
	if own && in.st != nil {
		err, isFailure := in.load(r.err).(*failure)
		if !isFailure {
			err = &failure{}
		}
		tx := r.h
		in.either(in.settled(in.failed(err)), func() { in.rollback(tx) }, func() { in.commit(tx) })
	}
	r.h = h
}

// hookFunc gives the function of a model that GORM calls at some point.
func (in *interp) hookFunc(s *subject, name string) *closure {
	m := s.destModel
	if m == nil || s.d.skipHooks && name != "AfterFind" {
		return nil
	}
	n, ok := types.Unalias(m.Type).(*types.Named)
	if !ok || len(in.p.pkgs) == 0 {
		return nil
	}
	prog := in.p.pkgs[0].Prog
	sel := prog.MethodSets.MethodSet(types.NewPointer(n)).Lookup(n.Obj().Pkg(), name)
	if sel == nil {
		return nil
	}
	sig := sel.Type().(*types.Signature)
	if sig.Params().Len() != 1 || !isNamed(sig.Params().At(0).Type(), "gorm.io/gorm", "DB") {
		return nil
	}
	fn := prog.MethodValue(sel)
	if fn == nil {
		return nil
	}
	return &closure{fn: fn}
}

func (in *interp) hasHook(s *subject, name string) bool { return in.hookFunc(s, name) != nil }

// hookMatters reports whether a hook has to do with the database.
func (in *interp) hookMatters(s *subject, name string) bool {
	fn := in.hookFunc(s, name)
	if fn == nil {
		return false
	}
	f := fn.fn
	if m, ok := f.Object().(*types.Func); ok && f.Synthetic != "" {
		if g := f.Prog.FuncValue(m); g != nil {
			f = g
		}
	}
	return in.p.matters(f)
}

// hook calls a hook, and gives its error; nil if there is none.
func (in *interp) hook(r *chain, s *subject, name string) *failure {
	fn := in.hookFunc(s, name)
	if fn == nil || in.st == nil {
		return nil
	}
	errType := errorType
	if s.dest == nil {
		if in.hookMatters(s, name) {
			in.anything(r.h, nil, false, name+" of several rows")
		}
		return nil
	}
	inv := &invocation{fn: fn, args: []value{&pointer{to: s.dest}, r.h}, at: in.pos, t: errType}
	out := in.enterFunction(inv, fn.fn, nil)
	if in.st == nil {
		return nil
	}
	err, ok := unbox(out).(*failure)
	if !ok {
		return &failure{}
	}
	return err
}

// changesStatement reports whether a hook may add to the statement that it is
// called for.
func (in *interp) changesStatement(s *subject, name string) bool {
	fn := in.hookFunc(s, name)
	if fn == nil {
		return false
	}
	found := false
	eachInstr(fn.fn, func(instr ssa.Instruction) {
		a, ok := instr.(*ssa.FieldAddr)
		if ok && isNamed(a.X.Type(), "gorm.io/gorm", "DB") {
			st := deref(a.X.Type()).Underlying().(*types.Struct)
			found = found || st.Field(a.Field).Name() == "Statement"
		}
	})
	return found
}
