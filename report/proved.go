package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/txrobust/robust/internal/quote"
)

// provedRepair is a change of the source with which the program was checked again.
type provedRepair struct {
	// Kind names the kinds of its changes, with + between, and Text says what they do.
	Kind string `json:"kind"`
	Text string `json:"text"`
	// Diff is the change as a unified diff, "" if the source does not say it.
	Diff string `json:"diff"`
	// Verdict is that of the changed program.
	Verdict Verdict    `json:"verdict"`
	Cost    repairCost `json:"cost"`
}

// repairCost is what a repair costs.
type repairCost struct {
	// Waits are pairs of transactions that wait for each other, or exclude each other, on the same rows.
	Waits [][2]string `json:"waits"`
	// Statements counts the statements that are changed, Writes those that are added and write.
	Statements int `json:"statements"`
	Writes     int `json:"writes"`
	// Retries are transactions that the database may refuse (SQLSTATE 40001), and that have to be tried again then.
	Retries []string `json:"retries"`
}

// String gives the cost in words.
func (c *repairCost) String() string {
	var list []string
	var waits []string
	for _, w := range c.Waits {
		waits = append(waits, w[0]+" and "+w[1])
	}
	if len(waits) > 0 {
		list = append(list, "on the same rows these wait for each other: "+strings.Join(waits, ", "))
	}
	if c.Statements > 0 {
		list = append(list, quote.Count(c.Statements, "statement")+" changed")
	}
	if c.Writes > 0 {
		list = append(list, quote.Count(c.Writes, "write")+" added")
	}
	if len(c.Retries) > 0 {
		list = append(list, "to be tried again after SQLSTATE 40001: "+strings.Join(c.Retries, ", "))
	}
	if len(list) == 0 {
		return "Cost: none of these"
	}
	return "Cost: " + strings.Join(list, "; ")
}

// Searched says that repairs were looked for, if there are none.
func (f *Finding) Searched() {
	if f.Proved == nil {
		f.Proved = []provedRepair{}
	}
}

// Repaired adds a change of the source with which the program has a verdict: its kinds with + between, what it does, and its
// diff. It costs that pairs of transactions wait for each other on the same rows, statements that are changed, writes that
// are added, and transactions that have to be tried again after SQLSTATE 40001.
func (f *Finding) Repaired(kind, text, diff string, v Verdict, waits [][2]string, statements, writes int, retries []string) {
	f.Proved = append(f.Proved, provedRepair{kind, text, diff, v, repairCost{waits, statements, writes, retries}})
}

// proved writes the repairs of the n-th finding that are proved. Most findings of a program have the same: these are
// written once.
func (t *text) proved(n int, f *Finding) {
	key := ""
	for i := range f.Proved {
		key += f.Proved[i].Text + "\n" + f.Proved[i].Diff
	}
	if before := t.repaired[key]; before > 0 {
		t.line("")
		t.line("   The repairs of finding %d remove it, too.", before)
		return
	}
	if key != "" {
		t.repaired[key] = n
	}
	if f.Proved != nil {
		t.line("")
		t.line("   %s", map[bool]string{true: "No repair was found that is proved.", false: "With any of these the program is robust, by proof:"}[len(f.Proved) == 0])
	}
	for i := range f.Proved {
		r := &f.Proved[i]
		t.para("   - ", r.Text)
		t.para("     ", r.Cost.String())
		for _, l := range strings.Split(strings.TrimSuffix(r.Diff, "\n"), "\n") {
			t.line("     %s", strings.ReplaceAll(l, "\t", "    "))
		}
	}
}

// MarshalJSON gives the proved repairs in the place of those in words, if they were looked for.
func (f Finding) MarshalJSON() ([]byte, error) {
	type plain Finding
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if f.Proved == nil {
		err := enc.Encode(plain(f))
		return out.Bytes(), err
	}
	err := enc.Encode(struct {
		plain
		Repairs []provedRepair `json:"repairs"`
	}{plain(f), f.Proved})
	return out.Bytes(), err
}

// InWords gives the repairs in words: those that were proved, or else those that are known to remove the finding.
func (f *Finding) InWords() (out []string) {
	if len(f.Proved) == 0 {
		return f.Repairs
	}
	for _, r := range f.Proved {
		out = append(out, fmt.Sprintf("%s (proved). %s", r.Text, &r.Cost))
	}
	return out
}
