package proc

import (
	"maps"
	"slices"
	"strconv"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/internal/sql/trace"
	"github.com/txrobust/robust/internal/sql/write"
)

// Core writes what procedures have. Front ends write the rest into the same Writer.
type Core struct {
	*write.Writer
	// Path is what holds where control is.
	Path Path
}

// Path is what holds on all paths to a place. Points and Sure are of scripts, which have neither loops
// nor blocks.
type Path struct {
	// Snapped says that a statement before took the snapshot.
	Snapped bool
	// Points are the savepoints that are set, in order.
	Points []Point
	// Sure are the variables of a script that have a value, by number.
	Sure map[int]bool
}

// Point is a savepoint, with its name in the IR.
type Point struct{ Name, IR string }

func (p Path) copy() Path {
	p.Points, p.Sure = slices.Clone(p.Points), maps.Clone(p.Sure)
	return p
}

// meet takes away what does not hold on another path.
func (p *Path) meet(o Path) {
	p.Snapped = p.Snapped && o.Snapped
	same := 0
	for same < min(len(p.Points), len(o.Points)) && p.Points[same] == o.Points[same] {
		same++
	}
	p.Points = p.Points[:same]
	maps.DeleteFunc(p.Sure, func(k int, _ bool) bool { return !o.Sure[k] })
}

// AttemptIn translates a statement of f by translate. Where that cannot go on, all is as before.
func (b *Core) AttemptIn(f *expr.Frame, translate func()) (why string, ok bool) {
	scope, loops, depth, branches, path := f.Scope, f.Loops, b.LoopDepth, b.BranchDepth, b.Path.copy()
	if why, ok = b.Attempt(translate); !ok {
		f.Scope, f.Loops, b.LoopDepth, b.BranchDepth, b.Path = scope, loops, depth, branches, path
	}
	return why, ok
}

// If branches, unless it is clear which way it goes.
func (b *Core) If(pos ir.Pos, cond ir.Expr, then, otherwise func()) {
	if value, known := write.ConstantTruth(cond); known {
		b.Tell(trace.Bind, pos, func() string { return "branch: the condition is always " + strconv.FormatBool(value) })
		b.Applied(trace.FoldBranch, pos)
		if value {
			then()
		} else {
			otherwise()
		}
		return
	}
	s := &ir.If{At: expr.At(pos), Cond: cond}
	path, late := b.Path.copy(), b.App.Late
	b.BranchDepth++
	s.Then = b.Collect(then)
	pathThen, lateThen := b.Path, b.App.Late
	b.Path, b.App.Late = path, late
	s.Else = b.Collect(otherwise)
	b.BranchDepth--
	b.App.Late = *b.App.Late.With(b.App.Late.Run.Or(lateThen.Run))
	switch {
	case EndsInJump(s.Else):
		b.Path = pathThen
	case !EndsInJump(s.Then):
		b.Path.meet(pathThen)
	}
	b.Emit(s)
}

// Loop runs rounds of the loop l until one leaves it, or as long as the condition holds that test
// gives, unless test is nil.
func (b *Core) Loop(f *expr.Frame, l *expr.LoopLabel, pos ir.Pos, test func() ir.Expr, body func()) {
	w := &ir.While{At: expr.At(pos), Cond: ir.C(ir.Bool(true))}
	if test != nil {
		var cond ir.Expr
		w.Body = b.Collect(func() { cond = test() })
		if len(w.Body) == 0 {
			w.Cond = cond
		} else { // what the condition needs is computed in each round
			w.Body = append(w.Body, &ir.If{At: expr.At(pos), Cond: cond, Else: []ir.Stmt{&ir.Break{At: expr.At(pos)}}})
		}
	}
	w.Body = append(w.Body, b.Round(f, l, body)...)
	w.Label = l.Label
	b.Emit(w)
}

// Round gives the body of the loop l. There may be no round: what holds behind the loop is what
// held before.
func (b *Core) Round(f *expr.Frame, l *expr.LoopLabel, body func()) []ir.Stmt {
	path := b.Path.copy()
	f.Loops = append(f.Loops, l)
	b.LoopDepth++
	list := b.Collect(body)
	b.LoopDepth--
	f.Loops = f.Loops[:len(f.Loops)-1]
	path.meet(b.Path)
	b.Path = path
	if l.WantNext && l.Next != "" {
		return []ir.Stmt{&ir.Block{At: expr.At(b.Cur), Label: l.Next, Body: list}}
	}
	return list
}

// Block runs a body that a Jump to name may leave.
func (b *Core) Block(f *expr.Frame, name string, pos ir.Pos, body func()) {
	l := &expr.LoopLabel{Name: name}
	path := b.Path.copy()
	f.Loops = append(f.Loops, l)
	list := b.Collect(body)
	f.Loops = f.Loops[:len(f.Loops)-1]
	if l.Label == "" {
		b.Out = append(b.Out, list...)
		return
	}
	path.meet(b.Path)
	b.Path = path
	b.Emit(&ir.Block{At: expr.At(pos), Label: l.Label, Body: list})
}

// EndsInJump reports whether control never reaches the end of list.
func EndsInJump(list []ir.Stmt) bool {
	if len(list) == 0 {
		return false
	}
	switch s := list[len(list)-1].(type) {
	case *ir.Return, *ir.Abort, *ir.Break, *ir.Continue:
		return true
	case *ir.If:
		return EndsInJump(s.Then) && EndsInJump(s.Else)
	case *ir.Block:
		return EndsInJump(s.Body) && !Leaves(s.Body, s.Label)
	case *ir.While:
		c, ok := s.Cond.(*ir.Const)
		return ok && c.Value.IsTrue() && !breaksLoop(s.Body, s.Label)
	}
	return false
}

// Leaves reports whether a statement of list breaks label.
func Leaves(list []ir.Stmt, label string) bool {
	found := false
	ir.Walk(list, func(s ir.Stmt) {
		k, ok := s.(*ir.Break)
		found = found || ok && k.Label == label
	})
	return found
}

// Labelled gives statements that may break label, which needs no block where only the last one
// does.
func Labelled(pos ir.Pos, label string, list []ir.Stmt) []ir.Stmt {
	if n := len(list); n > 0 {
		if k, ok := list[n-1].(*ir.Break); ok && k.Label == label {
			list = list[:n-1]
		}
	}
	if !Leaves(list, label) {
		return list
	}
	return []ir.Stmt{&ir.Block{At: expr.At(pos), Label: label, Body: list}}
}

// breaksLoop reports whether body leaves the loop around it.
func breaksLoop(body []ir.Stmt, label string) bool {
	return anyInside(body, 0, func(s ir.Stmt, depth int) bool {
		k, ok := s.(*ir.Break)
		return ok && (k.Label == "" && depth == 0 || k.Label != "" && k.Label == label)
	})
}

// anyInside reports whether is holds for a statement of list or inside one,
// given the number of loops around it, of which there are depth around list.
func anyInside(list []ir.Stmt, depth int, is func(s ir.Stmt, depth int) bool) bool {
	for _, s := range list {
		if is(s, depth) {
			return true
		}
		inner := depth
		switch s.(type) {
		case *ir.While, *ir.ForRange, *ir.Foreach:
			inner++
		}
		for _, c := range ir.Children(s) {
			if anyInside(c, inner, is) {
				return true
			}
		}
	}
	return false
}

// Jump leaves or continues a loop.
func (b *Core) Jump(f *expr.Frame, label string, next bool, errPos, pos ir.Pos) {
	word := "EXIT"
	if next {
		word = "CONTINUE"
	}
	i := len(f.Loops) - 1
	for ; i >= 0; i-- {
		l := f.Loops[i]
		if label == "" && l.Loop || label != "" && l.Name == label {
			break
		}
	}
	switch {
	case i < 0 && label == "":
		b.App.Fail(errPos, "%s stands in no loop", word)
	case i < 0:
		b.App.Fail(errPos, "there is no loop or block %s around this %s", label, word)
	case next && !f.Loops[i].Loop:
		b.App.Fail(errPos, "%s is a block: CONTINUE needs a loop", label)
	}
	target := f.Loops[i]
	innermost := true
	for _, l := range f.Loops[i+1:] {
		innermost = innermost && (!l.Loop || l.Once)
		if l.Counts && f.Found != "" { // a FOR loop that is left sets FOUND
			b.EmitWeak(&ir.Assign{At: expr.At(pos), Var: f.Found, Expr: ir.C(ir.Bool(true))})
		}
	}
	switch {
	case target.Once:
		b.Emit(&ir.Break{At: expr.At(pos), Label: target.Label})
	case next && target.Next != "":
		target.WantNext = true
		b.Emit(&ir.Break{At: expr.At(pos), Label: target.Next})
	case next && innermost:
		b.Emit(&ir.Continue{At: expr.At(pos)})
	case next:
		b.Emit(&ir.Continue{At: expr.At(pos), Label: b.labelOf(target)})
	case innermost && target.Loop && target.Label == "":
		b.Emit(&ir.Break{At: expr.At(pos)})
	default:
		b.Emit(&ir.Break{At: expr.At(pos), Label: b.labelOf(target)})
	}
}

// labelOf gives the label of a loop or block, which gets one if it has none.
func (b *Core) labelOf(l *expr.LoopLabel) string {
	if l.Label == "" {
		l.Label = b.NewLabel(syntax.NameOr(l.Name, "loop"))
	}
	return l.Label
}
