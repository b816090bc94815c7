package reportpage

import (
	_ "embed"
	"fmt"
	"io"
	"strings"

	"github.com/txrobust/robust/internal/page"
	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/report"
)

var (
	//go:embed style.css
	style string
	//go:embed script.js
	script string
)

// Sources gives the text of an input file.
type Sources func(file string) (text string, ok bool)

// Write writes a page about reports.
func Write(w io.Writer, reports []*report.Report, sources Sources) error {
	l := &lines{sources: sources, texts: map[string][]string{}, places: map[string]int{}}
	shown := struct {
		Places   []placed   `json:"places"`
		Programs []*program `json:"programs"`
	}{}
	var body page.HTML
	var names []string
	for i, r := range reports {
		shown.Programs = append(shown.Programs, l.program(r))
		body += newText(i, r).body()
		names = append(names, r.Program+": "+string(r.Verdict))
	}
	shown.Places = l.list
	title := "robust"
	if len(names) > 0 {
		title = names[0]
	}
	if len(names) > 1 {
		title = fmt.Sprintf("%d programs", len(names))
	}
	return page.Write(w, page.Page{Title: quote.Line(title), Body: body, Style: style, Script: script, Data: shown,
		Without: "The schedules and drawings need JavaScript. robust check -format text says the same in words."})
}

// lines gives places of the source their numbers, and remembers their lines.
type lines struct {
	sources Sources
	texts   map[string][]string // by file
	places  map[string]int
	list    []placed
}

// placed is a place of the source with its line.
type placed struct {
	At   string `json:"at"`
	Line string `json:"line,omitempty"`
}

// noPlace is the number of what is in no file.
const noPlace = -1

// maxLine bounds the characters of a line of the source.
const maxLine = 160

// at gives the number of a place.
func (l *lines) at(p report.Position) int {
	if p.Line <= 0 {
		return noPlace
	}
	key := p.String()
	if n, ok := l.places[key]; ok {
		return n
	}
	n := len(l.list)
	l.places[key] = n
	l.list = append(l.list, placed{quote.Line(p.Short()), l.line(p)})
	return n
}

// line gives the line of the source at a place, or "".
func (l *lines) line(p report.Position) string {
	text, ok := l.texts[p.File]
	if !ok {
		if l.sources != nil {
			if s, there := l.sources(p.File); there {
				text = strings.Split(s, "\n")
			}
		}
		l.texts[p.File] = text
	}
	if p.Line > len(text) {
		return ""
	}
	s := []rune(quote.Line(strings.Join(strings.Fields(text[p.Line-1]), " ")))
	if len(s) > maxLine {
		s = append(s[:maxLine-1], '…')
	}
	return string(s)
}
