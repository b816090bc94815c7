package replay_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/txrobust/robust/internal/pgtest"
	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/internal/witness"
)

// window is a psql into which somebody pastes lines.
type window struct {
	in    io.WriteCloser
	lines chan string
	// late counts what was pasted and waits for another window.
	late int
}

// done is what a window prints when it has done what was pasted.
const done = "ROBUST DONE"

func openWindow(t *testing.T, dsn string) *window {
	t.Helper()
	cmd := exec.Command(psql(t), "-X", "-q", "-d", dsn)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout // in their order
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		cmd.Process.Kill()
		cmd.Wait() // what it printed was looked at
	})
	w := &window{in: in, lines: make(chan string, 1000)}
	go func() {
		for sc := bufio.NewScanner(out); sc.Scan(); {
			w.lines <- sc.Text()
		}
		close(w.lines)
	}()
	return w
}

// paste gives what a window prints for some lines, and for those before that have waited.
func (w *window) paste(t *testing.T, lines []string) string {
	t.Helper()
	fmt.Fprintf(w.in, "%s\n\\echo %s\n", strings.Join(lines, "\n"), done)
	if strings.HasPrefix(lines[len(lines)-1], "-- It waits") {
		w.late++
		return ""
	}
	var out []string
	for {
		select {
		case line, more := <-w.lines:
			if line == done && w.late == 0 {
				return strings.Join(out, "\n")
			}
			if line == done {
				w.late--
				continue
			}
			if out = append(out, line); !more {
				t.Fatalf("psql has ended: %s", strings.Join(out, "\n"))
			}
		case <-time.After(pgtest.Deadline):
			t.Fatalf("psql waits in\n%s\nafter %s", strings.Join(lines, "\n"), strings.Join(out, "\n"))
		}
	}
}

// psql finds the program.
func psql(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("psql")
	if err != nil && os.Getenv(pgtest.RequireEnv) != "1" {
		t.Skipf("%v: install the clients of PostgreSQL to run this test", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

var stepLine = regexp.MustCompile(`step \d+: +window (\d+) +(\S+) +lines (\d+) to (\d+)`)

// pasted does what the README.txt of a witness folder says, with psql, in a fresh
// database: nothing fails, everything commits, and there are as many rows at the end as
// there should be.
func pasted(t *testing.T, w *witness.Witness) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "w")
	if err := w.Write(dir, nil); err != nil {
		t.Fatal(err)
	}
	srv := pgtest.Open(t)
	dsn := srv.Database(t)
	for _, file := range []string{"schema.sql", "setup.sql"} {
		out, err := exec.Command(psql(t), "-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", dsn, "-f", filepath.Join(dir, file)).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", file, err, out)
		}
	}
	readme, err := os.ReadFile(filepath.Join(dir, "README.txt"))
	if err != nil {
		t.Fatal(err)
	}
	windows := map[string]*window{}
	commits := 0
	for _, m := range stepLine.FindAllStringSubmatch(string(readme), -1) {
		if windows[m[1]] == nil {
			windows[m[1]] = openWindow(t, dsn)
		}
		text, err := os.ReadFile(filepath.Join(dir, m[2]))
		if err != nil {
			t.Fatal(err)
		}
		from, _ := strconv.Atoi(m[3])
		to, _ := strconv.Atoi(m[4])
		lines := strings.Split(string(text), "\n")[from-1 : to]
		printed := windows[m[1]].paste(t, lines)
		if strings.Contains(printed, "ERROR") || strings.Contains(printed, "WARNING") {
			t.Errorf("psql prints\n%s\nfor\n%s", printed, strings.Join(lines, "\n"))
		}
		for _, line := range lines {
			if line == "COMMIT;" {
				commits++
			}
		}
	}
	if commits != len(w.Transactions) {
		t.Errorf("README.txt leads to %d commits of %d transactions\n%s", commits, len(w.Transactions), readme)
	}
	conn := srv.Conn(t, dsn)
	for _, sql := range w.Plan.Session {
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	for i, table := range w.Plan.Tables {
		n := 0
		if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM "+quote.Name(table.Name)).Scan(&n); err != nil || n != len(w.Plan.Execution.Final[i]) {
			t.Errorf("%s has %d rows, not %d: %v", table.Name, n, len(w.Plan.Execution.Final[i]), err)
		}
	}
}
