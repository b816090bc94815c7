package outside_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	printing "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// printed gives the texts of the pages that a file is printed on, where the system prefers dark
// colors, and fails where a page is dark or has no dark text.
func printed(t *testing.T, v *visitor, html []byte) []string {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "page.html")
	if err := os.WriteFile(path, html, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := chromedp.Do(v.ctx, chromedp.Navigate("file://"+path), media("", "dark")); err != nil {
		t.Fatal(err)
	}
	got, err := chromedp.Call(v.ctx, printing.PrintToPDF, printing.PrintToPDFParams{PrintBackground: new(true)})
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(got.Data, []byte("%PDF")) {
		t.Fatalf("no PDF but %.20q", got.Data)
	}
	file := filepath.Join(dir, "page.pdf")
	if err := os.WriteFile(file, got.Data, 0o644); err != nil {
		t.Fatal(err)
	}
	run := func(name string, args ...string) []byte {
		out, err := exec.Command(name, args...).Output()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return out
	}
	// The last bytes of a gray picture are its pixels.
	picture := run("pdftoppm", "-gray", "-r", "40", "-f", "1", "-l", "1", file)
	light, dark := 0, 0
	for _, b := range picture[20:] {
		if b > 230 {
			light++
		}
		if b < 110 {
			dark++
		}
	}
	if light < len(picture)*7/10 || dark < 40 {
		t.Errorf("of %d pixels of the first page %d are light and %d dark", len(picture), light, dark)
	}
	return strings.Split(strings.TrimSuffix(string(run("pdftotext", "-layout", file, "-")), "\f"), "\f")
}

// headings stand before something on the same page.
var headings = []string{"Step by step", "Why no serial order is possible", "What every serial order does instead", "What to change", "Map: who depends on whom", "Transactions", "What it rests on", "Assumptions"}

// TestPrinted prints pages about reports and histories: everything is there, no page is empty, and
// no heading is the last of a page.
func TestPrinted(t *testing.T) {
	for _, tool := range []string{"pdftotext", "pdftoppm"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("SKIPPED: %v; apt-get install poppler-utils", err)
		}
	}
	v := &visitor{t: t, ctx: browser(t)}
	whole := func(t *testing.T, sheets []string, most int) string {
		t.Helper()
		if len(sheets) > most {
			t.Errorf("%d pages, want at most %d", len(sheets), most)
		}
		for i, text := range sheets {
			lines := strings.Split(strings.TrimSpace(text), "\n")
			last := strings.TrimSpace(lines[len(lines)-1])
			if last == "" || slices.Contains(headings, last) {
				t.Errorf("page %d of %d ends with %q", i+1, len(sheets), last)
			}
		}
		return strings.Join(strings.Fields(strings.Join(sheets, " ")), " ")
	}
	for _, p := range reports(t) {
		t.Run(p.name, func(t *testing.T) {
			steps := 0
			for _, r := range p.reports {
				steps += 12
				for _, f := range r.Findings {
					steps += len(f.Witness.Play.States)
				}
			}
			text := whole(t, printed(t, v, p.html), 2+steps/3)
			for _, r := range p.reports {
				for _, f := range r.Findings {
					for _, e := range f.Edges {
						if p.name != "hostile" && !strings.Contains(text, strings.Join(strings.Fields(e.Text), " ")) {
							t.Errorf("not printed: %s", e.Text)
						}
					}
				}
				if strings.Contains(text, "Choose a transaction") {
					t.Error("a hint for those who can click is printed")
				}
			}
		})
	}
	for _, p := range pages(t) {
		if p.name == "many" || p.name == "large" { // hundreds of sessions are for a screen
			continue
		}
		t.Run("history/"+p.name, func(t *testing.T) {
			text := whole(t, printed(t, v, p.html), 40)
			for i := range p.data.Anomalies {
				for _, said := range p.data.Anomalies[i].Text {
					if p.name != "hostile" && !strings.Contains(text, strings.Join(strings.Fields(said), " ")) {
						t.Errorf("anomaly %d is not printed: %s", i+1, said)
					}
				}
			}
		})
	}
}
