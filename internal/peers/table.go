package peers

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/txrobust/robust/isolation"
)

// Table prints rows for people: medians of processor time with the least and the most, in seconds,
// and verdicts. A row whose verdicts differ is marked.
func Table(w io.Writer, rows []Row) error {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "history\tlevel\tformat\tpeer\tits time, s\tits verdict\trobust, s\tverdict\t")
	for _, r := range rows {
		mark := ""
		if r.Differs() {
			mark = "DIFFERENT"
		}
		fmt.Fprintln(t, strings.Join([]string{r.History, r.Level, string(r.Format), r.Peer,
			r.Theirs.times(), r.Theirs.answer(), r.Ours.times(), r.Ours.answer(), mark}, "\t"))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for line := range strings.Lines(b.String()) {
		if _, err := fmt.Fprintln(w, strings.TrimRight(line, " \n")); err != nil {
			return err
		}
	}
	return nil
}

// Differs tells whether both have a verdict, and not the same.
func (r Row) Differs() bool {
	known := func(m Measurement) bool { return m.Failed == "" && m.Verdict != isolation.Unknown }
	return known(r.Ours) && known(r.Theirs) && r.Ours.Verdict != r.Theirs.Verdict
}

func (m Measurement) times() string {
	if len(m.Times) == 0 {
		return "-"
	}
	s := func(d time.Duration) string { return fmt.Sprintf("%.2f", d.Seconds()) }
	return fmt.Sprintf("%s (%s–%s)", s(m.Median()), s(m.Times[0]), s(m.Times[len(m.Times)-1]))
}

func (m Measurement) answer() string {
	if m.Failed != "" {
		return m.Failed
	}
	return m.Verdict.String()
}
