package compare

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/sqlgen"
)

// interrupt compares an execution at READ COMMITTED: the first transaction of a mix, a
// script, stops before one of its statements, the others run from begin to end, and it
// goes on. What the interpreter says of it must happen on the server. An execution that
// the interpreter does not have is none of its claims.
func (p *Pairs) interrupt(a *app, mix *Mix, rng *rand.Rand) (f Finding, err error) {
	defer func() {
		if r := recover(); r != nil {
			f = Finding{Result: Wrong, Class: fmt.Sprint("panic: ", r)}
		}
	}()
	var list []*interp.Instance
	for i, t := range mix.Txns {
		in, err := a.instance(t, mix.Args[i], nil)
		if err != nil {
			return Finding{}, err
		}
		in.ID = i + 1
		list = append(list, in)
	}
	a.model.marks.used = false
	cut := 1 + rng.IntN(1+len(mix.Txns[0].Node.Kids))
	var found []*interp.Execution
	at := -1 // the statement before which the first one stops
	var kid int
	inText := true // it is a statement of the transaction
	_, undecided := a.model.machine.Interrupt(list[0], list[1:], a.state, cut, func(x *interp.Execution) bool {
		split := x.Txns[len(x.Txns)-1].Split
		if kid = len(mix.Txns[0].Node.Kids); split.Stmt != nil {
			kid = a.model.kidOf(mix.Txns[0].Node, list[0].Txn, split.Stmt)
			inText = inText && kid >= 0
		}
		if at < 0 {
			at = kid
		}
		if kid == at { // a branch may lead to another place
			found = append(found, x.Clone())
		}
		return true
	})
	switch {
	case len(found) == 0 && undecided != "":
		_, why, _ := strings.Cut(undecided, "): ")
		return Finding{Result: Unmodelled, Class: "at READ COMMITTED: " + why}, nil
	case len(found) == 0:
		return Finding{Result: Aborts}, nil
	case !inText:
		return Finding{Result: Undecided, Class: "it is not known before which statement the transaction stops"}, nil
	}
	mix.Order = stops(mix, at)
	o, why, err := p.atReadCommitted(a, mix, at)
	if err != nil {
		return Finding{}, err
	}
	if why == "" {
		for _, x := range found {
			if a.sameExecution(mix, x, o) {
				return Finding{Result: Commits, Several: len(found) > 1, Opaque: a.model.marks.used}, nil
			}
		}
		why = "other results"
	}
	if why == "waits" && len(found) > 1 { // the server has chosen other rows
		return Finding{Result: Undecided, Class: "at READ COMMITTED the server waits for one of the executions of the model"}, nil
	}
	f = Finding{Result: Wrong, Class: "at READ COMMITTED the model has an execution, the server: " + why, Opaque: a.model.marks.used}
	if a.model.marks.used || undecided != "" {
		f.Result = Open
	}
	for i, l := range o.lanes {
		if t := list[i].Txn; f.Result == Wrong && l.err != nil && evaluation(l.err) && mayFail(t) {
			return Finding{Result: Undecided, Class: f.Class + planned(t)}, nil
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "-- stops before statement %d\n", at)
	for i, l := range o.lanes {
		fmt.Fprintf(&b, "-- session %d: %v\n", i, l.err)
		for _, row := range l.out {
			b.WriteString("gives " + textRow(row) + "\n")
		}
	}
	f.Details = b.String() + "-- rows of the server:\n" + a.texts(o.after) + "-- of the model:\n" + a.dump(found[0].Last())
	return f, nil
}

// stops is the order of sessions of such an execution, for the words.
func stops(mix *Mix, at int) []int {
	var out []int
	for range at + 1 {
		out = append(out, 0)
	}
	for i := 1; i < len(mix.Txns); i++ {
		for range commands(mix.Txns[i], mix.Args[i]) {
			out = append(out, i)
		}
	}
	return append(out, 0)
}

// atReadCommitted runs the execution on the server. why says that it is another one.
func (p *Pairs) atReadCommitted(a *app, mix *Mix, at int) (o *outcome, why string, err error) {
	o = &outcome{lanes: make([]served, len(mix.Txns)), after: make([][]record, len(a.model.prog.Tables))}
	defer func() {
		if e := p.pool.end(); err == nil {
			err = e
		}
	}()
	run := func(i int, list []command) (bool, error) {
		for _, c := range list {
			c.sql = strings.Replace(c.sql, "REPEATABLE READ", "READ COMMITTED", 1)
			s := p.pool.sessions[i]
			s.send(p.pool.ctx, c)
			replies, err := p.pool.settle()
			if err != nil {
				return false, err
			}
			r, ok := replies[s]
			if !ok {
				why = "waits"
				return false, nil
			}
			if r.err != nil {
				o.lanes[i].err = r.err
				why = code(r.err)
				return false, nil
			}
			o.lanes[i].out = append(o.lanes[i].out, r.rows...)
			if mix.Txns[i].Kind != sqlgen.Script && (mix.Txns[i].Void || c.sql == "SELECT 1") {
				o.lanes[i].out = nil
			}
		}
		return true, nil
	}
	first := commands(mix.Txns[0], mix.Args[0])
	if ok, err := run(0, first[:at+1]); err != nil || !ok {
		return o, why, err
	}
	for i := 1; i < len(mix.Txns); i++ {
		if ok, err := run(i, commands(mix.Txns[i], mix.Args[i])); err != nil || !ok {
			return o, why, err
		}
	}
	if ok, err := run(0, first[at+1:]); err != nil || !ok {
		return o, why, err
	}
	rows, err := a.server.run(a.rows)
	if err == nil {
		o.after = rows[:len(a.model.prog.Tables)]
	}
	return o, "", err
}

// sameExecution compares the results and rows of an execution.
func (a *app) sameExecution(mix *Mix, x *interp.Execution, o *outcome) bool {
	var bags []bag
	for _, t := range x.Txns {
		i := t.Run.Inst.ID - 1
		if mix.Txns[i].Void && mix.Txns[i].Kind != sqlgen.Script {
			continue
		}
		b := bag{server: o.lanes[i].out}
		for _, s := range t.Run.Steps {
			if s.Counted { // rows of which only the number is known
				n := int(s.Emitted[0][0].I)
				if n > len(b.server) {
					return false
				}
				b.any += n
				continue
			}
			b.model = append(b.model, s.Emitted...)
		}
		bags = append(bags, b)
	}
	budget := 50000
	return newBindings().match(append(bags, a.bags(x.Last(), o.after)...), &budget)
}
