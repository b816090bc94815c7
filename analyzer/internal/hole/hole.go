package hole

import (
	"slices"
	"strconv"
	"strings"

	"github.com/txrobust/robust/internal/client"
)

// MaxTexts bounds the texts that one statement may have, apart from the values of
// its parameters.
const MaxTexts = 16

// Join makes one of holes beside each other.
func Join(s string) string {
	for strings.Contains(s, client.Hole+client.Hole) {
		s = strings.ReplaceAll(s, client.Hole+client.Hole, client.Hole)
	}
	return s
}

// Common gives what several texts begin with, and a hole.
func Common(list []string) string {
	p := list[0]
	for _, s := range list[1:] {
		for !strings.HasPrefix(s, p) {
			p = p[:len(p)-1]
		}
	}
	return Join(p + client.Hole)
}

// WithoutTwins leaves out the texts with ? for parameters beside which there is
// the same text with $1, $2 and so on: a driver is chosen, and then one of the two.
func WithoutTwins(texts []string) []string {
	if len(texts) < 2 {
		return texts
	}
	return slices.DeleteFunc(slices.Clone(texts), func(s string) bool {
		n := 0
		var out strings.Builder
		for _, c := range s {
			if c != '?' {
				out.WriteRune(c)
				continue
			}
			n++
			out.WriteString("$" + strconv.Itoa(n))
		}
		return n > 0 && slices.Contains(texts, out.String())
	})
}
