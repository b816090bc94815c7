package readcommitted_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/witness"
	"github.com/txrobust/robust/report"
	"github.com/txrobust/robust/sqlmodel"
)

// TestPublished: SmallBank as Vandevoort, Ketsman and Neven have it (VLDB 2021, section 7), with atomic updates. The largest sets
// that are robust there are proved, and the least ones that are not are refuted; write_check alone decides by what is no longer so, and where
// it locks the row first, it takes a deposit in savings to see what is wrong.
func TestPublished(t *testing.T) {
	for _, c := range []struct {
		set  string
		want witness.Kind // "" for robust
	}{
		{"amalgamate deposit_checking transact_savings", ""},
		{"balance deposit_checking", ""},
		{"balance transact_savings", ""},
		{"write_check", witness.NonRepeatableRead},
		{"balance amalgamate", witness.ReadSkew},
		{"balance deposit_checking transact_savings", witness.ReadSkew},
		{"write_check_locked", ""},
		{"transact_savings write_check_locked", witness.LongCycle},
	} {
		t.Run(c.set, func(t *testing.T) {
			files := []string{"testdata/smallbank/schema.sql"}
			for name := range strings.FieldsSeq(c.set) {
				files = append(files, filepath.Join("testdata/smallbank", name+".sql"))
			}
			p, err := sqlmodel.Load(t.Context(), files, sqlmodel.Options{})
			if err != nil {
				t.Fatal(err)
			}
			rep, err := robust.Check(t.Context(), p, robust.Options{Question: robust.Question{Engine: engine.Postgres(), Isolation: "rc"}})
			if err != nil {
				t.Fatal(err)
			}
			if c.want == "" {
				if rep.Verdict != robust.Robust {
					t.Errorf("%s, want a proof", rep.Verdict)
				}
				return
			}
			if list := rep.Confirmed(); len(list) == 0 || list[0].Kind != c.want || list[0].Class != report.ReadCommittedOnly {
				t.Errorf("%s: %v, want %s", rep.Verdict, list, c.want)
			}
		})
	}
}
