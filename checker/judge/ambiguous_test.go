package judge

import (
	"context"
	"strings"
	"testing"

	"github.com/txrobust/robust/isolation"
)

// TestAmbiguity: where the time ran out and values were written again, that is said to be the
// reason; where they are unique, it is not.
func TestAmbiguity(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	const again = "w(1,1,0,0)\nw(1,1,1,1)\nr(1,1,2,2)\nr(1,0,3,3)\n"
	for text, want := range map[string]string{
		again: "of 1 reads it is open which of up to 2 writes they come from",
		strings.Replace(again, "1,1,1,1", "1,2,1,1", 1): "",
	} {
		r, err := Check(ctx, parse(t, text), Options{})
		if err != nil {
			t.Fatal(err)
		}
		why := r.Judgement(isolation.SER).Why
		if !strings.HasPrefix(why, "It was interrupted.") || !strings.Contains(why, want) || want == "" && strings.Contains(why, "again") {
			t.Errorf("%s: %q", text, why)
		}
	}
}
