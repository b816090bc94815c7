package quote

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func TestColumns(t *testing.T) {
	for text, want := range map[string]int{"": 0, "abc": 3, "Größe": 5, "e\u0301": 1, "名前": 4, "가": 2, "🎉x": 3, "→…": 2, "a\u200db": 2} {
		if got := Columns(text); got != want {
			t.Errorf("%q: %d columns, not %d", text, got, want)
		}
	}
	for _, c := range []struct{ text, want string }{{"abcdef", "abcdef"}, {"abcdefgh", "abcde…"}, {"名前名前", "名前…"}, {"überweisen", "überw…"}} {
		if got := Clip(c.text, 6); got != c.want || Columns(got) > 6 {
			t.Errorf("%s, not %s", got, c.want)
		}
	}
}

// TestWrapColumns: lines of any characters fit, and lose nothing.
func TestWrapColumns(t *testing.T) {
	const seed = 22
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	letters := []rune("aé名🎉 .,(\u0301 ")
	for range 5000 {
		var b strings.Builder
		for range r.IntN(60) {
			b.WriteRune(letters[r.IntN(len(letters))])
		}
		n := 2 + r.IntN(20)
		lines := Wrap(b.String(), n)
		for _, l := range lines {
			if Columns(l) > n {
				t.Fatalf("%q has more than %d columns", l, n)
			}
		}
		if got, want := strings.Join(lines, ""), strings.Join(strings.Fields(b.String()), ""); strings.ReplaceAll(got, " ", "") != want {
			t.Fatalf("%q became %q", want, got)
		}
	}
}
