package movers

import (
	"context"
	"fmt"
	"math/rand"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/cache"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/progen"
	"github.com/txrobust/robust/internal/testprog"
)

// answers gives every question of a result with its answer, in order.
func answers(res *Result) []string {
	out := []string{res.Verdict.String(), res.Reason}
	if res.Evidence != nil {
		for _, a := range res.Evidence.Asked {
			out = append(out, fmt.Sprint(a.Question, " ", a.Result, " ", a.Needed))
		}
	}
	return out
}

// TestCache proves random programs and their mutants with one cache, and again
// without: what is remembered of one program must not be an answer for another.
func TestCache(t *testing.T) {
	r := random.Source(t)
	dir := cache.Open(t.TempDir(), "test", cache.Secret{})
	o := progen.All
	o.Loops = false // some take long
	p := progen.Program(r, o)
	remembered := 0
	runs := min(random.Runs(), 150)
	prove := func(opt Options) (*Result, bool) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		res, err := Prove(ctx, p, opt)
		if err != nil {
			t.Fatalf("%v\n%s", err, p)
		}
		return res, ctx.Err() == nil && res.Stats.Solver.Unknown == 0
	}
	began, tried, asked, askedAgain := time.Now(), 0, 0, 0
	for i := range runs {
		if time.Since(began) > 30*time.Second {
			break
		}
		switch {
		case i%12 == 0:
			p = progen.Program(r, o)
		default:
			p = progen.Mutant(r, p)
		}
		opt := Options{Engine: modes[r.Intn(len(modes))].engine, Classic: r.Intn(4) == 0, MaxQuestions: 4, MaxWindow: 1, MaxWalks: 1, Limit: 40000}
		plain, ok1 := prove(opt)
		opt.Cache = dir
		first, ok2 := prove(opt)
		again, ok3 := prove(opt)
		if !ok1 || !ok2 || !ok3 {
			continue // what the solver's bounds leave open depends on what it was asked before
		}
		tried++
		for what, res := range map[string]*Result{"with the cache of other programs": first, "again": again} {
			if (res.Verdict == Robust) != (plain.Verdict == Robust) {
				t.Errorf("program %d: %v %s, but %v without:\n%s", i, res.Verdict, what, plain.Verdict, p)
			}
		}
		if got, want := answers(again), answers(first); !slices.Equal(got, want) {
			t.Errorf("program %d: again %v, before %v\n%s", i, got, want, p)
		}
		if again.Stats.Queries < first.Stats.Queries {
			remembered++
		}
		asked += first.Stats.Queries
		askedAgain += again.Stats.Queries
	}
	// What cannot be executed symbolically is unknown, and not kept.
	if askedAgain > asked/4 {
		t.Errorf("%d questions, and %d of them again", asked, askedAgain)
	}
	if tried > 20 && remembered == 0 {
		t.Errorf("none of %d programs had something remembered: the test says little", tried)
	}
}

// TestCacheKeys: whatever of a program changes, but for positions and the order
// in which it was read, its text for the cache changes too.
func TestCacheKeys(t *testing.T) {
	seen := map[string]*ir.Program{}
	r := rand.New(rand.NewSource(1))
	for range 300 {
		p := progen.Program(r, progen.All)
		for _, x := range p.Txns {
			s := text(x)
			if old := seen[s]; old != nil && old.Txn(x.Name).String() != x.String() {
				t.Fatalf("two templates have one text:\n%s\n%s", x, old.Txn(x.Name))
			}
			seen[s] = p
		}
	}
	a, b := testprog.Parse(t, "program p var x = 0 txn t { x := 1 }"), testprog.Parse(t, "program p\n\n var x = 0\n txn t {\n x := 1 }")
	if text(a.Txns[0]) != text(b.Txns[0]) {
		t.Error("positions count")
	}
	// Every kind of field that the statements and expressions have is spelled.
	for _, e := range engine.All() {
		if text(e) == "" {
			t.Error("an engine has no text")
		}
	}
	if text([]ir.Expr{nil, ir.C(ir.Int(1))}) == text([]ir.Expr{ir.C(ir.Int(1)), nil}) || reflect.DeepEqual(text(map[string]bool{"a": true}), text(map[string]bool{"a": false})) {
		t.Error("different values have one text")
	}
}

// TestCacheIncrement: when one template changes, only questions with it are
// asked again.
func TestCacheIncrement(t *testing.T) {
	dir := cache.Open(t.TempDir(), "test", cache.Secret{})
	opt := Options{Engine: engine.Postgres(), Cache: dir}
	p := testprog.Load(t, testprog.Path(t, "apps", "playlist-deletetrack"))
	first := mustProve(t, p, opt)
	q := testprog.Load(t, testprog.Path(t, "apps", "playlist-deletetrack"))
	for _, x := range q.Txns {
		if x.Name == p.Txns[len(p.Txns)-1].Name {
			x.Body = append([]ir.Stmt{&ir.Assume{Cond: ir.C(ir.Bool(true))}}, x.Body...)
		}
	}
	again := mustProve(t, q, opt)
	if first.Verdict != Robust || again.Verdict != Robust || first.Stats.Queries < 50 || again.Stats.Queries > first.Stats.Queries/2 {
		t.Errorf("%v with %d questions, then %v with %d", first.Verdict, first.Stats.Queries, again.Verdict, again.Stats.Queries)
	}
}
