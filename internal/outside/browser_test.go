package outside_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// browser starts Chromium without a window. It is skipped without one, unless
// ROBUST_CI is set.
func browser(t testing.TB) context.Context {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("ROBUST_CI") != "" {
			t.Fatalf("no browser: %v; make setup installs chromium", err)
		}
		t.Skipf("SKIPPED: no browser: %v; make setup installs chromium", err)
	}
	flags := []chromedp.ExecAllocatorOption{chromedp.ExecPath(path), chromedp.UserDataDir(t.TempDir()), chromedp.WindowSize(1300, 850)}
	for _, f := range []string{"headless", "no-sandbox", "disable-gpu", "disable-quic", "no-first-run", "disable-background-networking", "disable-component-update", "disable-sync", "disable-dev-shm-usage"} {
		flags = append(flags, chromedp.Flag(f, true))
	}
	ctx, stop := chromedp.NewExecAllocator(t.Context(), flags...)
	t.Cleanup(stop)
	ctx, stop = chromedp.NewContext(ctx)
	t.Cleanup(func() { stop() })
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// faults collects what a page must not do: exceptions, errors on the console, and
// requests to other places than its file.
type faults struct {
	mu   sync.Mutex
	said []string
}

func (f *faults) add(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.said = append(f.said, fmt.Sprintf(format, args...))
}

func (f *faults) listen(t testing.TB, ctx context.Context) {
	t.Helper()
	err := chromedp.Listen(ctx, func(ev any) {
		switch ev := ev.(type) {
		case *runtime.EventExceptionThrown:
			f.add("exception: %s", ev.ExceptionDetails.Text)
		case *runtime.EventConsoleAPICalled:
			if ev.Type == runtime.ConsoleAPICalledTypeError || ev.Type == runtime.ConsoleAPICalledTypeWarning {
				f.add("console: %v", ev.Args)
			}
		case *log.EventEntryAdded:
			f.add("log: %s %s", ev.Entry.Level, ev.Entry.Text)
		case *network.EventRequestWillBeSent:
			if !strings.HasPrefix(ev.Request.URL, "file:") && !strings.HasPrefix(ev.Request.URL, "data:") {
				f.add("request: %s", ev.Request.URL)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = chromedp.Call(ctx, network.Enable, network.EnableParams{})
	if err == nil {
		_, err = chromedp.Call(ctx, log.Enable, cdp.Empty{})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// take gives what was said so far, and forgets it.
func (f *faults) take() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	said := f.said
	f.said = nil
	return said
}

// few is how many sessions are all shown.
const few = 12

// drawn is what a page shows, as the browser has it.
type drawn struct {
	Lanes, Txns, Buttons, Levels int
	On                           []string // names of the transactions that are marked
	Edges                        []string // "from TYPE to" of the cycle
	Reads                        int
	Pressed                      int // the button that is, or -1
	Explanation, Tip             string
	Dark                         bool // the colours
	Wide                         bool // the page itself, not the drawing, scrolls sideways
	Outside                      int  // edges with a part left or above of the drawing
	Hidden                       int  // marked transactions out of sight
	Here, Bars                   int  // the sentence that is stepped to, from 1, and the bars to step
	Aside                        int  // edges that are not the one that is stepped to
}

const look = `(() => {
  const all = s => [...document.querySelectorAll(s)];
  const data = JSON.parse(document.getElementById('data').textContent);
  return {
    Lanes: all('.lane-name').length, Txns: all('.txn').length, Buttons: all('#list button').length, Levels: all('#levels li').length,
    On: all('.txn.on').map(g => data.txns[+g.id.slice(4)].name),
    Edges: all('#edges .edge.cycle').map(g => g.dataset.from + ' ' + g.classList[1] + ' ' + g.dataset.to),
    Reads: all('#all-reads .edge').length,
    Pressed: all('#list button').findIndex(b => b.getAttribute('aria-pressed') === 'true'),
    Explanation: document.getElementById('explanation').innerText,
    Tip: document.getElementById('tip').hidden ? '' : document.getElementById('tip').innerText,
    Dark: getComputedStyle(document.body).backgroundColor.match(/\d+/g).every(n => +n < 60),
    Wide: document.documentElement.scrollWidth > innerWidth,
    Hidden: (v => all('.txn.on rect').filter(r => { const b = r.getBoundingClientRect(); return b.left < v.left || b.right > v.right || b.top < v.top || b.bottom > v.bottom; }).length)(document.getElementById('scroll').getBoundingClientRect()),
    Here: all('#explanation li').findIndex(l => l.classList.contains('here')) + 1, Bars: all('.stepper').length, Aside: all('.edge.aside').length,
    Outside: all('.edge path').filter(p => p.getBBox().x < 0 || p.getBBox().y < 0).length,
  };
})()`

// TestBrowser opens pages in Chromium, and uses them with mouse and keyboard.
func TestBrowser(t *testing.T) {
	ctx := browser(t)
	f := &faults{}
	f.listen(t, ctx)
	bad := filepath.Join(t.TempDir(), "bad.html")
	if err := os.WriteFile(bad, []byte(`<script>console.error("e"); fetch("http://127.0.0.1:9/").catch(() => 0); throw new Error("x")</script>`), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := chromedp.Do(ctx, chromedp.Navigate("file://"+bad)); err != nil {
		t.Fatal(err)
	}
	for said := strings.Join(f.take(), "\n"); !strings.Contains(said, "exception") || !strings.Contains(said, "console") || !strings.Contains(said, "request"); {
		t.Fatalf("faults of a page are not noticed: %q", said)
	}
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank")); err != nil {
		t.Fatal(err)
	}
	f.take()
	for _, c := range pages(t) {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "page.html")
			if err := os.WriteFile(path, c.html, 0o644); err != nil {
				t.Fatal(err)
			}
			do := func(actions ...chromedp.Action[chromedp.Void]) drawn {
				t.Helper()
				if err := chromedp.Do(ctx, actions...); err != nil {
					t.Fatal(err)
				}
				d, err := chromedp.Run(ctx, chromedp.Evaluate[drawn](look))
				if err != nil {
					t.Fatal(err)
				}
				return d
			}
			dark := func(scheme string) chromedp.Action[chromedp.Void] {
				return chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
					_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
					return err
				})
			}
			p := c.data
			d := do(chromedp.Navigate("file://" + path))
			lanes, txns := len(p.Lanes), len(p.Txns)
			narrow := lanes > few && len(p.Anomalies) > 0
			if narrow { // those of the first anomaly only
				in := map[int]bool{}
				for _, n := range p.Anomalies[0].Txns {
					in[p.Txns[n].Lane] = true
				}
				lanes, txns = len(in), len(p.Anomalies[0].Txns)
			}
			if d.Lanes != lanes || d.Txns != txns || d.Buttons != len(p.Anomalies) || d.Levels != len(p.Levels) || d.Wide {
				t.Errorf("%d lanes, %d transactions, %d anomalies, %d levels, sideways %v; want %d, %d, %d, %d", d.Lanes, d.Txns, d.Buttons, d.Levels, d.Wide,
					lanes, txns, len(p.Anomalies), len(p.Levels))
			}
			if len(p.Anomalies) == 0 {
				if d.Pressed != -1 || len(d.On) != 0 || d.Reads != len(p.Reads) {
					t.Errorf("without an anomaly: %+v, want %d reads", d, len(p.Reads))
				}
			} else {
				d.shows(t, p, 0)
				if narrow {
					if d.Hidden > 0 {
						t.Errorf("%d transactions of the anomaly are out of sight", d.Hidden)
					}
					if d = do(chromedp.Click("#sessions")); d.Lanes != len(p.Lanes) || d.Txns != len(p.Txns) {
						t.Errorf("with all sessions there are %d lanes and %d transactions, want %d and %d", d.Lanes, d.Txns, len(p.Lanes), len(p.Txns))
					}
					do(chromedp.Click("#sessions")).shows(t, p, 0)
				}
			}
			n := min(len(p.Anomalies), 4) // that are looked at
			for i := range n {
				if i > 0 {
					do(chromedp.Click(fmt.Sprintf("#list button:nth-child(%d)", i+1))).shows(t, p, i)
				}
			}
			if d = do(); d.Bars > 0 {
				for _, want := range []int{1, 2, 1} {
					key := kb.ArrowRight
					if d.Here > want {
						key = kb.ArrowLeft
					}
					if d = do(chromedp.KeyEvent(key)); d.Here != want || d.Aside == 0 {
						t.Errorf("the arrow leads to the edge %d, want %d; %d are aside", d.Here, want, d.Aside)
					}
				}
			}
			if n > 1 {
				do(chromedp.KeyEvent(kb.ArrowUp)).shows(t, p, n-2)
				do(chromedp.KeyEvent(kb.ArrowDown)).shows(t, p, n-1)
			}
			if d = do(chromedp.KeyEvent(kb.Escape)); d.Pressed != -1 || len(d.On) != 0 || len(d.Edges) != 0 {
				t.Errorf("after Escape: %+v", d)
			}
			if len(p.Txns) > 0 {
				// The keyboard reaches the transactions, and what they did is shown.
				d = do(chromedp.Focus("#scroll"), chromedp.KeyEvent(kb.Tab))
				for _, part := range append([]string{p.Txns[0].Name}, p.Txns[0].Operations...) {
					if !strings.Contains(d.Tip, part) {
						t.Errorf("%q is not in the tip %q", part, d.Tip)
					}
				}
			}
			// All reads, in dark colours, on a narrow window.
			d = do(chromedp.Evaluate[chromedp.Void](`document.getElementById('reads').checked || document.getElementById('reads').click()`), dark("dark"), chromedp.EmulateViewport(500, 800))
			if d.Reads != len(p.Reads) || d.Wide || !d.Dark {
				t.Errorf("%d reads, want %d; sideways %v, dark %v", d.Reads, len(p.Reads), d.Wide, d.Dark)
			}
			if d = do(dark("light"), chromedp.EmulateViewport(1300, 850)); d.Dark {
				t.Error("the page stays dark")
			}
			if said := f.take(); len(said) > 0 {
				t.Errorf("the page has faults:\n%s", strings.Join(said, "\n"))
			}
		})
	}
}

// shows makes sure that an anomaly is chosen, its transactions are marked, its
// edges drawn and its explanation there.
func (d drawn) shows(t *testing.T, p *shown, i int) {
	t.Helper()
	a := p.Anomalies[i]
	var on, edges []string
	for n, x := range p.Txns {
		if slices.Contains(a.Txns, n) {
			on = append(on, x.Name)
		}
	}
	for _, e := range a.Edges {
		if !e.Because {
			edges = append(edges, p.Txns[e.From].Name+" "+e.Type+" "+p.Txns[e.To].Name)
		}
	}
	if d.Pressed != i || !slices.Equal(d.On, on) || !slices.Equal(d.Edges, edges) || d.Outside > 0 {
		t.Errorf("anomaly %d is chosen: %+v, want %v and %v", i, d, on, edges)
	}
	for _, s := range a.Text {
		if !strings.Contains(strings.Join(strings.Fields(d.Explanation), " "), strings.Join(strings.Fields(s), " ")) {
			t.Errorf("%q is not explained: %q", s, d.Explanation)
		}
	}
}
