package outside_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/internal/reportpage"
	"github.com/txrobust/robust/internal/testprog"
	"github.com/txrobust/robust/internal/witness"
	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/report"
	"github.com/txrobust/robust/sqlmodel"
)

// tickets is a program with two findings, whose names and values are anything.
const tickets = `CREATE TABLE "<script>alert(1)</script>" (id int PRIMARY KEY, "</table>" int NOT NULL);
CREATE TABLE ticket (id int PRIMARY KEY, event int NOT NULL, buyer text);
CREATE FUNCTION "sell<img src=x onerror=alert(1)>"(p_id int, p_event int) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE sold bigint; room int;
BEGIN
  SELECT "</table>" INTO room FROM "<script>alert(1)</script>" WHERE id = p_event;
  SELECT count(*) INTO sold FROM ticket WHERE event = p_event;
  IF sold >= room THEN RETURN false; END IF;
  INSERT INTO ticket VALUES (p_id, p_event, '<b>' || p_id || '</b>'); -- <script>alert(2)</script>
  RETURN true;
END $$;
CREATE FUNCTION "shrink & co"(p_event int, p_seats int) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE sold bigint;
BEGIN
  SELECT count(*) INTO sold FROM ticket WHERE event = p_event;
  IF sold > p_seats THEN RETURN false; END IF;
  UPDATE "<script>alert(1)</script>" SET "</table>" = p_seats WHERE id = p_event;
  RETURN true;
END $$;`

const undecided = `program undecided
table t (k int not null, v int not null, key (k))
txn writes() { local n int; (n) := select r.v from t r where r.k == 1; emit n; unmodelled (t) 'something'; }
txn reads() { local n int; (n) := select r.v from t r where r.k == 2; update t r set v = n where r.k == 1; }`

// reported is a page about reports.
type reported struct {
	name    string
	html    []byte
	reports []*report.Report
}

// reports are pages of all verdicts, from SQL and from litmus programs, at snapshot isolation
// and at READ COMMITTED.
func reports(t *testing.T) []reported {
	t.Helper()
	var out []reported
	check := func(p *ir.Program, isolation string, profile *engine.Profile, init robust.Init) *report.Report {
		t.Helper()
		r, err := robust.Check(t.Context(), p, robust.Options{Question: robust.Question{Engine: profile, Isolation: isolation, Init: init}, Output: robust.Output{Explain: true, Graph: true}})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	add := func(name string, text string, list ...*report.Report) {
		t.Helper()
		var b bytes.Buffer
		sources := func(file string) (string, bool) {
			if text != "" {
				return text, true
			}
			data, err := os.ReadFile(file)
			return string(data), err == nil
		}
		if err := reportpage.Write(&b, list, sources); err != nil {
			t.Fatal(err)
		}
		out = append(out, reported{name, b.Bytes(), list})
	}
	hostile, err := sqlmodel.Parse([]sqlmodel.File{{Name: "tickets.sql", Text: tickets}}, sqlmodel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	add("hostile", tickets, check(hostile, "", engine.Postgres(), robust.AnyRows))
	bank := testprog.Load(t, testprog.Path(t, "apps", "smallbank"))
	add("smallbank", "", check(bank, "", engine.Postgres(), robust.AnyRows))
	add("read committed", "", check(testprog.Load(t, testprog.Path(t, "oncall")), "rc", engine.Postgres(), robust.AnyRows))
	litmus := testprog.ParseFile(t, testprog.Path(t, "litmus", "read-only-anomaly.litmus"))
	proved := check(testprog.Load(t, testprog.Path(t, "apps", "smallbank-promote-wt")), "", engine.Postgres(), robust.AnyRows)
	add("several", "", check(litmus, "", engine.SI(), robust.FileRows), proved, check(testprog.Load(t, testprog.Path(t, "apps", "courseware")), "", engine.Postgres(), robust.AnyRows))
	add("unknown", undecided, check(testprog.Parse(t, undecided), "", engine.Postgres(), robust.AnyRows))
	return out
}

// card is what somebody sees at a step: rows by table.
type card struct {
	Title, Note string
	Rows        map[string][]string
	Stale, Own  int
}

// stepped is what a page shows of a program.
type stepped struct {
	Verdict                      string
	Findings, Pressed            int
	Runs                         []string
	Run                          int
	Step                         string
	Caption, Difference          string
	Here, Later                  int
	Stale, Otherwise             int
	Cards                        []card
	Arrows                       int
	Orders, Edges                int
	Nodes, Lines, Dashed, Chosen int
	Rows                         int
	Papers                       int
	Wide, Dark                   bool
	Tip                          string
	Images, Bold                 int
}

const lookAt = `(n => {
  const top = document.getElementById('program-' + n), all = s => [...top.querySelectorAll(s)], text = s => { const e = top.querySelector(s); return e && !e.hidden ? e.innerText.trim() : ''; };
  return {
    Verdict: text('.verdict').toLowerCase(), Findings: all('.findings .choices button').length,
    Pressed: all('.findings .choices button').findIndex(b => b.getAttribute('aria-pressed') === 'true'),
    Runs: all('.runs button').map(b => b.innerText), Run: all('.runs button').findIndex(b => b.getAttribute('aria-pressed') === 'true'),
    Step: text('.stepper output'), Caption: text('.now'), Difference: text('.difference'),
    Here: +(top.querySelector('.event.here')?.dataset.step || 0), Later: all('.event.later').length,
    Stale: all('.event.stale').length, Otherwise: all('.otherwise:not(.swatch)').length,
    Cards: all('.finding .card').map(c => ({ Title: c.querySelector('h4').innerText, Note: c.querySelector('p').innerText,
      Rows: Object.fromEntries([...c.querySelectorAll('table')].map(t => [t.caption.innerText, [...t.tBodies[0].rows].filter(r => !r.querySelector('.none')).map(r => [...r.cells].map(x => x.innerText).join(', '))])),
      Stale: c.querySelectorAll('td.stale').length, Own: c.querySelectorAll('td.own').length })),
    Arrows: all('.lanes .edge').length, Orders: all('.finding .orders tbody tr').length, Edges: all('.finding .edges > li').length,
    Nodes: all('.map .node').length, Lines: all('.map svg .edge').length, Dashed: all('.map svg .edge.dashed').length, Chosen: all('.map .node.chosen').length,
    Rows: all('.dependencies tbody tr').length, Papers: all('.printed .paper').length,
    Wide: document.documentElement.scrollWidth > innerWidth, Dark: getComputedStyle(document.body).backgroundColor.match(/\d+/g).every(n => +n < 60),
    Tip: document.getElementById('tip').hidden ? '' : document.getElementById('tip').innerText,
    Images: document.images.length, Bold: document.querySelectorAll('b b, td b b').length,
  };
})(%d)`

// visitor uses a page.
type visitor struct {
	t   *testing.T
	ctx context.Context
	n   int // the program
}

func (v *visitor) do(actions ...chromedp.Action[chromedp.Void]) stepped {
	v.t.Helper()
	if err := chromedp.Do(v.ctx, actions...); err != nil {
		v.t.Fatal(err)
	}
	d, err := chromedp.Run(v.ctx, chromedp.Evaluate[stepped](fmt.Sprintf(lookAt, v.n)))
	if err != nil {
		v.t.Fatal(err)
	}
	return d
}

// js runs a script in which top is the program.
func (v *visitor) js(script string) stepped {
	v.t.Helper()
	return v.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf("(top => { %s })(document.getElementById('program-%d')); undefined", script, v.n)))
}

// click presses the nth control that matches.
func (v *visitor) click(selector string, n int) stepped {
	v.t.Helper()
	return v.js(fmt.Sprintf("top.querySelectorAll(%q)[%d].click()", selector, n))
}

func media(kind, scheme string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: kind, Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
		return err
	})
}

// TestReports opens pages about reports in Chromium, and uses every control.
func TestReports(t *testing.T) {
	list := reports(t)
	ctx := browser(t)
	f := &faults{}
	f.listen(t, ctx)
	for _, p := range list {
		t.Run(p.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "page.html")
			if err := os.WriteFile(path, p.html, 0o644); err != nil {
				t.Fatal(err)
			}
			v := &visitor{t: t, ctx: ctx}
			v.do(chromedp.Navigate("file://"+path), media("", "light"), chromedp.EmulateViewport(1280, 800))
			for n, r := range p.reports {
				v.n = n
				d := v.js("")
				if want := map[report.Verdict]string{report.Robust: "robust", report.NotRobust: "not robust", report.Unknown: "unknown"}[r.Verdict]; d.Verdict != want || d.Wide || d.Images > 0 || d.Bold > 0 {
					t.Errorf("the page says %q, want %q; sideways %v, images %d, %d texts are bold", d.Verdict, want, d.Wide, d.Images, d.Bold)
				}
				if len(r.Findings) > 0 {
					v.findings(r)
				}
				v.graph(r)
			}
			v.n = 0
			if d := v.do(media("", "dark"), chromedp.EmulateViewport(500, 800)); !d.Dark || d.Wide {
				t.Errorf("dark %v, sideways %v", d.Dark, d.Wide)
			}
			v.print(p.reports)
			if said := f.take(); len(said) > 0 {
				t.Errorf("the page has faults:\n%s", strings.Join(said, "\n"))
			}
		})
	}
}

// open shows the page of a report.
func (v *visitor) open(r *report.Report) stepped {
	v.t.Helper()
	path := filepath.Join(v.t.TempDir(), "page.html")
	var page bytes.Buffer
	if err := reportpage.Write(&page, []*report.Report{r}, nil); err != nil {
		v.t.Fatal(err)
	}
	if err := os.WriteFile(path, page.Bytes(), 0o644); err != nil {
		v.t.Fatal(err)
	}
	return v.do(chromedp.Navigate("file://"+path), chromedp.EmulateViewport(1280, 800))
}

// TestWideTable: of a table with many columns, rows show the first, those that the events name
// and those that change, and how many others there are.
func TestWideTable(t *testing.T) {
	p, err := sqlmodel.Parse([]sqlmodel.File{{Name: "wide.sql", Text: `CREATE TABLE doctor (id int PRIMARY KEY, c1 int, c2 int, "sh.ft" int NOT NULL, c4 int, c5 int, on_call bool NOT NULL, on_call_2 int);
CREATE FUNCTION leave(i int) RETURNS void LANGUAGE plpgsql AS $$ DECLARE a bool; BEGIN
  SELECT on_call AND "sh.ft" > 3 INTO a FROM doctor WHERE id = 1 - i;
  IF a THEN UPDATE doctor SET on_call = false WHERE id = i; END IF;
END $$;`}}, sqlmodel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := robust.Check(t.Context(), p, robust.Options{Question: robust.Question{Engine: engine.Postgres()}})
	if err != nil || len(r.Findings) == 0 {
		t.Fatalf("%d findings, %v", len(r.Findings), err)
	}
	v := &visitor{t: t, ctx: browser(t)}
	v.open(r)
	got, err := chromedp.Run(v.ctx, chromedp.Evaluate[[]string](`(t => [t.caption.innerText, ...[...t.tHead.querySelectorAll('th')].map(x => x.innerText)])(document.querySelector('.card table'))`))
	if want := []string{"doctor (5 other columns)", "id", "sh.ft", "on_call"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("the page shows %q, want %q; %v", got, want, err)
	}
}

// TestManyTransactions: of a large program the map shows what is on cycles first, then all
// transactions in rows, with the dependencies of the chosen one.
func TestManyTransactions(t *testing.T) {
	var b strings.Builder
	const n = 60
	for i := range n {
		fmt.Fprintf(&b, "CREATE TABLE t%d (id int PRIMARY KEY, v int NOT NULL);\n", i)
	}
	for i := range n {
		from, to := i/2, i/2 // two and two read and write the same rows
		if i >= n-2 {
			from, to = i, 2*n-3-i // but the last two are a write skew
		}
		fmt.Fprintf(&b, "CREATE FUNCTION f%d(p int) RETURNS void LANGUAGE plpgsql AS $$ DECLARE n int; BEGIN SELECT v INTO n FROM t%d WHERE id = p; UPDATE t%d SET v = n WHERE id = p; END $$;\n", i, from, to)
	}
	p, err := sqlmodel.Parse([]sqlmodel.File{{Name: "many.sql", Text: b.String()}}, sqlmodel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := robust.Check(t.Context(), p, robust.Options{Question: robust.Question{Engine: engine.Postgres()}, Output: robust.Output{Graph: true}})
	if err != nil || len(r.Findings) == 0 {
		t.Fatalf("%d findings, %v", len(r.Findings), err)
	}
	v := &visitor{t: t, ctx: browser(t)}
	d := v.open(r)
	on := d.Lines
	if d.Nodes != 2 || on < 2 {
		t.Errorf("%d transactions and %d edges are drawn first, want the 2 on the cycle", d.Nodes, on)
	}
	if d = v.js("const s = top.querySelector('.map select'); s.value = 'all'; s.dispatchEvent(new Event('change'))"); d.Nodes != n || d.Lines != on || d.Wide {
		t.Errorf("of all transactions %d are drawn, with %d edges; want %d, %d; sideways %v", d.Nodes, d.Lines, n, on, d.Wide)
	}
	if d = v.js("top.querySelectorAll('.map .node')[5].dispatchEvent(new MouseEvent('click'))"); d.Lines != on+2 || d.Rows != 8 {
		t.Errorf("the chosen one has %d edges and %d dependencies, want 2 and 8", d.Lines-on, d.Rows)
	}
}

// findings goes through all findings.
func (v *visitor) findings(r *report.Report) {
	v.t.Helper()
	if d := v.js("top.scrollIntoView()"); len(r.Findings) > 1 && (d.Findings != len(r.Findings) || d.Pressed != 0) || len(r.Findings) == 1 && d.Findings != 0 {
		v.t.Fatalf("%d findings are listed and %d is chosen, of %d", d.Findings, d.Pressed, len(r.Findings))
	}
	for i := range r.Findings {
		if i > 0 {
			v.js("top.querySelectorAll('.findings .choices button')[" + fmt.Sprint(i-1) + "].focus()")
			if d := v.do(chromedp.KeyEvent(kb.ArrowDown)); d.Pressed != i {
				v.t.Errorf("with the arrow the finding %d is chosen, not %d", d.Pressed, i)
			}
		}
		v.steps(r.Findings[i].Witness)
		v.orders(r.Findings[i].Witness)
	}
	if len(r.Findings) > 1 {
		if d := v.click(".findings .choices button", 0); d.Pressed != 0 {
			v.t.Errorf("a click chooses the finding %d", d.Pressed)
		}
	}
}

// steps goes through the execution that was found, with keys, buttons and slider.
func (v *visitor) steps(w *witness.Witness) {
	v.t.Helper()
	last := len(w.Play.Events)
	at := func(d stepped, n int, how string) {
		v.t.Helper()
		if d.Step != fmt.Sprintf("step %d of %d", n, last) || d.Here != n || d.Later != last-n {
			v.t.Errorf("%s leads to %q, event %d, with %d left; want step %d of %d", how, d.Step, d.Here, d.Later, n, last)
		}
	}
	d := v.js("")
	at(d, 0, "a new finding")
	stale, told := false, false
	for n := range last + 1 {
		if n > 0 {
			d = v.js("document.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }))")
			at(d, n, "the right arrow")
			if e := w.Play.Events[n-1]; e.Kind != witness.Begin && e.Kind != witness.CommitIt && !strings.Contains(strings.Join(strings.Fields(d.Caption), " "), strings.Join(strings.Fields(quote.Line(e.Text)), " ")) {
				v.t.Errorf("step %d is told as %q, want %q", n, d.Caption, e.Text)
			}
		}
		v.seen(d, w, n)
		told = told || strings.Contains(d.Caption, "By now it is otherwise") || strings.Contains(d.Caption, "is not the newest any more")
		for _, c := range d.Cards[1:] {
			stale = stale || c.Stale > 0
		}
	}
	if !stale && w.Isolation == "si" || d.Stale == 0 || !told {
		v.t.Errorf("nobody ever sees what is not committed by then (%v), or no read is stale, or it is not told (%v)", stale, told)
	}
	if d.Arrows != len(w.Cycle) || d.Edges != len(w.Cycle) {
		v.t.Errorf("%d arrows and %d sentences for %d edges", d.Arrows, d.Edges, len(w.Cycle))
	}
	key := func(k string) stepped {
		v.t.Helper()
		return v.js("document.dispatchEvent(new KeyboardEvent('keydown', { key: '" + k + "', bubbles: true }))")
	}
	at(key("ArrowRight"), last, "the right arrow at the end")
	at(key("Home"), 0, "Home")
	at(key("ArrowLeft"), 0, "the left arrow at the start")
	at(key("End"), last, "End")
	at(key("ArrowLeft"), last-1, "the left arrow")
	at(v.click(".stepper button", 0), 0, "the first button")
	at(v.click(".stepper button", 2), 1, "the button on")
	at(v.click(".stepper button", 1), 0, "the button back")
	at(v.click(".stepper button", 3), last, "the last button")
	at(v.js("const s = top.querySelector('.stepper input'); s.value = 3; s.dispatchEvent(new Event('input'))"), 3, "the slider")
	at(v.click(".event", 1), 2, "an event")
	playing := func() string {
		v.t.Helper()
		s, err := chromedp.Run(v.ctx, chromedp.Evaluate[string](fmt.Sprintf("document.querySelectorAll('#program-%d .stepper button')[4].getAttribute('aria-pressed')", v.n)))
		if err != nil {
			v.t.Fatal(err)
		}
		return s
	}
	for _, want := range []string{"true", "false"} {
		if v.click(".stepper button", 4); playing() != want {
			v.t.Errorf("it plays: %s, want %s", playing(), want)
		}
	}
}

// seen compares the rows that a step shows with those of the witness.
func (v *visitor) seen(d stepped, w *witness.Witness, n int) {
	v.t.Helper()
	s := w.Play.States[n]
	if len(d.Cards) != 1+len(w.Transactions) {
		v.t.Fatalf("%d cards for %d transactions", len(d.Cards), len(w.Transactions))
	}
	compare := func(c card, rows []witness.TableRows) {
		v.t.Helper()
		for table, got := range c.Rows {
			var want []string
			for _, tr := range rows {
				if quote.Line(tr.Table) != table {
					continue
				}
				for _, r := range tr.Rows {
					var cells []string
					for _, x := range r {
						cells = append(cells, strings.Join(strings.Fields(quote.Line(x.String())), " "))
					}
					want = append(want, strings.Join(cells, ", "))
				}
			}
			slices.Sort(want)
			slices.Sort(got)
			if !slices.Equal(got, want) {
				v.t.Errorf("step %d: %s: %s has %q, want %q", n, c.Title, table, got, want)
			}
		}
	}
	compare(d.Cards[0], s.Committed)
	for i, x := range w.Transactions {
		rows, runs := s.Seen[x.Label]
		if c := d.Cards[i+1]; runs && len(c.Rows) > 0 {
			compare(c, rows)
		} else if runs || len(c.Rows) > 0 {
			v.t.Errorf("step %d: %s runs: %v, but the page says %q", n, x.Label, runs, c.Note)
		}
	}
}

// orders tries all serial orders.
func (v *visitor) orders(w *witness.Witness) {
	v.t.Helper()
	d := v.js("")
	if d.Orders != len(w.Serial) || len(d.Runs) != 1+len(w.Serial) || d.Run != 0 || d.Difference != "" {
		v.t.Fatalf("%d orders are told and %v can be run, %d is; want %d", d.Orders, d.Runs, d.Run, len(w.Serial))
	}
	for i, o := range w.Serial {
		if d = v.click(".runs button", i+1); i%2 == 1 {
			v.click(".runs button", 0)
			d = v.click("button.try", i)
		}
		if d.Run != i+1 || d.Runs[i+1] != strings.Join(o.Order, ", ") || d.Step != fmt.Sprintf("step 0 of %d", len(o.Play.Events)) {
			v.t.Errorf("%s is run at %s, want %v", d.Runs[d.Run], d.Step, o.Order)
		}
		for _, s := range o.Differs {
			if !strings.Contains(d.Difference, strings.Join(strings.Fields(quote.Line(s)), " ")) {
				v.t.Errorf("%v: %q is not told: %q", o.Order, s, d.Difference)
			}
		}
		if d = v.click(".stepper button", 3); d.Otherwise == 0 && strings.Contains(strings.Join(o.Differs, " "), "in the end") {
			v.t.Errorf("%v: nothing is marked although it differs: %v", o.Order, o.Differs)
		}
	}
	if d = v.click(".runs button", 0); d.Run != 0 || d.Difference != "" {
		v.t.Errorf("back to the execution that was found: %d, %q", d.Run, d.Difference)
	}
}

// graph uses the map.
func (v *visitor) graph(r *report.Report) {
	v.t.Helper()
	count := func(keep func(e *report.Edge) bool) (n int) {
		for i := range r.Graph.Edges {
			if e := &r.Graph.Edges[i]; keep(e) {
				n++
			}
		}
		return n
	}
	types := func(kinds ...string) int {
		return count(func(e *report.Edge) bool {
			return (e.Cycle != "" || slices.Contains(kinds, e.Type)) && (e.From != e.To || e.Cycle != "" || e.Vulnerable)
		})
	}
	vulnerable := count(func(e *report.Edge) bool { return e.Vulnerable })
	d := v.js("")
	if d.Nodes != len(r.Graph.Nodes) || d.Lines != types("RW") || d.Dashed != vulnerable {
		v.t.Errorf("the map has %d transactions, %d edges, %d dashed; want %d, %d, %d", d.Nodes, d.Lines, d.Dashed, len(r.Graph.Nodes), types("RW"), vulnerable)
	}
	if d = v.click(".map input", 1); d.Lines != types("RW", "WR") {
		v.t.Errorf("with WR there are %d edges, want %d", d.Lines, types("RW", "WR"))
	}
	if d = v.click(".map input", 2); d.Lines != types("RW", "WR", "WW") {
		v.t.Errorf("with WW there are %d edges, want %d", d.Lines, types("RW", "WR", "WW"))
	}
	if d = v.click(".map input", 0); d.Lines != types("WR", "WW") {
		v.t.Errorf("without RW there are %d edges, want %d", d.Lines, types("WR", "WW"))
	}
	v.click(".map input", 0)
	first := r.Graph.Nodes[0].Name
	all := count(func(e *report.Edge) bool { return e.From == first || e.To == first })
	d = v.js("top.querySelector('.map .node').dispatchEvent(new MouseEvent('click'))")
	if d.Chosen != 1 || d.Rows != all {
		v.t.Errorf("%d transactions are chosen, with %d dependencies, want %d", d.Chosen, d.Rows, all)
	}
	if d = v.js("document.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }))"); d.Chosen != 0 || d.Rows != 0 {
		v.t.Errorf("after Escape %d are chosen", d.Chosen)
	}
	if d = v.js("top.querySelector('.map .node').dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }))"); d.Chosen != 1 {
		v.t.Error("Enter chooses no transaction")
	}
	if d.Lines > 0 {
		if d = v.js("top.querySelector('.map svg .edge').dispatchEvent(new MouseEvent('mouseenter'))"); !strings.Contains(d.Tip, "→") {
			v.t.Errorf("the edge says %q", d.Tip)
		}
		if d = v.js("top.querySelector('.map svg .edge').dispatchEvent(new MouseEvent('mouseleave'))"); d.Tip != "" {
			v.t.Errorf("the tip stays: %q", d.Tip)
		}
	}
	around := map[string]bool{first: true}
	for i := range r.Graph.Edges {
		if e := &r.Graph.Edges[i]; e.From == first || e.To == first {
			around[e.From], around[e.To] = true, true
		}
	}
	pick := func(value string) stepped {
		v.t.Helper()
		return v.js("const s = top.querySelector('.map select'); s.value = '" + value + "'; s.dispatchEvent(new Event('change'))")
	}
	if d = pick("0"); d.Nodes != len(around) || d.Chosen != 0 {
		v.t.Errorf("around %s there are %d transactions, want %d", first, d.Nodes, len(around))
	}
	if len(r.Findings) > 0 {
		on := map[string]bool{}
		for i := range r.Graph.Edges {
			if e := &r.Graph.Edges[i]; e.Cycle != "" {
				on[e.From], on[e.To] = true, true
			}
		}
		if d = pick("cycle"); d.Nodes != len(on) {
			v.t.Errorf("%d transactions are on cycles, want %d", d.Nodes, len(on))
		}
	}
	pick("all")
}

// print lays out all steps of all findings, and takes them away again.
func (v *visitor) print(list []*report.Report) {
	v.t.Helper()
	v.do(media("print", "light"))
	v.js("dispatchEvent(new Event('beforeprint'))")
	for n, r := range list {
		v.n = n
		want := 0
		for _, f := range r.Findings {
			want += len(f.Witness.Play.States)
		}
		if d := v.js(""); d.Papers != want {
			v.t.Errorf("%d steps are printed, want %d", d.Papers, want)
		}
	}
	v.js("dispatchEvent(new Event('afterprint'))")
	if d := v.js(""); d.Papers != 0 {
		v.t.Errorf("%d steps stay after printing", d.Papers)
	}
	v.do(media("", "light"), chromedp.EmulateViewport(1300, 850))
}
