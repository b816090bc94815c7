package schedules

import (
	"strconv"
	"strings"

	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
)

// situation is what an execution needs besides an order.
type situation struct {
	rows  [][][]ir.Value
	calls []*Call // calls of one session in its order
}

func (s *situation) clone() *situation {
	out := &situation{}
	for _, t := range s.rows {
		rows := make([][]ir.Value, len(t))
		for i, r := range t {
			rows[i] = append([]ir.Value(nil), r...)
		}
		out.rows = append(out.rows, rows)
	}
	for _, c := range s.calls {
		d := *c
		d.Params = append([]ir.Value(nil), c.Params...)
		d.Havocs = map[*ir.Havoc][]ir.Value{}
		for site, vals := range c.Havocs {
			d.Havocs[site] = append([]ir.Value(nil), vals...)
		}
		out.calls = append(out.calls, &d)
	}
	return out
}

// key tells situations of one query apart.
func (s *situation) key() string {
	var b []byte
	values := func(list []ir.Value) {
		for _, v := range list {
			b = append(b, byte(v.Kind))
			b = strconv.AppendInt(b, v.I, 36)
			b = append(b, ' ')
			b = strconv.AppendInt(b, int64(len(v.S)), 36)
			b = append(append(b, ' '), v.S...)
		}
		b = append(b, '\n')
	}
	for _, t := range s.rows {
		for _, row := range t {
			values(row)
		}
		b = append(b, '\n')
	}
	for _, c := range s.calls {
		values(c.Params)
		ir.Walk(c.Txn.Body, func(st ir.Stmt) {
			if h, ok := st.(*ir.Havoc); ok {
				values(c.Havocs[h])
			}
		})
	}
	return string(b)
}

// instances gives the calls to the interpreter.
func (s *search) instances(calls []*Call) []*interp.Instance {
	out := make([]*interp.Instance, len(calls))
	for i, c := range calls {
		out[i] = &interp.Instance{Txn: c.Txn, Params: c.Params, ID: i + 1, Havoc: func(site *ir.Havoc, n int) (ir.Value, bool) {
			if vals := c.Havocs[site]; n < len(vals) {
				return vals[n], true
			}
			return s.zeroOf(c.Txn, site.Var), true
		}}
	}
	return out
}

// zeroOf is the value of a havoc that was not chosen.
func (s *search) zeroOf(t *ir.Txn, name string) ir.Value {
	typ, _ := t.LocalType(name)
	v := typ.Zero()
	if d := s.program.Domain; d != nil && v.Kind == ir.KindInt {
		v.I = min(max(v.I, d.Lo), d.Hi)
	}
	return v
}

// bySession groups instances into sessions, in the order of the calls.
func bySession(calls []*Call, list []*interp.Instance) []interp.Session {
	var out []interp.Session
	number := map[int]int{}
	for i, c := range calls {
		n, ok := number[c.Session]
		if !ok {
			n = len(out)
			number[c.Session] = n
			out = append(out, nil)
		}
		out[n] = append(out[n], list[i])
	}
	return out
}

// outcome is what is observed of an execution: the outputs of each call, and
// the final state.
func outcome(outputs []string, db *interp.DB) string {
	return strings.Join(outputs, "\xfd") + "\xfc" + db.String()
}
