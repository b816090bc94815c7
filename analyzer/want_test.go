package analyzer

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust/internal/client"
)

// wanted matches a comment with the statements of a line, between backquotes.
var wanted = regexp.MustCompile("// want (`.*`)$")

// TestWanted compares the statements that are found in modules with the comments beside
// the code: // want `TEXT (ARGUMENTS)`. A line without a comment sends nothing. Begins
// and ends of transactions are in the golden files of TestBuilders.
func TestWanted(t *testing.T) {
	for _, name := range []string{"foreign", "gopgmore", "gormmore", "pgx", "queryfiles", "squirrelmore", "std"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join("testdata", "src", name)
			env := append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
			res, err := Load(context.Background(), []string{"./..."}, Options{Dir: dir, Env: env})
			if err != nil {
				t.Fatal(err)
			}
			want, got := wantedIn(t, dir), statementsOf(res)
			if len(want) < 10 {
				t.Errorf("there are only %d lines with comments", len(want))
			}
			lines := map[string]bool{}
			for line := range want {
				lines[line] = true
			}
			for line := range got {
				lines[line] = true
			}
			for line := range lines {
				if !slices.Equal(want[line], got[line]) {
					t.Errorf("%s: the statements are // want %s\nbut the comment says   // want %s", line, quoted(got[line]), quoted(want[line]))
				}
			}
		})
	}
}

func quoted(list []string) string {
	var out []string
	for _, s := range list {
		out = append(out, "`"+s+"`")
	}
	return strings.Join(out, " ")
}

// wantedIn reads the comments of the files in a folder, by file and line.
func wantedIn(t *testing.T, dir string) map[string][]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]string{}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		lines := bufio.NewScanner(f)
		for n := 1; lines.Scan(); n++ {
			m := wanted.FindStringSubmatch(lines.Text())
			if m == nil {
				if strings.Contains(lines.Text(), "// want") {
					t.Errorf("%s:%d: the comment is not of the form // want `…`", name, n)
				}
				continue
			}
			key := fmt.Sprintf("%s:%d", filepath.Base(name), n)
			for i, s := range strings.Split(m[1], "`") {
				if i%2 == 1 {
					out[key] = append(out[key], s)
				}
			}
			slices.Sort(out[key])
		}
		if err := lines.Err(); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// statementsOf gives what is sent to the database, by file and line, each text once.
func statementsOf(res *Result) map[string][]string {
	out := map[string][]string{}
	for _, x := range res.Txns {
		client.Walk(x.Body, func(s client.Stmt) {
			text, pos := "", x.Pos
			switch s := s.(type) {
			case *client.Query:
				text, pos = shown(s), s.Pos
			case *client.ForRows:
				text, pos = "rows of "+shown(s.Query), s.Pos
			case *client.Unknown:
				what := "unknown"
				if s.ReadOnly {
					what = "unknown read"
				}
				text, pos = fmt.Sprintf("%s %s: %s", what, cmp.Or(strings.Join(s.Tables, ", "), "*"), s.Reason), s.Pos
			default:
				return
			}
			key := fmt.Sprintf("%s:%d", filepath.Base(pos.File), pos.Line)
			if !slices.Contains(out[key], text) {
				out[key] = append(out[key], text)
			}
		})
	}
	for _, list := range out {
		slices.Sort(list)
	}
	return out
}

// shown is the text of a query with its arguments, and … for what is not known.
func shown(q *client.Query) string {
	text := strings.ReplaceAll(q.SQL, client.Hole, "…")
	var args []string
	for _, a := range q.Args {
		args = append(args, client.ExprString(a))
	}
	for _, a := range q.Named {
		args = append(args, a.Name+": "+client.ExprString(a.Expr))
	}
	if len(args) > 0 {
		text += " (" + strings.Join(args, ", ") + ")"
	}
	return text
}
