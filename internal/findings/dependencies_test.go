package findings_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust/internal/findings"
	"github.com/txrobust/robust/ir/irtext"
)

// TestDependencies: who depends on whom, on which columns, and in which statements.
func TestDependencies(t *testing.T) {
	p, err := irtext.Parse("p", `program p
table t (k int not null, v int not null, w int not null, key (k))
table u (k int not null, key (k))
txn look() { local n int; (n) := select r.v from t r where r.k == 1; emit n; }
txn change() { update t r set w = 1 where r.v == 2; }
txn remove() { delete t where t.k == 3; }
txn other() { insert u (k) values (1); }`)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range findings.Dependencies(p) {
		for _, m := range e.Meetings {
			got = append(got, fmt.Sprintf("%s %s %s %s %d %d", e.From, e.Type, e.To, m.What(), m.From.Line, m.To.Line))
		}
		if e.Vulnerable != (e.Type == "RW") {
			t.Errorf("%s %s %s is vulnerable: %v", e.From, e.Type, e.To, e.Vulnerable)
		}
	}
	want := []string{
		"look RW remove t 4 6", // a row goes with all of its columns
		"change WW change t.w 5 5",
		"change WW remove t 5 6",
		"change RW remove t 5 6",
		"remove WR look t 6 4",
		"remove WR change t 6 5",
		"remove WW remove t 6 6",
		"remove RW remove t 6 6",
		"remove WR remove t 6 6",
		"other WW other u 7 7",
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the dependencies are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
