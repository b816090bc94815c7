package readcommitted_test

import (
	"slices"
	"testing"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/readcommitted"
	"github.com/txrobust/robust/internal/testprog"
)

// TestApps: the anomalies of whole applications are found, whichever pair of
// transactions, and so whichever tables, the search began with.
func TestApps(t *testing.T) {
	// The transactions that commit first come first.
	for app, pair := range map[string][2]string{
		"courseware": {"remove_course", "enroll_student"},
		"smallbank":  {"deposit_checking", "write_check"},
	} {
		t.Run(app, func(t *testing.T) {
			p := testprog.Load(t, testprog.Path(t, "apps", app))
			res, err := readcommitted.Search(t.Context(), readcommitted.Query{Program: p, Engine: engine.Postgres()})
			if err != nil {
				t.Fatal(err)
			}
			var found [][2]string
			for _, a := range res.Anomalies {
				found = append(found, [2]string{a.Calls[0].Txn.Name, a.Calls[1].Txn.Name})
			}
			if !slices.Contains(found, pair) {
				t.Errorf("%v is missing in %v", pair, found)
			}
		})
	}
}
