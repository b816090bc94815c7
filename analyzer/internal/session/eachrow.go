package session

import (
	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/internal/client"
)

// EachRow writes a loop over the rows of a query, which is of the transaction and not sent
// yet: body is what is done for each row, and may be called several times, until what
// changes in the loop is known. fails ends the loop with an error. The result is the error
// of the loop.
func (in *Session) EachRow(rs *memory.Rows, body func(fails func(f *memory.Failure))) *memory.Failure {
	in.NeedsSent(rs)
	in.St.Sent[rs] = true
	l := &rowLoop{Session: in, rs: rs, entry: in.St, changing: map[*memory.Cell]bool{}, cells: in.Cells}
	start, vars, labels := len(*in.Out), len(in.Vars), in.Labels
	for {
		*in.Out = (*in.Out)[:start]
		in.Vars, in.Labels = in.Vars[:vars], labels
		if err, done := l.round(body); done {
			return err
		}
	}
}

// rowLoop is a loop over the rows of a query.
type rowLoop struct {
	*Session
	rs    *memory.Rows
	entry *memory.State // in front of the loop
	// changing are the cells that the loop changes, of those with a number up to cells.
	changing map[*memory.Cell]bool
	cells    int
	// code is the variable with the code of the error that ends the loop, how whether
	// that wraps another one, label that of the loop, ends the states where it is left.
	code  string
	how   memory.Wrapping
	label string
	ends  []*memory.State
}

// forget makes unknown what the loop changes.
func (l *rowLoop) forget() {
	for _, c := range memory.Ordered(l.changing) {
		l.Forget(c)
	}
}

// emit says that something which is not known may depend on what the loop changes.
func (l *rowLoop) emit() {
	for _, c := range memory.Ordered(l.changing) {
		l.EmitValue(l.Load(c))
	}
}

// round writes the loop with what is known to change in it. done is false where the body
// changes more.
func (l *rowLoop) round(body func(fails func(f *memory.Failure))) (err *memory.Failure, done bool) {
	q := l.rs.Query
	q.Null = ""
	l.code, l.how, l.ends = l.Temp("err", client.Int, false), memory.Plain, nil
	l.Set(l.code, memory.ConstInt(memory.CodeNil))
	l.St = l.entry.Clone()
	l.forget()
	base := l.St.Clone()
	q.Into, q.ByName = nil, nil
	s := &client.ForRows{At: client.At{Pos: l.rs.Pos}, Label: l.Label("loop"), Query: q}
	l.label = s.Label
	l.Emit(s)
	l.Into(&s.Body, func() {
		l.forget()
		l.Loops++
		body(l.fails)
		l.Loops--
		if l.St != nil {
			l.emit()
		}
	})
	if l.St == nil {
		l.St = base
	}
	if l.more(base) {
		return nil, false
	}
	phase := l.St.Phase
	l.St = base
	l.St.Phase = phase
	l.forget()
	return memory.FailureOf(client.V(l.code), l.how), true
}

// fails ends the loop with an error, if it is one.
func (l *rowLoop) fails(f *memory.Failure) {
	l.how = l.JoinWraps([]*memory.Failure{{Other: client.V(l.code), Wraps: l.how}, f})
	l.Either(l.Failed(f), func() {
		l.emit()
		l.AssignFailure(l.code, f)
		l.Emit(&client.Break{At: l.At(), Label: l.label})
		l.ends = append(l.ends, l.St)
		l.St = nil
	}, func() {})
}

// more finds cells that the body changes and that were not known to change.
func (l *rowLoop) more(base *memory.State) bool {
	more := false
	for _, st := range append(l.ends, l.St) {
		for c := range st.Mem {
			if c.Seq > l.cells || l.changing[c] {
				continue
			}
			if was, ok := base.Mem[c]; !ok || !memory.Same(was, st.Mem[c]) {
				l.changing[c], more = true, true
			}
		}
	}
	return more
}
