package symbolic

import "context"

// MaxSteps is how many statements Within executes by default. Loops whose number
// of rounds is open multiply them, one inside another; what takes more is no
// question that a solver would answer.
const MaxSteps = 10_000

// TooLarge is the reason where a bound on steps was reached.
const TooLarge = "a question is too large to be stated"

// checkEvery is how many looks there are for one at a context.
const checkEvery = 64

// effort bounds what is executed.
type effort struct {
	ctx   context.Context
	max   int // 0: without bound
	steps int
	looks int
}

// Within makes terms of a World, with build, such as by running instances. The
// answer says why that did not come to its end: TooLarge after max statements (0:
// any number), or the error of ctx. It is "" if it did. Otherwise what was made is
// of no use, and no question about the World is answered any more.
func (w *World) Within(ctx context.Context, max int, build func()) (stopped string) {
	before := w.effort
	w.effort = &effort{ctx: ctx, max: max}
	defer func() {
		w.effort = before
		if w.stopped != "" {
			recover() // the panic of step
			stopped = w.stopped
		}
	}()
	build()
	return ""
}

// step counts a statement. It ends the function that Within runs, with a panic that
// Within recovers: terms are made deep inside of each other, without errors.
func (w *World) step() {
	e := w.effort
	if e == nil {
		return
	}
	if e.steps++; e.max > 0 && e.steps > e.max {
		w.stop(TooLarge)
	}
	w.look()
}

// look ends the function that Within runs if there are too many terms, or nobody
// waits for them any more. It is for what makes many terms within one statement.
func (w *World) look() {
	e := w.effort
	if e == nil {
		return
	}
	e.looks++
	switch {
	case w.MaxStated > 0 && w.B.Size() > w.MaxStated:
		w.stop(TooLarge)
	case e.looks%checkEvery == 0 && e.ctx.Err() != nil:
		w.stop(e.ctx.Err().Error())
	}
}

func (w *World) stop(why string) {
	w.stopped = why
	panic(why)
}
