package recording

import (
	"strings"
	"testing"
)

// TestHeard: the most frequent errors come first, and the others are counted.
func TestHeard(t *testing.T) {
	var b strings.Builder
	heard(&b, map[string]int{"disk full\nor so": 7, "b": 2, "a": 2, "c": 1, "d": 1, "e": 1, "f": 9})
	want := "  9 times: f\n  7 times: disk full\\nor so\n  2 times: a\n  2 times: b\n  1 times: c\n  and 2 other errors\n"
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
	b.Reset()
	if heard(&b, nil); b.Len() > 0 {
		t.Error(b.String())
	}
}
