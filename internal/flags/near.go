package flags

import "github.com/txrobust/robust/internal/quote"

// Nearest gives the one of names that is most like a name, "" if none is.
func Nearest(name string, names []string) string {
	best, at := "", 1+(len(name)+1)/3
	for _, n := range names {
		if d := quote.Distance(name, n); d < at {
			best, at = n, d
		}
	}
	return best
}
