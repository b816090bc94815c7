package allocate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/levels"
	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/report"
)

// Headline says in a sentence how many transactions may run how low.
func (r *Result) Headline() string {
	n := len(r.Rows)
	if n == 0 {
		if r.Unfinished != "" {
			return "no transactions are known, and nothing is decided: " + r.Unfinished
		}
		return "no transactions are known"
	}
	if r.Verdict != report.Robust {
		return "no levels are proved, not even SERIALIZABLE for " + quote.Verb(n, "the only transaction", fmt.Sprintf("all %d transactions", n)) + r.late()
	}
	at := map[levels.Level]int{}
	for i := range r.Rows {
		at[r.Rows[i].Level]++
	}
	low, committed := n-at[levels.Serializable], at[levels.ReadCommitted]
	who := fmt.Sprintf("%d of %s", low, quote.Count(n, "transaction"))
	if low == n {
		who = quote.Verb(n, "the only transaction", fmt.Sprintf("all %d transactions", n))
	}
	var s string
	switch {
	case low == 0:
		s = quote.Verb(n, "the only transaction stays", fmt.Sprintf("all %d transactions stay", n)) + " at SERIALIZABLE"
	case committed == low:
		s = who + " may run at READ COMMITTED today"
	case committed == 0:
		s = who + " may run at REPEATABLE READ today"
	default:
		s = fmt.Sprintf("%s may run at REPEATABLE READ today, %d of them at READ COMMITTED", who, committed)
	}
	if a := r.Report.Assuming(); a != "" {
		s += ", " + a
	}
	if k := at[levels.Serializable]; k > 0 && low > 0 {
		s += fmt.Sprintf("; %d %s at SERIALIZABLE", k, quote.Verb(k, "stays", "stay"))
	}
	return s + r.late()
}

// late says that not all was tried.
func (r *Result) late() string {
	if r.Unfinished == "" {
		return ""
	}
	return ", as far as was tried: " + r.Unfinished
}

// Minimal reports whether no level below a recommended one is proved, with the others as
// recommended.
func (r *Result) Minimal() bool {
	return !slices.ContainsFunc(r.Rows, func(row Row) bool {
		return slices.ContainsFunc(row.below(), func(l levels.Level) bool { return row.Cells[l].Answer == Proved })
	})
}

// below are the levels below the recommended one, the next one first.
func (r *Row) below() []levels.Level {
	out := slices.Clone(levels.All()[:slices.Index(levels.All(), r.Level)])
	slices.Reverse(out)
	return out
}

// minimal says that nothing can be lowered by itself, or why that is not known.
func (r *Result) minimal() string {
	switch {
	case r.Verdict != report.Robust:
		return ""
	case r.Unfinished != "":
		return "Whether more can be lowered is undecided: " + r.Unfinished + "."
	case !r.Minimal():
		return "Some of them can be lowered by themselves, but not all at once."
	}
	return "None of them can be lowered by itself, with the others as they are, and still be proved."
}

// obstacle is what stands in the way of a level.
type obstacle struct {
	row   *Row
	level levels.Level
	cell  *Cell
}

// obstacles are what stands in the way of the levels below the recommended ones.
func (r *Result) obstacles() []obstacle {
	var out []obstacle
	for i := range r.Rows {
		row := &r.Rows[i]
		for _, l := range row.below() {
			if c := row.Cells[l]; c.Answer != Proved {
				out = append(out, obstacle{row, l, c})
			}
		}
	}
	return out
}

// String is the obstacle as a sentence without its end.
func (o *obstacle) String() string {
	s := fmt.Sprintf("%s at %s: %s", o.row.Transaction, o.level, o.cell.Why)
	if p := o.cell.Position; p != nil && p.Line > 0 {
		s += fmt.Sprintf(" (%s:%d)", p.File, p.Line)
	}
	return s
}

// change is another level than the one of today.
type change struct{ row *Row }

// changes are the transactions that the source runs at another level than the recommended one,
// those to be raised first.
func (r *Result) changes() []change {
	var out []change
	rank := func(l levels.Level) int { return slices.Index(levels.All(), l) }
	for _, raised := range []bool{true, false} {
		for i := range r.Rows {
			row := &r.Rows[i]
			if now, then := rank(row.Today.Level), rank(row.Level); now < then && raised || now > then && !raised {
				out = append(out, change{row})
			}
		}
	}
	return out
}

func (c change) String() string {
	now := map[levels.Source]string{levels.ByCode: "by the source", levels.ByDefault: "by default"}
	return fmt.Sprintf("%s (%s:%d): from %s %s to %s", c.row.Transaction, c.row.Position.File, c.row.Position.Line, c.row.Today.Level, now[c.row.Today.Source], c.row.Level)
}

// options are how programs ask for a level.
var options = map[levels.Level][2]string{
	levels.ReadCommitted:  {"sql.LevelReadCommitted", "pgx.ReadCommitted"},
	levels.RepeatableRead: {"sql.LevelRepeatableRead", "pgx.RepeatableRead"},
	levels.Serializable:   {"sql.LevelSerializable", "pgx.Serializable"},
}

// howTo says how the levels that are changed are asked for in Go, a line for each.
func howTo(list []change) []string {
	var out []string
	for _, l := range levels.All() {
		if slices.ContainsFunc(list, func(c change) bool { return c.row.Level == l }) {
			o := options[l]
			out = append(out, fmt.Sprintf("%s: BeginTx(ctx, &sql.TxOptions{Isolation: %s}), or with pgx BeginTx(ctx, pgx.TxOptions{IsoLevel: %s})", l, o[0], o[1]))
		}
	}
	return out
}

// capital begins a sentence.
func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
