package findings

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/codes"
	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/report"
)

// Doubtful is why a transaction that is in no finding is not called safe.
type Doubtful struct {
	Why     string
	Because []report.Note
}

// Stand says of each transaction of a report how it stands. undecided gives why one that
// is in no finding is not safe, or nil.
func Stand(r *report.Report, undecided func(name string) *Doubtful) {
	for i := range r.Transactions {
		t := &r.Transactions[i]
		t.Standing, t.InFindings, t.Why, t.Because = codes.Safe, in(r, t.Name), "", nil
		if len(t.InFindings) > 0 {
			t.Standing = codes.InFindings
		} else if d := undecided(t.Name); d != nil {
			t.Standing, t.Why, t.Because = codes.Undecided, d.Why, d.Because
		}
	}
	r.Headline = headline(r)
}

// in gives the fingerprints of the findings that a transaction is in.
func in(r *report.Report, name string) []string {
	var out []string
	add := func(fingerprint string, cycle []string) {
		if slices.Contains(cycle, name) && !slices.Contains(out, fingerprint) {
			out = append(out, fingerprint)
		}
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		add(f.Fingerprint, f.Transactions())
		for _, o := range f.Also {
			add(f.Fingerprint, o.Cycle)
		}
	}
	for i := range r.Suppressed {
		f := &r.Suppressed[i].Finding
		add(f.Fingerprint, f.Transactions())
	}
	return out
}

// headline puts the standings into a sentence.
func headline(r *report.Report) string {
	safe, undecided, because := 0, 0, 0
	statements := map[report.Note]bool{}
	open, accepted := map[string]bool{}, map[string]bool{}
	for _, t := range r.Transactions {
		switch t.Standing {
		case codes.Safe:
			safe++
		case codes.InFindings:
			for _, f := range t.InFindings {
				if isSuppressed(r, f) {
					accepted[t.Name] = true
				} else {
					open[t.Name] = true
				}
			}
		default:
			undecided++
			if len(t.Because) > 0 {
				because++
			}
			for _, n := range t.Because {
				statements[n] = true
			}
		}
	}
	n := len(r.Transactions)
	if n == 0 {
		return ""
	}
	all, where := quote.Count(n, "transaction"), cmp.Or(r.At(), "snapshot isolation")
	parts := []string{fmt.Sprintf("%d of %s %s safe at %s", safe, all, quote.Verb(min(n, max(safe, 2)), "is", "are"), where)}
	if safe == n {
		parts[0] = fmt.Sprintf("all %s are safe at %s", all, where)
	}
	if safe == 1 {
		parts[0] = fmt.Sprintf("1 of %s is safe at %s", all, where)
	}
	if a := r.Assuming(); a != "" && safe > 0 {
		parts[0] += ", " + a
	}
	if k := len(r.Findings); k > 0 {
		parts = append(parts, fmt.Sprintf("%s %s %d", quote.Count(k, "finding"), quote.Verb(k, "concerns", "concern"), len(open)))
	}
	if k := len(r.Suppressed); k > 0 {
		parts = append(parts, fmt.Sprintf("%s %s %d", quote.Count(k, "accepted finding"), quote.Verb(k, "concerns", "concern"), len(accepted)))
	}
	if undecided > 0 {
		s := fmt.Sprintf("%d %s undecided", undecided, quote.Verb(undecided, "is", "are"))
		switch of := quote.Count(len(statements), "statement"); {
		case because == undecided:
			s += " because of " + of
		case because > 0:
			s += fmt.Sprintf(", %d of them because of %s", because, of)
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, "; ")
}

func isSuppressed(r *report.Report, fingerprint string) bool {
	return slices.ContainsFunc(r.Suppressed, func(s report.Suppressed) bool { return s.Finding.Fingerprint == fingerprint })
}
