package prepare

import (
	"fmt"
	"strconv"
	"strings"
)

// Round is what Ask did after one model: which instances of universals it made,
// and which of those made so far it asserted.
type Round struct {
	Made     []Making
	Asserted []Instantiation
}

// Making is an instance of a universal when it is made: the places of its
// members in their lists.
type Making struct {
	Universal int
	Places    []int
}

// Instantiation is an instance of a universal that was made before.
type Instantiation struct{ Universal, Number int }

// RoundsText writes rounds as words: u1:2,3 makes the instance of universal 1
// for the members 2 and 3, !1:4 asserts the instance 4 of universal 1, and a
// semicolon ends a round.
func RoundsText(rounds []Round) string {
	var b []byte
	for _, r := range rounds {
		for _, m := range r.Made {
			b = append(b, 'u')
			b = strconv.AppendInt(b, int64(m.Universal), 10)
			for i, k := range m.Places {
				b = append(b, ":,"[min(i, 1)])
				b = strconv.AppendInt(b, int64(k), 10)
			}
			b = append(b, ' ')
		}
		for _, i := range r.Asserted {
			b = fmt.Appendf(b, "!%d:%d ", i.Universal, i.Number)
		}
		b = append(b, "; "...)
	}
	return strings.TrimSpace(string(b))
}

// ParseRounds reads what RoundsText wrote.
func ParseRounds(text string) ([]Round, error) {
	var out []Round
	var r Round
	for _, word := range strings.Fields(text) {
		if word == ";" {
			out = append(out, r)
			r = Round{}
			continue
		}
		head, rest, members := strings.Cut(word[1:], ":")
		u, err := strconv.Atoi(head)
		var places []int
		if members {
			for _, k := range strings.Split(rest, ",") {
				n, e := strconv.Atoi(k)
				places = append(places, n)
				if err == nil {
					err = e
				}
			}
		}
		switch {
		case err == nil && word[0] == 'u':
			r.Made = append(r.Made, Making{u, places})
		case err == nil && word[0] == '!' && len(places) == 1:
			r.Asserted = append(r.Asserted, Instantiation{u, places[0]})
		default:
			return nil, fmt.Errorf("%q is no step of a refutation", word)
		}
	}
	return out, nil
}
