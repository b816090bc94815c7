package witness

import (
	"strings"
	"testing"

	"github.com/txrobust/robust/internal/ir"
)

// cast is a domain whose literals are those of PostgreSQL.
type cast struct {
	ir.Domain
	text, name string
}

func (c cast) Literal(ir.Value) string { return "'" + c.text + "'::" + c.name }

func TestReadable(t *testing.T) {
	for _, c := range []struct {
		domain ir.Domain
		value  ir.Value
		want   string
	}{
		{nil, ir.Int(ir.FirstFresh + 2001), "2001"},
		{nil, ir.Int(ir.FirstFresh), "1099511627776"}, // no execution draws this one
		{nil, ir.Int(ir.FirstFresh + 5<<20), "1099516870656"},
		{nil, ir.Int(-ir.FirstFresh - 1), "-1"},
		{nil, ir.Text("ORD-1099511628777/1"), "'ORD-1001/1'"},
		{nil, ir.Text("10995116287770"), "'10995116287770'"},
		{nil, ir.Text("a 00:00:00+00"), "'a 00:00:00+00'"},
		{nil, ir.Null, "NULL"},
		{nil, ir.Time(0), "'1970-01-01'"},
		{nil, ir.Time(1), "'1970-01-01 00:00:00.000001+00'"},
		{cast{text: "08:00:00", name: "time"}, ir.Time(8 * 3600e6), "'08:00:00'"},
		{cast{text: "x", name: "time"}, ir.Null, "NULL"},
		{cast{text: "x", name: "integer"}, ir.Int(3), "3"},
	} {
		if got := Readable(c.domain, c.value); got != c.want {
			t.Errorf("%v: %s, not %s", c.value, got, c.want)
		}
	}
}

// TestRowNames: people read small numbers, and rows with different keys have different names
// for the checkers of histories.
func TestRowNames(t *testing.T) {
	table := &ir.Table{Name: "orders", Columns: []ir.Column{{Name: "id", Type: ir.IntType}}, Key: []int{0}}
	drawn, given := []ir.Value{ir.Int(ir.FirstFresh + 1001)}, []ir.Value{ir.Int(1001)}
	if rowName(table, drawn) != "orders(1001)" || RowName(table, drawn) == RowName(table, given) {
		t.Errorf("%s, %s, %s", rowName(table, drawn), RowName(table, drawn), RowName(table, given))
	}
	if name := RowName(table, drawn); strings.Contains(name, "(1001)") {
		t.Error(name)
	}
}
