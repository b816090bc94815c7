package pgx

import (
	"go/types"
	"strings"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/session"
	"github.com/txrobust/robust/internal/client"
)

// rowTo says how a function makes a value of a row.
type rowTo uint8

const (
	unknownTo rowTo = iota
	byNameTo        // a struct, by the names of its columns
	byPosTo         // the same by their order
	valueTo         // the value of one column
)

// rowFunctions are the functions of pgx that make a value of a row.
var rowFunctions = map[string]rowTo{"RowToStructByName": byNameTo, "RowToAddrOfStructByName": byNameTo, "RowToStructByNameLax": byNameTo,
	"RowToAddrOfStructByNameLax": byNameTo, "RowToStructByPos": byPosTo, "RowToAddrOfStructByPos": byPosTo, "RowTo": valueTo, "RowToAddrOf": valueTo}

// collection is what a call gets that collects rows: fn makes a value of each, how says
// what it does, and dests are destinations of columns. longer says that a list with elements already gets more.
type collection struct {
	rs     *memory.Rows
	longer bool
	fn     *memory.Closure
	how    rowTo
	dests  []memory.Value
}

// collect models CollectRows, CollectOneRow and ForEachRow of pgx.
func collect(model func(in *session.Session, inv *session.Invocation, c collection) memory.Value) session.CallModel {
	return func(in *session.Session, inv *session.Invocation) (memory.Value, bool) {
		var c collection
		for _, a := range inv.Args {
			switch a := memory.Unbox(a).(type) {
			case *memory.Rows:
				c.rs = a
			case *memory.Closure:
				c.fn = a
			default:
				if list, ok := in.ListOf(a); ok {
					c.dests = list
				}
			}
		}
		if c.rs == nil {
			return nil, false
		}
		if list, known := in.ListOf(inv.Args[0]); memory.Unbox(inv.Args[0]) != memory.Value(c.rs) {
			c.longer = !known || len(list) > 0
		}
		if c.fn != nil && c.fn.Fn != nil {
			name, isPgx := strings.CutPrefix(gotypes.FullName(c.fn.Fn), "github.com/jackc/pgx/v5.")
			if isPgx {
				c.how = rowFunctions[name]
			}
		}
		return model(in, inv, c), true
	}
}

// collectRows gives all rows.
func collectRows(in *session.Session, inv *session.Invocation, c collection) memory.Value {
	var out memory.Tuple
	memory.OfRows(in.Memory, func() { out = in.Quiet(inv.T).(memory.Tuple) })
	if c.how != unknownTo && in.KeepRows(c.rs, inv.T.(*types.Tuple).At(0).Type(), func(p *memory.Pointer) {
		if c.how == valueTo {
			in.Scan(c.rs, []memory.Value{p})
		} else {
			in.Into1(c.rs, p, c.how == byNameTo)
		}
	}) {
		return out
	}
	if c.how != unknownTo && !c.longer {
		list, err, ok := session.Gather(in, c.rs, inv.T.(*types.Tuple).At(0).Type(), func(p *memory.Pointer) memory.Value {
			if c.how == valueTo {
				return in.Scan(c.rs, []memory.Value{p})
			}
			return in.Into1(c.rs, p, c.how == byNameTo)
		})
		if ok {
			return memory.Tuple{list, err}
		}
	}
	if c.rs.Mine && !in.IsSent(c.rs) {
		out[1] = collectAll(in, inv, c.rs, c.how)
	}
	c.rs.Query.Returned = true
	in.Execute(c.rs)
	if !c.longer && c.rs.Mine {
		out[0] = session.AllOf(in, c.rs, inv.T.(*types.Tuple).At(0).Type())
	}
	if c.fn != nil && c.how == unknownTo {
		in.UnknownCall("a function for each row", []memory.Value{c.fn}, nil)
	}
	return out
}

// collectAll is the error of a function that stores all rows of a query in values or
// structs: that of a NULL that does not fit.
func collectAll(in *session.Session, inv *session.Invocation, rs *memory.Rows, how rowTo) memory.Value {
	s, ok := inv.T.(*types.Tuple).At(0).Type().Underlying().(*types.Slice)
	if !ok {
		return &memory.Failure{}
	}
	elem := s.Elem()
	if p, isPointer := elem.Underlying().(*types.Pointer); isPointer && how != valueTo {
		elem = p.Elem()
	}
	to := &memory.Pointer{To: in.NewCell(elem, "row", memory.Zeroed)}
	switch how {
	case valueTo:
		in.Scan(rs, []memory.Value{to})
	case byNameTo, byPosTo:
		in.Into1(rs, to, how == byNameTo)
	default:
		return &memory.Failure{}
	}
	rs.Query.Every = true
	return in.Scanned(rs)
}

// collectOne is one row as a value or struct.
func collectOne(in *session.Session, inv *session.Invocation, c collection) memory.Value {
	rs, how := c.rs, c.how
	rs.One = true
	in.Execute(rs)
	t := inv.T.(*types.Tuple).At(0).Type()
	elem := t
	p, isPointer := t.Underlying().(*types.Pointer)
	if isPointer {
		elem = p.Elem()
	}
	row := in.NewCell(elem, "row", memory.Zeroed)
	var err memory.Value
	switch how {
	case valueTo:
		err = in.Scan(rs, []memory.Value{&memory.Pointer{To: row}})
	case byNameTo, byPosTo:
		err = in.Into1(rs, &memory.Pointer{To: row}, how == byNameTo)
	default:
		rs.Query.Returned = true
		out := in.Fresh(inv.T, "row", memory.Unknown).(memory.Tuple)
		if rs.Mine {
			out[1] = in.RowError(rs)
		}
		return out
	}
	if isPointer {
		return memory.Tuple{&memory.Pointer{To: row}, err}
	}
	return memory.Tuple{in.Load(row), err}
}

// forEach runs a function for each row, with the columns in variables.
func forEach(in *session.Session, inv *session.Invocation, c collection) memory.Value {
	rs, dests, fn := c.rs, c.dests, c.fn
	if fn == nil || !rs.Mine || in.IsSent(rs) {
		rs.Query.Returned = true
		in.Execute(rs)
		for _, d := range dests {
			in.Expose(d)
		}
		if fn != nil {
			in.UnknownCall("a function for each row", []memory.Value{fn}, nil)
		}
		return in.Fresh(inv.T, "result", memory.Unknown)
	}
	err := in.EachRow(rs, func(fails func(f *memory.Failure)) {
		if f, ok := in.Scan(rs, dests).(*memory.Failure); ok {
			fails(f)
		}
		inner := &session.Invocation{C: inv.C, Fn: fn, At: inv.At, T: gotypes.ErrorType}
		if f, ok := memory.Unbox(in.Control.CallFunction(inner, fn)).(*memory.Failure); ok && in.Reached() && !memory.IsTrue(client.Not(in.Failed(f))) {
			fails(f)
		}
	})
	out := in.Quiet(inv.T).(memory.Tuple)
	out[len(out)-1] = err
	return out
}
