package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/txrobust/robust/internal/codes"
	"github.com/txrobust/robust/internal/quote"
)

// writeMarkdown writes a report as a text for a pull request or a page: the answer, the findings, and what an
// Explanation says, if there is one.
func writeMarkdown(w io.Writer, r *Report) error {
	m := &markdown{}
	m.line("## %s is %s", words(r.Program), words(r.Answer()))
	m.line("")
	m.line("%s; %s.", words(r.EngineTitle), quote.Count(len(r.Transactions), "transaction"))
	if r.Headline != "" && r.Verdict != Robust {
		m.line("")
		m.line("%s.", words(strings.ToUpper(r.Headline[:1])+r.Headline[1:]))
	}
	var titles []string
	for i := range r.Findings {
		titles = append(titles, r.Findings[i].Title())
	}
	m.list("Findings", titles)
	for i := range r.Findings {
		m.reasons(&r.Findings[i])
	}
	if e := r.Explanation; e != nil {
		m.explanation(e)
	}
	if r.Open != nil {
		m.list("What may settle it (not tried)", r.Open.Settle)
	}
	if r.Verdict == Robust {
		m.list("Assumptions", r.Assumptions)
	}
	_, err := io.WriteString(w, m.b.String())
	return err
}

type markdown struct{ b strings.Builder }

func (m *markdown) line(format string, args ...any) { fmt.Fprintf(&m.b, format+"\n", args...) }

// words is text in one line that has no meaning in Markdown.
func words(s string) string {
	s = quote.Line(strings.Join(strings.Fields(s), " "))
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "_", `\_`, "`", "\\`", "[", `\[`, "]", `\]`, "<", "&lt;", ">", "&gt;", "|", `\|`, "#", `\#`).Replace(s)
}

// list is a section with a list, if that has items.
func (m *markdown) list(title string, items []string) {
	if len(items) == 0 {
		return
	}
	m.section(title)
	for _, s := range items {
		m.line("- %s", words(s))
	}
}

func (m *markdown) section(title string) {
	m.line("")
	m.line("### %s", title)
	m.line("")
}

func (m *markdown) explanation(e *Explanation) {
	m.section("Why")
	m.line("%s.", words(e.Summary))
	for _, g := range e.Pairs {
		m.line("")
		m.line("**%s.**", words(g.sentence()))
		m.line("")
		for i := range g.Pairs {
			if i == maxPairs || g.Kind == codes.PairApart {
				if n := len(g.Pairs) - i; n > 0 && g.Kind != codes.PairApart {
					m.line("- … and %s", quote.Count(n, "other pair"))
				}
				break
			}
			m.line("- %s", words(g.Pairs[i].String()))
		}
		for _, n := range g.Needs {
			m.line("- needs: %s", words(n))
		}
	}
	var facts []string
	for _, f := range e.Facts {
		kept := "no transaction writes what it is about"
		if len(f.Keeps) > 0 {
			kept = "kept by " + someOf(f.Keeps)
		}
		facts = append(facts, f.Text+" ("+kept+")")
	}
	m.list("Facts about rows", facts)
	m.advice(e.Advice)
}

func (m *markdown) reasons(f *Finding) {
	if f.NoOrder == "" {
		return
	}
	m.section(words(f.Title()))
	for _, n := range f.Stale {
		m.line("- %s", words(n.Text))
	}
	m.line("- no serial order: %s", words(f.NoOrder))
}

func (m *markdown) advice(list []Advice) {
	if len(list) == 0 {
		return
	}
	m.section("What to do, as it was tried")
	for _, a := range list {
		at := ""
		if p := a.Position; p != nil {
			at = fmt.Sprintf("%s:%d:%d: ", p.File, p.Line, p.Col)
		}
		m.line("- %s. Tried: %s.", words(at+a.Text), words(a.Result))
		if len(a.Paste) > 0 {
			m.line("")
			m.line("  ```sql")
			for _, s := range a.Paste {
				m.line("  %s", quote.Line(s))
			}
			m.line("  ```")
		}
	}
}
