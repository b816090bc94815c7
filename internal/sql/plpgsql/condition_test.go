package plpgsql

import (
	"strings"
	"testing"
)

// TestConditions checks what handlers catch and RAISE raises.
func TestConditions(t *testing.T) {
	for _, tc := range []struct{ cond, catches, leaves string }{
		{"others", "23505 P0001 AB001 40001", "57014 P0004"},
		{"unique_violation", "23505", "23503 23000"},
		{"integrity_constraint_violation", "23505 23000 23P01", "22012"},
		{"SQLSTATE '23000'", "23505 23000", "40001"},
		{"sqlstate 'AB001' OR no_data_found", "AB001 P0002", "AB002 02000"},
		{"query_canceled OR assert_failure", "57014 P0004", "P0001"},
		{"null_value_not_allowed", "22004 39004", "22002"},
		{"no_such_condition", "", "P0001 22012"},
	} {
		body, err := Parse("BEGIN NULL; EXCEPTION WHEN " + tc.cond + " THEN NULL; END")
		if err != nil {
			t.Fatal(err)
		}
		h := body.Block.Handlers[0]
		catches := func(state string) bool {
			for _, c := range h.Conds {
				if c.Catches(state) {
					return true
				}
			}
			return false
		}
		for _, s := range strings.Fields(tc.catches) {
			if !catches(s) {
				t.Errorf("%s does not catch %s", tc.cond, s)
			}
		}
		for _, s := range strings.Fields(tc.leaves) {
			if catches(s) {
				t.Errorf("%s catches %s", tc.cond, s)
			}
		}
	}
	for _, tc := range []struct {
		raise, state string
		error, again bool
	}{
		{"RAISE", "", true, true},
		{"RAISE 'x'", "P0001", true, false},
		{"RAISE EXCEPTION 'x %', 1", "P0001", true, false},
		{"RAISE EXCEPTION USING MESSAGE = 'x'", "P0001", true, false},
		{"RAISE NOTICE 'x %', v", "P0001", false, false},
		{"RAISE division_by_zero", "22012", true, false},
		{"RAISE EXCEPTION SQLSTATE 'AB001' USING HINT = 'x'", "AB001", true, false},
		{"RAISE 'x' USING ERRCODE = 'unique_violation'", "23505", true, false},
		{"RAISE 'x' USING HINT = 'y', ERRCODE := '23503'", "23503", true, false},
		{"RAISE 'x' USING ERRCODE = v", "", true, false},
		{"RAISE 'x' USING ERRCODE = 'no such name'", "", true, false},
		{"RAISE no_such_name", "", true, false},
		{"RAISE division_by_zero USING ERRCODE = '22000'", "", true, false},
	} {
		body, err := Parse("BEGIN " + tc.raise + "; END")
		if err != nil {
			t.Fatal(err)
		}
		if r := body.Block.Body[0].(*Raise); r.State != tc.state || r.Error != tc.error || r.Again != tc.again {
			t.Errorf("%s: got %+v", tc.raise, r)
		}
	}
}
