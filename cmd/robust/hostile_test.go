package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/txrobust/robust/internal/irwords"
	"github.com/txrobust/robust/internal/pgtest"
	"github.com/txrobust/robust/internal/proof"
	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/internal/sarif"
	"github.com/txrobust/robust/internal/schematest"
	"github.com/txrobust/robust/ir/irtext"
	"github.com/txrobust/robust/report"
)

// Hostile names, of at most 63 bytes, which PostgreSQL keeps. Each ends or begins
// something in some language that output is written in, or is a command of psql.
const (
	hostileTable  = "t\n\\! touch P\n--\x1b[31m\"'; DROP"
	hostileKey    = "k\r\\g | touch P"
	hostileColumn = "c\"'; \\q :x $$ </script><b>](x)"
	hostileOther  = "c\"'; \\q :x $$ </script><b>](x)?" // where the other one is NULL
	hostileFirst  = "f\n\\! touch P\n\u202e*/ &lt; %s {0}"
	hostileSecond = "g\\\n\\copy t from program 'touch P'\n\u2066'"
	hostileParam  = "p\n\\! touch P\n:'x' |"
	hostileText   = "v\n\\! touch P\n\x1b]0;x\a\u009b2J'\\'; SELECT 1 --"
	hostileFile   = "a\n\\! touch P\n$(touch P) 'x\" -f \x1b[2J.sql"
	hostileDir    = "d\n\x1b[2J;`touch P` \u202e"
)

// hostileApp is two functions with names that are anything. Each looks at what the
// other one writes: a write skew, unless touch makes each write what it has read.
func hostileApp(touch bool) string {
	name := func(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }
	text := "E'" + strings.NewReplacer(`\`, `\\`, `'`, `''`).Replace(hostileText) + "'"
	t, k, c, o, p := name(hostileTable), name(hostileKey), name(hostileColumn), name(hostileOther), name(hostileParam)
	function := func(f, read string, key int, write string, other int) string {
		more := ""
		if touch {
			more = fmt.Sprintf("UPDATE %s SET %s = true WHERE %s = %d;", t, o, k, key)
		}
		return fmt.Sprintf("CREATE FUNCTION %s(%s text) RETURNS void LANGUAGE plpgsql AS $body$\nDECLARE v text; b boolean;\nBEGIN\n"+
			"  SELECT %s, %s INTO v, b FROM %s WHERE %s = %d;\n"+
			"  IF v = %s AND b THEN UPDATE %s SET %s = %s WHERE %s = %d; %s END IF;\nEND $body$;\n",
			name(f), p, c, o, t, k, key, text, t, c, p, k, other, more)
	}
	return "CREATE TABLE " + t + " (" + k + " int PRIMARY KEY, " + c + " text, " + o + " boolean NOT NULL);\n" +
		function(hostileFirst, hostileColumn, 1, hostileColumn, 2) + function(hostileSecond, hostileColumn, 2, hostileColumn, 1)
}

// writeHostile writes the program, and gives its folder.
func writeHostile(t *testing.T, touch bool) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), hostileDir)
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, hostileFile), []byte(hostileApp(touch)), 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

// clean makes sure that nothing in an output steers a terminal.
func clean(t *testing.T, what, text string) {
	t.Helper()
	if at := strings.IndexFunc(text, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }); at >= 0 {
		t.Errorf("%s has %q", what, text[at:min(at+12, len(text))])
	}
}

// nothingRan makes sure that no command in a name was run in a folder.
func nothingRan(t *testing.T, dir string) {
	t.Helper()
	if _, err := os.Lstat(filepath.Join(dir, "P")); err == nil {
		t.Errorf("a command in a name was run in %q", dir)
	}
}

// TestHostileNames puts a program whose names and values are anything through every
// output, and lets somebody else read that.
func TestHostileNames(t *testing.T) {
	dir := writeHostile(t, false)
	out := filepath.Join(t.TempDir(), "witness")
	results := map[string]string{}
	for _, args := range [][]string{{"text", "-v", "-explain"}, {"json", "-explain"}, {"sarif"}, {"dot", "-v"}, {"html"}} {
		name := strings.Join(args, " ")
		code, stdout, errs := commandLine(t, slices.Concat([]string{"check", "-read-committed", "-witness", out, "-format"}, args, []string{dir})...)
		if code != exitNotRobust || errs != "" {
			t.Fatalf("-format %s: exit code %d\n%s%s", name, code, stdout, errs)
		}
		clean(t, "-format "+name, stdout)
		results[args[0]] = stdout
	}
	t.Run("json", func(t *testing.T) { hostileJSON(t, results["json"]) })
	t.Run("sarif", func(t *testing.T) { hostileSARIF(t, results["sarif"]) })
	t.Run("html", func(t *testing.T) { hostileHTML(t, results["html"]) })
	t.Run("dot", func(t *testing.T) { hostileDOT(t, results["dot"]) })
	t.Run("witness", func(t *testing.T) { hostileWitness(t, dir, out) })
	t.Run("histories", func(t *testing.T) { hostileHistories(t, out) })
	t.Run("instrument", func(t *testing.T) { hostileInstrument(t, dir) })
	t.Run("proof", func(t *testing.T) { hostileProof(t) })
	t.Run("messages", func(t *testing.T) { hostileMessages(t, dir) })
	t.Run("litmus", func(t *testing.T) { hostileLitmus(t) })
	t.Run("folders", func(t *testing.T) { hostileFolders(t, dir) })
}

func hostileJSON(t *testing.T, text string) {
	if err := schematest.Compile(t, report.Schema).Validate(schematest.Decode(t, text)); err != nil {
		t.Error(err)
	}
	var r report.Report
	if err := json.Unmarshal([]byte(text), &r); err != nil && !strings.Contains(err.Error(), "witness.Value") {
		t.Fatal(err)
	}
	var names []string
	for _, x := range r.Transactions {
		names = append(names, x.Name)
	}
	slices.Sort(names)
	if !slices.Equal(names, []string{hostileFirst, hostileSecond}) || filepath.Base(r.Transactions[0].File) != hostileFile {
		t.Errorf("the names are not as they were: %q in %q", names, r.Transactions[0].File)
	}
}

func hostileSARIF(t *testing.T, text string) {
	read := json.NewDecoder(strings.NewReader(text))
	read.DisallowUnknownFields()
	if err := read.Decode(&sarif.Log{}); err != nil {
		t.Error(err)
	}
	for _, m := range regexp.MustCompile(`"text": "(?:[^"\\]|\\.)*"`).FindAllString(text, -1) {
		if strings.Contains(m, "](") {
			t.Errorf("a message has a link: %s", m)
		}
	}
	for _, m := range regexp.MustCompile(`"uri": "([^"]*)"`).FindAllStringSubmatch(text, -1) {
		if strings.ContainsAny(m[1], " \n'\"`<>\\") {
			t.Errorf("%q is no URI", m[1])
		}
	}
}

// hostileHTML: no name ends the script or opens a tag.
func hostileHTML(t *testing.T, text string) {
	if n := strings.Count(text, "</script>"); n != 2 {
		t.Errorf("%d scripts end", n)
	}
	for _, name := range []string{hostileFirst, hostileSecond, hostileTable, hostileColumn, hostileFile, hostileDir} {
		if strings.ContainsAny(name, "<&\"'") && strings.Contains(text, quote.Line(name)) {
			t.Errorf("the name %q is on the page as it is", name)
		}
	}
}

func hostileDOT(t *testing.T, text string) {
	program, err := exec.LookPath("dot")
	if err != nil {
		if os.Getenv(pgtest.RequireEnv) == "1" {
			t.Fatal("the program dot is missing: make setup installs it")
		}
		t.Skip("SKIPPED: the program dot is missing: make setup installs it")
	}
	cmd := exec.Command(program, "-Tjson0")
	cmd.Stdin = strings.NewReader(text)
	cmd.Dir = t.TempDir()
	drawn, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	var graph struct {
		Objects []struct{ Label string }
		Edges   []struct{ Tail, Head int }
	}
	if err := json.Unmarshal(drawn, &graph); err != nil {
		t.Fatal(err)
	}
	var labels []string
	for _, o := range graph.Objects {
		first, _, _ := strings.Cut(o.Label, `\n`)
		labels = append(labels, first)
	}
	// Graphviz gives labels as they stand in the text.
	want := []string{}
	for _, name := range []string{hostileFirst, hostileSecond} {
		first, _, _ := strings.Cut(strings.Trim(quote.DOT(quote.Line(name)), `"`), `\n`)
		want = append(want, first)
	}
	slices.Sort(labels)
	slices.Sort(want)
	if !slices.Equal(labels, want) || len(graph.Edges) == 0 {
		t.Errorf("the labels are %q, want %q; %d edges", labels, want, len(graph.Edges))
	}
	nothingRan(t, cmd.Dir)
}

// psqlWindow is psql as somebody uses it who pastes lines.
type psqlWindow struct {
	in  io.WriteCloser
	out *bufio.Reader
}

// paste gives lines to psql, waits until it has run them, and gives what it prints.
func (w *psqlWindow) paste(t *testing.T, lines string) string {
	t.Helper()
	if _, err := io.WriteString(w.in, lines+"\n\\echo <<done>>\n"); err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	for {
		line, err := w.out.ReadString('\n')
		if err != nil {
			t.Fatalf("psql ended: %v\n%s", err, said.String())
		}
		if line == "<<done>>\n" {
			return said.String()
		}
		said.WriteString(line)
	}
}

// hostileWitness does what README.txt says, with psql.
func hostileWitness(t *testing.T, dir, out string) {
	entries, err := os.ReadDir(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() {
			continue
		}
		text, err := os.ReadFile(filepath.Join(out, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		clean(t, e.Name(), string(text))
		if !regexp.MustCompile(`^[A-Za-z0-9_.-]+$`).MatchString(e.Name()) {
			t.Errorf("a file is called %q", e.Name())
		}
	}
	srv := pgtest.Open(t)
	program, err := exec.LookPath("psql")
	if err != nil {
		t.Fatal(err)
	}
	dsn := srv.Database(t)
	work := t.TempDir()
	psql := func(t *testing.T, args ...string) *exec.Cmd {
		cmd := exec.Command(program, append([]string{"-X", "-q", "-v", "ON_ERROR_STOP=1", dsn}, args...)...)
		cmd.Dir = work
		return cmd
	}
	// The test can fail: psql runs such a command.
	cmd := psql(t)
	cmd.Stdin = strings.NewReader("-- a name with a line end\n\\! touch P\n")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(work, "P")); err != nil {
		t.Fatal("psql does not run commands: the test shows nothing")
	}
	readme, err := os.ReadFile(filepath.Join(out, "README.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^     psql -d witness -f (.*)$`).FindAllStringSubmatch(string(readme), -1) {
		word := m[1]
		if word == "setup.sql" || word == "schema.sql" {
			word = quote.Shell(filepath.Join(out, word))
		}
		load := exec.Command("bash", "-c", "exec "+quote.Shell(program)+" -X -q -v ON_ERROR_STOP=1 -d "+quote.Shell(dsn)+" -f "+word)
		load.Dir = work
		if said, err := load.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", m[0], err, said)
		}
	}
	windows := map[string]*psqlWindow{}
	for _, m := range regexp.MustCompile(`(?m)^     step \d+: +window (\d+) +(\S+) +lines (\d+) to (\d+)$`).FindAllStringSubmatch(string(readme), -1) {
		w := windows[m[1]]
		if w == nil {
			w = openWindow(t, psql(t, "-A", "-t"))
			windows[m[1]] = w
		}
		text, err := os.ReadFile(filepath.Join(out, m[2]))
		if err != nil {
			t.Fatal(err)
		}
		first, _ := strconv.Atoi(m[3])
		last, _ := strconv.Atoi(m[4])
		if said := w.paste(t, strings.Join(strings.Split(string(text), "\n")[first-1:last], "\n")); strings.Contains(said, "ERROR") {
			t.Errorf("%s: %s", m[0], said)
		}
	}
	if len(windows) != 2 {
		t.Errorf("%d windows in\n%s", len(windows), readme)
	}
	nothingRan(t, work)
	nothingRan(t, out)
	nothingRan(t, dir)
	hostileFinal(t, srv, dsn, out)
}

func openWindow(t *testing.T, cmd *exec.Cmd) *psqlWindow {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		stop := time.AfterFunc(10*time.Second, func() { cmd.Process.Kill() })
		defer stop.Stop()
		cmd.Wait()
	})
	return &psqlWindow{in, bufio.NewReader(out)}
}

// hostileFinal compares the rows at the end with those of the witness.
func hostileFinal(t *testing.T, srv *pgtest.Server, dsn, out string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(out, "witness.json"))
	if err != nil {
		t.Fatal(err)
	}
	var w struct {
		Final []struct {
			Table   string
			Columns []string
			Rows    [][]any
		}
	}
	if err := json.Unmarshal(text, &w); err != nil {
		t.Fatal(err)
	}
	rows := 0
	for _, table := range w.Final {
		for _, r := range table.Rows {
			var where []string
			for i, v := range r {
				literal := fmt.Sprint(v)
				if s, ok := v.(string); ok {
					literal = quote.Literal(s)
				}
				where = append(where, quote.Ident(table.Columns[i])+" IS NOT DISTINCT FROM "+literal)
			}
			var n int
			sql := "SELECT count(*) FROM " + quote.Name(table.Table) + " WHERE " + strings.Join(where, " AND ")
			if err := srv.Conn(t, dsn).QueryRow(t.Context(), sql).Scan(&n); err != nil || n != 1 {
				t.Errorf("%s: %d, %v", sql, n, err)
			}
			rows++
		}
	}
	if rows == 0 {
		t.Error("there are no rows")
	}
}

// hostileHistories judges the histories of the witness in all formats, and shows that
// in all formats.
func hostileHistories(t *testing.T, out string) {
	for _, format := range []string{"text", "json", "dot"} {
		code, stdout, errs := commandLine(t, "history", "check", "-level", "SI", "-format", format, filepath.Join(out, "history", "registers"))
		if code != exitOK {
			t.Errorf("-format %s: exit code %d\n%s%s", format, code, stdout, errs)
		}
		clean(t, "history check -format "+format, stdout)
		clean(t, "standard error", errs)
	}
	formats, err := os.ReadDir(filepath.Join(out, "history", "lists"))
	if err != nil || len(formats) == 0 {
		t.Fatal(err)
	}
	for _, f := range formats {
		for _, format := range []string{"text", "html"} {
			path := filepath.Join(out, "history", "lists", f.Name())
			code, stdout, errs := commandLine(t, "history", "check", "-level", "SER", "-format", format, path)
			if code != exitNotRobust {
				t.Errorf("%s: exit code %d\n%s%s", path, code, stdout, errs)
			}
			clean(t, "history check -format "+format, strings.ReplaceAll(stdout, "\t", " "))
			clean(t, "standard error", errs)
			if format == "html" && strings.Contains(stdout, "</script><b>") {
				t.Error("a name ends the script of the page")
			}
		}
	}
}

func hostileInstrument(t *testing.T, dir string) {
	code, stdout, errs := commandLine(t, "instrument", dir)
	if code != exitOK {
		t.Fatalf("exit code %d %s", code, errs)
	}
	clean(t, "instrument", stdout)
	p, err := irtext.Parse("out", stdout)
	if err != nil {
		t.Fatal(err)
	}
	if p.Table(quote.Qualified(hostileTable)) == nil {
		t.Errorf("there is no table %q in\n%s", hostileTable, stdout)
	}
	code, stdout, errs = commandLine(t, "instrument", "-boogie", dir)
	if code != exitOK {
		t.Fatalf("exit code %d %s", code, errs)
	}
	clean(t, "instrument -boogie", stdout)
	program, err := exec.LookPath("boogie")
	if err != nil {
		if os.Getenv(pgtest.RequireEnv) == "1" {
			t.Fatal("the program boogie is missing: make setup installs it")
		}
		t.Skip("SKIPPED: the program boogie is missing: make setup installs it")
	}
	file := filepath.Join(t.TempDir(), "p.bpl")
	if err := os.WriteFile(file, []byte(stdout), 0o666); err != nil {
		t.Fatal(err)
	}
	said, err := exec.Command(program, "-noVerify", file).CombinedOutput()
	if err != nil || !bytes.Contains(said, []byte(" 0 errors")) {
		t.Errorf("boogie: %v\n%s", err, said)
	}
}

func hostileProof(t *testing.T) {
	needsZ3(t)
	dir := proved(t, "-cache", "off", writeHostile(t, true))
	for name, text := range readFolder(t, dir) {
		clean(t, name, text)
	}
	code, out, errs := commandLine(t, "proof", "verify", dir)
	if code != exitOK || errs != "" {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
	clean(t, "proof verify", out)
	if err := schematest.Compile(t, proof.Schema).Validate(schematest.Decode(t, readFolder(t, dir)["manifest.json"])); err != nil {
		t.Error(err)
	}
}

// hostileMessages are errors and notes about such names.
func hostileMessages(t *testing.T, dir string) {
	file := filepath.Join(dir, hostileFile)
	bad := filepath.Join(t.TempDir(), "b\x1b[2J\n.sql")
	if err := os.WriteFile(bad, []byte("CREATE TABLE t (a int);\nSELECT \"\x1b[31m\u202e\n\\! x\" FROM;\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	litmus := filepath.Join(t.TempDir(), "l\x1b[2J\n.litmus")
	if err := os.WriteFile(litmus, []byte("program p\nvar x = 0\nprocess q { txn t { r := \"\x1b[31m\u202e\" } }\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"check", "-txn", "\x1b[31m\n", dir}, {"check", bad}, {"check", litmus}, {"check", dir + "\x1b[31mx"}, {"check", "-format", "\x1b[31m", file}, {"\x1b[31m"},
		{"check", "-\x1b[31m\n", dir}, {"check", "-baseline", bad, dir}, {"check", "-proof", filepath.Join(t.TempDir(), hostileDir), dir}, {"instrument", "-attacker", "\x1b", dir},
		{"history", "check", bad}, {"history", "check", file}, {"history", "convert", "-out", "\x1b[31m", bad}, {"proof", "verify", dir}, {"check", "-o", dir + "\x1b/x", dir},
		{"help", "\x1b[31m"}, {"help", "RB\x1b[31m"},
	} {
		code, out, errs := commandLine(t, append([]string{}, args...)...)
		if code == exitOK || strings.Count(errs, "\n") != 1 && args[0] != "proof" {
			t.Errorf("%q: exit code %d, %q", args, code, errs)
		}
		clean(t, fmt.Sprintf("the output of %q", args), out+errs)
	}
}

// hostileLitmus is a write skew of a litmus program whose names are anything.
func hostileLitmus(t *testing.T) {
	name := func(s string) string { return irwords.Ident(s) }
	text := fmt.Sprintf("program %s\nvar %s = 0, %s = 0\nprocess %s { txn %s { %s := %s; %s := %[6]s + 1 } }\nprocess %[9]s { txn %[10]s { %[6]s := %[2]s; %[3]s := %[6]s + 1 } }\n",
		name(hostileDir), name(hostileTable), name(hostileColumn), name(hostileParam), name(hostileFirst), name(hostileKey), name(hostileColumn), name(hostileTable),
		name(hostileOther), name(hostileSecond))
	file := filepath.Join(t.TempDir(), strings.TrimSuffix(hostileFile, ".sql")+".litmus")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"check"}, {"check", "-v"}, {"check", "-format", "json"}, {"check", "-format", "sarif"}, {"check", "-format", "html"}, {"check", "-format", "dot"}, {"instrument"}, {"instrument", "-boogie"}} {
		want := exitNotRobust
		if args[0] == "instrument" {
			want = exitOK
		}
		code, out, errs := commandLine(t, append(args, file)...)
		if code != want {
			t.Fatalf("%v: exit code %d %s%s", args, code, out, errs)
		}
		clean(t, strings.Join(args, " "), out+errs)
		if len(args) == 1 && args[0] == "instrument" {
			if _, err := irtext.Parse("out", out); err != nil {
				t.Error(err)
			}
		}
	}
}

// hostileFolders: folders that are named after programs stay where they belong.
func hostileFolders(t *testing.T, dir string) {
	top := t.TempDir()
	litmus := filepath.Join(top, "p.litmus")
	text := "program \"../../evil\"\nvar x = 0, y = 0\nprocess p1 { txn t1 { r := y; x := r + 1 } }\nprocess p2 { txn t2 { r := x; y := r + 1 } }\n"
	if err := os.WriteFile(litmus, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, flag := range []string{"-witness", "-proof"} {
		into := filepath.Join(top, "a", "b", "c"+flag)
		if code, out, errs := commandLine(t, "check", "-cache", "off", flag, into, litmus, dir); code != exitNotRobust {
			t.Fatalf("exit code %d %s%s", code, out, errs)
		}
	}
	err := filepath.WalkDir(top, func(path string, e os.DirEntry, err error) error {
		rel, _ := filepath.Rel(top, path)
		if !strings.HasPrefix(rel, filepath.Join("a", "b", "c-")) && !slices.Contains([]string{".", "p.litmus", "a", filepath.Join("a", "b")}, rel) {
			t.Errorf("%q is written", rel)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
