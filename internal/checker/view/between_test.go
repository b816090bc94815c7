package view

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/txrobust/robust/checker/judge"
	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/history/codec"
)

// TestBetween: whatever an anomaly is, arrows or lines lead from each of its transactions
// to another one, and its explanation calls them by their names only.
func TestBetween(t *testing.T) {
	all, err := txtar.ParseFile("../elle/testdata/anomalies.txtar")
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]bool{}
	for _, f := range all.Files {
		if filepath.Ext(f.Name) != ".edn" {
			continue
		}
		h, _, err := codec.Decode(t.Context(), bytes.NewReader(f.Data), f.Name, codec.Options{Format: codec.EDN, Strict: true})
		if err != nil {
			t.Fatal(err)
		}
		r, err := judge.Check(t.Context(), h, judge.Options{})
		if err != nil {
			t.Fatal(err)
		}
		rep := New(f.Name, "edn", h, 0, r)
		for i, a := range rep.drawing().Anomalies {
			for _, s := range a.Text {
				if strings.Contains(s, f.Name+":") {
					t.Errorf("%s: %s: a transaction is called by its place: %s", f.Name, a.Name, s)
				}
			}
			for n, x := range a.Txns {
				drawn := slices.ContainsFunc(a.Edges, func(e pageEdge) bool { return e.From == x || e.To == x })
				if !drawn && len(a.Txns) > 1 && rep.r.Anomalies[i].Txns[n] != history.InitialTxn {
					t.Errorf("%s: nothing leads to the transaction %d of %s, or from it", f.Name, n, a.Name)
				}
			}
			if len(a.Txns) > 1 && len(rep.Anomalies[i].Edges) == 0 {
				kinds[a.Name] = true
			}
		}
	}
	if !kinds["lost-update"] || len(kinds) < 5 {
		t.Errorf("only these are no cycles: %v", kinds)
	}
}
