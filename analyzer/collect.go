package analyzer

import (
	"go/types"

	"github.com/txrobust/robust/internal/client"
)

// collect is CollectRows, CollectOneRow or ForEachRow of pgx.
func (in *interp) collect(inv *invocation, r role) (value, bool) {
	var rs *rows
	var fn *closure
	var dests []value
	for _, a := range inv.args {
		switch a := unbox(a).(type) {
		case *rows:
			rs = a
		case *closure:
			fn = a
		default:
			if list, ok := in.listOf(a); ok {
				dests = list
			}
		}
	}
	if rs == nil {
		return nil, false
	}
	how := unknownRole
	if fn != nil && fn.fn != nil {
		how = functions[fullName(fn.fn)]
	}
	switch r {
	case collectOne:
		return in.collectOne(inv, rs, how), true
	case forEachRole:
		return in.forEach(inv, rs, dests, fn), true
	}
	out := in.quiet(inv.t).(tuple)
	if rs.mine && !in.st.sent[rs] {
		out[1] = in.collectAll(inv, rs, how)
	}
	rs.query.Returned = true
	in.execute(rs)
	if fn != nil && how == unknownRole {
		in.unknownCall("a function for each row", []value{fn}, nil)
	}
	return out, true
}

// collectAll is the error of a function that stores all rows of a query in values or
// structs: that of a NULL that does not fit.
func (in *interp) collectAll(inv *invocation, rs *rows, how role) value {
	s, ok := inv.t.(*types.Tuple).At(0).Type().Underlying().(*types.Slice)
	if !ok {
		return &failure{}
	}
	elem := s.Elem()
	if p, isPointer := elem.Underlying().(*types.Pointer); isPointer && how != toRole {
		elem = p.Elem()
	}
	to := &pointer{to: in.newCell(elem, "row", zeroed)}
	switch how {
	case toRole:
		in.scan(rs, []value{to})
	case byNameRole, byPosRole:
		in.into1(rs, to, how == byNameRole)
	default:
		return &failure{}
	}
	rs.query.Every = true
	return in.scanned(rs)
}

// collectOne is one row as a value or struct.
func (in *interp) collectOne(inv *invocation, rs *rows, how role) value {
	rs.one = true
	in.execute(rs)
	t := inv.t.(*types.Tuple).At(0).Type()
	elem := t
	p, isPointer := t.Underlying().(*types.Pointer)
	if isPointer {
		elem = p.Elem()
	}
	c := in.newCell(elem, "row", zeroed)
	var err value
	switch how {
	case toRole:
		err = in.scan(rs, []value{&pointer{to: c}})
	case byNameRole, byPosRole:
		err = in.into1(rs, &pointer{to: c}, how == byNameRole)
	default:
		rs.query.Returned = true
		out := in.fresh(inv.t, "row", unknown).(tuple)
		if rs.mine {
			out[1] = in.rowError(rs)
		}
		return out
	}
	if isPointer {
		return tuple{&pointer{to: c}, err}
	}
	return tuple{in.load(c), err}
}

// forEach runs a function for each row, with the columns in variables.
func (in *interp) forEach(inv *invocation, rs *rows, dests []value, fn *closure) value {
	if fn == nil || !rs.mine || in.st.sent[rs] {
		rs.query.Returned = true
		in.execute(rs)
		for _, d := range dests {
			in.expose(d)
		}
		if fn != nil {
			in.unknownCall("a function for each row", []value{fn}, nil)
		}
		return in.fresh(inv.t, "result", unknown)
	}
	in.st.sent[rs] = true
	entry := in.st
	changing := map[*cell]bool{}
	cells, start, vars, labels := in.cells, len(*in.out), len(in.vars), in.labels
	for {
		*in.out = (*in.out)[:start]
		in.vars, in.labels = in.vars[:vars], labels
		rs.query.Null = ""
		code := in.temp("err", client.Int, false)
		in.set(code, constInt(codeNil))
		how := plain
		in.st = entry.clone()
		for _, c := range ordered(changing) {
			in.forget(c)
		}
		base := in.st.clone()
		rs.query.Into = nil
		s := &client.ForRows{At: client.At{Pos: rs.pos}, Label: in.label("loop"), Query: rs.query}
		in.emit(s)
		var ends []*state
		fails := func(f *failure) { // the loop ends with this error
			how = in.joinWraps([]*failure{{other: client.V(code), wraps: how}, f})
			in.either(in.failed(f), func() {
				for _, c := range ordered(changing) {
					in.emitValue(in.load(c))
				}
				in.assignFailure(code, f)
				in.emit(&client.Break{At: in.at(), Label: s.Label})
				ends = append(ends, in.st)
				in.st = nil
			}, func() {})
		}
		in.into(&s.Body, func() {
			for _, c := range ordered(changing) {
				in.forget(c)
			}
			if f, ok := in.scan(rs, dests).(*failure); ok {
				fails(f)
			}
			inner := &invocation{c: inv.c, fn: fn, at: inv.at, t: errorType}
			if f, ok := unbox(in.callFunction(inner, fn)).(*failure); ok && in.st != nil && !isTrue(client.Not(in.failed(f))) {
				fails(f)
			}
			if in.st != nil {
				for _, c := range ordered(changing) {
					in.emitValue(in.load(c))
				}
			}
		})
		if in.st == nil {
			in.st = base
		}
		more := false
		for _, st := range append(ends, in.st) {
			for c := range st.mem {
				if c.seq <= cells && !changing[c] {
					if was, ok := base.mem[c]; !ok || !same(was, st.mem[c]) {
						changing[c], more = true, true
					}
				}
			}
		}
		if !more {
			phase := in.st.phase
			in.st = base
			in.st.phase = phase
			for _, c := range ordered(changing) {
				in.forget(c)
			}
			out := in.quiet(inv.t).(tuple)
			out[len(out)-1] = failureOf(client.V(code), how)
			return out
		}
	}
}
