package witness

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/testprog"
)

// situation is a folder of testdata with rows and calls that show an anomaly.
// Each call is a session of its own.
type situation struct {
	folder string
	rows   map[string][][]ir.Value
	calls  []invocation
	kind   Kind
	// cycle are the types of the dependencies, starting with the delayed
	// transaction, whose name is first.
	cycle, first string
}

type invocation struct {
	name   string
	params []ir.Value
}

func row(vals ...any) []ir.Value {
	var out []ir.Value
	for _, v := range vals {
		switch v := v.(type) {
		case int:
			out = append(out, ir.Int(int64(v)))
		case string:
			out = append(out, ir.Text(v))
		default:
			out = append(out, ir.Null)
		}
	}
	return out
}

type rowsOf = map[string][][]ir.Value

var (
	bank = rowsOf{"account": {row("ann", 1)}, "saving": {row(1, 0)}, "checking": {row(1, 0)}}
	fine = []invocation{{"write_check", row("ann", 10)}, {"transact_saving", row("ann", 20)}, {"balance", row("ann")}}
	club = rowsOf{"student": {row(7, "sue")}, "course": {row(1, "logic")}}
	late = []invocation{{"enroll_student", row(7, 1)}, {"remove_course", row(1)}}
)

var situations = []situation{
	{"apps/smallbank", bank, fine, ReadOnlyAnomaly, "RW WR RW", "write_check"},
	{"apps/smallbank-lock-bal", bank, fine, ReadOnlyAnomaly, "RW WR RW", "write_check"},
	{"apps/courseware", club, late, PhantomWriteSkew, "RW RW", ""},
	{"apps/courseware-lock", club, late, PhantomWriteSkew, "RW RW", "remove_course"},
	{"apps/auction-nickname", nil, []invocation{{"reg_user", row(1, "ann")}, {"reg_user", row(2, "ann")}}, PhantomWriteSkew, "RW RW", "reg_user"},
}

// explore finds the anomaly of a situation by exhaustive interpretation.
func (s situation) explore(t testing.TB) Evidence {
	t.Helper()
	p := testprog.Load(t, testprog.Path(t, s.folder))
	rows := make([][][]ir.Value, len(p.Tables))
	for i, tab := range p.Tables {
		rows[i] = s.rows[tab.Name]
	}
	var sessions []interp.Session
	for i, c := range s.calls {
		sessions = append(sessions, interp.Session{{Txn: p.Txn(c.name), Params: c.params, ID: i}})
	}
	e := Evidence{Program: p, Engine: engine.Postgres(), Rows: rows, Sessions: sessions, AnyOrder: true}
	r := interp.NewMachine(p, e.Engine).Explore(t.Context(), sessions, interp.NewDB(p, rows), interp.Options{AnyOrder: true})
	if r.Verdict != interp.Anomalous {
		t.Fatalf("%s: %s", s.folder, r.Verdict)
	}
	e.Execution = r.Anomaly
	return e.Simplify()
}

func build(t testing.TB, e Evidence) *Witness {
	t.Helper()
	w, err := Build(e)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestBuild(t *testing.T) {
	for _, s := range situations {
		t.Run(s.folder, func(t *testing.T) {
			e := s.explore(t)
			w := build(t, e)
			var types []string
			for _, d := range w.Cycle {
				types = append(types, d.Type)
			}
			if got := strings.Join(types, " "); w.Kind != s.kind || got != s.cycle || s.first != "" && w.Cycle[0].FromName != s.first {
				t.Errorf("%s, cycle %s from %s; want %s, %s from %s", w.Kind, got, w.Cycle[0].FromName, s.kind, s.cycle, s.first)
			}
			if len(w.Serial) != w.Orders {
				t.Errorf("%d of %d serial orders are described", len(w.Serial), w.Orders)
			}
		})
	}
}

// TestText is what a reader sees of SmallBank's anomaly.
func TestText(t *testing.T) {
	w := build(t, situations[0].explore(t))
	var got []string
	for _, e := range w.Cycle {
		got = append(got, e.Text)
	}
	want := []string{
		"write_check read saving(1).bal = 0 before transact_saving set it to 20",
		"transact_saving set saving(1).bal to 20, and balance read that",
		"balance read checking(1).bal = 0 before write_check set it to -11",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the cycle is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	got = nil
	for _, o := range w.Serial {
		got = append(got, strings.Join(o.Order, " ")+": "+strings.Join(o.Differs, "; "))
	}
	want = []string{
		"A B C: balance would return 9, not 20",
		"A C B: balance would return -11, not 20",
		"B A C: balance would return 10, not 20; checking(1).bal would end as -10, not -11",
		"B C A: checking(1).bal would end as -10, not -11",
		"C A B: balance would return 0, not 20",
		"C B A: balance would return 0, not 20; checking(1).bal would end as -10, not -11",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the serial orders are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestConfirm changes a witness in every way that a bug might.
func TestConfirm(t *testing.T) {
	e := situations[0].explore(t)
	w := build(t, e)
	if err := Confirm(e, w); err != nil {
		t.Fatal(err)
	}
	w.Schedule[3].Text = "read saving(1).bal = 7"
	if err := Confirm(e, w); err == nil || !strings.Contains(err.Error(), "event 4") {
		t.Errorf("a wrong value is confirmed: %v", err)
	}
	serial := e
	serial.Execution = &interp.Execution{}
	for i, c := range e.Execution.Txns {
		c.Snapshot = i
		serial.Execution.Txns = append(serial.Execution.Txns, c)
	}
	if _, err := Build(serial); err == nil {
		t.Error("the values of one execution are confirmed for another")
	}
	m := interp.NewMachine(e.Program, e.Engine)
	m.Serial(e.Sessions, interp.NewDB(e.Program, e.Rows), true, func(x *interp.Execution) bool {
		serial.Execution = &interp.Execution{Txns: slices.Clone(x.Txns)}
		return false
	})
	if _, err := Build(serial); err == nil || !strings.Contains(err.Error(), "a serial order has the same outcome") {
		t.Errorf("a serial execution: %v", err)
	}
}

// TestClassicChoice: a transaction that may take either of two rows, with the same
// effect, is replayed with the one that makes the cycle.
func TestClassicChoice(t *testing.T) {
	p := testprog.Parse(t, `program choice
		var y = 0
		table t (k int, v int not null, key (k))
		row t (1, 0)
		row t (2, 0)
		process p1 { txn a { local v int; (v) := select n.v from t n; y := 1 } }
		process p2 { txn b { local s int; s := y; update t set v = 5 where t.k == 2 } }`)
	e := Evidence{Program: p, Engine: engine.SI(), Sessions: interp.Sessions(p, 1), Classic: true}
	for _, table := range p.Tables {
		e.Rows = append(e.Rows, table.Rows)
	}
	r := interp.NewMachine(p, e.Engine).Explore(t.Context(), e.Sessions, interp.InitialDB(p), interp.Options{Classic: true})
	if r.Verdict != interp.Anomalous {
		t.Fatal(r.Verdict)
	}
	e.Execution = r.Anomaly
	if w := build(t, e.Simplify()); w.Kind != WriteSkew {
		t.Errorf("it is a %s", w.Kind)
	}
}

var stepLine = regexp.MustCompile(`step \d+: +window \d+ +(\S+) +lines (\d+) to (\d+)`)

// TestWrite writes witnesses and reads what is there, as a user would.
func TestWrite(t *testing.T) {
	for _, s := range situations {
		t.Run(s.folder, func(t *testing.T) {
			w := build(t, s.explore(t))
			dir := filepath.Join(t.TempDir(), "a", "w")
			for range 2 { // the second replaces the first
				if err := w.Write(dir, nil); err != nil {
					t.Fatal(err)
				}
			}
			text, err := os.ReadFile(filepath.Join(dir, "witness.json"))
			if err != nil {
				t.Fatal(err)
			}
			var back struct {
				Kind     Kind
				Schedule []Event
			}
			if err := json.Unmarshal(text, &back); err != nil {
				t.Fatal(err)
			}
			if back.Kind != w.Kind || !slices.Equal(back.Schedule, w.Schedule) {
				t.Error("witness.json does not hold the witness")
			}
			if got, want := pasted(t, dir), flat(w.Plan); !slices.Equal(got, want) {
				t.Errorf("README.txt leads to\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			if left, _ := os.ReadDir(filepath.Dir(dir)); len(left) != 1 {
				t.Errorf("%v is left", left)
			}
		})
	}
}

// pasted gives the statements that somebody who follows README.txt pastes.
func pasted(t *testing.T, dir string) []string {
	t.Helper()
	readme, err := os.ReadFile(filepath.Join(dir, "README.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, m := range stepLine.FindAllStringSubmatch(string(readme), -1) {
		text, err := os.ReadFile(filepath.Join(dir, m[1]))
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(text), "\n")
		out = append(out, lines[number(t, m[2])-1:number(t, m[3])]...)
	}
	return out
}

func number(t *testing.T, s string) int {
	t.Helper()
	var n int
	if err := json.Unmarshal([]byte(s), &n); err != nil {
		t.Fatal(err)
	}
	return n
}

// flat gives the statements of a plan in their order.
func flat(p *Plan) []string {
	var out []string
	for _, st := range p.Execution.Steps {
		switch st.Kind {
		case StepBegin:
			out = append(out, "BEGIN ISOLATION LEVEL REPEATABLE READ;")
		case StepSnapshot:
			out = append(out, "SELECT 1;")
		case StepCommit:
			out = append(out, "COMMIT;")
		case StepCommand:
			out = append(out, st.Command.SQL()+";")
		}
	}
	return out
}

func TestWriteRefuses(t *testing.T) {
	w := build(t, situations[2].explore(t))
	for _, files := range [][]string{{"notes.txt"}, {"witness.json", "notes.txt"}, {"setup.sql"}} {
		dir := t.TempDir()
		for _, f := range files {
			if err := os.WriteFile(filepath.Join(dir, f), []byte("mine"), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Write(dir, nil); err == nil {
			t.Errorf("a folder with %v is replaced", files)
		}
		for _, f := range files {
			if text, err := os.ReadFile(filepath.Join(dir, f)); err != nil || string(text) != "mine" {
				t.Errorf("%s is lost", f)
			}
		}
	}
}
