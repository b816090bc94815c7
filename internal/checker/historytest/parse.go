// Package historytest has what the tests and benchmarks of several checkers need:
// short histories as text, and long ones of known levels, with their recordings. It
// serves tests alone.
package historytest

import (
	"strings"
	"testing"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/history/codec"
)

// Parse reads a history in the text format of Plume, with spaces for line ends.
func Parse(t testing.TB, text string) *history.History {
	t.Helper()
	h, _, err := codec.Decode(t.Context(), strings.NewReader(strings.Join(strings.Fields(text), "\n")), "test", codec.Options{Format: codec.Plume})
	if err != nil {
		t.Fatal(err)
	}
	return h
}
