package codes_test

import (
	"testing"

	"github.com/txrobust/robust/internal/codes"
)

// TestAccepts: which findings the code of a comment accepts.
func TestAccepts(t *testing.T) {
	for _, tc := range []struct {
		comment, finding string
		want             bool
	}{
		{"", "RB1105", true},
		{"RB1001", "RB1001", true},
		{"RB1001", "RB1105", true},
		{"RB1003", "RB1101", true},
		{"RB1001", "RB1106", false},
		{"RB1105", "RB1001", false},
		{"RB1004", "RB1104", false},
	} {
		if got := codes.Accepts(tc.comment, tc.finding); got != tc.want {
			t.Errorf("a comment %q accepts %s: %t, want %t", tc.comment, tc.finding, got, tc.want)
		}
	}
}
