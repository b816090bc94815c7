package findings

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/witness"
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
// what is left.
func Group(list []report.Finding) []report.Finding {
	Rank(list)
	cures := make([][]string, len(list))
	for i := range list {
		cures[i] = curesOf(&list[i])
	}
	out := []report.Finding{}
	grouped := make([]bool, len(list))
	for i := range list {
		if grouped[i] {
			continue
		}
		f := list[i]
		f.Also = nil
		for _, j := range together(cures, grouped, i) {
			if grouped[j] = true; j != i {
				f.Also = append(f.Also, report.BaselineEntry{Code: list[j].Code, Fingerprint: list[j].Fingerprint, Cycle: list[j].Cycle})
			}
		}
		out = append(out, f)
	}
	return out
}

// together gives the findings that the repair of finding i which cures most would cure, i
// among them.
func together(cures [][]string, grouped []bool, i int) []int {
	best := []int{i}
	for _, c := range cures[i] {
		var with []int
		for j := range cures {
			if !grouped[j] && slices.Contains(cures[j], c) {
				with = append(with, j)
			}
		}
		if len(with) > len(best) {
			best = with
		}
	}
	return best
}

// curesOf names the reads of which a repair is likely to remove a finding: those by which a
// pivot reads what another transaction overwrites.
func curesOf(f *report.Finding) []string {
	found := map[string]bool{}
	for i, e := range f.Edges {
		before := f.Edges[(i+len(f.Edges)-1)%len(f.Edges)]
		if e.Type == "RW" && before.Type == "RW" {
			found[cure(f, e)] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// cure names a read.
func cure(f *report.Finding, e witness.Edge) string {
	return fmt.Sprintf("%s %q %q %d:%d %q", f.Class, e.FromName, e.FromPosition.File, e.FromPosition.Line, e.FromPosition.Col, e.Table)
}
