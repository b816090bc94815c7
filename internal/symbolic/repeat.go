package symbolic

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/txrobust/robust/internal/smt"
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

// Repeat gives the assertions of a question that was asked in another World,
// built in the same way, with the same instances of universals. It asks no
// solver: every assertion is a term given, a definition, or an instance of a
// universal of this World.
func (w *World) Repeat(rounds []Round, terms ...*smt.Term) (Answer, error) {
	w.freshFacts()
	if w.Unsupported != "" {
		return Answer{}, fmt.Errorf("a question cannot be built: %s", w.Unsupported)
	}
	q := &inquiry{w: w, tell: func(*smt.Term) {}, in: newContent()}
	q.begin(terms)
	for _, r := range rounds {
		for _, m := range r.Made {
			if err := w.mayMake(m); err != nil {
				return Answer{}, err
			}
			w.instantiate(m.Universal, m.Places)
		}
		for _, i := range r.Asserted {
			if i.Universal < 0 || i.Universal >= len(w.universals) || i.Number < 0 || i.Number >= len(w.universals[i.Universal].list) {
				return Answer{}, fmt.Errorf("there is no instance %d of universal %d", i.Number, i.Universal)
			}
		}
		q.refine(r.Asserted)
		q.assert("", w.textFacts()...)
	}
	return q.ans, nil
}

// mayMake says what is wrong with an instance that is to be made.
func (w *World) mayMake(m Making) error {
	if m.Universal < 0 || m.Universal >= len(w.universals) || len(m.Places) != len(w.universals[m.Universal].doms) {
		return fmt.Errorf("there is no universal %d with %d members", m.Universal, len(m.Places))
	}
	u := w.universals[m.Universal]
	if _, done := u.made[placeID(m.Places)]; done {
		return fmt.Errorf("an instance of universal %d is made twice", m.Universal)
	}
	for i, k := range m.Places {
		if list := w.mentions[u.doms[i]].members(); k < 0 || k >= len(list) {
			return fmt.Errorf("there is no member %d of %s", k, u.doms[i])
		}
	}
	return nil
}

// members gives the members mentioned. A domain of empty keys always has its
// only one.
func (m *mentions) members() []Key {
	if len(m.sorts) == 0 && len(m.list) == 0 {
		m.list = []Key{{}}
	}
	return m.list
}

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
