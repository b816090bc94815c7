package pgtest_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/txrobust/robust/internal/pgtest"
	"github.com/txrobust/robust/internal/testprog"
)

// These tests run the applications and traps of testdata on a real server:
// every function once, and every schedule that is claimed to show an anomaly.

// application is what the tests need to run one folder.
type application struct {
	folder    string
	rows      string   // SQL of the rows to start with
	calls     []string // one for each function, in an order in which all succeed
	anomalies []anomaly
	harmless  []string // schedules that commit, with an outcome of some serial order
	refused   []string // schedules that do not commit in full at REPEATABLE READ
}

// anomaly is a schedule that commits at REPEATABLE READ, although no serial
// order of its transactions gives the same results and rows.
type anomaly struct {
	cycle  string // as VERDICTS.tsv has it
	script string
	// repairs are the folders on which the same schedule does not commit.
	repairs []string
	// undetected: it commits at SERIALIZABLE too.
	undetected bool
}

func TestApplications(t *testing.T) { testFolders(t, "apps", applications) }

func TestTraps(t *testing.T) { testFolders(t, "traps", traps) }

// folders is where to find and load the applications; one database serves one
// after the other, since making one takes its time.
type folders struct {
	*pgtest.Server
	dsn, dir string
}

func testFolders(t *testing.T, dir string, list []application) {
	s := pgtest.Open(t)
	f := &folders{s, s.Database(t), testprog.Path(t, dir)}
	lines := testprog.Apps(t)
	byFolder := map[string]*application{}
	for i := range list {
		byFolder[list[i].folder] = &list[i]
	}
	entries, err := os.ReadDir(testprog.Path(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		t.Run(e.Name(), func(t *testing.T) {
			app := byFolder[e.Name()]
			if app == nil {
				t.Fatal("the folder is not tested")
			}
			names := f.testCalls(t, app)
			testLines(t, app, lines, names)
		})
	}
	for _, app := range list {
		for _, a := range app.anomalies {
			t.Run(app.folder+"/"+a.cycle, func(t *testing.T) { f.testAnomaly(t, byFolder, &app, a) })
		}
		for i, script := range app.harmless {
			t.Run(fmt.Sprintf("%s/harmless%d", app.folder, i), func(t *testing.T) {
				f.load(t, &app)
				out := pgtest.Play(t, f.dsn, pgtest.RepeatableRead, script)
				if !out.All() {
					t.Fatal("it does not commit")
				}
				if order := f.serialOrder(t, &app, out); order == "" {
					t.Error("no serial order gives the same results and rows")
				}
			})
		}
		for i, script := range app.refused {
			t.Run(fmt.Sprintf("%s/refused%d", app.folder, i), func(t *testing.T) {
				f.load(t, &app)
				if pgtest.Play(t, f.dsn, pgtest.RepeatableRead, script).All() {
					t.Error("it commits")
				}
			})
		}
	}
}

// load replaces what is in the database by the schema, functions and rows of
// app.
func (f *folders) load(t *testing.T, app *application) {
	t.Helper()
	sql := append([]string{"DROP SCHEMA public CASCADE; CREATE SCHEMA public"}, testprog.SQL(t, filepath.Join(f.dir, app.folder))...)
	f.Exec(t, f.dsn, append(sql, app.rows)...)
}

var callName = regexp.MustCompile(`^SELECT (?:\* FROM )?(\w+)\(`)

// testCalls runs every function once, and gives their names.
func (f *folders) testCalls(t *testing.T, app *application) []string {
	f.load(t, app)
	conn := f.Conn(t, f.dsn)
	rows, err := conn.Query(t.Context(), "SELECT proname::text FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY 1")
	if err != nil {
		t.Fatal(err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	var called []string
	for _, call := range app.calls {
		if _, err := conn.PgConn().Exec(t.Context(), call).ReadAll(); err != nil {
			t.Errorf("%s: %v", call, err)
		}
		called = append(called, callName.FindStringSubmatch(call)[1])
	}
	slices.Sort(called)
	if !slices.Equal(called, names) {
		t.Errorf("functions called: %v\nwant %v", called, names)
	}
	return names
}

// testLines checks the lines of VERDICTS.tsv about app: what they name exists,
// and whatever is not robust has a schedule here.
func testLines(t *testing.T, app *application, lines []testprog.App, names []string) {
	var cycles []string
	for _, a := range app.anomalies {
		cycles = append(cycles, a.cycle)
	}
	for _, v := range lines {
		if v.Folder != app.folder {
			continue
		}
		txns := names
		if !v.Whole() {
			txns = strings.Split(v.Txns, ",")
			for _, name := range txns {
				if !slices.Contains(names, name) {
					t.Errorf("there is no function %s", name)
				}
			}
		}
		switch v.Verdict {
		case "robust":
			if v.Cycle != "-" || v.Anomaly != "-" {
				t.Errorf("%s is robust, but has a cycle", v.Txns)
			}
		case "not-robust":
			if !slices.Contains(cycles, v.Cycle) {
				t.Errorf("the cycle %s is not tested", v.Cycle)
			}
			for _, name := range strings.Split(v.Cycle, ",") {
				if !slices.Contains(txns, name) {
					t.Errorf("%s is in the cycle, but not in %v", name, txns)
				}
			}
		default:
			t.Errorf("verdict %s", v.Verdict)
		}
	}
}

func (f *folders) testAnomaly(t *testing.T, byFolder map[string]*application, app *application, a anomaly) {
	f.load(t, app)
	out := pgtest.Play(t, f.dsn, pgtest.RepeatableRead, a.script)
	if !out.All() {
		t.Errorf("REPEATABLE READ: committed: %v", out.Committed)
	}
	var cycle []string
	for _, r := range calls(out) {
		cycle = append(cycle, callName.FindStringSubmatch(r.SQL)[1])
	}
	want := strings.Split(a.cycle, ",")
	slices.Sort(cycle)
	slices.Sort(want)
	if !slices.Equal(cycle, want) {
		t.Errorf("the schedule runs %v", cycle)
	}
	if order := f.serialOrder(t, app, out); order != "" {
		t.Errorf("the outcome is that of the serial order %s", order)
	}

	steps := silent(t, a.script)
	f.load(t, app)
	out = run(t, f.dsn, pgtest.Serializable, steps)
	switch {
	case a.undetected && !out.All():
		t.Errorf("SERIALIZABLE: fails with %v", out.Codes())
	case !a.undetected && (out.All() || !slices.Equal(out.Codes(), []string{"40001"})):
		t.Errorf("SERIALIZABLE: all committed: %v, errors: %v", out.All(), out.Codes())
	}
	for _, name := range a.repairs {
		f.load(t, byFolder[name])
		out := run(t, f.dsn, pgtest.RepeatableRead, steps)
		if out.All() {
			t.Errorf("%s: the schedule commits in full", name)
		}
		for _, code := range out.Codes() {
			if !slices.Contains([]string{"40001", "23503", "23505", "23P01"}, code) {
				t.Errorf("%s: fails with %s", name, code)
			}
		}
	}
}

// silent gives the steps of a script.
func silent(t *testing.T, script string) []pgtest.Step {
	t.Helper()
	s, err := pgtest.ParseScript("", script)
	if err != nil {
		t.Fatal(err)
	}
	return s.Steps
}

func run(t *testing.T, dsn, level string, steps []pgtest.Step) *pgtest.Outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), pgtest.Deadline)
	defer cancel()
	out, err := pgtest.Run(ctx, dsn, pgtest.Schedule{Level: level, Steps: steps})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// observer is the session that looks at the rows in the end.
const observer = "Z"

// calls gives the results of the functions that the transactions call, which
// are one for each session.
func calls(out *pgtest.Outcome) []pgtest.Result {
	var list []pgtest.Result
	for _, r := range out.Results {
		if r.Session != observer && callName.MatchString(r.SQL) {
			list = append(list, r)
		}
	}
	return list
}

// clock matches values of now(), which differ from run to run.
var clock = regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[.\d]*\+\d\d`)

// serialOrder looks for a serial order of the transactions of out that gives
// the results of out and the rows that the database has now. It gives the
// sessions in that order, or "".
func (f *folders) serialOrder(t *testing.T, app *application, out *pgtest.Outcome) string {
	t.Helper()
	ctx := t.Context()
	list := calls(out)
	results := map[string]string{}
	for _, r := range list {
		r.Blocked = false
		results[r.Session] = clock.ReplaceAllString(r.String(), "now")
	}
	after := contents(t, f.Conn(t, f.dsn))

	f.load(t, app)
	conn := f.Conn(t, f.dsn)
	// In one transaction a serial order sees what it would see in several.
	attempt := func(order []pgtest.Result) bool {
		if _, err := conn.Exec(ctx, "BEGIN"); err != nil {
			t.Fatal(err)
		}
		defer conn.Exec(ctx, "ROLLBACK")
		for _, r := range order {
			got, err := conn.PgConn().Exec(ctx, r.SQL).ReadAll()
			if err != nil {
				return false
			}
			again := pgtest.Result{Tag: got[0].CommandTag.String(), Rows: pgtest.TextRows(got[0].Rows)}
			if clock.ReplaceAllString(again.String(), "now") != results[r.Session] {
				return false
			}
		}
		return contents(t, conn) == after
	}
	var try func(order, rest []pgtest.Result) string
	try = func(order, rest []pgtest.Result) string {
		if len(rest) == 0 {
			if !attempt(order) {
				return ""
			}
			var names []string
			for _, r := range order {
				names = append(names, r.Session)
			}
			return strings.Join(names, " ")
		}
		for i := range rest {
			others := slices.Delete(slices.Clone(rest), i, i+1)
			if found := try(append(slices.Clone(order), rest[i]), others); found != "" {
				return found
			}
		}
		return ""
	}
	return try(nil, list)
}

// contents is the text of all rows of all tables.
func contents(t *testing.T, conn *pgx.Conn) string {
	t.Helper()
	rows, err := conn.Query(t.Context(), "SELECT relname::text FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY 1")
	if err != nil {
		t.Fatal(err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, name := range tables {
		var text string
		err := conn.QueryRow(t.Context(), "SELECT COALESCE(string_agg(x::text, E'\\n' ORDER BY x::text), '') FROM "+pgx.Identifier{name}.Sanitize()+" x").Scan(&text)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s\n%s\n", name, clock.ReplaceAllString(text, "now"))
	}
	return b.String()
}
