package polysi

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/txrobust/robust/checker"
	"github.com/txrobust/robust/checker/brute"
	"github.com/txrobust/robust/checker/internal/historytest"
	"github.com/txrobust/robust/checker/verify"
	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/isolation"
)

// strong are the verdicts of the list about SI and SER.
var strong = regexp.MustCompile(`\b(SI|SER)=(ACCEPT|REJECT)\b`)

// empty are histories without a transaction: what the list says is that of the same
// test case in another format.
var empty = map[string]bool{
	"weak/C4/testcase/viper/tap-a": true, "weak/C4/testcase/viper/tap-b": true,
	"weak/C4/testcase/viper/tap-c": true, "weak/C4/testcase/viper/tap-d": true,
}

// TestRecorded compares with all verdicts about SI and SER that come with recorded
// histories. A history that violates a weak level violates these.
func TestRecorded(t *testing.T) {
	n, verdicts := 0, 0
	for _, r := range historytest.Recordings(t) {
		want := map[isolation.Level]checker.Verdict{}
		for _, m := range strong.FindAllStringSubmatch(r.Verdicts, -1) {
			l, err := isolation.ParseLevel(m[1])
			if err != nil {
				t.Fatal(err)
			}
			want[l] = checker.Violated
			if m[2] == "ACCEPT" {
				want[l] = checker.Satisfied
			}
		}
		for _, weak := range []string{"RC=VIOL", "RA=VIOL", "CC=VIOL"} {
			if strings.Contains(r.Verdicts, weak) && !empty[r.Path] && !strings.Contains(r.Path, "/elle/") {
				want[isolation.SI], want[isolation.SER] = checker.Violated, checker.Violated
			}
		}
		if len(want) == 0 {
			continue
		}
		t.Run(r.Path, func(t *testing.T) {
			h := historytest.ReadRecorded(t, r.Path)
			if testing.Short() && h.NumTxns() > 3000 {
				t.Skip("it is large")
			}
			n++
			got, err := Check(context.Background(), h, Options{Levels: Levels()})
			if err != nil {
				t.Fatal(err)
			}
			for l, v := range want {
				verdicts++
				if got.Verdict(l) != v {
					t.Errorf("%s is %s, the list says %s\n%s", l, got.Verdict(l), v, tell(h, got))
				}
			}
			verifyAll(t, h, got)
			if h.NumTxns() > 9 {
				return
			}
			same, err := brute.Check(context.Background(), h, brute.Options{Levels: Levels()})
			if err != nil {
				t.Fatal(err)
			}
			for i, a := range same.Answers {
				if a.Verdict != got.Answers[i].Verdict && got.Answers[i].Verdict != checker.Unknown {
					t.Errorf("%s is %s, by brute force %s", a.Level, got.Answers[i].Verdict, a.Verdict)
				}
			}
		})
	}
	t.Logf("%d verdicts about %d histories", verdicts, n)
	if n < 200 {
		t.Errorf("only %d histories have verdicts", n)
	}
}

// verifyAll makes sure of all witnesses, and of the edges of all violations.
func verifyAll(t *testing.T, h *history.History, r *checker.Result) {
	t.Helper()
	for _, a := range r.Answers {
		if a.Verdict != checker.Satisfied {
			continue
		}
		if err := verify.Witness(h, a.Level, a.Order, a.Snapshots); err != nil {
			t.Errorf("the witness of %s: %v", a.Level, err)
		}
	}
	if err := checkViolations(h, r); err != nil {
		t.Error(err)
	}
}
