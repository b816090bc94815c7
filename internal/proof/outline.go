package proof

import "fmt"

// Outline is what of a proof cannot be made from the program alone, since it was
// searched for: which questions are asked, and how they are refuted. All else in
// a proof follows from it and the program.
type Outline struct {
	Argument string
	// Exclusion, Steady and Facts are those of a Manifest; Facts has the texts of
	// the facts.
	Exclusion string
	Steady    []int
	Facts     []string
	Refuted   []Refutation
	Kept      []KeptFact
}

// Hint says how a question is refuted.
type Hint struct {
	By        string
	WithFacts bool
	Dropped   []string
	// Steps say how the script is made, if By is BySolver.
	Steps string
}

// Refutation is a piece of a walk that is impossible.
type Refutation struct {
	Question
	Hint
}

// KeptFact says that a template keeps a fact.
type KeptFact struct {
	Fact     int
	Template string
	Hint
}

// outline takes it out of the manifest, and the steps of each script by its name.
func (m *Manifest) outline(steps map[string]string) *Outline {
	o := &Outline{Argument: m.Argument, Exclusion: m.Exclusion, Steady: m.Steady}
	hint := func(r Reason) Hint { return Hint{r.By, r.WithFacts, r.Dropped, steps[r.File]} }
	for _, f := range m.Facts {
		o.Facts = append(o.Facts, f.Text)
	}
	for _, q := range m.Refuted {
		o.Refuted = append(o.Refuted, Refutation{q.Question, hint(q.Reason)})
	}
	for _, k := range m.Kept {
		o.Kept = append(o.Kept, KeptFact{k.Fact, k.Template, hint(k.Reason)})
	}
	return o
}

// fileName is that of the n-th script, from 1.
func fileName(n int) string { return fmt.Sprintf("q%05d.smt2", n) }
