package lsp

import (
	"net/url"
	"path/filepath"
	"strings"
	"unicode/utf16"

	"github.com/txrobust/robust/internal/excerpt"
)

// What is sent and received, as far as it is used here.
type (
	place struct {
		Line      int `json:"line"`
		Character int `json:"character"` // in UTF-16
	}
	span struct {
		Start place `json:"start"`
		End   place `json:"end"`
	}
	location struct {
		URI   string `json:"uri"`
		Range span   `json:"range"`
	}
	related struct {
		Location location `json:"location"`
		Message  string   `json:"message"`
	}
	diagnostic struct {
		Range    span      `json:"range"`
		Severity int       `json:"severity"`
		Code     string    `json:"code,omitempty"`
		Source   string    `json:"source"`
		Message  string    `json:"message"`
		Related  []related `json:"relatedInformation,omitempty"`
	}
	published struct {
		URI         string       `json:"uri"`
		Diagnostics []diagnostic `json:"diagnostics"`
	}
	document struct {
		URI  string `json:"uri"`
		Text string `json:"text"`
	}
	aboutDocument struct {
		Document document `json:"textDocument"`
		Position place    `json:"position"`
		Changes  []struct {
			Text string `json:"text"`
		} `json:"contentChanges"`
		Context struct {
			Diagnostics []diagnostic `json:"diagnostics"`
		} `json:"context"`
	}
	hover struct {
		Contents markup `json:"contents"`
	}
	markup struct {
		Kind  string `json:"kind"`
		Value string `json:"value"`
	}
	codeAction struct {
		Title       string        `json:"title"`
		Kind        string        `json:"kind"`
		Diagnostics []diagnostic  `json:"diagnostics,omitempty"`
		Preferred   bool          `json:"isPreferred,omitempty"`
		Edit        workspaceEdit `json:"edit"`
	}
	workspaceEdit struct {
		Changes map[string][]textEdit `json:"changes"`
	}
	textEdit struct {
		Range   span   `json:"range"`
		NewText string `json:"newText"`
	}
	progress struct {
		Token string   `json:"token"`
		Value workDone `json:"value"`
	}
	workDone struct {
		Kind    string `json:"kind"`
		Title   string `json:"title,omitempty"`
		Message string `json:"message,omitempty"`
	}
)

// Severities of diagnostics.
const (
	severityError       = 1
	severityInformation = 3
	severityHint        = 4
)

// pathOf gives the path of a file by its URI, "" for what is no file.
func pathOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Path == "" {
		return ""
	}
	return filepath.FromSlash(u.Path)
}

// uriOf gives the URI of a file by its full path.
func uriOf(path string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()
}

// rest is what stands in a line of a file from a column on, as a span. Lines and columns begin
// at 1.
func rest(file, text string, line, col int) span {
	lines := strings.Split(text, "\n")
	if line < 1 || line > len(lines) {
		return span{}
	}
	shown := strings.TrimRight(lines[line-1], " \t\r")
	start, _ := excerpt.Start(file, shown, max(col, 1))
	start = min(start, len(shown))
	if col <= 1 { // without the indentation
		start = len(shown) - len(strings.TrimLeft(shown, " \t"))
	}
	return span{place{line - 1, units(shown[:start])}, place{line - 1, units(shown)}}
}

// units counts the UTF-16 units of a text.
func units(s string) int { return len(utf16.Encode([]rune(s))) }

// replaced gives the edit that makes one text of another: it replaces the lines between those
// that both begin and end with.
func replaced(before, after string) textEdit {
	a, b := strings.SplitAfter(before, "\n"), strings.SplitAfter(after, "\n")
	first := 0
	for first < len(a) && first < len(b) && a[first] == b[first] {
		first++
	}
	last := 0
	for last < len(a)-first && last < len(b)-first && a[len(a)-1-last] == b[len(b)-1-last] {
		last++
	}
	end := place{len(a) - last, 0}
	if last == 0 && len(a) > 0 { // the last line has no end
		end = place{len(a) - 1, units(a[len(a)-1])}
	}
	start := place{first, 0}
	if first == len(a) {
		start = end
	}
	return textEdit{span{start, end}, strings.Join(b[first:len(b)-last], "")}
}
