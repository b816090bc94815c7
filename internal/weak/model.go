package weak

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/isolation"
)

// Model is a consistency model.
type Model uint8

const (
	// CC is transactional causal consistency with one arbitration for all.
	CC Model = iota
	// PC is prefix consistency.
	PC
	// PSI is parallel snapshot isolation.
	PSI
	// SI is snapshot isolation.
	SI
)

// Models are all of them, weaker ones first.
func Models() []Model { return []Model{CC, PC, PSI, SI} }

// String is the name of the command line.
func (m Model) String() string { return [...]string{"cc", "pc", "psi", "si"}[m] }

// Long is the name in words.
func (m Model) Long() string {
	return [...]string{"causal consistency", "prefix consistency", "parallel snapshot isolation", "snapshot isolation"}[m]
}

// Parse gives the model of a name.
func Parse(name string) (Model, bool) {
	i := slices.IndexFunc(Models(), func(m Model) bool { return m.String() == strings.ToLower(name) })
	return Model(max(i, 0)), i >= 0
}

// Implies reports whether every execution of m is one of n.
func (m Model) Implies(n Model) bool {
	return m == n || m == SI || n == CC
}

// prefix says that what is seen is a prefix of the arbitration.
func (m Model) prefix() bool { return m == PC || m == SI }

// excludes says that of two transactions that write one row, one sees the other.
func (m Model) excludes() bool { return m == PSI || m == SI }

// Levels are those of package isolation that every history of the model satisfies. PSI has no
// level of its own there: it is PL-2+ with sessions (Cerone, Bernardi and Gotsman, CONCUR
// 2015, theorem 12), and History makes sessions visible to PL-2+.
func (m Model) Levels() []isolation.Level {
	return [...][]isolation.Level{
		CC:  {isolation.CC},
		PC:  {isolation.CC, isolation.PC},
		PSI: {isolation.CC, isolation.PL2Plus},
		SI:  {isolation.CC, isolation.PC, isolation.PL2Plus, isolation.SI},
	}[m]
}
