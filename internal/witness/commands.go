package witness

import (
	"fmt"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/quote"
)

// commandReader finds the commands of a transaction in the trace of its run.
type commandReader struct {
	run   *interp.Run
	mysql bool
	soft  softValues
	out   []placed
}

// placed is a command with the steps of the trace that it stands for: from its Send on,
// before to.
type placed struct {
	*Command
	send     *ir.Send
	from, to int
}

// commandsOf gives what the client of a run sends. why says why that is not known.
func commandsOf(run *interp.Run, soft softValues, mysql bool) (list []placed, why string) {
	r := &commandReader{run: run, soft: soft, mysql: mysql}
	for i := range run.Steps {
		s, ok := run.Steps[i].Stmt.(*ir.Send)
		if !ok {
			continue
		}
		if s.Unknown != "" {
			return nil, fmt.Sprintf("%s (%s)", s.Unknown, position(s.Pos))
		}
		if len(r.out) > 0 {
			r.out[len(r.out)-1].to = i
		}
		r.out = append(r.out, placed{&Command{Position: position(s.Pos), Text: s.Text, Columns: s.Columns}, s, i, len(run.Steps)})
	}
	if len(r.out) == 0 && sends(run.Inst.Txn) == 0 {
		return nil, "the program is not one whose transactions are told in SQL"
	}
	for i := range r.out {
		r.arguments(&r.out[i])
		r.want(&r.out[i])
	}
	return r.out, ""
}

// sends counts the commands of a template.
func sends(t *ir.Txn) int {
	n := 0
	ir.Walk(t.Body, func(s ir.Stmt) {
		if _, ok := s.(*ir.Send); ok {
			n++
		}
	})
	return n
}

// arguments gives the values that a command is sent with.
func (r *commandReader) arguments(c *placed) {
	for i, a := range c.send.Args {
		v := r.run.Steps[c.from].Sent[i]
		if v == nil && a.Set != "" {
			v = r.last(c, a.Set)
		}
		if v == nil { // nothing that the model looks at depends on it
			v = &ir.Value{}
		}
		c.Args = append(c.Args, Arg{Number: a.Number, SQL: r.constant(*v, a), Value: r.soft.cell(*v)})
	}
}

// constant is a value as SQL writes it where a client sends it.
func (r *commandReader) constant(v ir.Value, a ir.SendArg) string {
	if r.mysql {
		return mysqlConstant(v)
	}
	if v.IsNull() {
		return "NULL"
	}
	if a.Quoted || a.Number > 0 && a.Type != "int" && a.Type != "numeric" && a.Type != "boolean" {
		return quote.Literal(Value{v}.text())
	}
	return Value{v}.String()
}

// last gives the value that a local gets last within a command.
func (r *commandReader) last(c *placed, name string) *ir.Value {
	var out *ir.Value
	for i := c.from; i < c.to; i++ {
		if step := &r.run.Steps[i]; step.Stmt.Command() == c.send.Cmd {
			for k := range step.Locals {
				if step.Locals[k].Name == name {
					out = &step.Locals[k].Value
				}
			}
		}
	}
	return out
}

// want says what a command is to do.
func (r *commandReader) want(c *placed) {
	whole := !r.run.Inst.Txn.Script // the one command is all of the function
	var emitted [][]ir.Value
	counted := false // which rows come is not determined
	for i := c.from; i < c.to; i++ {
		if step := &r.run.Steps[i]; whole || step.Stmt.Command() == c.send.Cmd {
			emitted = append(emitted, step.Emitted...)
			counted = counted || step.Counted
		}
	}
	result := c.send.Result
	if counted && result == ir.Rows {
		result = ir.Counted
	}
	switch result {
	case ir.Rows:
		c.Want.Rows, c.Want.Exact, c.Want.Shown = r.cells(emitted), true, true
	case ir.Counted:
		c.Want.Shown = true
		c.count(emitted)
	case ir.NoResult:
		r.into(c)
	case ir.Nothing:
	default:
		panic(fmt.Sprintf("witness: unknown result %d of a command", c.send.Result))
	}
	if n, ok := r.written(c); ok && c.Want.Count == nil {
		c.Want.Count = &n
	}
}

// count says how many rows a command is to give, if what was emitted is one number.
func (c *placed) count(emitted [][]ir.Value) {
	if len(emitted) == 1 && len(emitted[0]) == 1 && emitted[0][0].Kind == ir.KindInt {
		n := int(emitted[0][0].I)
		c.Want.Count = &n
	}
}

// shown gives the values that the client shows by itself.
func shown(run *interp.Run, label string, list []placed, soft softValues) []Shown {
	var out []Shown
	next := 0
	for i := range run.Steps {
		for next < len(list) && list[next].from <= i {
			next++
		}
		step := &run.Steps[i]
		if len(step.Emitted) == 0 || !run.Inst.Txn.Script ||
			next > 0 && list[next-1].Want.Shown && list[next-1].send.Cmd == step.Stmt.Command() {
			continue
		}
		for _, row := range step.Emitted {
			s := Shown{Transaction: label}
			for _, v := range row {
				s.Values = append(s.Values, soft.cell(v))
			}
			out = append(out, s)
		}
	}
	return out
}

func (r *commandReader) cells(rows [][]ir.Value) [][]*Cell {
	out := [][]*Cell{}
	for _, row := range rows {
		cells := make([]*Cell, len(row))
		for i, v := range row {
			cell := r.soft.cell(v)
			cells[i] = &cell
		}
		out = append(out, cells)
	}
	return out
}

// into gives the rows of which the client puts columns into variables.
func (r *commandReader) into(c *placed) {
	s := c.send
	if s.Count != "" {
		if v := r.last(c, s.Count); v != nil && v.Kind == ir.KindInt {
			n := int(v.I)
			c.Want.Count = &n
		}
	}
	known := slices.ContainsFunc(s.Into, func(name string) bool { return name != "" })
	if s.Each {
		r.rounds(c)
		return
	}
	found := r.last(c, s.Found)
	row := r.row(s.Into, func(name string) *ir.Value { return r.last(c, name) })
	switch {
	case found != nil && !found.IsTrue():
		c.Want.Rows, c.Want.Exact = [][]*Cell{}, true
	case known && (found != nil || slices.ContainsFunc(row, func(c *Cell) bool { return c != nil && c.Kind != "null" })):
		c.Want.Rows = [][]*Cell{row} // without a row, all of it would be NULL
	}
}

// row gives the cells of a row whose columns are in locals.
func (r *commandReader) row(into []string, value func(name string) *ir.Value) []*Cell {
	out := make([]*Cell, len(into))
	for i, name := range into {
		if name == "" {
			continue
		}
		if v := value(name); v != nil {
			cell := r.soft.cell(*v)
			out[i] = &cell
		}
	}
	return out
}

// rounds gives the rows of a loop, as far as it goes through them.
func (r *commandReader) rounds(c *placed) {
	for i := c.from; i < len(r.run.Steps); i++ {
		step := &r.run.Steps[i]
		if again, is := step.Stmt.(*ir.Send); is && again == c.send && i > c.from {
			break
		}
		loop, is := step.Stmt.(*ir.Foreach)
		if !is || loop.Cmd != c.send.Cmd {
			continue
		}
		c.Want.Rows = append(c.Want.Rows, r.row(c.send.Into, func(name string) *ir.Value {
			for k := range step.Locals {
				if step.Locals[k].Name == name {
					return &step.Locals[k].Value
				}
			}
			return nil
		}))
	}
}

// written counts the rows that the command itself writes.
func (r *commandReader) written(c *placed) (n int, ok bool) {
	if c.send.Table == nil {
		return 0, false
	}
	seen := map[int]bool{}
	for i := c.from; i < c.to; i++ {
		step := &r.run.Steps[i]
		if ir.Written(step.Stmt) != c.send.Table {
			continue
		}
		for k := step.OpsFrom; k < step.OpsTo && k < len(r.run.Ops); k++ {
			op := &r.run.Ops[k]
			if op.Stmt != step.Stmt || seen[k] {
				continue
			}
			seen[k] = true
			switch {
			case op.Kind == interp.OpDelete && op.Becomes != nil: // the row gets another key
			case c.send.Verb == ir.Inserts && op.Kind == interp.OpDelete:
				return 0, false
			default:
				n++
			}
		}
	}
	return n, !r.undone(c)
}

// undone reports whether what a command wrote was rolled back to a savepoint, so that
// the trace no longer has it.
func (r *commandReader) undone(c *placed) bool {
	for i := c.from; i < len(r.run.Steps); i++ {
		if _, is := r.run.Steps[i].Stmt.(*ir.RollbackTo); is {
			return true
		}
	}
	return false
}

// softValues are the values of an execution that a server may not give: those that it
// chooses itself, and what functions without a known meaning make.
type softValues struct {
	of map[ir.Value]Softness
	// source is what gives a fresh value.
	source map[ir.Value]string
	// depends names what chooses or computes them, but for fresh ones.
	depends map[string]bool
}

func newSoftValues() softValues {
	return softValues{of: map[ir.Value]Softness{}, source: map[ir.Value]string{}, depends: map[string]bool{}}
}

// add adds the values of a run.
func (s softValues) add(run *interp.Run) {
	for i := range run.Steps {
		h, is := run.Steps[i].Stmt.(*ir.Havoc)
		if !is || h.Of == "" {
			continue
		}
		how := Any
		if h.Fresh {
			how = Fresh
		} else {
			s.depends[h.Of] = true
		}
		for _, l := range run.Steps[i].Locals {
			s.set(l.Value, how)
			if h.Fresh {
				s.source[l.Value] = h.Of
			}
		}
	}
	for v, name := range run.Opaque {
		if !strings.HasPrefix(name, clientFunction) {
			s.depends[name] = true
			s.set(v, Computed)
		}
	}
}

// clientFunction begins the names of functions of the client program: what they give
// is sent as it is.
const clientFunction = "client "

func (s softValues) set(v ir.Value, how Softness) {
	if v.IsNull() || v.Kind == ir.KindBool || s.of[v] == Fresh {
		return
	}
	s.of[v] = how
}

// cell gives a value with its softness. A number counts whether it is an integer or
// not.
func (s softValues) cell(v ir.Value) Cell {
	key := v
	if s.of[v] == Hard && v.Kind == ir.KindNum {
		if r := v.Rat(); r.IsInt() && r.Num().IsInt64() {
			key = ir.Int(r.Num().Int64())
		}
	}
	return Cell{Kind: v.Kind.String(), Text: Value{v}.plain(), Soft: s.of[key], Of: s.source[key]}
}

// plain is the text of any value.
func (v Value) plain() string {
	switch v.Kind {
	case ir.KindNull:
		return ""
	}
	return v.text()
}
