package repair

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/txrobust/robust/internal/ansi"
	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/report"
)

// JSON writes the result as one object.
// Applied says that the first repair is made.
func JSON(out *bytes.Buffer, res *Result, applied bool) error {
	text, err := quote.EncodeJSON(struct {
		Program string         `json:"program"`
		Verdict report.Verdict `json:"verdict"`
		Applied bool           `json:"applied"`
		*Result
	}{res.Before.Program, res.Before.Verdict, applied, res}, "  ")
	out.Write(text)
	return err
}

// TextOptions direct Text: Apply says that the first repair was to be made, Applied that it is made, Verbose shows
// what did not help, and Colors paints diffs.
type TextOptions struct{ Apply, Applied, Verbose, Colors bool }

// Text writes the result for people.
func Text(out *bytes.Buffer, res *Result, opt TextOptions) {
	name := res.Before.Program
	switch {
	case res.Before.Verdict == report.Robust:
		fmt.Fprintf(out, "%s is robust: there is nothing to repair.\n", name)
		return
	case len(res.Before.Confirmed()) == 0 && !res.Complete:
		para(out, "", fmt.Sprintf("%s is neither proved robust nor refuted: the time ran out before there was a finding to repair (-timeout gives more).", name))
		return
	case len(res.Before.Confirmed()) == 0:
		para(out, "", fmt.Sprintf("%s is neither proved robust nor refuted: there is no finding to repair. robust check says what would settle it.", name))
		return
	case len(res.Repairs) == 0:
		para(out, "", fmt.Sprintf("%s is not robust %s, and %s.", name, res.Before.Confirmed()[0].At(), nothing(res)))
	default:
		para(out, "", fmt.Sprintf("%s is not robust %s. With each of these repairs alone it is, by proof, the cheapest first:", name, res.Before.Confirmed()[0].At()))
	}
	for i := range res.Repairs {
		res.Repairs[i].text(out, fmt.Sprintf("%d.", i+1), opt.Colors)
	}
	switch {
	case opt.Applied:
		fmt.Fprintln(out, "\nThe files are changed as the first one says.")
	case opt.Apply && len(res.Repairs) > 0:
		fmt.Fprintln(out, "\nNo file is changed: the first one is made where transactions begin.")
	}
	res.rest(out, opt.Verbose)
}

// Diff writes the diff of the first repair. Where there is none, it says why on remarks.
func Diff(out, remarks *bytes.Buffer, res *Result, colors bool) {
	switch {
	case len(res.Repairs) == 0:
		Text(remarks, res, TextOptions{})
	case res.Repairs[0].Diff == "":
		var list []string
		for _, c := range res.Repairs[0].Changes {
			list = append(list, c.Text)
		}
		para(remarks, "", fmt.Sprintf("There is no diff: the first repair changes no file. %s.", strings.Join(list, "; ")))
	default:
		out.WriteString(Painted(res.Repairs[0].Diff, colors))
	}
}

// nothing says why no repair was found.
func nothing(res *Result) string {
	if len(res.Refuted) == 0 && res.Open == 0 && res.Complete {
		return "no change that is known fits the statements of its finding, or these are not in the files that were named"
	}
	return "none of the changes that were tried is proved to make it so"
}

// text writes a repair with its diff.
func (r *Repair) text(out *bytes.Buffer, label string, colors bool) {
	fmt.Fprintln(out)
	for i, c := range r.Changes {
		if i > 0 {
			label = strings.Repeat(" ", len(label)-1) + "+"
		}
		para(out, label+" ", c.Text)
		if len(c.Blocks) > 0 {
			para(out, "   ", fmt.Sprintf("It now keeps apart, on the same rows, this transaction and %s.", strings.Join(c.Blocks, ", ")))
		}
	}
	if r.Diff != "" {
		fmt.Fprintf(out, "\n%s", Painted(r.Diff, colors))
	}
}

// Painted gives a diff in colors, if these are wanted.
func Painted(diff string, colors bool) string {
	if !colors {
		return diff
	}
	lines := strings.SplitAfter(diff, "\n")
	for i, l := range lines {
		of := map[byte]ansi.Color{'+': ansi.Green, '-': ansi.Red, '@': ansi.Bold}
		text, end := strings.CutSuffix(l, "\n")
		if lines[i] = of[(l + " ")[0]].Paint(text); end {
			lines[i] += "\n"
		}
	}
	return strings.Join(lines, "")
}

// para writes a paragraph in 80 columns: first starts its first line, and as many spaces the
// others.
func para(out *bytes.Buffer, first, text string) {
	indent := strings.Repeat(" ", len(first))
	for _, l := range quote.Wrap(text, 80-len(first)) {
		fmt.Fprintf(out, "%s%s\n", first, l)
		first = indent
	}
}

// rest says what was tried besides.
func (res *Result) rest(out *bytes.Buffer, verbose bool) {
	if n := len(res.Refuted); n > 0 && !verbose {
		fmt.Fprintf(out, "\nTried, and of no help: %d (-v shows them).\n", n)
	} else if n > 0 {
		fmt.Fprintln(out, "\nTried, and of no help, since the finding stays:")
		for _, r := range res.Refuted {
			c := r.Changes[0] // a change that does not help is made longer no more
			para(out, "- ", fmt.Sprintf("%s (%s:%d)", c.Text, c.Position.File, c.Position.Line))
		}
	}
	if res.Open > 0 {
		fmt.Fprintf(out, "\nTried, and neither proved nor refuted: %d (-each gives a proof more time).\n", res.Open)
	}
	for i, n := range res.Notes {
		if i == 0 {
			fmt.Fprintln(out)
		}
		para(out, "- ", n)
	}
	if !res.Complete {
		fmt.Fprintln(out, "\nNot all changes were tried: the time or the number of checks ran out.")
	}
}
