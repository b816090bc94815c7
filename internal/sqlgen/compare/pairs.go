package compare

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sqlgen"
)

// Pairs compares interleavings of a few transactions at REPEATABLE READ.
type Pairs struct {
	Calls
	// Interleavings is how many each state of an application meets.
	Interleavings int
	// ReadCommitted compares executions at READ COMMITTED instead.
	ReadCommitted bool
	// ReportMix is told of what is wrong, made smaller.
	ReportMix func(Mix, Finding)
	pool      *pool
}

// maxSessions is how many transactions run at once, at most.
const maxSessions = 3

// NewPairs takes connections from connect, besides that of the calls.
func NewPairs(ctx context.Context, calls Calls, connect func() Link) (*Pairs, error) {
	p := &Pairs{Calls: calls, Interleavings: 8, pool: &pool{ctx: ctx, monitor: connect()}}
	for range maxSessions {
		s := &session{conn: connect()}
		p.pool.sessions = append(p.pool.sessions, s)
		if err := s.conn.prepare(ctx); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// Mix is an interleaving of transactions.
type Mix struct {
	Seed  uint64
	Decls *sqlgen.Node
	Rows  *sqlgen.Node
	Txns  []*sqlgen.Txn // one for each session
	Args  [][]*string
	// Order says which session goes on, again and again; those that wait or are over
	// are passed over.
	Order []int
}

// String is the interleaving for a reader.
func (x *Mix) String() string {
	var b strings.Builder
	b.WriteString(x.Decls.String())
	seen := map[*sqlgen.Node]bool{}
	for _, t := range x.Txns {
		if t.Kind != sqlgen.Script && !seen[t.Node] {
			seen[t.Node] = true
			b.WriteString(t.Node.String() + ";\n")
		}
	}
	b.WriteString(x.Rows.String())
	for i, t := range x.Txns {
		fmt.Fprintf(&b, "-- session %d:\n", i)
		for _, c := range commands(t, x.Args[i]) {
			fmt.Fprintf(&b, "%s;", c.sql)
			for k, a := range c.args {
				fmt.Fprintf(&b, " -- $%d = %s", k+1, show(a))
			}
			b.WriteByte('\n')
		}
	}
	fmt.Fprintf(&b, "-- order: %v\n", x.Order)
	return b.String()
}

// lane is a session of an interleaving.
type lane struct {
	txn      *sqlgen.Txn
	in       *interp.Instance
	todo     []command
	next     int
	snapshot int // the version that it reads, -1 before
	out      [][]record
	over     bool
}

// world is an execution of the model that agrees with the server so far.
type world struct {
	x    *interp.Execution
	bind *bindings
}

// play runs an interleaving on the server and in the model. order gives the session
// that goes on, of those that can; what it gave is kept.
func (p *Pairs) play(a *app, mix *Mix, order func(can []int) int) (f Finding, err error) {
	defer func() {
		if r := recover(); r != nil {
			f = Finding{Result: Wrong, Class: fmt.Sprint("panic: ", r)}
			err = p.pool.end()
		}
	}()
	var lanes []*lane
	for i, t := range mix.Txns {
		in, err := a.instance(t, mix.Args[i], a.server.clock())
		if errors.Is(err, errArgument) {
			return Finding{Result: Invalid, Class: errArgument.Error()}, nil
		}
		if err != nil {
			return Finding{}, err
		}
		in.ID = i + 1
		lanes = append(lanes, &lane{txn: t, in: in, todo: commands(t, mix.Args[i]), snapshot: -1})
	}
	if why := a.beyond(lanes); why != "" {
		return Finding{Result: Unmodelled, Class: why}, nil
	}
	g := &game{a: a, lanes: lanes, worlds: []world{{&interp.Execution{Versions: []*interp.DB{a.state}}, newBindings()}}}
	a.model.marks.used = false
	mix.Order = nil
	for g.finding == nil {
		var can []int
		over := true
		for i, l := range lanes {
			over = over && l.over
			if !l.over && !p.pool.sessions[i].busy {
				can = append(can, i)
			}
		}
		if over {
			break
		}
		var replies map[*session]reply
		if len(can) > 0 {
			i := order(can)
			mix.Order = append(mix.Order, i)
			g.sends(i)
			p.pool.sessions[i].send(p.pool.ctx, lanes[i].todo[lanes[i].next])
			if replies, err = p.pool.settle(); err != nil {
				return Finding{}, err
			}
		} else if replies, err = p.pool.await(); err != nil {
			return Finding{}, err
		}
		p.receive(g, replies)
	}
	if err := p.pool.end(); err != nil {
		return Finding{}, err
	}
	if g.finding == nil {
		g.end()
	}
	g.finding.Opaque = a.model.marks.used
	if g.finding.Result == Wrong {
		g.finding.Details = strings.Join(g.log, "") + g.finding.Details
		if a.model.marks.used {
			g.finding.Result = Open
		}
	}
	return *g.finding, nil
}

// beyond says why the engine's profile says nothing of the transactions that run, "" if it
// does.
func (a *app) beyond(lanes []*lane) string {
	prog := *a.model.prog
	prog.Txns = nil
	for _, l := range lanes {
		prog.Txns = append(prog.Txns, l.in.Txn)
	}
	why := a.server.profile().Beyond(&prog)
	if i := strings.Index(why, " looks for rows"); i >= 0 {
		why = why[i:]
	}
	return why
}

// receive takes replies: first those of COMMIT, which let others go on.
func (p *Pairs) receive(g *game, replies map[*session]reply) {
	for _, commits := range []bool{true, false} {
		for i, l := range g.lanes {
			s := p.pool.sessions[i]
			r, ok := replies[s]
			if !ok || (l.next == len(l.todo)-1) != commits || g.finding != nil {
				continue
			}
			delete(replies, s)
			l.next++
			if r.err != nil {
				g.aborted(i, r.err)
				l.over = true
				s.send(p.pool.ctx, command{sql: "ROLLBACK"})
				<-s.done
				s.busy = false
				continue
			}
			l.out = append(l.out, r.rows)
			g.say("%d: %s -> %s\n", i, l.todo[l.next-1].sql, rowsText(r.rows))
			if commits {
				g.committed(i)
				l.over = true
			}
		}
	}
}

func rowsText(rows []record) string {
	var list []string
	for _, r := range rows {
		list = append(list, textRow(r))
	}
	return strings.Join(list, " ")
}

// game is an interleaving under way.
type game struct {
	a       *app
	lanes   []*lane
	worlds  []world
	commits int
	finding *Finding
	log     []string
	// lenient leaves out errors of evaluation.
	lenient bool
}

func (g *game) say(format string, args ...any) { g.log = append(g.log, fmt.Sprintf(format, args...)) }

// sends notes when a session takes its snapshot: before it waits for anything.
func (g *game) sends(i int) {
	if l := g.lanes[i]; l.snapshot < 0 && l.next > 0 && takesSnapshot(l.todo[l.next].sql) {
		l.snapshot = g.commits
	}
}

// takesSnapshot reports whether a command takes the snapshot of its transaction.
func takesSnapshot(sql string) bool {
	for _, word := range []string{"BEGIN", "LOCK TABLE", "SAVEPOINT", "RELEASE", "ROLLBACK TO", "SET", "COMMIT"} {
		if strings.HasPrefix(sql, word+" ") || sql == word {
			return false
		}
	}
	return true
}

func (g *game) ends(r Result, class, details string) {
	if g.finding == nil {
		g.finding = &Finding{Result: r, Class: class, Details: details}
	}
}

// runs goes through what a session may have done in a world, as far as that agrees
// with what it was given. It ends the game where the model cannot follow.
func (g *game) runs(i int, w world, f func(run *interp.Run, snap int, bind *bindings)) {
	l := g.lanes[i]
	first := l.snapshot
	if first < 0 { // LOCK TABLE takes none
		first = len(w.x.Versions) - 1
	}
	last := first
	if g.a.server.late() {
		last = len(w.x.Versions) - 1
	}
	for snap := first; snap <= last && g.finding == nil; snap++ {
		g.runsAt(i, w, snap, f)
	}
}

// runsAt is runs for a snapshot.
func (g *game) runsAt(i int, w world, snap int, f func(run *interp.Run, snap int, bind *bindings)) {
	l := g.lanes[i]
	for run := range g.machine().EachRun(l.in, w.x.Versions[snap], nil, snap == len(w.x.Versions)-1) {
		if run.Unmodelled != nil {
			g.ends(Unmodelled, run.Unmodelled.Reason, "")
			return
		}
		if why := run.Undecided(); why != "" {
			g.ends(TooLong, why, "")
			return
		}
		bind := w.bind.clone()
		if run.Blocked != "" || g.agrees(l, run, bind) {
			f(run, snap, bind)
		}
	}
}

// agrees reports whether a run gives what the server gave so far.
func (g *game) agrees(l *lane, run *interp.Run, bind *bindings) bool {
	budget := 20000
	if l.txn.Kind != sqlgen.Script {
		if l.txn.Void || len(l.out) < 3 {
			return true
		}
		if counted(run) {
			rows := emitted(run)
			return len(rows) == 1 && rows[0][0] == ir.Int(int64(len(l.out[2])))
		}
		return bind.match([]bag{{model: emitted(run), server: l.out[2]}}, &budget)
	}
	bags, ok := g.a.emittedBy(l.txn, run, l.out[min(1, len(l.out)):])
	return ok && bind.match(bags, &budget)
}

// committed is the commit of a session on the server.
func (g *game) committed(i int) {
	var next []world
	var why []string
	for _, w := range g.worlds {
		agreed := 0
		g.runs(i, w, func(run *interp.Run, snap int, bind *bindings) {
			agreed++
			x := w.x.Clone()
			if no := g.a.model.machine.Extend(x, interp.Committed{Run: run, Session: i, Snapshot: snap}); no != "" {
				why = append(why, no)
				return
			}
			if !slices.ContainsFunc(next, func(o world) bool { return len(o.bind.to)+len(bind.to) == 0 && sameEffect(o.x, x) }) {
				next = append(next, world{x, bind})
			}
		})
		if agreed == 0 {
			why = append(why, "other results")
		}
	}
	if g.finding != nil {
		return
	}
	if len(next) == 0 && !g.a.model.marks.used && g.leavesOut(i) {
		g.ends(Undecided, "server commits, model: "+plainWords(why[0]), "")
		return
	}
	if len(next) == 0 && why[0] == overflow {
		g.ends(TooLong, overflow, "")
		return
	}
	if len(next) == 0 {
		g.ends(Wrong, "server commits, model: "+plainWords(why[0]), g.explain(i))
		return
	}
	g.worlds = next[:min(len(next), 200)]
	g.commits++
}

// overflow is why a run ends that multiplies the large numbers which stand for FRESH ones.
const overflow = "integer overflow"

// sameEffect reports whether two executions leave the same rows, and exclude the same
// later transactions: a row that is written with the values that it had is written.
func sameEffect(a, b *interp.Execution) bool {
	if a.Last().String() != b.Last().String() {
		return false
	}
	return slices.EqualFunc(a.Txns, b.Txns, func(s, t interp.Committed) bool {
		return slices.EqualFunc(s.Run.Ops, t.Run.Ops, func(p, q interp.Op) bool { return p.Kind == q.Kind && p.Table == q.Table && p.Key == q.Key })
	})
}

// leavesOut reports whether a session commits where it leaves out errors of evaluation.
func (g *game) leavesOut(i int) bool {
	g.lenient = true
	defer func() { g.lenient = false }()
	found := false
	for _, w := range g.worlds {
		g.runs(i, w, func(run *interp.Run, snap int, bind *bindings) {
			found = found || g.a.model.machine.Extend(w.x.Clone(), interp.Committed{Run: run, Session: i, Snapshot: snap}) == ""
		})
	}
	return found
}

func (g *game) machine() *interp.Machine {
	if g.lenient {
		return g.a.lenient()
	}
	return g.a.model.machine
}

// undoes reports whether a command rolls back to a savepoint. What is rolled back may
// run at the snapshot or at the commit in the model, so that it may succeed there while
// the server runs it in between.
func undoes(c command) bool { return strings.HasPrefix(c.sql, "ROLLBACK TO") }

// aborted is the end of a session on the server by an error.
func (g *game) aborted(i int, err error) {
	k := code(err)
	g.say("%d: %s -> %v\n", i, g.lanes[i].todo[g.lanes[i].next-1].sql, err)
	if invalid(err) || k == "" {
		g.ends(Invalid, err.Error(), "")
		return
	}
	if waited(err) || slices.ContainsFunc(g.lanes[i].todo, undoes) {
		return
	}
	refused, why := false, ""
	for _, w := range g.worlds {
		g.runs(i, w, func(run *interp.Run, snap int, bind *bindings) {
			x := w.x.Clone()
			if no := g.a.model.machine.Extend(x, interp.Committed{Run: run, Session: i, Snapshot: snap}); no != "" {
				refused = true
			}
			why = cmp.Or(why, leftOut(err, run))
		})
	}
	if why != "" && !refused {
		g.ends(LeftOut, why, "")
	}
	if g.finding == nil && !refused && !g.a.model.marks.used && evaluation(err) && mayFail(g.lanes[i].in.Txn) {
		g.ends(Undecided, "server "+k+", model commits"+planned(g.lanes[i].in.Txn), "")
	}
	if g.finding == nil && !refused {
		g.ends(Wrong, "server "+k+", model commits", g.explain(i))
	}
}

// explain shows what the model does with a session now.
func (g *game) explain(i int) string {
	var b strings.Builder
	w := g.worlds[0]
	fmt.Fprintf(&b, "-- the model, session %d on version %d of %d:\n", i, g.lanes[i].snapshot, len(w.x.Versions)-1)
	for run := range g.a.model.machine.EachRun(g.lanes[i].in, w.x.Versions[max(g.lanes[i].snapshot, 0)], nil, false) {
		if run.Blocked != "" {
			fmt.Fprintf(&b, "aborts: %s\n", run.Blocked)
		} else {
			b.WriteString(g.a.words(run, run.After))
		}
		if b.Len() > 3000 {
			break
		}
	}
	return b.String()
}

// end compares the rows that are left.
func (g *game) end() {
	rows, err := g.a.server.run(g.a.rows)
	if err != nil {
		g.ends(TooLong, err.Error(), "")
		return
	}
	rows = rows[:len(g.a.model.prog.Tables)]
	for _, w := range g.worlds {
		budget := 50000
		if w.bind.match(g.a.bags(w.x.Last(), rows), &budget) {
			if g.commits == len(g.lanes) {
				g.ends(Commits, "", "")
			} else {
				g.ends(Aborts, "", "")
			}
			return
		}
	}
	g.ends(Wrong, "the rows afterwards differ", "-- the server:\n"+g.a.texts(rows)+"-- the model:\n"+g.a.dump(g.worlds[0].x.Last()))
}

// App compares interleavings of one application.
func (p *Pairs) App(seed uint64) error {
	start := time.Now()
	defer func() { p.Tally.Spent += time.Since(start) }()
	a := sqlgen.New(seed, p.Options)
	rng := rand.New(rand.NewPCG(seed, 13))
	p.Tally.Apps++
	if err := p.Server.reset(); err != nil {
		return err
	}
	p.keepDeclared(a)
	model, err := p.translate(a, rng)
	if err != nil || model == nil {
		return err
	}
	on := &app{server: p.Server, model: model, rows: model.rowQueries()}
	p.count(a, model)
	for range p.States {
		rows := a.Rows(rng)
		if err := on.load(rows); err != nil {
			continue // TestCalls reports it
		}
		restore := on.restore()
		for range p.Interleavings {
			mix := Mix{Seed: seed, Decls: a.Decls, Rows: rows}
			for range 2 + rng.IntN(10)/7*(maxSessions-2) {
				t := a.Txns[rng.IntN(len(a.Txns))]
				mix.Txns, mix.Args = append(mix.Txns, t), append(mix.Args, t.Args(rng))
			}
			committed := p.ReadCommitted && mix.Txns[0].Kind == sqlgen.Script
			var f Finding
			var err error
			if committed {
				f, err = p.interrupt(on, &mix, rng)
			} else {
				f, err = p.play(on, &mix, func(can []int) int { return can[rng.IntN(len(can))] })
			}
			if err != nil {
				return fmt.Errorf("%w\n%s", err, mix.String())
			}
			p.Tally.Runs++
			p.Tally.add(f)
			if f.Result == Wrong && committed {
				if p.Tally.Wrong[reason(f.Class)]++; p.ReportMix != nil && p.Tally.Wrong[reason(f.Class)] <= p.Each {
					p.ReportMix(mix, f)
				}
			} else if f.Result == Wrong {
				if err := p.wrongMix(mix, f); err != nil {
					return err
				}
				if err := p.again(a, on, rows); err != nil {
					return err
				}
			}
			if err := p.Server.exec(restore); err != nil {
				return fmt.Errorf("the rows cannot be brought back: %w", err)
			}
		}
	}
	return nil
}

// checkMix runs an interleaving from the beginning.
func (p *Pairs) checkMix(mix *Mix) (Finding, error) {
	var txns []*sqlgen.Txn
	for _, t := range mix.Txns {
		if !slices.Contains(txns, t) {
			txns = append(txns, t)
		}
	}
	if err := p.redeclare(mix.Decls, txns); err != nil {
		return Finding{Result: Invalid}, nil
	}
	m, err := Translate(p.Server.Link, mix.Decls, txns)
	if err != nil {
		return Finding{Result: Invalid}, nil
	}
	on := &app{server: p.Server, model: m, rows: m.rowQueries()}
	if err := on.load(mix.Rows); err != nil {
		return Finding{Result: Invalid}, nil
	}
	left := slices.Clone(mix.Order)
	return p.play(on, mix, func(can []int) int {
		for len(left) > 0 {
			i := left[0]
			left = left[1:]
			if slices.Contains(can, i) {
				return i
			}
		}
		return can[0]
	})
}

// wrongMix makes an interleaving smaller and reports it.
func (p *Pairs) wrongMix(mix Mix, f Finding) error {
	class := reason(f.Class)
	p.Tally.Wrong[class]++
	if p.Tally.Wrong[class] > p.Each || p.ReportMix == nil {
		return nil
	}
	mix.Decls, mix.Rows = mix.Decls.Clone(), mix.Rows.Clone()
	copies := map[*sqlgen.Txn]*sqlgen.Txn{}
	all := &sqlgen.Node{Kids: []*sqlgen.Node{mix.Rows, mix.Decls}}
	mix.Txns = slices.Clone(mix.Txns)
	for i, t := range mix.Txns {
		if copies[t] == nil {
			c := *t
			c.Node = t.Node.Clone()
			copies[t] = &c
			all.Kids = append(all.Kids, c.Node)
		}
		mix.Txns[i] = copies[t]
	}
	var failure error
	order := slices.Clone(mix.Order)
	keep := func() bool {
		mix.Order = slices.Clone(order)
		g, err := p.checkMix(&mix)
		if err != nil {
			failure = err
			return false
		}
		if g.Result != Wrong || reason(g.Class) != class {
			return false
		}
		f = g
		return true
	}
	if keep() {
		sqlgen.Shrink(all, p.Budget, keep)
		keep()
	} else {
		f.Details += "(not found again from the beginning)\n"
	}
	p.ReportMix(mix, f)
	return failure
}
