package analyzer

import (
	"strings"

	"github.com/txrobust/robust/internal/client"
)

// firstOr is FirstOrCreate or FirstOrInit.
func (in *interp) firstOr(r *chain, args []value, create bool) {
	d := *in.draftOf(r)
	if list, ok := in.listOf(args[1]); !ok || len(list) > 0 {
		if w, has := in.conditionList(args[1]); has {
			d.where = append(d.where[:len(d.where):len(d.where)], w)
		}
	}
	s := in.subjectOf(&d, args[0])
	if s.dest == nil || s.m == nil || s.destModel != s.m || d.lost != "" || d.raw != nil {
		in.lostWrite(r, s, "FirstOrCreate of what is not known", args)
		return
	}
	q := in.newChain(r.h, &d)
	in.read(q, args[0], reading{one: true, byKey: true})
	n, ok := in.load(q.count).(scalar)
	if !ok {
		return
	}
	found := op("==", n.e, constInt(1))
	if v, isVar := in.foundBehind(n.e); isVar {
		found = v
	}
	assign := func(list []value) []setting {
		var out []setting
		for _, v := range list {
			if w, ok := in.valueConds([]value{v}); ok {
				out = append(out, w.sets...)
			}
		}
		return out
	}
	in.either(in.settled(found), func() {
		sets := assign(d.assigns)
		if len(d.assigns) == 0 {
			in.setResult(r, &failure{}, scalar{constInt(0), client.Int})
			return
		}
		if create {
			u := in.newChain(r.h, &draft{model: refTo(args[0])})
			in.update(u, nil, fixedSets(sets), false)
			in.copyResult(u, r)
			return
		}
		for _, x := range sets {
			in.setField(s, x)
		}
	}, func() {
		for _, w := range d.where {
			for _, x := range w.sets {
				if w.when != nil {
					x.when = w.when
				}
				in.setField(s, x)
			}
		}
		for _, x := range append(assign(d.attrs), assign(d.assigns)...) {
			in.setField(s, x)
		}
		if create {
			c := in.newChain(r.h, &draft{})
			in.create(c, args[0])
			in.copyResult(c, r)
		}
	})
}

// foundBehind gives the condition under which a number is 1 and not 0, if it was
// made by one.
func (in *interp) foundBehind(e client.Expr) (client.Expr, bool) {
	v, ok := e.(*client.VarExpr)
	if !ok {
		return nil, false
	}
	for i := len(*in.out) - 1; i >= 0; i-- {
		s, isIf := (*in.out)[i].(*client.If)
		if !isIf || len(s.Then) != 1 {
			continue
		}
		if a, isAssign := s.Then[0].(*client.Assign); isAssign && a.Var == v.Name {
			return s.Cond, true
		}
	}
	return nil, false
}

func (in *interp) copyResult(from, to *chain) {
	if in.st == nil {
		return
	}
	in.st.mem[to.err], in.st.mem[to.count] = in.load(from.err), in.load(from.count)
}

// setField stores a value in the field of the struct that a statement is about.
func (in *interp) setField(s *subject, x setting) {
	if in.st == nil || s.dest == nil {
		return
	}
	f := s.m.Field(x.name[strings.LastIndexByte(x.name, '.')+1:])
	if f == nil {
		return
	}
	if x.when == nil {
		in.storeField(s.dest, f, x.v)
		return
	}
	in.either(in.settled(x.when), func() { in.storeField(s.dest, f, x.v) }, func() {})
}
