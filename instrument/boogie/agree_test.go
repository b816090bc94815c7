package boogie

import (
	"flag"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/instrument"
	"github.com/txrobust/robust/internal/testprog"
	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/reach"
)

// agree fails unless Boogie and reach say the same of p, for executions of up
// to n transactions. It gives the times of both, and whether the error state
// was reached; decided is false when reach hit another bound.
func agree(t testing.TB, name string, p *ir.Program, n int, opt Options, search reach.Options) (reached, decided bool, ours, theirs time.Duration) {
	t.Helper()
	search.MaxTxns, search.Values = n, opt.Values
	start := time.Now()
	r := reach.Explore(t.Context(), p, search)
	ours = time.Since(start)
	text, err := Export(p, opt)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	rounds := n
	if strings.Count(text, "while (") > 1 {
		rounds += 12 // the loops inside of transactions
	}
	fails, ok, theirs, said := verify(t, text, strconv.Itoa(rounds), 5*time.Minute)
	if fails && rounds > n && r.Verdict == reach.BoundHit {
		// Boogie unrolls all loops as often: it may have run more transactions.
		search.MaxTxns = rounds
		if r = reach.Explore(t.Context(), p, search); r.Verdict == reach.BoundHit {
			t.Logf("%s: reach stops at %s", name, r.Reason)
			return fails, false, ours, theirs
		}
	}
	switch {
	case !ok:
		t.Errorf("%s: boogie gave no answer in %v", name, theirs)
	case r.Verdict == reach.BoundHit && !onlyTxns(r.Reason, n):
		t.Logf("%s: reach stops at %s", name, r.Reason)
		return fails, false, ours, theirs
	case fails != (r.Verdict == reach.Reached):
		t.Errorf("%s: boogie reaches the error state: %v, reach: %v %s %v\n%s", name, fails, r.Verdict, r.Reason, r.Trace, said)
	}
	return fails, true, ours, theirs
}

// onlyTxns reports whether the only bound hit is the number of transactions,
// or the values tried, which are the same ones.
func onlyTxns(reason string, n int) bool {
	return strings.HasPrefix(reason, "only some values of parameter") || reason == "executions of more than "+strconv.Itoa(n)+" transactions"
}

// modes are those of testdata/litmus/VERDICTS.tsv.
var modes = []struct {
	name string
	opt  instrument.Options
}{
	{"classic", instrument.Options{Classic: true}},
	{"default", instrument.Options{}},
	{"postgres", instrument.Options{Engine: engine.Postgres()}},
}

var allModes = flag.Bool("all", false, "run every litmus program in every mode, not in one of them")

// TestLitmus: on every litmus program Boogie and reach agree: in the modes in
// turn, or with -all in every mode, which takes minutes.
func TestLitmus(t *testing.T) {
	have(t)
	for i, l := range testprog.LitmusPrograms(t) {
		p := l.Program(t)
		for k, m := range modes {
			if !*allModes && k != i%len(modes) {
				continue
			}
			q, err := instrument.Rewrite(p, m.opt)
			if err != nil {
				t.Fatal(err)
			}
			t.Run(l.File+"/"+m.name, func(t *testing.T) {
				t.Parallel()
				if _, decided, _, _ := agree(t, l.File, q, transactions(p), Options{Rows: 4}, reach.Options{}); !decided {
					t.Errorf("reach does not decide it")
				}
			})
		}
	}
}

// transactions counts those of the processes, which are finitely many.
func transactions(p *ir.Program) int {
	n := 0
	for _, pr := range p.Processes {
		n += len(pr.Txns) * pr.Copies
	}
	return n
}
