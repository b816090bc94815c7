package witness

import (
	"cmp"
	"encoding/json"
	"maps"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/irnames"
)

// A server chooses some values, and computes others in ways that are not known. What
// they are does not matter to most witnesses: with others, the same happens. depends
// finds out by trying: it names what of the database has to give the very values that
// the witness has.
func (b *builder) depends(p *Plan, candidates map[string]bool) []string {
	want := p.shape()
	out := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(candidates)) {
		changes := perturbations
		if name == irnames.Clock {
			changes = append(slices.Clone(changes), atOnce)
		}
		for _, how := range changes {
			if got := b.e.perturbed(name, how).replan(b.x); got != want {
				out[name] = true
				break
			}
		}
	}
	for _, how := range renumberings {
		if len(p.fresh()) > 0 && b.e.renumbered(how).replan(b.x) != want {
			for _, name := range p.fresh() {
				out["the very values of "+name] = true
			}
		}
	}
	for i := range b.x.Txns {
		if at := b.choice(i); at != nil {
			out["which row the server takes at "+position(at.Position()).String()] = true
		}
	}
	return slices.Sorted(maps.Keys(out))
}

// perturbation changes a value into another one of its type.
type perturbation func(v ir.Value) ir.Value

// perturbations are changes in two directions.
var perturbations = []perturbation{
	func(v ir.Value) ir.Value { return moved(v, 1) },
	func(v ir.Value) ir.Value { return moved(v, -1) },
}

// moved changes a value: by years, by a thousand, or to another truth value or text. A
// clock shows some day (Timed) or a later one.
func moved(v ir.Value, sign int64) ir.Value {
	switch v.Kind {
	case ir.KindBool:
		return ir.Bool(!v.IsTrue())
	case ir.KindInt:
		return ir.Int(v.I + sign*1000)
	case ir.KindTime:
		return ir.Time(v.I + (55-45*sign)*365*24*int64(time.Hour/time.Microsecond))
	case ir.KindNum:
		return ir.Num(new(big.Rat).Add(v.Rat(), new(big.Rat).SetFrac64(sign*1000003, 1009)))
	case ir.KindText, ir.KindOpaque:
		if sign < 0 {
			return ir.Value{Kind: v.Kind, S: "!" + v.S}
		}
		return ir.Value{Kind: v.Kind, S: v.S + "~"}
	}
	return v
}

// atOnce moves the times at which transactions begin together, to the same second and in the
// same order: a replay takes no longer.
func atOnce(v ir.Value) ir.Value {
	if v.Kind != ir.KindTime {
		return v
	}
	some := time.Date(2025, 6, 15, 12, 30, 30, 0, time.UTC).UnixMicro()
	return ir.Time(some + (v.I-some)/int64(time.Hour/time.Microsecond))
}

// perturbed is the evidence with other values of one origin: what chooses them, or the
// function that computes them.
func (e Evidence) perturbed(name string, how perturbation) *Evidence {
	before := e.opaque
	e.opaque = func(of string, v ir.Value) ir.Value {
		if before != nil {
			v = before(of, v)
		}
		if of == name {
			return how(v)
		}
		return v
	}
	sessions := make([]interp.Session, len(e.Sessions))
	for s, list := range e.Sessions {
		for _, in := range list {
			c := *in
			if old := in.Havoc; old != nil {
				c.Havoc = func(site *ir.Havoc, n int) (ir.Value, bool) {
					v, ok := old(site, n)
					if ok && site.Of == name {
						v = how(v)
					}
					return v, ok
				}
			}
			sessions[s] = append(sessions[s], &c)
		}
	}
	e.Sessions = sessions
	return &e
}

// renumberings change the numbers of instances, from which fresh values are made: to
// larger ones, and to the opposite order.
var renumberings = []func(id int) int{
	func(id int) int { return id + 37 },
	func(id int) int { return 999 - id },
}

// renumbered is the evidence with other fresh values.
func (e Evidence) renumbered(how func(id int) int) *Evidence {
	sessions := make([]interp.Session, len(e.Sessions))
	for s, list := range e.Sessions {
		for _, in := range list {
			c := *in
			c.ID = how(c.ID)
			sessions[s] = append(sessions[s], &c)
		}
	}
	e.Sessions = sessions
	return &e
}

// fresh names what gives the fresh values of a plan.
func (p *Plan) fresh() []string {
	out := map[string]bool{}
	see := func(c *Cell) {
		if c != nil && c.Soft == Fresh {
			out[c.Of] = true
		}
	}
	for _, s := range p.Execution.Steps {
		if s.Command == nil {
			continue
		}
		for i := range s.Command.Args {
			see(&s.Command.Args[i].Value)
		}
		for _, row := range s.Command.Want.Rows {
			for _, c := range row {
				see(c)
			}
		}
	}
	for _, table := range p.Execution.Final {
		for _, row := range table {
			for i := range row {
				see(&row[i])
			}
		}
	}
	return slices.Sorted(maps.Keys(out))
}

// replan gives the shape of the plan of the evidence, whose transactions are to take the
// paths that those of like take. It is "" where they cannot, or where the outcome is that
// of a serial order.
func (e *Evidence) replan(like *interp.Execution) string {
	m := e.Machine()
	m.Trace = true
	x, err := e.replay(m, func(i int, r *interp.Run) bool { return samePath(r, like.Txns[i].Run) })
	if err != nil {
		return ""
	}
	b := e.builderOf(m, x)
	e.Execution = x
	if e.serializable(e.Machine()) {
		return ""
	}
	b.w = &Witness{Isolation: b.isolation()}
	for _, i := range b.start {
		b.w.Transactions = append(b.w.Transactions, b.transaction(i))
	}
	p, _ := b.bare()
	return p.shape()
}

// samePath reports whether two runs execute the same statements with the same effects
// on rows, whatever the values.
func samePath(a, b *interp.Run) bool {
	if a.Blocked != "" || len(a.Steps) != len(b.Steps) || len(a.Ops) != len(b.Ops) {
		return false
	}
	for i := range a.Steps {
		if a.Steps[i].Stmt != b.Steps[i].Stmt {
			return false
		}
	}
	for i := range a.Ops {
		if a.Ops[i].Stmt != b.Ops[i].Stmt || a.Ops[i].Table != b.Ops[i].Table || a.Ops[i].Kind != b.Ops[i].Kind {
			return false
		}
	}
	return true
}

// choice gives the statement at which a transaction takes one of several rows or
// orders, if it does something else with another one. It is nil if there is none.
func (b *builder) choice(i int) ir.Stmt {
	c := &b.x.Txns[i]
	if len(c.Run.Chosen) == 0 || c.Split != nil {
		return nil
	}
	want := effect(c.Run)
	for _, run := range b.m.Runs(c.Run.Inst, b.x.Versions[c.Snapshot], nil, c.Snapshot == i) {
		if run.Blocked == "" && effect(run) != want || run.Blocked == interp.TooMany {
			return c.Run.Chosen[0]
		}
	}
	return nil
}

// shape is the plan without the values that a server gives otherwise.
func (p *Plan) shape() string {
	if p.NotRun != "" {
		return ""
	}
	q := *p
	q.Schema, q.Depends = nil, nil
	q.Execution = p.Execution.shape()
	q.Serial = nil
	for i := range p.Serial {
		q.Serial = append(q.Serial, p.Serial[i].shape())
	}
	text, err := json.Marshal(&q)
	if err != nil {
		panic(err) // there is nothing in it that JSON does not have
	}
	return string(text)
}

func (r Run) shape() Run {
	steps := slices.Clone(r.Steps)
	for i := range steps {
		if steps[i].Command == nil {
			continue
		}
		c := *steps[i].Command
		c.Args = slices.Clone(c.Args)
		for k := range c.Args {
			if c.Args[k].Value.Soft != Hard {
				c.Args[k].Value.Text, c.Args[k].SQL = "", ""
			}
		}
		rows := make([][]*Cell, len(c.Want.Rows))
		for k, row := range c.Want.Rows {
			for _, cell := range row {
				rows[k] = append(rows[k], cell.shape())
			}
		}
		if c.Want.Rows != nil {
			c.Want.Rows = rows
		}
		steps[i].Command = &c
	}
	r.Steps = steps
	final := make([][][]Cell, len(r.Final))
	for i, table := range r.Final {
		for _, row := range table {
			cells := make([]Cell, len(row))
			for k := range row {
				cells[k] = *row[k].shape()
			}
			final[i] = append(final[i], cells)
		}
		slices.SortFunc(final[i], func(a, b []Cell) int { return slices.CompareFunc(a, b, compareCells) })
	}
	r.Final = final
	shown := slices.Clone(r.Shown)
	for i := range shown {
		cells := slices.Clone(shown[i].Values)
		for k := range cells {
			cells[k] = *cells[k].shape()
		}
		shown[i].Values = cells
	}
	r.Shown = shown
	return r
}

func compareCells(a, b Cell) int {
	return cmp.Or(strings.Compare(a.Kind, b.Kind), strings.Compare(a.Text, b.Text), strings.Compare(string(a.Soft), string(b.Soft)))
}

func (c *Cell) shape() *Cell {
	if c == nil || c.Soft == Hard {
		return c
	}
	out := *c
	out.Text = ""
	return &out
}
