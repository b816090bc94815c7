package replay

import (
	"testing"

	"github.com/txrobust/robust/internal/witness"
)

// TestMatchRows: which rows of a server are those of the model.
func TestMatchRows(t *testing.T) {
	cell := func(kind, text string) *witness.Cell { return &witness.Cell{Kind: kind, Text: text} }
	fresh := func(text string) *witness.Cell {
		return &witness.Cell{Kind: "int", Text: text, Soft: witness.Fresh, Of: "s"}
	}
	null, one, a := cell("null", ""), cell("int", "1"), cell("text", "a")
	got := func(list ...string) (row []*string) {
		for _, s := range list {
			if s == "NULL" {
				row = append(row, nil)
			} else {
				row = append(row, &s)
			}
		}
		return row
	}
	type rows = [][]*witness.Cell
	type server = [][]*string
	for _, c := range []struct {
		name  string
		want  rows
		got   server
		typ   string
		exact bool
		ok    bool
	}{
		{"NULL", rows{{null}}, server{got("NULL")}, "int4", true, true},
		{"NULL is no value", rows{{null}}, server{got("1")}, "int4", true, false},
		{"a value is not NULL", rows{{one}}, server{got("NULL")}, "int4", true, false},
		{"a number written in another way", rows{{one}}, server{got("1.0")}, "numeric", true, true},
		{"decimals that differ where floating point does not", rows{{cell("num", "12345.00000000000000001")}}, server{got("12345")}, "numeric", true, false},
		{"all digits of a floating-point number", rows{{cell("num", "3333333333333333/10000000000000000")}}, server{got("0.33333333333333330")}, "float8", true, true},
		{"as many rows", rows{{one}, {null}}, server{got("NULL"), got("1")}, "int4", true, true},
		{"more rows than all", rows{{one}}, server{got("1"), got("2")}, "int4", true, false},
		{"more rows", rows{{one}}, server{got("2"), got("1")}, "int4", false, true},
		{"one row for two", rows{{one}, {one}}, server{got("1"), got("2")}, "int4", false, false},
		{"blanks at the end", rows{{a}}, server{got("a ")}, "text", true, false},
		{"blanks at the end of char(n)", rows{{a}}, server{got("a ")}, "bpchar", true, true},
		{"one FRESH value twice", rows{{fresh("1"), fresh("1")}}, server{got("7", "7")}, "int4", true, true},
		{"one FRESH value that changes", rows{{fresh("1"), fresh("1")}}, server{got("7", "8")}, "int4", true, false},
		{"two FRESH values", rows{{fresh("1"), fresh("2")}}, server{got("7", "8")}, "int4", true, true},
		{"two FRESH values that are equal", rows{{fresh("1"), fresh("2")}}, server{got("7", "7")}, "int4", true, false},
	} {
		if _, _, ok := matchRows(newRenaming(), c.want, c.got, []string{c.typ, c.typ}, c.exact); ok != c.ok {
			t.Errorf("%s: %s is %s: %t", c.name, rowsText(c.got), wantText(c.want), ok)
		}
	}
}
