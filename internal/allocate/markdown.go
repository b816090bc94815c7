package allocate

import (
	"fmt"
	"io"
	"strings"

	"github.com/txrobust/robust/internal/levels"
	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/report"
)

// Markdown writes a result for the text of a pull request.
func Markdown(w io.Writer, r *Result, opt Options) error {
	var b strings.Builder
	fmt.Fprintf(&b, "### Isolation levels of %s\n\n**%s.** %s\n\n", quote.Markdown(r.Program), quote.Markdown(capital(r.Headline())), r.minimal())
	if len(r.Rows) > 0 {
		b.WriteString("| transaction | READ COMMITTED | REPEATABLE READ | SERIALIZABLE | recommended |\n|---|---|---|---|---|\n")
	}
	for i := range r.Rows {
		row := &r.Rows[i]
		fmt.Fprintf(&b, "| %s |", quote.Markdown(row.Transaction))
		for _, l := range levels.All() {
			fmt.Fprintf(&b, " %s |", row.Cells[l].Answer)
		}
		level := string(row.Level)
		if r.Verdict != report.Robust {
			level = "undecided"
		}
		fmt.Fprintf(&b, " %s |\n", level)
	}
	section := func(title string, items []string) {
		if len(items) == 0 {
			return
		}
		fmt.Fprintf(&b, "\n%s\n\n", title)
		for _, s := range items {
			fmt.Fprintf(&b, "- %s\n", quote.Markdown(s))
		}
	}
	if opt.Golang {
		section("Other levels than those of today:", opt.texts(r.changes()))
		section("How a transaction asks for its level:", howTo(r.changes()))
	}
	var items []string
	for _, o := range r.obstacles() {
		items = append(items, o.String())
	}
	if len(items) > 0 {
		b.WriteString("\n<details><summary>What stands in the way of lower levels</summary>\n")
		section("", items)
		b.WriteString("\n</details>\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
