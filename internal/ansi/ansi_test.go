package ansi_test

import (
	"testing"

	"github.com/txrobust/robust/internal/ansi"
)

func TestWanted(t *testing.T) {
	t.Setenv("NO_COLOR", "1")
	for mode, want := range map[string]bool{"auto": false, "always": true, "never": false} {
		if got := ansi.Wanted(mode, true); got != want {
			t.Errorf("%s: %t, want %t", mode, got, want)
		}
	}
}

func TestPaint(t *testing.T) {
	if got := ansi.Bold.Paint("x"); got != "\x1b[1mx\x1b[0m" {
		t.Errorf("%q", got)
	}
	if got := ansi.Color("").Paint("x") + ansi.Red.Paint(""); got != "x" {
		t.Errorf("%q", got)
	}
}
