package boogie

import (
	"testing"
	"time"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/instrument"
	"github.com/txrobust/robust/internal/testprog"
	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/reach"
)

// samples gives two values of every type, as the tests of package reach do.
func samples(t ir.Type) []ir.Value {
	switch t.Kind {
	case ir.KindInt:
		return []ir.Value{ir.Int(1), ir.Int(2)}
	case ir.KindNum:
		return []ir.Value{ir.Int(1).Convert(t), ir.Int(2).Convert(t)}
	case ir.KindBool:
		return []ir.Value{ir.Bool(false), ir.Bool(true)}
	case ir.KindText:
		return []ir.Value{ir.Text("a"), ir.Text("b")}
	case ir.KindTime:
		return []ir.Value{ir.Time(1), ir.Time(2)}
	}
	return []ir.Value{ir.Opaque("a"), ir.Opaque("b")}
}

// withRows gives every table n rows.
func withRows(p *ir.Program, n int) *ir.Program {
	for _, table := range p.Tables {
		table.Rows = nil
		for i := range n {
			var row []ir.Value
			for _, c := range table.Columns {
				row = append(row, samples(c.Type)[i])
			}
			table.Rows = append(table.Rows, row)
		}
	}
	return p
}

// TestApplications: Boogie and reach agree on applications with no rows or one
// row per table, two values per parameter and up to three transactions.
func TestApplications(t *testing.T) {
	have(t)
	if testing.Short() {
		t.Skip("minutes")
	}
	for _, app := range []string{"smallbank", "courseware", "auction", "fusionticket"} {
		for rows := range 2 {
			p := withRows(testprog.Load(t, testprog.Path(t, "apps", app)), rows)
			for _, opt := range []instrument.Options{{Classic: true}, {Engine: engine.Postgres()}} {
				mode := "postgres"
				if opt.Classic {
					mode = "classic"
				}
				q, err := instrument.Rewrite(p, opt)
				if err != nil {
					t.Fatal(err)
				}
				found, _, a, b := agree(t, app, q, *txns, Options{Rows: *keys, Values: samples}, reach.Options{})
				t.Logf("%-12s %-8s %d rows: reached %-5v reach %8.1f ms  boogie %8.1f ms", app, mode, rows, found, ms(a), ms(b))
			}
		}
	}
	_ = time.Now
}
