package symbolic

import (
	"fmt"

	"github.com/txrobust/robust/internal/prepare"
	"github.com/txrobust/robust/internal/smt"
)

// Repeat gives the assertions of a question that was asked in another World,
// built in the same way, with the same instances of universals. It asks no
// solver: every assertion is a term given, a definition, or an instance of a
// universal of this World.
func (w *World) Repeat(rounds []prepare.Round, terms ...*smt.Term) (Answer, error) {
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
func (w *World) mayMake(m prepare.Making) error {
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
