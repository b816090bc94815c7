package compare

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/replay"
	"github.com/txrobust/robust/internal/sqlgen"
)

// Apps checks whole applications, and compares the verdict with executions on the
// server and in the interpreter.
type Apps struct {
	*Pairs
	// Limit bounds the time of a check, with its replays.
	Limit time.Duration
	// Executions is how many a verdict of robust has to stand, on the server.
	Executions int
	// Findings is where findings are replayed, nil where there are none.
	Findings *replay.Server
	AppsTally
	// ReportApp is told of what is wrong.
	ReportApp func(a *sqlgen.App, f Finding)
}

// application is one under check.
type application struct {
	*app
	source *sqlgen.App
	report *robust.Report
	rows   *sqlgen.Node
	// plain says that statements which are not modelled are left out.
	plain bool
}

// App checks one application. Every second one has few tables, mostly idioms, and nothing
// that is not modelled, so that more is found and proved of it. Every fourth one has scripts
// alone, which clients can stop anywhere: it is searched at READ COMMITTED, too.
func (p *Apps) App(ctx context.Context, seed uint64) error {
	start := time.Now()
	defer func() { p.Tally.Spent += time.Since(start) }()
	opt := p.Options
	plain := seed%2 == 1
	if plain {
		opt.Tables, opt.Idioms, opt.Txns = 2, 300, 2*opt.Txns
	}
	scripts := seed%4 == 0
	if scripts {
		opt.Kinds = []sqlgen.Kind{sqlgen.Script}
	}
	a := sqlgen.New(seed, opt)
	rng := rand.New(rand.NewPCG(seed, 14))
	p.Tally.Apps++
	if err := p.Server.reset(); err != nil {
		return err
	}
	p.keepDeclared(a)
	model, err := p.translate(a, rng)
	if err != nil || model == nil {
		return err
	}
	on := &application{app: &app{server: p.Server, model: model, rows: model.rowQueries()}, source: a, plain: plain}
	if ok, err := p.runnable(on, rng); err != nil || !ok {
		return err
	}
	p.count(a, on.model)
	limited, cancel := context.WithTimeout(ctx, p.Limit)
	defer cancel()
	on.report, err = p.verdict(limited, on.model.prog, scripts)
	if err != nil {
		p.Verdicts["error"]++
		what, _, _ := strings.Cut(err.Error(), "\n")
		p.wrongApp(a, Finding{Result: Wrong, Class: "check: " + reason(what), Details: err.Error()})
		return nil
	}
	p.Verdicts[string(on.report.Verdict)]++
	p.open(on.report)
	p.replayed(a, on.report)
	if on.report.Verdict != robust.Robust {
		return nil
	}
	executing := time.Now()
	defer func() { p.Executing += time.Since(executing) }()
	for range p.States {
		on.rows = a.Rows(rng)
		if err := on.load(on.rows); err != nil || !on.holds() {
			continue
		}
		if f := on.explore(ctx, rng); f != nil {
			p.wrongApp(a, *f)
			return nil
		}
		for range p.Executions / p.States {
			if f, err := p.execution(on, rng); err != nil {
				return err
			} else if f != nil {
				p.wrongApp(a, *f)
				return nil
			}
		}
	}
	return nil
}

// runnable leaves out of an application the transactions that the server refuses
// when they run, and of a plain one those that are not modelled. It reports whether two are
// left.
func (p *Apps) runnable(on *application, rng *rand.Rand) (bool, error) {
	a := on.source
	if err := on.load(a.Rows(rng)); err != nil {
		return false, nil
	}
	var good []*sqlgen.Txn
	for _, t := range a.Txns {
		if len(good) == p.Options.Txns {
			break
		}
		if on.plain && hasUnmodelled(on.model.prog.Txn(t.Name)) {
			continue
		}
		refused := false
		for range 3 {
			mix := Mix{Txns: []*sqlgen.Txn{t}, Args: [][]*string{t.Args(rng)}}
			o, err := p.serve(on, &mix, nil)
			if err != nil {
				return false, err
			}
			refused = refused || o.lanes[0].err != nil && invalid(o.lanes[0].err)
		}
		if !refused {
			good = append(good, t)
		}
	}
	if len(good) < 2 {
		return false, nil
	}
	a.Txns = good
	var err error
	if on.model, err = Translate(p.Server.Link, a.Decls, good); err != nil {
		return false, err
	}
	on.app.rows = on.model.rowQueries()
	return true, p.redeclare(a.Decls, good)
}

func hasUnmodelled(t *ir.Txn) bool {
	found := false
	ir.Walk(t.Body, func(s ir.Stmt) {
		_, is := s.(*ir.Unmodelled)
		found = found || is
	})
	return found
}

// holds reports whether the facts that a proof rests on hold of the rows.
func (on *application) holds() bool {
	for _, f := range on.report.Proof.Invariants {
		q := *on.model.prog
		probe := &ir.Txn{Name: "initially", Body: []ir.Stmt{&ir.Assume{
			Cond: ir.NotE(&ir.Exists{Query: ir.Query{From: f.From, Where: ir.NotE(f.Expr)}})}}}
		q.Txns = []*ir.Txn{probe}
		if interp.NewMachine(&q, on.server.profile()).Run(&interp.Instance{Txn: probe}, on.state, nil).Blocked != "" {
			return false
		}
	}
	return true
}

// explore goes through all executions of a few transactions in the interpreter, none of
// which may have an outcome of its own if the program is robust.
func (on *application) explore(ctx context.Context, rng *rand.Rand) *Finding {
	m := interp.NewMachine(on.model.prog, on.server.profile())
	for range 6 {
		var sessions []interp.Session
		for i := range 2 + rng.IntN(2) {
			t := on.source.Txns[rng.IntN(len(on.source.Txns))]
			in, err := on.instance(t, t.Args(rng), on.server.clock())
			if err != nil {
				continue
			}
			in.ID = i + 1
			sessions = append(sessions, interp.Session{in})
		}
		r := m.Explore(ctx, sessions, on.state, interp.Options{AnyOrder: true, MaxExecutions: 3000})
		if r.Verdict == interp.Anomalous {
			var b strings.Builder
			for _, t := range r.Anomaly.Txns {
				fmt.Fprintf(&b, "%s, session %d, snapshot %d\n", t.Run.Inst, t.Session, t.Snapshot)
			}
			return &Finding{Result: Wrong, Class: "robust, but the interpreter has an anomaly", Details: b.String() + "-- rows:\n" + on.texts(on.before)}
		}
	}
	return nil
}

// outcome is what transactions did on the server.
type outcome struct {
	lanes []served // by session
	// order is that of the commits.
	order   []int
	overlap bool
	after   [][]record
}

// serve runs transactions on the server alone. order gives the session that goes on;
// nil runs one after the other, in their order.
func (p *Pairs) serve(on *application, mix *Mix, order func(can []int) int) (*outcome, error) {
	if order == nil {
		order = func(can []int) int { return can[0] }
	}
	o := &outcome{lanes: make([]served, len(mix.Txns))}
	todo := make([][]command, len(mix.Txns))
	next := make([]int, len(mix.Txns))
	for i, t := range mix.Txns {
		todo[i] = commands(t, mix.Args[i])
	}
	mix.Order = nil
	for {
		var can []int
		over, open := true, 0
		for i := range todo {
			over = over && next[i] == len(todo[i])
			if next[i] < len(todo[i]) && !p.pool.sessions[i].busy {
				can = append(can, i)
			}
			if next[i] > 1 && next[i] < len(todo[i]) {
				open++
			}
		}
		o.overlap = o.overlap || open > 1
		if over {
			break
		}
		var replies map[*session]reply
		var err error
		if len(can) > 0 {
			i := order(can)
			mix.Order = append(mix.Order, i)
			p.pool.sessions[i].send(p.pool.ctx, todo[i][next[i]])
			replies, err = p.pool.settle()
		} else {
			replies, err = p.pool.await()
		}
		if err != nil {
			return nil, err
		}
		for i := range todo {
			s := p.pool.sessions[i]
			r, ok := replies[s]
			if !ok {
				continue
			}
			next[i]++
			if r.err != nil {
				o.lanes[i].err = r.err
				next[i] = len(todo[i])
				s.send(p.pool.ctx, command{sql: "ROLLBACK"})
				<-s.done
				s.busy = false
				continue
			}
			if mix.Txns[i].Kind == sqlgen.Script || !mix.Txns[i].Void {
				for _, row := range r.rows {
					at := fmt.Sprint(next[i])
					o.lanes[i].out = append(o.lanes[i].out, row.behind(at))
				}
			}
			if next[i] == len(todo[i]) {
				o.order = append(o.order, i)
			}
		}
	}
	var err error
	o.after, err = p.Server.run(on.app.rows)
	if err == nil {
		o.after = o.after[:len(on.model.prog.Tables)]
	}
	return o, err
}

// execution runs some transactions at once on the server, and looks for a serial order
// of those that commit with the same outcome.
func (p *Apps) execution(on *application, rng *rand.Rand) (*Finding, error) {
	restore := on.restore()
	mix := Mix{Seed: on.source.Seed, Decls: on.source.Decls, Rows: on.rows}
	for range 2 + rng.IntN(10)/6 {
		t := on.source.Txns[rng.IntN(len(on.source.Txns))]
		mix.Txns, mix.Args = append(mix.Txns, t), append(mix.Args, t.Args(rng))
	}
	got, err := p.serve(on, &mix, p.choice(rng, len(mix.Txns)))
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, mix.String())
	}
	p.Tally.Runs++
	p.Tried++
	if err := p.Server.exec(restore); err != nil {
		return nil, err
	}
	if len(got.order) < 2 || !got.overlap {
		return nil, nil
	}
	p.Concurrent++
	for _, order := range permutations(got.order) {
		serial := Mix{}
		for _, i := range order {
			serial.Txns, serial.Args = append(serial.Txns, mix.Txns[i]), append(serial.Args, mix.Args[i])
		}
		o, err := p.serve(on, &serial, nil)
		if err != nil {
			return nil, err
		}
		same := len(o.order) == len(order) && sameOutcome(got, o, order)
		if err := p.Server.exec(restore); err != nil {
			return nil, err
		}
		if same {
			return nil, nil
		}
	}
	var b strings.Builder
	b.WriteString(mix.String())
	for i, l := range got.lanes {
		fmt.Fprintf(&b, "-- session %d: %v\n", i, l.err)
		for _, row := range l.out {
			b.WriteString("gives " + textRow(row) + "\n")
		}
	}
	return &Finding{Result: Wrong, Class: "robust, but the server has an anomaly", Details: b.String() + "-- rows afterwards:\n" + on.texts(got.after)}, nil
}

// choice gives an order that often lets a transaction begin, others run, and the first
// one go on.
func (p *Apps) choice(rng *rand.Rand, n int) func(can []int) int {
	if rng.IntN(3) == 0 {
		return func(can []int) int { return can[rng.IntN(len(can))] }
	}
	delayed, steps, stop := rng.IntN(n), 0, 2+rng.IntN(3)
	return func(can []int) int {
		if slices.Contains(can, delayed) && steps < stop {
			steps++
			return delayed
		}
		others := slices.DeleteFunc(slices.Clone(can), func(i int) bool { return i == delayed })
		if len(others) > 0 {
			return others[0]
		}
		return can[0]
	}
}

// permutations gives all orders, first the one that is given.
func permutations(list []int) [][]int {
	if len(list) <= 1 {
		return [][]int{slices.Clone(list)}
	}
	var out [][]int
	for i := range list {
		for _, rest := range permutations(without(list, i)) {
			out = append(out, append([]int{list[i]}, rest...))
		}
	}
	return out
}

// sameOutcome compares an execution with a serial one of the transactions in order.
// Values of sequences may differ.
func sameOutcome(got, serial *outcome, order []int) bool {
	var bags []bag
	for k, i := range order {
		bags = append(bags, bag{model: symbols(got.lanes[i].out), server: untyped(serial.lanes[k].out)})
	}
	for i := range got.after {
		bags = append(bags, bag{model: symbols(got.after[i]), server: untyped(serial.after[i])})
	}
	budget := 100000
	return newBindings().match(bags, &budget)
}

// sequenced is where the values of sequences begin (Server.sequences).
const sequenced = 1000000

// symbols makes values of the model from rows of the server: those of sequences become
// FRESH ones.
func symbols(rows []record) [][]ir.Value {
	var out [][]ir.Value
	for _, row := range rows {
		var vals []ir.Value
		for _, text := range row.texts {
			v := ir.Null
			if text != nil {
				v = ir.Text(*text)
				if i, ok := read(text, ir.IntType); ok && i.I >= sequenced && i.I < 100*sequenced {
					v = ir.Int(fresh + i.I)
				}
			}
			vals = append(vals, v)
		}
		out = append(out, vals)
	}
	return out
}

// untyped leaves out the types, so that texts are compared.
func untyped(rows []record) []record {
	out := make([]record, len(rows))
	for i, r := range rows {
		out[i] = record{r.texts, make([]ir.Domain, len(r.texts))}
	}
	return out
}

// wrongApp reports what is wrong with an application.
func (p *Apps) wrongApp(a *sqlgen.App, f Finding) {
	class := reason(f.Class)
	p.Tally.Wrong[class]++
	if p.Tally.Wrong[class] > p.Each || p.ReportApp == nil {
		return
	}
	p.ReportApp(a, f)
}
