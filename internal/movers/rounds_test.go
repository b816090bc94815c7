package movers

import (
	"fmt"
	"testing"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/testprog"
)

// TestRoundsLeave: a round of a loop with any number of rounds may leave a block
// around it, although other blocks have followed that one when the round is asked
// for; and what it does may be a statement that is not modelled. Neither is proved
// robust, but the twin is, which writes a row that all of its kind write first.
func TestRoundsLeave(t *testing.T) {
	const program = `program rounds
table shift (k int, n int not null, key (k))
table doctor (id int, shift int not null, off bool not null, key (id))
txn leave(p int not null, s int not null, more bool not null) {
  local c int; local go bool; local n int
  %s
  c := 0
  block out {
    while c < n {
      (go) := select d.off from doctor d where d.id == c
      if go { break out }
      %s
      c := c + 1
    }
  }
  block after { if more { break after } n := 1 }
  block last { if go { break last } n := 2 }
  (n) := select agg count(*) int from doctor d where d.shift == s and not d.off
  if n < 2 { abort }
  update doctor d set off = true where d.id == p and d.shift == s
}
`
	for _, c := range []struct{ first, inside string }{
		{"", ""},
		{"", "unmodelled (doctor) 'a call'"},
	} {
		p := testprog.Parse(t, fmt.Sprintf(program, c.first, c.inside))
		if res := mustProve(t, p, Options{Engine: engine.SI()}); res.Verdict == Robust {
			t.Errorf("%q: robust, but two may leave at once", c.inside)
		}
	}
	p := testprog.Parse(t, fmt.Sprintf(program, "(n) := select r.n from shift r where r.k == 1\n  if n is null { abort }\n  update shift r set n = r.n + 1 where r.k == 1", ""))
	if res := mustProve(t, p, Options{Engine: engine.SI()}); res.Verdict != Robust {
		t.Errorf("%v %v, want robust: all write one row", res.Verdict, res.Walks)
	}
}

// TestRoundsOfAnything: a statement that may do anything reads and writes what it wants in each round of a loop, too.
// The twins are the same with the statement once, and with an update of one row in its place.
func TestRoundsOfAnything(t *testing.T) {
	const anything, one = "unmodelled (t) 'DO'", "update t r set v = 1 where r.k == 1"
	for _, c := range []struct {
		loop, body string
		robust     bool
	}{
		{"%s", anything, false},
		{"while n > 0 { %s; n := * }", anything, false},
		{"while n > 0 { %s; n := * }", one, true},
		{"for i in 1 .. n { %s }", anything, false},
		{"for i in 1 .. n { %s }", one, true},
		{"foreach (i) := select q.k from u q where true { %s }", anything, false},
		{"foreach (i) := select q.k from u q where true { %s }", one, true},
		{"for i in 1 .. n { if i > 3 { %s } }", anything, false},
	} {
		body := fmt.Sprintf(c.loop, c.body)
		p := testprog.Parse(t, `program anything
table t (k int, v int not null, key (k))
table u (k int, key (k))
txn x (n int) { local i int; local j int; `+body+` }`)
		res := mustProve(t, p, Options{Engine: engine.Postgres()})
		if robust := res.Verdict == Robust; robust != c.robust {
			t.Errorf("%s: %v, want robust %v", body, res.Verdict, c.robust)
		}
	}
}
