package gorm

import (
	"strings"

	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/sqltext"
	"github.com/txrobust/robust/internal/client"
)

// firstOr is FirstOrCreate or FirstOrInit.
func (in *run) firstOr(r *chain, args []memory.Value, create bool) {
	d := *draftOf(in.Memory, r)
	if list, ok := in.ListOf(args[1]); !ok || len(list) > 0 {
		if w, has := in.conditionList(args[1]); has {
			d.where = append(d.where[:len(d.where):len(d.where)], w)
		}
	}
	s := in.subjectOf(&d, args[0])
	if s.dest == nil || s.m == nil || s.destModel != s.m || d.lost != "" || d.raw != nil {
		in.lostWrite(r, s, "FirstOrCreate of what is not known", args)
		return
	}
	q := newChain(in.Memory, r.h, &d)
	in.read(q, args[0], reading{one: true, byKey: true})
	n, ok := in.Load(q.count).(memory.Scalar)
	if !ok {
		return
	}
	found := memory.Op("==", n.E, memory.ConstInt(1))
	if v, isVar := in.foundBehind(n.E); isVar {
		found = v
	}
	assign := func(list []memory.Value) []sqltext.Setting {
		var out []sqltext.Setting
		for _, v := range list {
			if w, ok := in.valueConds([]memory.Value{v}); ok {
				out = append(out, w.Sets...)
			}
		}
		return out
	}
	in.Either(in.Settled(found), func() {
		sets := assign(d.assigns)
		if len(d.assigns) == 0 {
			in.setResult(r, &memory.Failure{}, memory.Of(memory.ConstInt(0), client.Int))
			return
		}
		if create {
			u := newChain(in.Memory, r.h, &draft{model: memory.RefTo(args[0])})
			in.update(u, nil, fixedSets(sets), false)
			in.copyResult(u, r)
			return
		}
		for _, x := range sets {
			in.setField(s, x)
		}
	}, func() {
		for _, w := range d.where {
			for _, x := range w.Sets {
				if w.When != nil {
					x.When = w.When
				}
				in.setField(s, x)
			}
		}
		for _, x := range append(assign(d.attrs), assign(d.assigns)...) {
			in.setField(s, x)
		}
		if create {
			c := newChain(in.Memory, r.h, &draft{})
			in.create(c, args[0])
			in.copyResult(c, r)
		}
	})
}

// foundBehind gives the condition under which a number is 1 and not 0, if it was
// made by one.
func (in *run) foundBehind(e client.Expr) (client.Expr, bool) {
	v, ok := e.(*client.VarExpr)
	if !ok {
		return nil, false
	}
	for i := len(*in.Out) - 1; i >= 0; i-- {
		s, isIf := (*in.Out)[i].(*client.If)
		if !isIf || len(s.Then) != 1 {
			continue
		}
		if a, isAssign := s.Then[0].(*client.Assign); isAssign && a.Var == v.Name {
			return s.Cond, true
		}
	}
	return nil, false
}

func (in *run) copyResult(from, to *chain) {
	if in.St == nil {
		return
	}
	in.St.Mem[to.err], in.St.Mem[to.count] = in.Load(from.err), in.Load(from.count)
}

// setField stores a value in the field of the struct that a statement is about.
func (in *run) setField(s *subject, x sqltext.Setting) {
	if in.St == nil || s.dest == nil {
		return
	}
	f := s.m.Field(x.Name[strings.LastIndexByte(x.Name, '.')+1:])
	if f == nil {
		return
	}
	if x.When == nil {
		in.storeField(s.dest, f, x.Value)
		return
	}
	in.Either(in.Settled(x.When), func() { in.storeField(s.dest, f, x.Value) }, func() {})
}
