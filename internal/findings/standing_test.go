package findings

import (
	"slices"
	"testing"

	"github.com/txrobust/robust/internal/witness"
	"github.com/txrobust/robust/report"
)

// skew is a write skew of two transactions, each of which reads by one statement.
func skew(a, b string, lineA, lineB int) report.Finding {
	at := func(line int) witness.Position { return witness.Position{File: "f.sql", Line: line, Col: 1} }
	return report.Finding{Class: report.SnapshotIsolation, Status: report.Confirmed, Kind: witness.WriteSkew, Code: "RB1001", Fingerprint: a + b, Cycle: []string{a, b},
		Edges: []witness.Edge{
			{FromName: a, ToName: b, Type: "RW", Table: "t", FromPosition: at(lineA), ToPosition: at(lineB + 1)},
			{FromName: b, ToName: a, Type: "RW", Table: "t", FromPosition: at(lineB), ToPosition: at(lineA + 1)},
		}}
}

// fingerprints gives those of findings, each with the others in it.
func fingerprints(list []report.Finding) (out []string) {
	for _, f := range list {
		s := f.Fingerprint
		for _, o := range f.Also {
			s += " " + o.Fingerprint
		}
		out = append(out, s)
	}
	return out
}

// TestGroup: findings are one where a pivot reads the same by the same statement, and the
// order in which they were found does not matter.
func TestGroup(t *testing.T) {
	ab, ac, ad, de := skew("a", "b", 1, 10), skew("a", "c", 1, 20), skew("a", "d", 3, 30), skew("d", "e", 30, 40)
	suspected := skew("a", "a", 1, 1)
	suspected.Status = report.Suspected
	odd := skew("a", "a", 50, 50)
	odd.Fingerprint, odd.Opaque = "odd", []string{"f"}
	for _, tc := range []struct {
		list []report.Finding
		want []string
	}{
		{[]report.Finding{ab, ac}, []string{"ab ac"}},
		{[]report.Finding{ab, ad}, []string{"ab", "ad"}},                  // by another statement
		{[]report.Finding{ab, ac, ad, de}, []string{"ab ac", "ad", "de"}}, // d is not delayed in ad
		{[]report.Finding{suspected, de}, []string{"de", "aa"}},
		{[]report.Finding{odd, de}, []string{"de", "odd"}},
		{nil, nil},
	} {
		if got := fingerprints(Group(slices.Clone(tc.list))); !slices.Equal(got, tc.want) {
			t.Errorf("got %q, want %q", got, tc.want)
		}
		back := slices.Clone(tc.list)
		slices.Reverse(back)
		if got := fingerprints(Group(back)); !slices.Equal(got, tc.want) {
			t.Errorf("the other way around: got %q, want %q", got, tc.want)
		}
	}
}

// TestHeadline puts standings into a sentence.
func TestHeadline(t *testing.T) {
	at := func(line int) []report.Note { return []report.Note{{File: "f.sql", Line: line, Col: 1, Text: "x"}} }
	ab := skew("a", "b", 1, 10)
	for _, tc := range []struct {
		findings   []report.Finding
		suppressed []report.Suppressed
		doubtful   map[string]*Doubtful
		initially  []string
		names      []string
		want       string
	}{
		{names: nil, want: ""},
		{names: []string{"a"}, want: "1 of 1 transaction is safe at snapshot isolation"},
		{names: []string{"a", "b"}, want: "all 2 transactions are safe at snapshot isolation"},
		{names: []string{"a", "b", "c"}, findings: []report.Finding{ab}, want: "1 of 3 transactions is safe at snapshot isolation; 1 finding concerns 2"},
		{names: []string{"a", "b", "c", "d"}, findings: []report.Finding{ab}, initially: []string{"x > 0"},
			want: "2 of 4 transactions are safe at snapshot isolation, assuming that initially x > 0; 1 finding concerns 2"},
		{names: []string{"a", "b", "c"}, suppressed: []report.Suppressed{{Finding: ab}}, doubtful: map[string]*Doubtful{"c": {Because: at(1)}},
			want: "0 of 3 transactions are safe at snapshot isolation; 1 accepted finding concerns 2; 1 is undecided because of 1 statement"},
		{names: []string{"c", "d", "e", "f"}, doubtful: map[string]*Doubtful{"c": {Because: at(1)}, "d": {Because: slices.Concat(at(1), at(2))}, "e": {Why: "time"}},
			want: "1 of 4 transactions is safe at snapshot isolation; 3 are undecided, 2 of them because of 2 statements"},
	} {
		r := &report.Report{Findings: tc.findings, Suppressed: tc.suppressed, Initially: tc.initially}
		for _, name := range tc.names {
			r.Transactions = append(r.Transactions, report.Transaction{Name: name})
		}
		Stand(r, func(name string) *Doubtful { return tc.doubtful[name] })
		if r.Headline != tc.want {
			t.Errorf("got  %q\nwant %q", r.Headline, tc.want)
		}
	}
}
