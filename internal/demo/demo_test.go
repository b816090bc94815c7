package demo

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/txrobust/robust/internal/ansi"
	"github.com/txrobust/robust/internal/golden"
	"github.com/txrobust/robust/internal/witness"
	"github.com/txrobust/robust/report"
)

// expected is what a scene shows, and which of its changes help.
var expected = map[string]struct {
	kind    witness.Kind
	sizes   int // transactions of the cycle
	changes string
}{
	"lost-update":             {witness.LostUpdate, 2, "robust robust robust"},
	"read-committed-decision": {witness.NonRepeatableRead, 2, "robust robust"},
	"long-fork":               {witness.ReadSkew, 4, "robust"},
	"write-skew":              {witness.PhantomWriteSkew, 2, "robust robust"},
	"for-update":              {witness.WriteSkew, 2, "not-robust robust"},
	"phantom":                 {witness.PhantomWriteSkew, 2, "not-robust robust"},
	"for-update-absent":       {witness.PhantomWriteSkew, 2, "not-robust robust robust"},
	"advisory-lock":           {witness.PhantomWriteSkew, 2, "robust"},
	"freed-key":               {witness.WriteSkew, 2, "robust"},
	"read-only-anomaly":       {witness.ReadOnlyAnomaly, 3, "not-robust robust"},
	"tpcc":                    {witness.LongCycle, 4, "robust"},
}

// ready has the scenes that were prepared, which takes a while.
var ready = map[string]*Performance{}

func prepared(t *testing.T, name string) *Performance {
	t.Helper()
	if p := ready[name]; p != nil {
		return p
	}
	s, err := Named(name)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Prepare(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	ready[name] = p
	return p
}

func told(t *testing.T, p *Performance, stage Stage) string {
	t.Helper()
	var out strings.Builder
	stage.Out = &out
	if err := p.Tell(t.Context(), stage); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestScenes plays every scene: the anomaly is the one that the scene is about, the verdicts
// on the changes are those of robust check, and robust check does not call the scene itself
// robust.
func TestScenes(t *testing.T) {
	if len(expected) != len(Names()) {
		t.Errorf("%d scenes are expected, but there are %d", len(expected), len(Names()))
	}
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			p := prepared(t, name)
			want := expected[name]
			w := p.found.witness
			if w.Kind != want.kind || len(w.Cycle) != want.sizes {
				t.Errorf("it is a %s of %d, but must be a %s of %d", w.Kind, len(w.Cycle), want.kind, want.sizes)
			}
			if len(w.Transactions) != len(p.Scene.Calls) {
				t.Errorf("%d of the %d calls take part", len(w.Transactions), len(p.Scene.Calls))
			}
			if w.Plan.NotRun != "" {
				t.Errorf("no client can run it: %s", w.Plan.NotRun)
			}
			var verdicts []string
			for _, c := range p.changes {
				verdicts = append(verdicts, string(c.report.Verdict))
				if robust := c.report.Verdict == report.Robust; robust && c.repeats != nil || !robust && c.refused != "" {
					t.Errorf("%s: the verdict %s contradicts the executions of the calls", c.Name, c.report.Verdict)
				}
			}
			if got := strings.Join(verdicts, " "); got != want.changes {
				t.Errorf("the verdicts on the changes are %s, but must be %s", got, want.changes)
			}
			prog, err := load(name, p.Scene.Files)
			if err != nil {
				t.Fatal(err)
			}
			if rep, err := verdict(t.Context(), prog, p.Scene.Level); err != nil || rep.Verdict != report.NotRobust {
				t.Errorf("robust check says %s: %v", rep.Verdict, err)
			}
			if p.Scene.Summary == "" || p.Scene.Story == "" || p.Scene.Why == "" || p.Scene.Exercise == "" || p.Scene.Solution == "" {
				t.Error("a part of scene.md is missing")
			}
			got := told(t, p, Stage{})
			for _, l := range strings.Split(got, "\n") {
				if utf8.RuneCountInString(l) > width {
					t.Errorf("a line has %d columns: %s", utf8.RuneCountInString(l), l)
				}
			}
			golden.Compare(t, filepath.Join("testdata", name+".txt"), got)
		})
	}
}

// TestColors: colors change nothing else, and each line ends without one.
func TestColors(t *testing.T) {
	p := prepared(t, "write-skew")
	plain, colored := told(t, p, Stage{}), told(t, p, Stage{Colors: true})
	for _, l := range strings.Split(colored, "\n") {
		if strings.Contains(l, "\x1b") && !strings.HasSuffix(l, "\x1b[0m") {
			t.Errorf("the color does not end: %q", l)
		}
	}
	for _, c := range append([]ansi.Color{ansi.Bold, ansi.Yellow, ansi.Green, ansi.Red, "\x1b[0m"}, ansi.Sessions...) {
		colored = strings.ReplaceAll(colored, string(c), "")
	}
	if colored != plain {
		t.Error("the text with colors is another one")
	}
}

// TestPause: there is a pause between any two steps, and its error ends the play.
func TestPause(t *testing.T) {
	p := prepared(t, "write-skew")
	n := 0
	told(t, p, Stage{Pause: func(context.Context) error { n++; return nil }})
	if want := len(p.steps) - 1 + 2 + len(p.changes); n != want {
		t.Errorf("there are %d pauses, but must be %d", n, want)
	}
	var out strings.Builder
	stop := errors.New("stop")
	err := p.Tell(t.Context(), Stage{Out: &out, Pause: func(context.Context) error { return stop }})
	if !errors.Is(err, stop) || strings.Contains(out.String(), "COMMIT;\n  !") {
		t.Errorf("%v; it goes on:\n%s", err, out.String())
	}
}

// TestQuiz answers yes to all questions: both commit, no serial order fits, a lock on rows that
// are absent does not help, and a row that both change does.
func TestQuiz(t *testing.T) {
	p := prepared(t, "phantom")
	var asked []string
	got := told(t, p, Stage{Ask: func(_ context.Context, q string) (yes, ok bool, err error) {
		asked = append(asked, q)
		return true, true, nil
	}})
	want := []string{"Will both commit?", "Is there a serial order with the same results and rows?", "Does it help?", "Does it help?"}
	if !slices.Equal(asked, want) {
		t.Errorf("asked are %q", asked)
	}
	if !strings.HasSuffix(got, "2 of 4 answers were right.\n") {
		t.Errorf("the score is wrong:\n%s", got)
	}
	if q, c := strings.Index(got, "Right: yes."), strings.LastIndex(got[:strings.Index(got, "The rows in the end")], "COMMIT;"); q < 0 || q > c {
		t.Error("the question comes after the answer")
	}
	got = told(t, p, Stage{Ask: func(context.Context, string) (yes, ok bool, err error) { return false, false, nil }})
	if strings.Contains(got, "answers were right") || !strings.Contains(got, "Yes. The database has no reason") {
		t.Errorf("nobody answers, and the answers must be told:\n%s", got)
	}
}

// writeScene writes the files of a scene to a folder, some of them changed.
func writeScene(t *testing.T, name string, changes map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "mine")
	if err := os.CopyFS(dir, subOf(t, name)); err != nil {
		t.Fatal(err)
	}
	for file, text := range changes {
		path := filepath.Join(dir, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestRead: a scene on the disk is the same one, and may be changed.
func TestRead(t *testing.T) {
	dir := writeScene(t, "write-skew", nil)
	s, err := Read(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Prepare(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := told(t, p, Stage{}), told(t, prepared(t, "write-skew"), Stage{}); got != want {
		t.Errorf("the copy of a scene plays otherwise:\n%s", got)
	}
	if err := os.Rename(filepath.Join(dir, "transactions.sql"), filepath.Join(dir, "a.sql")); err != nil {
		t.Fatal(err)
	}
	if s, err = Read(t.Context(), dir); err != nil || filepath.Base(s.Files[0].Name) != "schema.sql" {
		t.Errorf("schema.sql must come first: %v", err)
	}
	schema, err := os.ReadFile(filepath.Join(dir, "schema.sql"))
	if err != nil {
		t.Fatal(err)
	}
	third := strings.Replace(string(schema), "('Bob', true)", "('Bob', true), ('Chris', true)", 1)
	if err := os.WriteFile(filepath.Join(dir, "schema.sql"), []byte(third), 0o666); err != nil {
		t.Fatal(err)
	}
	if s, err = Read(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	_, err = Prepare(t.Context(), s)
	if err == nil || !strings.Contains(err.Error(), "scene.md:4:1: the scene shows nothing: at REPEATABLE READ every execution of these calls has the outcome of a serial order") {
		t.Errorf("with a third doctor nothing happens, but: %v", err)
	}
}

// TestFunctions: of a transaction that is one call, all that happens inside is told.
func TestFunctions(t *testing.T) {
	const home = `CREATE FUNCTION go_home(me text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT count(*) FROM doctor WHERE on_call) >= 2 THEN
    UPDATE doctor SET on_call = false WHERE name = me;
  END IF;
END $$;`
	dir := writeScene(t, "write-skew", map[string]string{"transactions.sql": home, "1-lock-the-rows/transactions.sql": home})
	s, err := Read(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Prepare(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(strings.Fields(told(t, p, Stage{})), " ")
	for _, want := range []string{"SELECT * FROM go_home('Bob');", "-> write doctor('Bob').on_call: true -> false", "This is the old state: by now doctor('Bob') no longer matches.", "It does not help."} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
}

// TestLink: a scene shows no file that is elsewhere.
func TestLink(t *testing.T) {
	dir := writeScene(t, "write-skew", nil)
	secret := filepath.Join(t.TempDir(), "secret.sql")
	if err := os.WriteFile(secret, []byte("-- a secret"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, filepath.Join(dir, "more.sql")); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "more.sql") {
		t.Errorf("a link that leads elsewhere is read: %v", err)
	}
}

// TestFaults: faults of a scene are told with their places.
func TestFaults(t *testing.T) {
	page := func(lines ...string) map[string]string {
		return map[string]string{"scene.md": strings.Join(append([]string{"# Mine"}, lines...), "\n")}
	}
	alice, bob := "Session: go_home me='Alice'", "Session: go_home me='Bob'"
	for _, c := range []struct {
		name    string
		changes map[string]string
		want    string
	}{
		{"no title", map[string]string{"scene.md": "Level: rc"}, "scene.md:1:1: the first line must be a title"},
		{"empty", map[string]string{"scene.md": ""}, "scene.md:1:1: the first line must be a title"},
		{"level", page("Level: often"), `scene.md:2:1: there is no level "often"`},
		{"serializable", page("Level: SERIALIZABLE", alice, bob), "scene.md:1:1: a scene runs at READ COMMITTED or REPEATABLE READ"},
		{"one session", page(alice), "scene.md:1:1: a scene needs two sessions or more"},
		{"section", page(alice, bob, "", "## Moral"), `scene.md:5:1: there is no section "Moral"`},
		{"transaction", page(alice, "Session: go_out me='Bob'"), "scene.md:3:1: there is no transaction go_out; the .sql files have go_home"},
		{"parameter", page(alice, "Session: go_home who='Bob'"), "scene.md:3:1: the transaction go_home has no parameter who; its parameters are me"},
		{"missing", page(alice, "Session: go_home"), "scene.md:3:1: the parameter me of the transaction go_home has no value"},
		{"twice", page(alice, "Session: go_home me='Bob' me='Bob'"), "scene.md:3:1: the parameter me is given twice"},
		{"type", page(alice, "Session: go_home me=5"), "scene.md:3:1: the parameter me of the transaction go_home must be text, but its value is int"},
		{"literal", page(alice, "Session: go_home me=Bob"), "scene.md:3:1: the value of me must be"},
		{"quote", page(alice, "Session: go_home me='Bob"), "scene.md:3:1: the value of me must be"},
		{"no value", page(alice, "Session: go_home Bob"), "scene.md:3:1: Bob must be a parameter with its value"},
		{"sql", map[string]string{"transactions.sql": "SELEC 1;"}, "transactions.sql:1:1: "},
		{"sql of a change", map[string]string{"1-lock-the-rows/transactions.sql": "SELEC 1;"}, filepath.Join("1-lock-the-rows", "transactions.sql") + ":1:1: "},
		{"session of a change", map[string]string{"1-lock-the-rows/scene.md": "# Lock\n" + alice}, filepath.Join("1-lock-the-rows", "scene.md") + ":2:1: a change has the sessions of its scene"},
		{"call of a change", map[string]string{"1-lock-the-rows/transactions.sql": "-- name: leave\nBEGIN; UPDATE doctor SET on_call = false WHERE name = :'me'; COMMIT;"}, "(with the change 1-lock-the-rows)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := Read(t.Context(), writeScene(t, "write-skew", c.changes))
			if err == nil {
				_, err = Prepare(t.Context(), s)
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error is %v, but must be %s", err, c.want)
			}
		})
	}
}

func TestLiteral(t *testing.T) {
	for text, want := range map[string]string{"'a b' c": "'a b'", "'it''s'": "'it''s'", "''": "''", "-3 x": "-3", "1.50": "1.5", "TRUE": "true", "null": "null"} {
		v, _, ok := literal(text)
		if got := v.String(); !ok || got != want {
			t.Errorf("%s is %s, but must be %s", text, got, want)
		}
	}
	for _, text := range []string{"", "'a", "'a'b", "Bob", "1e9", "1/2", "0x1f"} {
		if v, _, ok := literal(text); ok {
			t.Errorf("%s is taken for %s", text, v)
		}
	}
}

func TestNearest(t *testing.T) {
	for name, want := range map[string]string{"writeskew": "write-skew", "write": "write-skew", "phantoms": "phantom", "longfork": "long-fork", "tpc-c": "tpcc", "update": "lost-update", "xyzzy": ""} {
		if got := Nearest(name); got != want {
			t.Errorf("nearest to %s is %q, but must be %q", name, got, want)
		}
	}
}

// TestLecture: the handout asks, the solutions answer, and nobody's folder is replaced.
func TestLecture(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "class", "monday")
	p := prepared(t, "freed-key")
	for range 2 { // the second replaces the first
		if err := Lecture(dir, []*Performance{p}); err != nil {
			t.Fatal(err)
		}
	}
	texts := map[string]string{}
	for _, name := range []string{handoutFile, solutionsFile} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = string(text)
	}
	golden.Compare(t, filepath.Join("testdata", "lecture", handoutFile), texts[handoutFile])
	golden.Compare(t, filepath.Join("testdata", "lecture", solutionsFile), texts[solutionsFile])
	for _, answer := range []string{"tenants = 1", "Out of date", "helps", p.Scene.Solution} {
		if strings.Contains(texts[handoutFile], answer) || answer != "helps" && !strings.Contains(texts[solutionsFile], answer) {
			t.Errorf("%q must stand in the solutions alone", answer)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "notes.txt"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := Lecture(dir, []*Performance{p}); err == nil {
		t.Error("a folder with a file of somebody else is replaced")
	}
}
