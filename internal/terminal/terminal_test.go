package terminal

import "testing"

func TestClip(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		want string
	}{
		{"proving: pay", 50, "proving: pay"},
		{"proving: überweisen", 16, "proving: überwe…"},
		{"proving: pay", -20, "proving: …"},
	} {
		if got := clip(c.text, c.n); got != c.want {
			t.Errorf("%q, not %q", got, c.want)
		}
	}
}
