package stale

import (
	"maps"
	"slices"
	"strconv"

	"github.com/txrobust/robust/internal/ir"
)

// reading is a table that a statement looks at.
type reading struct {
	at    ir.Pos
	units units
	table *ir.Table
	// where are the columns that the condition is about, equal those that it compares
	// with a value.
	where map[string]bool
	equal map[string]local
	// many says that what is read depends on several rows: an aggregate, or the first
	// row in some order.
	many bool
	// locked says that it locks the rows that it finds.
	locked bool
	// loop says that it is of a loop, whose body runs for each row.
	loop bool
}

// origin is a column that was read, or ("") whether there are rows, or (oneRow) whether there is
// another one.
type origin struct {
	read *reading
	col  string
}

// oneRow stands for the column of an origin that says that there is a row, of several that were
// counted.
const oneRow = "#row"

type origins map[origin]bool

func (o origins) add(p origins) origins {
	if len(p) == 0 {
		return o
	}
	out := maps.Clone(o)
	if out == nil {
		out = origins{}
	}
	maps.Copy(out, p)
	return out
}

// local is what is known of a local: what its value is computed from, and a name
// that equal values have. implied is what decided that it got this value, perhaps the
// names of the values one of which it has, by the path that was taken. keys are the columns by which
// readings looked for rows that have its value there.
type local struct {
	from, implied origins
	keys          origins
	name          string
	perhaps       []string
}

// names gives the names of the values that it may have.
func (v local) names() []string { return append([]string{v.name}, v.perhaps...) }

// maxPerhaps bounds the values that are told apart of which a local has one.
const maxPerhaps = 4

// all is all that the value depends on.
func (v local) all() origins { return v.from.add(v.implied) }

// state is what is known at a point of the program.
type state struct {
	locals map[string]local
	// decided are the origins on which it depends that control is here, by how deep
	// the block is whose end makes that forgotten.
	decided map[int]origins
}

func (s *state) clone() *state {
	return &state{locals: maps.Clone(s.locals), decided: maps.Clone(s.decided)}
}

// all gives what it depends on that control is here.
func (s *state) all() origins {
	var out origins
	for _, o := range s.decided {
		out = out.add(o)
	}
	return out
}

// meet joins another state into this one. Values that differ get a new name.
func (f *finder) meet(s, o *state) *state {
	if s == nil {
		return o
	}
	if o == nil {
		return s
	}
	out := s.clone()
	for name, v := range o.locals {
		w, ok := out.locals[name]
		if !ok {
			out.locals[name] = v
			continue
		}
		if w.name != v.name {
			w.perhaps = slices.Concat(w.names(), v.names())
			slices.Sort(w.perhaps)
			if w.perhaps = slices.Compact(w.perhaps); len(w.perhaps) > maxPerhaps {
				w.perhaps = nil
			}
			w.name = f.newName()
		}
		w.from, w.implied, w.keys = w.from.add(v.from), w.implied.add(v.implied), w.keys.add(v.keys)
		out.locals[name] = w
	}
	for depth, from := range o.decided {
		out.decided[depth] = out.decided[depth].add(from)
	}
	return out
}

// newName makes a name of a value that is none of those before.
func (f *finder) newName() string {
	f.names++
	return "#" + strconv.Itoa(f.names)
}

// target is a block or loop that a jump leaves, or goes to the head of.
type target struct {
	label string
	loop  bool
	// left is the state of the jumps behind it, again that of those to its head.
	left, again *state
}

// block runs the statements of a list. It gives the state behind them, nil where
// control does not come, and how deep the outermost block is that some path leaves.
func (f *finder) block(list []ir.Stmt, s *state) (after *state, leaves int) {
	leaves = len(f.targets)
	for _, st := range list {
		if s == nil {
			break
		}
		var out int
		s, out = f.stmt(st, s)
		leaves = min(leaves, out)
	}
	return s, leaves
}

// exit is how deep the whole template is: what a return leaves.
const exit = -1

// stmt runs one statement.
func (f *finder) stmt(st ir.Stmt, s *state) (after *state, leaves int) {
	none := len(f.targets)
	switch st := st.(type) {
	case *ir.If:
		return f.branch(st, s)
	case *ir.Block:
		return f.labelled(st.Label, false, s, func(s *state) (*state, int) { return f.block(st.Body, s) })
	case *ir.While:
		c, isConst := st.Cond.(*ir.Const)
		after, leaves = f.loop(st.Label, s, f.value(st.Cond, s, st).all(), st.Body, !isConst || !c.Value.IsTrue())
		return after, leaves
	case *ir.ForRange:
		from := f.value(st.From, s, st).from.add(f.value(st.To, s, st).from)
		s = s.clone()
		f.set(s, st.Var, local{from: from})
		return f.loop(st.Label, s, from, st.Body, true)
	case *ir.Foreach:
		s = s.clone()
		from := f.rows(st, s)
		after, leaves = f.loop(st.Label, s, from, st.Body, true)
		if after != nil && st.Found != "" {
			f.set(after, st.Found, local{from: from})
		}
		return after, leaves
	case *ir.Break:
		i := f.find(st.Label, false)
		t := f.targets[i]
		t.left = f.meet(t.left, s)
		return nil, i
	case *ir.Continue:
		i := f.find(st.Label, true)
		t := f.targets[i]
		t.again = f.meet(t.again, s)
		return nil, i
	case *ir.Return, *ir.Abort:
		return nil, exit
	case *ir.Assign:
		s = s.clone()
		v := f.value(st.Expr, s, st)
		if _, isVar := st.Expr.(*ir.Var); !isVar {
			v.implied = v.implied.add(s.all())
		}
		f.set(s, st.Var, v)
	case *ir.Havoc:
		s = s.clone()
		f.set(s, st.Var, local{})
	case *ir.Select:
		s = s.clone()
		f.query(st, s)
	case *ir.Insert:
		s = s.clone()
		f.insert(st, s)
		if st.Done != "" {
			f.set(s, st.Done, local{})
		}
	case *ir.Update:
		f.update(st, s)
	case *ir.Delete:
		f.remove(st, s)
	case *ir.Emit, *ir.EmitRows, *ir.LockTable, *ir.Send, *ir.LockRows, *ir.Dropped, *ir.Assume, *ir.Savepoint, *ir.RollbackTo, *ir.Unmodelled, *ir.Cascade:
	default:
		panic("stale: unknown statement " + st.String())
	}
	return s, none
}

// set gives a local a value, with a new name if it has none.
func (f *finder) set(s *state, name string, v local) {
	if v.name == "" {
		v.name = f.newName()
	}
	s.locals[name] = v
}

// find gives the index of the block or loop that a jump is about.
func (f *finder) find(label string, loop bool) int {
	for i := len(f.targets) - 1; i >= 0; i-- {
		if t := f.targets[i]; label == "" && t.loop || label != "" && t.label == label && (t.loop || !loop) {
			return i
		}
	}
	panic("stale: a jump to " + label + ", which is not around it")
}

// branch runs a conditional. Where one of the sides leaves a block, what follows
// depends on the condition up to the end of this block.
func (f *finder) branch(st *ir.If, s *state) (after *state, leaves int) {
	cond := f.rounds(st, s)
	depth := len(f.targets)
	leaves = depth
	for _, list := range [][]ir.Stmt{st.Then, st.Else} {
		in := s.clone()
		// A depth of its own, which only this side has.
		in.decided[depth+1] = in.decided[depth+1].add(cond)
		out, left := f.block(list, in)
		if out != nil {
			if outer := s.decided[depth+1]; outer == nil {
				delete(out.decided, depth+1)
			} else {
				out.decided[depth+1] = outer
			}
		}
		leaves = min(leaves, left)
		after = f.meet(after, out)
	}
	if after != nil && leaves < depth {
		after.decided[leaves] = after.decided[leaves].add(cond)
	}
	return after, leaves
}

// rounds gives what the condition of a conditional depends on. Where that is one of a loop
// over a list, which is left when its end is reached, what is known of the rows of the list in
// a round is that there is one.
func (f *finder) rounds(st *ir.If, s *state) origins {
	cond := f.value(st.Cond, s, st).all()
	b, ok := st.Cond.(*ir.Binary)
	if !ok || b.Op != ir.Lt || !f.leavesLoop(st.Else) {
		return cond
	}
	if _, isConst := b.X.(*ir.Const); isConst {
		return cond
	}
	index := f.value(b.X, s, st).all()
	out := origins{}
	for o := range cond {
		if o.read.many && o.col == "" && !index[o] {
			o.col = oneRow
		}
		out[o] = true
	}
	return out
}

// leavesLoop reports whether statements end by leaving a loop that is around them.
func (f *finder) leavesLoop(list []ir.Stmt) bool {
	loop := func(from int) bool {
		return slices.ContainsFunc(f.targets[from:], func(t *target) bool { return t.loop })
	}
	if len(list) == 0 {
		return false
	}
	switch st := list[len(list)-1].(type) {
	case *ir.Break:
		return loop(f.find(st.Label, false))
	case *ir.Return, *ir.Abort:
		return loop(0)
	case *ir.If:
		return f.leavesLoop(st.Then) && f.leavesLoop(st.Else)
	}
	return false
}

// labelled runs the body of a block or loop. What was decided by leaving it is
// forgotten behind it.
func (f *finder) labelled(label string, loop bool, s *state, body func(*state) (*state, int)) (after *state, leaves int) {
	depth := len(f.targets)
	t := &target{label: label, loop: loop}
	f.targets = append(f.targets, t)
	out, left := body(s.clone())
	f.targets = f.targets[:depth]
	after = f.meet(out, t.left)
	if after != nil {
		after = after.clone()
		for d := range after.decided {
			if d >= depth {
				delete(after.decided, d)
			}
		}
		for d, o := range s.decided {
			if d >= depth {
				after.decided[d] = o
			}
		}
	}
	return after, min(left, depth)
}

// maxRounds bounds how often the body of a loop is run until nothing new comes.
const maxRounds = 3

// loop runs a loop; from is what it depends on whether there is a round, and ends
// says that it ends without a jump.
func (f *finder) loop(label string, s *state, from origins, body []ir.Stmt, ends bool) (after *state, leaves int) {
	return f.labelled(label, true, s, func(s *state) (*state, int) {
		t := f.targets[len(f.targets)-1]
		leaves := len(f.targets)
		in, depth := s, len(f.targets)
		for range maxRounds {
			round := in.clone()
			round.decided[depth] = round.decided[depth].add(from)
			out, left := f.block(body, round)
			leaves = min(leaves, left)
			next := f.meet(in, f.meet(out, t.again)).clone()
			for name, v := range next.locals { // values of an earlier round have the same names, and are others
				if v.name != in.locals[name].name {
					v.perhaps = nil
					next.locals[name] = v
				}
			}
			next.decided = maps.Clone(s.decided) // what is decided in a round is forgotten at its end
			if weight(next) == weight(in) {
				break
			}
			in = next
		}
		if !ends {
			return nil, leaves
		}
		return in, leaves
	})
}

// weight counts what a state has, which only grows in the rounds of a loop.
func weight(s *state) int {
	n := 0
	for _, v := range s.locals {
		n += 1 + len(v.from) + len(v.implied) + len(v.keys)
	}
	for _, o := range s.decided {
		n += len(o)
	}
	return n
}
