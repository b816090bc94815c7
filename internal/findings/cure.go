package findings

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/txrobust/robust/report"
)

// Rank puts findings in the order in which they are read: sure ones first, then those whose
// values need nothing unusual, and short ones.
func Rank(list []report.Finding) {
	slices.SortStableFunc(list, func(a, b report.Finding) int { return compare(&a, &b) })
}

func compare(a, b *report.Finding) int {
	sure := func(f *report.Finding) int {
		if f.Status == report.Confirmed {
			return 0
		}
		return 1
	}
	return cmp.Or(sure(a)-sure(b), odd(a)-odd(b), transactions(a)-transactions(b), events(a)-events(b),
		slices.Compare(a.Cycle, b.Cycle), strings.Compare(a.Fingerprint, b.Fingerprint))
}

// odd counts what is unusual in the values of a finding: what only the database decides,
// functions of which nothing is known, and NULLs in rows and parameters.
func odd(f *report.Finding) int {
	n := len(f.Opaque) + len(f.Depends)
	if f.Witness == nil {
		return n
	}
	for _, t := range f.Witness.Rows {
		for _, r := range t.Rows {
			for _, v := range r {
				if v.IsNull() {
					n++
				}
			}
		}
	}
	return n
}

func transactions(f *report.Finding) int {
	if f.Witness == nil {
		return len(f.Cycle)
	}
	return len(f.Witness.Transactions)
}

func events(f *report.Finding) int {
	if f.Witness == nil {
		return 0
	}
	return len(f.Witness.Schedule)
}

// Group puts findings that one repair may cure together, under the first by Rank, and ranks
// what is left: those that are shown at the same read.
func Group(list []report.Finding) []report.Finding {
	Rank(list)
	out := []report.Finding{}
	at := map[string]int{}
	for _, f := range list {
		f.Also = nil
		read := cure(&f)
		if i, known := at[read]; known && read != "" {
			out[i].Also = append(out[i].Also, report.BaselineEntry{Code: f.Code, Fingerprint: f.Fingerprint, Cycle: f.Cycle})
			continue
		}
		at[read] = len(out)
		out = append(out, f)
	}
	return out
}

// cure names the read of which a repair is likely to remove a finding: that by which the
// delayed transaction reads what the next one overwrites. It is "" where there is none.
func cure(f *report.Finding) string {
	if len(f.Edges) == 0 || f.Edges[0].Type != "RW" {
		return ""
	}
	e := f.Edges[0]
	return fmt.Sprintf("%s %q %q %d:%d %q", f.Class, e.FromName, e.FromPosition.File, e.FromPosition.Line, e.FromPosition.Col, e.Table)
}
