package c4

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/checker/brute"
	"github.com/txrobust/robust/internal/checker/explain"
	"github.com/txrobust/robust/internal/checker/historytest"
	"github.com/txrobust/robust/isolation"
)

var random = historytest.RandomFlags("c4")

// shape is what a random history may contain.
type shape struct {
	name                       string
	duplicates, lists, ranges  bool
	aborts, unknowns, unloaded bool
}

var shapes = []shape{
	{name: "plain"},
	{name: "outcomes", aborts: true, unknowns: true},
	{name: "duplicates", duplicates: true, unknowns: true},
	{name: "lists", lists: true},
	{name: "lists-outcomes", lists: true, aborts: true, unknowns: true, duplicates: true},
	{name: "ranges", ranges: true, duplicates: true},
	{name: "unloaded", unloaded: true, duplicates: true},
	{name: "all", duplicates: true, lists: true, ranges: true, aborts: true, unknowns: true, unloaded: true},
}

// randomHistory makes a small history whose reads return anything that was
// written to the key, or nothing, and sometimes what nobody wrote.
func randomHistory(r *rand.Rand, sh shape) *history.History {
	b := history.NewBuilder()
	sessions := make([]history.Session, 1+r.IntN(3))
	for i := range sessions {
		sessions[i] = b.Session(history.Int(int64(i)))
	}
	keys := 1 + r.IntN(3)
	isList := make([]bool, keys)
	for k := range keys {
		b.IntKey(int64(k))
		isList[k] = sh.lists && r.IntN(3) > 0
		if sh.unloaded && !isList[k] && r.IntN(2) == 0 {
			b.SetInitial(b.IntKey(int64(k)), history.NoValue)
		}
	}
	type op struct {
		write, span bool
		key, value  int
	}
	txns := make([][]op, 1+r.IntN(6))
	written := make([][]int, keys)
	next := 1
	for i := range txns {
		for range 1 + r.IntN(4) {
			o := op{write: r.IntN(2) == 0, key: r.IntN(keys)}
			if o.write {
				o.value = next
				if next++; sh.duplicates && r.IntN(3) == 0 {
					o.value = 1 + r.IntN(3)
				}
				written[o.key] = append(written[o.key], o.value)
			} else {
				o.span = sh.ranges && r.IntN(3) == 0
			}
			txns[i] = append(txns[i], o)
		}
	}
	value := func(k int) history.Value {
		n := r.IntN(len(written[k]) + 1)
		switch {
		case r.IntN(100) == 0:
			return b.IntValue(99)
		case n == 0:
			return history.Initial
		}
		return b.IntValue(int64(written[k][n-1]))
	}
	// What lists look like: mostly prefixes of one order.
	orders := make([][]int, keys)
	for k := range keys {
		for _, v := range written[k] {
			if r.IntN(4) > 0 {
				orders[k] = append(orders[k], v)
			}
		}
		if r.IntN(3) == 0 {
			r.Shuffle(len(orders[k]), func(i, j int) { orders[k][i], orders[k][j] = orders[k][j], orders[k][i] })
		}
	}
	for _, ops := range txns {
		status := history.Committed
		switch n := r.IntN(6); {
		case n == 0 && sh.aborts:
			status = history.Aborted
		case n <= 1 && sh.unknowns:
			status = history.Unknown
		}
		b.Txn(sessions[r.IntN(len(sessions))], status)
		for _, o := range ops {
			k := b.IntKey(int64(o.key))
			switch {
			case o.span:
				lo := r.IntN(keys)
				hi := lo + r.IntN(keys-lo)
				var rows history.Range
				rows.Low, rows.High = b.IntValue(int64(lo)), b.IntValue(int64(hi))
				for k := lo; k <= hi; k++ {
					if !isList[k] && r.IntN(4) > 0 {
						rows.LiveKeys = append(rows.LiveKeys, b.IntKey(int64(k)))
						rows.LiveValues = append(rows.LiveValues, value(k))
					}
				}
				b.Range(rows)
			case isList[o.key] && o.write:
				b.Op(history.Append, k, b.IntValue(int64(o.value)))
			case isList[o.key]:
				all := orders[o.key]
				if r.IntN(8) == 0 {
					all = written[o.key]
				}
				var list []history.Value
				for _, v := range all[:r.IntN(len(all)+1)] {
					list = append(list, b.IntValue(int64(v)))
				}
				if r.IntN(100) == 0 {
					list = append(list, b.IntValue(99))
				}
				b.List(history.ReadList, k, list)
			case o.write:
				b.Write(k, b.IntValue(int64(o.value)))
			case r.IntN(20) == 0:
				b.Read(k, history.NoValue)
			default:
				b.Read(k, value(o.key))
			}
		}
	}
	h, err := b.Build()
	if err != nil {
		panic(err)
	}
	return h
}

// compare compares the answers with those of brute force, verifies the orders of
// those that are Satisfied, and the violations. Answers that are Unknown it leaves
// to the caller.
func compare(t *testing.T, h *history.History, r *rand.Rand) ([]checker.Answer, error) {
	want, err := brute.Check(t.Context(), h, brute.Options{Levels: Levels()})
	if err != nil {
		return nil, err
	}
	got, err := Check(t.Context(), h, Options{Limit: -1, Memory: 4 * int64(h.NumTxns()) * int64(r.IntN(3)), First: r.IntN(4) == 0, Workers: 1 + r.IntN(3)})
	if err != nil {
		return nil, err
	}
	for j, l := range Levels() {
		switch a := got.Answers[j]; {
		case a.Verdict == checker.Unknown:
		case a.Verdict != want.Answers[j].Verdict:
			return nil, fmt.Errorf("%s is %s, by brute force %s\n%s%s", l, a.Verdict, want.Answers[j].Verdict, show(h), tell(h, got))
		case a.Verdict == checker.Satisfied:
			if err := verify(h, l, a.Order); err != nil {
				return nil, fmt.Errorf("the order %v for %s: %w\n%s", a.Order, l, err, show(h))
			}
		}
	}
	if err := checkViolations(h, got); err != nil {
		return nil, fmt.Errorf("%w\n%s%s", err, show(h), tell(h, got))
	}
	return got.Answers, nil
}

// TestRandom compares with brute force. What is Unknown is counted: only
// histories of lists with duplicate elements may be.
func TestRandom(t *testing.T) {
	runs, seed := random.Runs(12000, 2000), random.Seed(t)
	type tally struct{ satisfied, violated, unknown int }
	counts := map[string]*tally{}
	for i := range runs {
		sh := shapes[i%len(shapes)]
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		h := randomHistory(r, sh)
		answers, err := compare(t, h, r)
		if err != nil {
			t.Fatalf("-c4.seed %d, history %d (%s): %v", seed, i, sh.name, err)
		}
		for j, l := range Levels() {
			name := fmt.Sprintf("%s %s", sh.name, l)
			if counts[name] == nil {
				counts[name] = &tally{}
			}
			switch a := answers[j]; a.Verdict {
			case checker.Unknown:
				counts[name].unknown++
				if !(sh.lists && sh.duplicates) {
					t.Fatalf("-c4.seed %d, history %d (%s): %s is unknown: %s\n%s", seed, i, sh.name, l, a.Why, show(h))
				}
			case checker.Satisfied:
				counts[name].satisfied++
			case checker.Violated:
				counts[name].violated++
			}
		}
	}
	for _, sh := range shapes {
		for _, l := range Levels() {
			c := counts[fmt.Sprintf("%s %s", sh.name, l)]
			t.Logf("%-16s %s: %d satisfied, %d violated, %d unknown", sh.name, l, c.satisfied, c.violated, c.unknown)
			if c.satisfied == 0 || c.violated == 0 {
				t.Errorf("%s %s: the test tests nothing", sh.name, l)
			}
		}
	}
}

// checkViolations makes sure that violations fit the verdicts, and cycles are
// cycles of edges that exist.
func checkViolations(h *history.History, r *checker.Result) error {
	weakest := map[isolation.Level]bool{}
	for _, v := range r.Violations {
		weakest[v.Level] = true
		if a := r.Answer(v.Level); a.Verdict == checker.Satisfied {
			return fmt.Errorf("%s, but %s is satisfied", v.Anomaly, v.Level)
		}
		if len(v.Cycle) == 0 && v.Read < 0 {
			return fmt.Errorf("%s has neither a read nor a cycle", v.Anomaly)
		}
		if err := checkPath(h, v.Cycle, true); err != nil {
			return fmt.Errorf("%s: %w", v.Anomaly, err)
		}
		for _, e := range v.Cycle {
			if err := checkReason(h, v.Level, e); err != nil {
				return fmt.Errorf("%s: %w", v.Anomaly, err)
			}
		}
		if r.Counts[v.Anomaly] == 0 {
			return fmt.Errorf("%s is not counted", v.Anomaly)
		}
		for _, w := range explain.Violation(h, v) {
			if w == "" {
				return fmt.Errorf("%s has an edge without words", v.Anomaly)
			}
		}
	}
	for _, a := range r.Answers {
		if a.Verdict != checker.Violated {
			continue
		}
		ok := false
		for l := range weakest {
			ok = ok || a.Level.Implies(l)
		}
		if !ok {
			return fmt.Errorf("%s is violated, but no violation says why", a.Level)
		}
	}
	return nil
}

func checkPath(h *history.History, path []checker.Edge, closed bool) error {
	for i, e := range path {
		next := i + 1
		if next == len(path) {
			if next = 0; !closed {
				next = i
			}
		}
		if (closed || i+1 < len(path)) && e.To != path[next].From {
			return fmt.Errorf("edge %d ends at %d, the next begins at %d", i, e.To, path[next].From)
		}
		if h.Status(e.From) == history.Aborted || h.Status(e.To) == history.Aborted {
			if e.Dependency != isolation.SO {
				return fmt.Errorf("edge %d touches an aborted transaction", i)
			}
		}
		switch e.Dependency {
		case isolation.SO:
			if e.From != history.InitialTxn && (h.SessionOf(e.From) != h.SessionOf(e.To) || h.Position(e.From) >= h.Position(e.To)) {
				return fmt.Errorf("edge %d is not of session order", i)
			}
		case isolation.WR:
			if h.TxnOf(e.Read) != e.To || !writes(h, e.From, e.Key) {
				return fmt.Errorf("edge %d is not WR", i)
			}
		case isolation.WW:
			if !writes(h, e.From, e.Key) || !writes(h, e.To, e.Key) {
				return fmt.Errorf("edge %d is not WW", i)
			}
			if len(e.Because) == 0 {
				if h.Kind(e.Read) != history.ReadList {
					return fmt.Errorf("edge %d has no reason", i)
				}
				continue
			}
			wr, seen := e.Because[0], e.Because[1:]
			if wr.Dependency != isolation.WR || wr.From != e.To || wr.Key != e.Key || len(seen) == 0 || seen[0].From != e.From || seen[len(seen)-1].To != wr.To {
				return fmt.Errorf("edge %d has wrong reasons", i)
			}
			if err := checkPath(h, e.Because[:1], false); err != nil {
				return err
			}
			if err := checkPath(h, seen, false); err != nil {
				return err
			}
		default:
			return fmt.Errorf("edge %d is %s", i, e.Dependency)
		}
	}
	return nil
}

// checkReason makes sure that a level makes visible what an edge says was seen.
func checkReason(h *history.History, l isolation.Level, e checker.Edge) error {
	if len(e.Because) == 0 || l == isolation.CC {
		return nil
	}
	wr, seen := e.Because[0], e.Because[1:]
	if len(seen) != 1 || l == isolation.RC && (seen[0].Dependency != isolation.WR || seen[0].Read >= wr.Read) {
		return fmt.Errorf("%s does not make visible what transaction %d is said to see", l, wr.To)
	}
	return nil
}

func writes(h *history.History, t history.Txn, k history.Key) bool {
	for o, end := h.Ops(t); o < end; o++ {
		if h.Kind(o).Writes() && h.Key(o) == k {
			return true
		}
	}
	return t == history.InitialTxn
}

// verify makes sure of the witness: the reads fit a replay of the history in
// which every read of a register finds its value among the final ones of the key,
// and the order contains the session order and all committed transactions.
func verify(h *history.History, l isolation.Level, order []history.Txn) error {
	at := map[history.Txn]int{}
	for i, t := range order {
		if _, twice := at[t]; twice || h.Status(t) == history.Aborted || t == history.InitialTxn {
			return fmt.Errorf("transaction %d does not belong there", t)
		}
		at[t] = i
	}
	for t := history.Txn(1); int(t) < h.NumTxns(); t++ {
		i, ok := at[t]
		if !ok && h.Status(t) == history.Committed {
			return fmt.Errorf("transaction %d is missing", t)
		}
		for u := t - 1; ok && u > 0 && h.SessionOf(u) == h.SessionOf(t); u-- {
			if j, ok := at[u]; ok && j > i {
				return fmt.Errorf("transactions %d and %d are not in session order", u, t)
			}
		}
	}
	return brute.Verify(h, l, order)
}

func show(h *history.History) string {
	out := ""
	for t := history.Txn(1); int(t) < h.NumTxns(); t++ {
		out += fmt.Sprintf("%d, session %d, %s:", t, h.SessionOf(t), h.Status(t))
		for o, end := h.Ops(t); o < end; o++ {
			out += " " + explain.OpWords(h, o)
			if h.Kind(o) == history.ReadRange {
				r := h.Range(o)
				for i, k := range r.LiveKeys {
					out += fmt.Sprintf(" (%s %s)", h.KeyName(k), h.ValueName(r.LiveValues[i]))
				}
			}
			out += ";"
		}
		out += "\n"
	}
	for k := range history.Key(h.NumKeys()) {
		if h.Value(history.Op(k)) == history.NoValue {
			out += fmt.Sprintf("%s: initially not known\n", h.KeyName(k))
		}
	}
	return out
}

func tell(h *history.History, r *checker.Result) string {
	out := ""
	for _, v := range r.Violations {
		for _, w := range explain.Violation(h, v) {
			out += fmt.Sprintf("%s: %s\n", v.Level, w)
		}
	}
	return out
}
