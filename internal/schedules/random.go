package schedules

import (
	"math/rand"
	"slices"

	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
)

// MaxCalls is the largest number of calls of which all orders are executed: without a
// solver no anomaly of more of them is found.
const MaxCalls = 4

const (
	// maxRows bounds the random rows of a table, but for a few that have more.
	maxRows = 2
	// maxExecutions bounds the executions of one random situation.
	maxExecutions = 1500
	// maxFixed bounds them where the situation is the only one.
	maxFixed = 200000
	// maxMisses is how many useless draws there may be per Options.Tries, and
	// maxRepeats how many situations in a row may have come before.
	maxMisses  = 6
	maxRepeats = 100
	// derivedTries is how many times as many situations are tried where there
	// are derivations: the solver, who takes over then, does not know what they
	// give. mendedTries is the same, also for useless draws, where few of those
	// drawn could be.
	derivedTries = 20
	mendedTries  = 6
	// quickMisses, quickDerived and quickMended are the same for a quick search.
	quickMisses  = 2
	quickDerived = 4
	quickMended  = 3
	// maxAgain is how many times a row that does not fit is drawn again.
	maxAgain = 4
	// longMiss is how many useless draws one counts for that takes long.
	longMiss = 10
)

// random is the concrete search.
func (s *search) random() *found {
	if s.fixed() {
		sit := s.draw(rand.New(rand.NewSource(1)))
		if !s.possible(sit) {
			s.stats.Exhausted = true
			return nil
		}
		s.stats.Tries++
		f, complete := s.explore(sit, maxFixed)
		s.stats.Exhausted = f == nil && complete
		return f
	}
	if s.opt.Tries < 0 || len(s.calls)-s.builders > MaxCalls {
		return nil
	}
	most := s.opt.Tries
	switch {
	case !s.derives():
	case s.opt.Quick:
		most *= quickDerived
	default:
		most *= derivedTries
	}
	return s.drawn(most, func(sit *situation) *found {
		f, _ := s.explore(sit, maxExecutions)
		return f
	})
}

// drawn tries random situations, at most so many, until one has an anomaly.
// Where most of those drawn cannot be, or do nothing, others follow that are
// drawn with more care.
func (s *search) drawn(most int, try func(*situation) *found) *found {
	misses, mended := maxMisses*s.opt.Tries, mendedTries
	if s.opt.Quick {
		misses, mended = quickMisses*s.opt.Tries, quickMended
	}
	s.mends = false
	f, tries := s.situations(most, misses, try)
	if f == nil && tries < most/4 && s.opt.Init == AnyRows {
		s.mends = true
		f, _ = s.situations(mended*most, mended*misses, try)
	}
	return f
}

// situations is drawn, one way, until so many situations were tried, or so many
// drawn in vain. It gives how many were tried.
func (s *search) situations(most, misses int, try func(*situation) *found) (f *found, tries int) {
	r := rand.New(rand.NewSource(s.opt.Seed + 1))
	seen := map[string]bool{}
	repeats := 0
	for tries < most && misses > 0 && repeats < maxRepeats {
		if s.ctx.Err() != nil {
			return nil, tries
		}
		sit := s.draw(r)
		key := sit.key()
		if seen[key] {
			repeats++
			continue
		}
		seen[key] = true
		repeats = 0
		if !s.possible(sit) {
			misses--
			continue
		}
		if ok, cost := s.promising(sit); !ok {
			misses -= cost
			continue
		}
		tries++
		s.stats.Tries++
		if f := try(sit); f != nil {
			return f, tries
		}
	}
	return nil, tries
}

// derives reports whether some call computes a derivation.
func (s *search) derives() bool {
	return s.have(func(st ir.Stmt) bool {
		found := false
		for _, e := range ir.Exprs(st) {
			ir.WalkExpr(e, func(e ir.Expr) {
				call, ok := e.(*ir.Call)
				found = found || ok && call.Def != nil
			})
		}
		return found
	})
}

// fixed reports whether there is nothing to choose but the order.
func (s *search) fixed() bool {
	if s.opt.Init == AnyRows || s.builders > 0 {
		return false
	}
	for _, c := range s.calls {
		if len(c.Txn.Params) > 0 || len(s.havocs[c.Txn]) > 0 {
			return false
		}
	}
	return true
}

// explore goes through all orders of a situation, and of parts of it, after the
// builders have run. complete says that it came to the end.
func (s *search) explore(sit *situation, bound int) (f *found, complete bool) {
	list := s.instances(sit.calls)
	db := interp.NewDB(s.program, sit.rows)
	for _, in := range list[:s.builders] {
		next, why := s.machine.Commit(s.machine.Run(in, db, nil), db, nil)
		if why != "" {
			return nil, true
		}
		db = next
	}
	res := s.machine.Explore(s.ctx, bySession(sit.calls[s.builders:], list[s.builders:]), db,
		interp.Options{AnyOrder: s.opt.AnyOrder, MaxExecutions: bound, Certain: !s.opt.Doubtful})
	switch {
	case res.Verdict == interp.Undecided:
		return nil, false
	case res.Verdict != interp.Anomalous:
		return nil, true
	}
	// Keep the calls that committed.
	index := map[*interp.Instance]int{}
	for i, in := range list {
		index[in] = i
	}
	taken := map[int]bool{}
	for i := range sit.calls[:s.builders] {
		taken[i] = true
	}
	for _, t := range res.Anomaly.Txns {
		taken[index[t.Run.Inst]] = true
	}
	part := &situation{rows: sit.rows}
	number := map[int]int{}
	for i, c := range sit.calls {
		if taken[i] {
			number[i] = len(part.calls)
			part.calls = append(part.calls, c)
		}
	}
	var o Order
	for _, t := range res.Anomaly.Txns {
		o.Commits = append(o.Commits, number[index[t.Run.Inst]]-s.builders)
		o.Snapshots = append(o.Snapshots, t.Snapshot)
	}
	o = o.after(s.builders)
	if v, _, _ := s.judge(part).decide(o); v != anomalous {
		return nil, false
	}
	return &found{part, o, "random"}, true
}

// promising reports whether at least two of the calls get to their ends on the
// initial state, and enough of them write: the first two to take their snapshots
// mostly do, the one that is delayed and the one that changes what it read. cost is
// how many useless draws this one counts for, if it is one.
func (s *search) promising(sit *situation) (ok bool, cost int) {
	if s.builders > 0 {
		return true, 0
	}
	cost = 1
	db := interp.NewDB(s.program, sit.rows)
	ends, writes := 0, 0
	for _, in := range s.instances(sit.calls) {
		run := s.machine.Run(in, db, nil)
		if run.Blocked == interp.TooLong {
			cost = longMiss
		}
		if run.Blocked == "" {
			ends++
			if len(run.Ops) > 0 {
				writes++
			}
		}
	}
	return ends >= 2 && writes >= s.writers, cost
}

// draw makes a random situation.
func (s *search) draw(r *rand.Rand) *situation {
	sit := &situation{rows: make([][][]ir.Value, len(s.program.Tables))}
	pick := func(t valueType) ir.Value {
		list := s.values.of(t)
		if len(list) == 0 {
			return ir.Null
		}
		switch n := r.Intn(10); {
		case n < 5:
			return list[r.Intn(min(2, len(list)))]
		case n < 8:
			return list[r.Intn(min(4, len(list)))]
		}
		return list[r.Intn(len(list))]
	}
	for i, t := range s.program.Tables {
		switch {
		case s.opt.Init == FileRows, s.opt.Init == NoRows && t.Var:
			sit.rows[i] = t.Rows
			continue
		case s.opt.Init == NoRows:
			continue
		case t.Var:
			sit.rows[i] = [][]ir.Value{{pick(columnType(t, 0))}}
			continue
		}
	}
	related, crowded := s.mends, false
	s.spare = nil
	if s.opt.Init == AnyRows {
		for _, i := range s.parentsFirst {
			switch t := s.program.Tables[i]; {
			case t.Var || s.empty[t]:
			case s.crowd(r, sit, i, pick):
				related, crowded = true, true
			default:
				s.drawRows(r, sit, i, pick)
			}
			s.nearSum(r, sit, i)
		}
	}
	for i, c := range s.calls {
		d := &Call{Txn: c.Txn, Session: c.Session, Havocs: map[*ir.Havoc][]ir.Value{}}
		for k, p := range c.Txn.Params {
			v := variant(r, s.hints.args[argument{c.Txn, p.Name}], pick(valueType{p.Type, p.Domain}))
			if related {
				v = s.spareFor(r, p, s.related(r, sit, c.Txn, k, v))
			}
			switch {
			case crowded && !p.Fresh && s.newKeys[argument{c.Txn, p.Name}] && r.Intn(2) == 0:
				v = freshValue(valueType{p.Type, p.Domain}, 2*mostCrowd+10*i+k)
			case p.Fresh:
				v = freshValue(valueType{p.Type, p.Domain}, 10*i+k)
			case !p.NotNull && r.Intn(12) == 0:
				v = ir.Null
			}
			d.Params = append(d.Params, v)
		}
		for _, site := range s.havocs[c.Txn] {
			for n := 0; n < 2; n++ {
				v := pick(s.types[site])
				if !site.NotNull && r.Intn(12) == 0 {
					v = ir.Null
				}
				d.Havocs[site] = append(d.Havocs[site], v)
			}
		}
		sit.calls = append(sit.calls, d)
	}
	return sit
}

func columnType(t *ir.Table, c int) valueType {
	return valueType{t.Columns[c].Type, t.Columns[c].Domain}
}

// drawRows makes rows of one table, which refer to parents that are there.
func (s *search) drawRows(r *rand.Rand, sit *situation, table int, pick func(valueType) ir.Value) {
	t := s.program.Tables[table]
	keys := map[string]bool{}
	n := r.Intn(maxRows + 1)
	if r.Intn(8) == 0 {
		n += 2
	}
	if s.mends && n == 0 && r.Intn(4) > 0 {
		n = 1 // few conditions are true of no rows
	}
	for range n {
		row := s.drawRow(r, sit, table, pick)
		for again := 0; s.mends && !s.fits(sit, table, row); again++ {
			if again == maxAgain {
				return
			}
			row = s.drawRow(r, sit, table, pick)
		}
		if k := keyText(t, row); !keys[k] {
			keys[k] = true
			sit.rows[table] = append(sit.rows[table], row)
		}
	}
}

// drawRow makes a row that refers to parents that are there, and is in no other
// way sure to be possible.
func (s *search) drawRow(r *rand.Rand, sit *situation, table int, pick func(valueType) ir.Value) []ir.Value {
	t := s.program.Tables[table]
	row := make([]ir.Value, len(t.Columns))
	for c, col := range t.Columns {
		row[c] = variant(r, s.hints.cells[place{table, c}], pick(columnType(t, c)))
		if s.mends {
			row[c] = s.hints.cell(r, place{table, c}, row[c])
		}
		if !col.NotNull && !t.IsKey(c) && r.Intn(6) == 0 {
			row[c] = ir.Null
		}
	}
	for _, fk := range t.ForeignKeys {
		ref := s.program.TableIndex(fk.Ref)
		if len(sit.rows[ref]) == 0 || ref == table {
			continue
		}
		parent := sit.rows[ref][r.Intn(len(sit.rows[ref]))]
		for i, c := range fk.Columns {
			row[c] = parent[fk.RefColumns[i]]
		}
	}
	return row
}

// fits reports whether a row has its parents, for which it may get NULL as a
// reference, satisfies the CHECKs, and goes together with the other rows of its
// table in the situation.
func (s *search) fits(sit *situation, table int, row []ir.Value) bool {
	t := s.program.Tables[table]
	for _, fk := range t.ForeignKeys {
		parents := sit.rows[s.program.TableIndex(fk.Ref)]
		if slices.ContainsFunc(parents, func(parent []ir.Value) bool {
			for i, c := range fk.Columns {
				if row[c] != parent[fk.RefColumns[i]] {
					return false
				}
			}
			return true
		}) {
			continue
		}
		optional := slices.IndexFunc(fk.Columns, func(c int) bool { return row[c].IsNull() || !t.Columns[c].NotNull && !t.IsKey(c) })
		if optional < 0 {
			return false
		}
		row[fk.Columns[optional]] = ir.Null
	}
	return s.valid.alone(table, row, sit.rows[table])
}

// parentsFirst orders tables so that those that foreign keys refer to come
// before, where there is no cycle.
func parentsFirst(p *ir.Program) []int {
	var out []int
	state := make([]int, len(p.Tables))
	var visit func(i int)
	visit = func(i int) {
		if state[i] != 0 {
			return
		}
		state[i] = 1
		for _, fk := range p.Tables[i].ForeignKeys {
			visit(p.TableIndex(fk.Ref))
		}
		out = append(out, i)
	}
	for i := range p.Tables {
		visit(i)
	}
	return out
}
