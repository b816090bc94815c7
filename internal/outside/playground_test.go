package outside_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/txrobust/robust/internal/demo"
	"github.com/txrobust/robust/internal/playground"
)

// checkerFor builds the checker for a browser, once for all tests.
var checkerFor = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "robust-playground-test")
	if err != nil {
		return "", err
	}
	build := exec.Command("go", "run", "./internal/playground/build", "-o", dir)
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		os.Stderr.Write(out)
		return dir, err
	}
	return dir, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if dir, err := checkerFor(); err == nil {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

// shownThere is what a playground shows.
type shownThere struct {
	SQL, Level, Status, Answer, Verdict, Place, Link, Solver, Story string
	Levels                                                          map[string]string
	Examples, Faulty, Frames                                        int
	Old, Busy, Wide, Dark                                           bool
}

const lookThere = `(() => {
  const $ = id => document.getElementById(id), answer = $('answer').querySelector('[data-verdict]');
  return {
    SQL: $('sql').value, Level: $('level').value, Status: $('status').innerText, Answer: $('answer').innerText, Verdict: answer ? answer.dataset.verdict : '',
    Place: $('place').innerText, Link: $('link').value, Solver: $('solver').innerText, Story: $('story').innerText,
    Levels: Object.fromEntries([...document.querySelectorAll('#levels label')].map(l => [l.firstChild.textContent, l.querySelector('select').value])),
    Examples: document.querySelectorAll('#example optgroup').length, Faulty: +(document.querySelector('#numbers b')?.textContent || 0),
    Frames: document.querySelectorAll('#result iframe').length, Old: $('answer').classList.contains('old'), Busy: $('check').disabled,
    Wide: document.documentElement.scrollWidth > innerWidth, Dark: getComputedStyle(document.body).backgroundColor.match(/\d+/g).every(n => +n < 60),
  };
})()`

// player uses a playground.
type player struct {
	t   testing.TB
	ctx context.Context
	url string
	f   *faults
}

// play opens a playground. What is no request to its own server is a fault.
func play(t testing.TB, s playground.Source) *player {
	t.Helper()
	dir, err := checkerFor()
	if err != nil {
		t.Fatal(err)
	}
	ctx := browser(t)
	s.Built = os.DirFS(dir)
	handler, err := s.Handler()
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	p := &player{t, ctx, server.URL + "/", &faults{}}
	p.f.listen(t, ctx)
	return p
}

func (p *player) do(actions ...chromedp.Action[chromedp.Void]) shownThere {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, actions...); err != nil {
		p.t.Fatal(err)
	}
	d, err := chromedp.Run(p.ctx, chromedp.Evaluate[shownThere](lookThere))
	if err != nil {
		p.t.Fatal(err)
	}
	return d
}

// js runs a script in which $ finds an element.
func (p *player) js(script string) shownThere {
	p.t.Helper()
	return p.do(chromedp.Evaluate[chromedp.Void]("($ => { " + script + " })(id => document.getElementById(id)); undefined"))
}

// until waits until the page shows something.
func (p *player) until(what string, there func(shownThere) bool) shownThere {
	p.t.Helper()
	for {
		d := p.do()
		if there(d) {
			return d
		}
		select {
		case <-p.ctx.Done():
			p.t.Fatalf("it never shows %s: %+v", what, d)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// check presses check, and waits for the answer.
func (p *player) check() shownThere {
	p.t.Helper()
	p.js("$('check').click()")
	return p.until("an answer", func(d shownThere) bool { return !d.Busy })
}

// example chooses an example by its scene and its number there.
func (p *player) example(scene string, n int) shownThere {
	p.t.Helper()
	return p.js("const e = $('example'); e.value = document.querySelectorAll(`#example optgroup[label=" + scene + "] option`)[" + string(rune('0'+n)) + "].value; e.dispatchEvent(new Event('change'))")
}

func (p *player) faults() {
	p.t.Helper()
	said := slices.DeleteFunc(p.f.take(), func(s string) bool {
		return strings.HasPrefix(s, "request: "+p.url) || strings.HasPrefix(s, "request: blob:")
	})
	if len(said) > 0 {
		p.t.Errorf("the page has faults:\n%s", strings.Join(said, "\n"))
	}
}

// edit puts a text in the place of another one in the editor.
func (p *player) edit(before, after string) shownThere {
	p.t.Helper()
	if d := p.do(); !strings.Contains(d.SQL, before) {
		p.t.Fatalf("%q is not in the program:\n%s", before, d.SQL)
	}
	return p.js(fmt.Sprintf("$('sql').value = $('sql').value.replace(%q, () => %q); $('sql').dispatchEvent(new Event('input'))", before, after))
}

// key presses a key.
func (p *player) key(key, more string) {
	p.t.Helper()
	p.js("document.dispatchEvent(new KeyboardEvent('keydown', { key: '" + key + "', " + more + " bubbles: true, cancelable: true }))")
}

// BenchmarkFirstResult opens the playground, presses check as soon as the page
// is there, and waits for the answer. The browser runs already; what it keeps of
// pages does not.
func BenchmarkFirstResult(b *testing.B) {
	for range b.N {
		b.StopTimer()
		p := play(b, playground.Source{})
		if err := chromedp.Do(p.ctx, chromedp.Navigate("about:blank")); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		p.do(chromedp.Navigate(p.url))
		if d := p.check(); d.Verdict != "not-robust" {
			b.Fatalf("write skew is %+v", d)
		}
	}
}

// TestPlayground uses every control of the playground, without Z3.
func TestPlayground(t *testing.T) {
	p := play(t, playground.Source{})
	d := p.do(chromedp.Navigate(p.url), media("", "light"), chromedp.EmulateViewport(1280, 800))
	if d.Examples != len(demo.Names()) || !strings.Contains(d.SQL, "doctor") || d.Level != "rr" || d.Story == "" || d.Wide || d.Dark {
		t.Fatalf("the page begins with %+v", d)
	}
	if d = p.check(); d.Verdict != "not-robust" || d.Frames != 1 || d.Levels["go_home"] != "" || len(d.Levels) != 1 || !strings.Contains(d.Solver, "no Z3") {
		t.Fatalf("write skew is %+v", d)
	}
	if shown, err := chromedp.Run(p.ctx, chromedp.Evaluate[string]("document.querySelector('#result iframe').srcdoc")); err != nil || !strings.Contains(shown, `class="verdict reject"`) {
		t.Errorf("the page in the page is %.300s, %v", shown, err)
	}
	p.repaired()
	p.levels()
	p.wrong()
	p.stops()
	p.shared()
	if d = p.do(media("", "dark"), chromedp.EmulateViewport(500, 800)); !d.Dark || d.Wide {
		t.Errorf("dark %v, sideways %v", d.Dark, d.Wide)
	}
	if n, err := chromedp.Run(p.ctx, chromedp.Evaluate[int]("$ = id => document.getElementById(id), [$('check'), $('share'), $('result')].filter(e => e.checkVisibility()).length")); err != nil || n == 0 {
		t.Errorf("%d controls on the screen, %v", n, err)
	}
	p.do(media("print", "light"))
	if n, err := chromedp.Run(p.ctx, chromedp.Evaluate[int]("[$('check'), $('share'), $('result')].filter(e => e.checkVisibility()).length + 10 * [$('sql'), $('answer'), $('level'), $('seconds')].filter(e => e.checkVisibility()).length")); err != nil || n != 40 {
		t.Errorf("on paper there must be the program, the question and the answer, and no controls: %d, %v", n, err)
	}
	p.faults()
}

// repaired edits a scene into its repaired form.
func (p *player) repaired() {
	p.t.Helper()
	d := p.example("lost-update", 0)
	if d.Level != "rc" || d.Frames != 0 || d.Answer != "" {
		p.t.Fatalf("a new example is %+v", d)
	}
	if d = p.check(); d.Verdict != "not-robust" {
		p.t.Fatalf("the lost update is %+v", d)
	}
	before, after := d.SQL, p.example("lost-update", 1).SQL
	p.example("lost-update", 0)
	p.check()
	if d = p.edit(before, after); !d.Old || !strings.Contains(d.Status, "has changed") {
		p.t.Errorf("the answer is still shown as one about the program: %+v", d)
	}
	p.key("Enter", "ctrlKey: true,")
	d = p.until("another answer", func(d shownThere) bool { return !d.Busy && !d.Old })
	if d.Verdict != "unknown" || d.Answer != "No anomaly up to 4 transactions. This is no proof: run robust check for one." {
		p.t.Errorf("after the repair: %q %q", d.Verdict, d.Answer)
	}
	if shown, err := chromedp.Run(p.ctx, chromedp.Evaluate[string]("document.querySelector('#result iframe').srcdoc")); err != nil || strings.Contains(shown, "Why it is robust") || !strings.Contains(shown, "nothing is proved") {
		p.t.Errorf("the page in the page is %.300s, %v", shown, err)
	}
}

// levels changes that of all transactions, and that of one.
func (p *player) levels() {
	p.t.Helper()
	p.example("lost-update", 0)
	p.check()
	if d := p.js("$('level').value = 'serializable'; $('level').dispatchEvent(new Event('change'))"); !d.Old {
		p.t.Errorf("with another level the answer is still shown as one about the program")
	}
	if d := p.check(); d.Verdict != "unknown" {
		p.t.Errorf("at SERIALIZABLE: %q %s", d.Verdict, d.Answer)
	}
	p.js("const s = document.querySelector('#levels select'); s.value = 'rc'; s.dispatchEvent(new Event('change'))")
	if d := p.check(); d.Verdict != "not-robust" || d.Levels["deposit"] != "rc" {
		p.t.Errorf("with deposit at READ COMMITTED: %q %s %v", d.Verdict, d.Answer, d.Levels)
	}
}

// wrong makes a mistake in SQL, and follows the message to it.
func (p *player) wrong() {
	p.t.Helper()
	p.edit("BEGIN;", "BEGIN;\nSELECT '🎉é' FORM account;")
	d := p.check()
	line := strings.Count(d.SQL[:strings.Index(d.SQL, "FORM")], "\n") + 1
	if want := fmt.Sprintf("program.sql:%d:18: syntax error", line); !strings.HasPrefix(strings.ReplaceAll(d.Answer, " :", ":"), want) || d.Faulty != line || d.Frames != 0 {
		p.t.Errorf("the message is %q at line %d, want %q", d.Answer, d.Faulty, want)
	}
	if d = p.js("$('answer').querySelector('button').click()"); d.Place != fmt.Sprintf("line %d, column 18", line) {
		p.t.Errorf("the message leads to %s", d.Place)
	}
	if d = p.edit("SELECT '🎉é' FORM account;", ""); d.Faulty != 0 {
		p.t.Errorf("after the change line %d is still marked", d.Faulty)
	}
}

// stops ends checks that take long, and checks again.
func (p *player) stops() {
	p.t.Helper()
	for _, stop := range []func(){func() { p.js("$('stop').click()") }, func() { p.key("Escape", "") }} {
		p.example("tpcc", 1)
		p.js("$('check').click()")
		p.until("what is being done", func(d shownThere) bool { return d.Busy && strings.Contains(d.Status, "proving") })
		stop()
		if d := p.do(); d.Busy || d.Status != "Stopped: nothing is known." || d.Verdict != "" || d.Frames != 0 {
			p.t.Errorf("after the stop: %+v", d)
		}
	}
	p.example("lost-update", 1)
	if d := p.check(); d.Verdict != "unknown" {
		p.t.Errorf("after the stop another program is %+v", d)
	}
}

// shared opens a link, and one that is cut off.
func (p *player) shared() {
	p.t.Helper()
	p.example("lost-update", 0)
	p.check()
	p.edit("CREATE TABLE", "-- für ☕ & <script>\nCREATE TABLE")
	before := p.js("const s = document.querySelector('#levels select'); s.value = 'serializable'; s.dispatchEvent(new Event('change')); $('share').click()")
	before = p.until("a link", func(d shownThere) bool { return strings.Contains(d.Link, "#") })
	for _, cut := range []bool{false, true} {
		link := before.Link
		if cut {
			link = link[:len(link)-20]
		}
		p.do(chromedp.Navigate("about:blank"), chromedp.Navigate(link))
		if cut {
			if d := p.until("a message", func(d shownThere) bool { return d.Answer != "" }); !strings.Contains(d.Answer, "damaged") || d.SQL != "" {
				p.t.Errorf("a link that is cut off gives %+v", d)
			}
			continue
		}
		d := p.until("the program", func(d shownThere) bool { return d.SQL != "" })
		if d.SQL != before.SQL || d.Level != before.Level || d.Levels["deposit"] != "serializable" || d.Verdict != "" {
			p.t.Errorf("the link gives %+v, want %+v", d, before)
		}
	}
}

// TestPlaygroundProves: with Z3 what is repaired is proved. `make bin/z3` fetches Z3 from npm.
func TestPlaygroundProves(t *testing.T) {
	const z3 = "../../bin/z3"
	if _, err := os.Stat(z3); err != nil {
		t.Skip("SKIPPED: there is no Z3 for browsers: make bin/z3 fetches it")
	}
	p := play(t, playground.Source{Solver: os.DirFS(z3)})
	p.do(chromedp.Navigate(p.url))
	if d := p.check(); d.Verdict != "not-robust" || !strings.Contains(d.Solver, "Z3 is here") {
		t.Fatalf("write skew is %+v", d)
	}
	// Each scene is refuted as it begins, and proved with its last change; what is between is decided.
	for _, scene := range demo.Names() {
		n, err := chromedp.Run(p.ctx, chromedp.Evaluate[int]("document.querySelectorAll('#example optgroup[label="+scene+"] option').length"))
		if err != nil || n < 2 {
			t.Fatalf("%s has %d examples, %v", scene, n, err)
		}
		for i := range n {
			p.example(scene, i)
			d := p.check()
			proved := d.Verdict == "robust" && strings.HasPrefix(d.Answer, "Robust: proved")
			if !proved && d.Verdict != "not-robust" || i == 0 && proved || i == n-1 && !proved {
				t.Errorf("%s, example %d: %+v", scene, i, d)
			}
		}
	}
	p.faults()
}
