package ir

// Exclusion says that no two rows of a table satisfy Expr together (EXCLUDE in
// PostgreSQL). Expr is a condition over the row variables Rows, which stand for
// two rows of the table, and symmetric in them: it does not matter which row is
// which. NULL is as good as false. It has no arithmetic, so that it cannot fail.
type Exclusion struct {
	Pos  Pos
	Name string
	Rows [2]string
	Expr Expr
}

// PairConstraint is a constraint on each two rows of a table: a *Unique or an
// *Exclusion.
type PairConstraint interface{ isPairConstraint() }

func (*Unique) isPairConstraint() {}

func (*Exclusion) isPairConstraint() {}

// PairConstraints lists the unique keys of a table, without the primary one, and
// its exclusions.
func (t *Table) PairConstraints() []PairConstraint {
	out := make([]PairConstraint, 0, len(t.Uniques)+len(t.Exclusions))
	for i := range t.Uniques {
		out = append(out, &t.Uniques[i])
	}
	for i := range t.Exclusions {
		out = append(out, &t.Exclusions[i])
	}
	return out
}

// Keys lists the primary key of a table, and then what PairConstraints does.
func (t *Table) Keys() []PairConstraint {
	return append([]PairConstraint{&Unique{Name: "primary key", Columns: t.Key}}, t.PairConstraints()...)
}

// Sources are the two rows that the exclusion, which is one of t, is about.
func (x *Exclusion) Sources(t *Table) []Source {
	return []Source{{t, x.Rows[0]}, {t, x.Rows[1]}}
}
