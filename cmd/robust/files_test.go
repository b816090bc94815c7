package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/txrobust/robust/internal/testprog"
)

// quick runs a command line that must not wait for anybody.
func quick(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	type answer struct {
		code      int
		out, errs string
	}
	done := make(chan answer, 1)
	go func() {
		var o, e bytes.Buffer
		code := run(context.Background(), args, streams{&o, &e})
		done <- answer{code, o.String(), e.String()}
	}()
	select {
	case a := <-done:
		return a.code, a.out, a.errs
	case <-time.After(30 * time.Second):
		t.Fatalf("%q waits for somebody", args)
		panic("unreachable")
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

const good = "CREATE TABLE t (id int PRIMARY KEY, v int);\nCREATE FUNCTION f(p int) RETURNS int LANGUAGE sql AS 'SELECT v FROM t WHERE id = p';\n"

// TestOddFiles: whatever stands in the place of a file is one line that names it, at
// once, wherever files are read.
func TestOddFiles(t *testing.T) {
	top := t.TempDir()
	app := filepath.Join(top, "app.sql")
	must(t, os.WriteFile(app, []byte(good), 0o666))
	odd := map[string]func(path string) error{
		"a pipe":      func(path string) error { return syscall.Mkfifo(path, 0o666) },
		"a device":    func(path string) error { return os.Symlink("/dev/zero", path) },
		"a directory": func(path string) error { return os.MkdirAll(filepath.Join(path, "x"), 0o777) },
		"a loop":      func(path string) error { return os.Symlink(filepath.Base(path), path) },
		"a dead link": func(path string) error { return os.Symlink("nowhere", path) },
		"a socket": func(path string) error {
			l, err := net.Listen("unix", path)
			if err == nil {
				t.Cleanup(func() { l.Close() })
			}
			return err
		},
		"a huge file": func(path string) error {
			f, err := os.Create(path)
			if err != nil {
				return err
			}
			return errors.Join(f.Truncate(1<<40), f.Close())
		},
	}
	if os.Geteuid() != 0 {
		odd["a secret"] = func(path string) error { return os.WriteFile(path, []byte("x"), 0) }
	}
	n := 0
	for what, makeOdd := range odd {
		place := func(name string) string {
			n++
			dir := filepath.Join(top, fmt.Sprint(n))
			must(t, os.Mkdir(dir, 0o777))
			path := filepath.Join(dir, name)
			must(t, makeOdd(path))
			return path
		}
		inFolder := place("x.sql")
		must(t, os.WriteFile(filepath.Join(filepath.Dir(inFolder), "a.sql"), []byte(good), 0o666))
		included := place("part.sql")
		script := filepath.Join(filepath.Dir(included), "main.sql")
		must(t, os.WriteFile(script, []byte("CREATE TABLE t (id int PRIMARY KEY);\nBEGIN;\n\\ir part.sql\nCOMMIT;\n"), 0o666))
		inProof := place("q00001.smt2")
		module := place("schema.sql")
		must(t, os.WriteFile(filepath.Join(filepath.Dir(module), "sqlc.yaml"), []byte("version: 2\nsql:\n- engine: postgresql\n  schema: schema.sql\n"), 0o666))
		must(t, os.WriteFile(filepath.Join(filepath.Dir(module), "go.mod"), []byte("module example.org/app\n\ngo 1.24\n"), 0o666))
		must(t, os.WriteFile(filepath.Join(filepath.Dir(module), "app.go"), []byte("package app\n\nimport \"database/sql\"\n\nfunc F(db *sql.DB) { db.Exec(\"DELETE FROM t\") }\n"), 0o666))
		for where, args := range map[string][]string{
			"an input":           {"check", place("in.sql")},
			"an input, mysql":    {"check", "-dialect", "mysql", place("in.sql")},
			"a litmus file":      {"check", place("in.litmus")},
			"in a folder":        {"check", filepath.Dir(inFolder)},
			"a schema":           {"check", "-schema", place("schema.sql"), app},
			"an included file":   {"check", script},
			"of instrument":      {"instrument", place("in.sql")},
			"a baseline":         {"check", "-baseline", place("b.json"), app},
			"a history":          {"history", "check", place("h.edn")},
			"to convert":         {"history", "convert", "-out", "plume", place("h.edn")},
			"a file of a proof":  {"proof", "verify", filepath.Dir(inProof)},
			"a proof":            {"proof", "verify", place("proof")},
			"the result":         {"check", "-o", place("out.txt"), app},
			"a schema of a repo": {"check", "./..."},
		} {
			if where == "the result" && (what == "a loop" || what == "a dead link" || what == "a huge file") {
				continue // it is replaced
			}
			if where == "a history" && what == "a huge file" || where == "to convert" && what == "a huge file" {
				args = append([]string{args[0], args[1], "-in", "edn"}, args[2:]...)
			}
			if where == "a schema of a repo" && what == "a directory" {
				continue // there may be migrations in it
			}
			name := what + " as " + where
			t.Run(name, func(t *testing.T) {
				before := time.Now()
				if where == "a schema of a repo" {
					t.Chdir(filepath.Dir(module))
				}
				code, out, errs := quick(t, args...)
				if where == "a schema of a repo" && what == "a huge file" {
					if code != exitOK || !strings.Contains(out, "this file has 1048576 MB and is taken for data") {
						t.Errorf("exit code %d, %s%s", code, out, errs)
					}
					return
				}
				if where == "the result" && what == "a device" {
					if code != exitOK || out+errs != "" {
						t.Errorf("exit code %d, %s%s", code, out, errs)
					}
					return
				}
				lines := strings.Count(errs, "\n")
				if (where == "a file of a proof" || where == "a proof") && lines > 1 {
					lines = 1 // other files are missing
				}
				if code != exitFault && code != exitUsage || out != "" || lines != 1 || where != "a schema of a repo" && !strings.Contains(errs, top) || !strings.Contains(errs, "schema.sql") && where == "a schema of a repo" {
					t.Errorf("exit code %d, %s%s", code, out, errs)
				}
				if took := time.Since(before); took > 20*time.Second {
					t.Errorf("it takes %v", took)
				}
			})
		}
	}
}

// TestOutside: what leads out of the folders of the inputs is not read, unless that is
// allowed.
func TestOutside(t *testing.T) {
	top := t.TempDir()
	in := func(name string) string { return filepath.Join(top, name) }
	for _, dir := range []string{"app", "lib", "secret", "linked"} {
		must(t, os.Mkdir(in(dir), 0o777))
	}
	const secret = "top secret: 42"
	must(t, os.WriteFile(in("secret/key"), []byte(secret), 0o666))
	must(t, os.WriteFile(in("lib/part.sql"), []byte("UPDATE t SET v = 1 WHERE id = :a;\n"), 0o666))
	must(t, os.WriteFile(in("app/part.sql"), []byte("UPDATE t SET v = 2 WHERE id = :a;\n"), 0o666))
	must(t, os.Symlink("../secret/key", in("app/key.txt")))
	script := func(name, command string) string {
		path := in("app/" + name + ".sql")
		must(t, os.WriteFile(path, []byte("CREATE TABLE t (id int PRIMARY KEY, v int);\nBEGIN;\n"+command+"\nCOMMIT;\n"), 0o666))
		return path
	}
	for name, command := range map[string]string{
		"i": `\i ../secret/key`, "ir": `\ir ../secret/key`, "include": `\include ../secret/key`, "relative": `\include_relative '../secret/key'`,
		"absolute": `\i ` + in("secret/key"), "link": `\ir key.txt`, "proc": `\i /proc/self/environ`, "pass": `\i /etc/passwd`, "if": "\\if 0\n\\i ../secret/key\n\\endif",
		"roundabout": `\ir ../app/../secret/key`, "lib": `\ir ../lib/part.sql`,
	} {
		path := script(name, command)
		code, out, errs := quick(t, "check", path)
		if code != exitFault || out != "" || !strings.HasPrefix(errs, path+":") || !strings.Contains(errs, "-allow-include ") || strings.Contains(errs, secret) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: exit code %d\n%s%s", name, code, out, errs)
		}
	}
	lib := script("lib", `\ir ../lib/part.sql`)
	if code, out, errs := quick(t, "check", "-allow-include", in("lib"), lib); code != exitOK {
		t.Errorf("-allow-include: exit code %d\n%s%s", code, out, errs)
	}
	if code, out, errs := quick(t, "check", script("own", `\ir part.sql`)); code != exitOK {
		t.Errorf("in the folder: exit code %d\n%s%s", code, out, errs)
	}
	if code, _, errs := quick(t, "check", "-allow-include", in("none"), lib); code != exitUsage || !strings.Contains(errs, "-allow-include: ") {
		t.Errorf("a folder that is not there: exit code %d\n%s", code, errs)
	}
	// Symbolic links in a folder.
	must(t, os.WriteFile(in("linked/a.sql"), []byte(good), 0o666))
	must(t, os.Symlink("../lib/part.sql", in("linked/b.sql")))
	if code, out, errs := quick(t, "check", in("linked")); code != exitFault || !strings.HasPrefix(errs, in("linked/b.sql")+": this leads to "+in("lib/part.sql")) || strings.Count(errs, "\n") != 1 {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
	// One that is named leads where the user wants.
	must(t, os.WriteFile(in("lib/app.sql"), []byte(good), 0o666))
	must(t, os.Symlink("lib/app.sql", in("named.sql")))
	if code, out, errs := quick(t, "check", in("named.sql")); code != exitOK {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
	// The configuration of a repository may lead to all of that, and no further.
	must(t, os.MkdirAll(in("repo/service"), 0o777))
	must(t, os.Mkdir(in("repo/.git"), 0o777))
	must(t, os.WriteFile(in("repo/schema.sql"), []byte("CREATE TABLE t (id int PRIMARY KEY, v int);"), 0o666))
	must(t, os.WriteFile(in("repo/service/go.mod"), []byte("module example.org/app\n\ngo 1.24\n"), 0o666))
	must(t, os.WriteFile(in("repo/service/app.go"), []byte("package app\n\nimport \"database/sql\"\n\nfunc F(db *sql.DB) { db.Exec(\"DELETE FROM t WHERE id = 1\") }\n"), 0o666))
	for schema, want := range map[string]int{"../schema.sql": exitOK, "../../secret/key": exitFault, in("secret/key"): exitFault} {
		must(t, os.WriteFile(in("repo/service/sqlc.yaml"), []byte("version: 2\nsql:\n- engine: postgresql\n  schema: "+schema+"\n"), 0o666))
		t.Chdir(in("repo/service"))
		code, out, errs := quick(t, "check", "./...")
		if code != want || want == exitFault && (!strings.Contains(errs, "sqlc.yaml:4:11: ") || !strings.Contains(errs, "outside") || strings.Contains(errs, secret)) {
			t.Errorf("%s: exit code %d\n%s%s", schema, code, out, errs)
		}
	}
	// Folders of histories with links in a circle.
	must(t, os.MkdirAll(in("histories/a"), 0o777))
	must(t, os.WriteFile(in("histories/a/h.txt"), []byte("w(1,1,0,0)\nr(1,1,1,1)\n"), 0o666))
	for i := range 8 {
		must(t, os.Symlink("..", in(fmt.Sprintf("histories/a/up%d", i))))
	}
	if code, out, errs := quick(t, "history", "check", "-level", "RC", in("histories")); code != exitOK {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
}

// TestLateFiles: what changes while it is read is read once.
func TestLateFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.sql")
	must(t, os.WriteFile(path, []byte(good), 0o666))
	f := &checkFlags{}
	c := &common{dialect: "postgres"}
	src, err := c.sources(t.Context(), []string{path})
	must(t, err)
	before := f.key(t.Context(), src)
	must(t, os.WriteFile(path, []byte("not SQL at all"), 0o666))
	programs, err := src.load(t.Context(), func(int, int, string) {})
	if err != nil || len(programs) != 1 || programs[0].Txn("f") == nil {
		t.Fatalf("%v, %v", programs, err)
	}
	if text, _ := programs[0].disk.Text(path); string(text) != good || before == "" {
		t.Errorf("the proof would be of %q", text)
	}
}

// process gives the command as a program of its own.
func process(t *testing.T, ctx context.Context, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	must(t, err)
	link := filepath.Join(t.TempDir(), "robust")
	must(t, os.Symlink(exe, link))
	return exec.CommandContext(ctx, link, args...)
}

// TestEnded: a time limit and an interrupt end the work in every phase, soon and with
// what is known, or with one line.
func TestEnded(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	t.Cleanup(cancel) // when the parts have ended
	dir := t.TempDir()
	module := filepath.Join(dir, "app")
	must(t, os.Mkdir(module, 0o777))
	must(t, os.WriteFile(filepath.Join(module, "go.mod"), []byte("module example.org/app\n\ngo 1.24\n"), 0o666))
	must(t, syscall.Mkfifo(filepath.Join(module, "app.go"), 0o666)) // the go command waits for it
	slow, err := filepath.Abs(slow)
	must(t, err)
	slowProof := proved(t, testprog.Path(t, "apps", "tpcc"))
	sleeper := filepath.Join(dir, "z3")
	must(t, os.WriteFile(sleeper, []byte("#!/bin/sh\nexec sleep 100\n"), 0o777))
	const out = "OUT"
	for _, c := range []struct {
		name  string
		args  []string
		stdin bool // that nobody closes
		codes []int
		limit bool // it has a limit of its own
	}{
		{"standard input", []string{"history", "check", "-o", out, "-"}, true, []int{exitUnknown}, false},
		{"standard input with a limit", []string{"history", "check", "-timeout", "300ms", "-o", out, "-"}, true, []int{exitUnknown}, true},
		{"converting standard input", []string{"history", "convert", "-out", "plume", "-o", out, "-"}, true, []int{exitFault}, false},
		{"loading Go", []string{"check", "-o", out, "./..."}, false, []int{exitUnknown}, false},
		{"loading Go, which a limit does not count", []string{"check", "-timeout", "300ms", "-o", out, "./..."}, false, []int{exitUnknown}, false},
		{"proving with a limit", []string{"check", "-timeout", "300ms", "-cache", "off", "-witness", filepath.Join(dir, "w"), "-o", out, slow}, false, []int{exitUnknown}, true},
		{"instrumenting Go", []string{"instrument", "-o", out, "./..."}, false, []int{exitFault}, false},
		{"z3", []string{"proof", "verify", "-z3", sleeper, slowProof}, false, []int{exitFault}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out := filepath.Join(t.TempDir(), "out.txt")
			for i, arg := range c.args {
				if arg == "OUT" {
					c.args[i] = out
				}
			}
			cmd := process(t, ctx, c.args...)
			cmd.Dir = module
			var errs bytes.Buffer
			cmd.Stderr = &errs
			var in io.WriteCloser
			if c.stdin {
				var err error
				in, err = cmd.StdinPipe()
				must(t, err)
				defer in.Close()
			}
			must(t, cmd.Start())
			if !c.limit {
				time.Sleep(1500 * time.Millisecond)
				must(t, cmd.Process.Signal(syscall.SIGINT))
			}
			began := time.Now()
			err := cmd.Wait()
			exit, ok := err.(*exec.ExitError)
			if !ok || exit.ExitCode() != c.codes[0] {
				t.Errorf("it ends with %v\n%s", err, errs.String())
			}
			if took := time.Since(began); took > 15*time.Second {
				t.Errorf("it goes on for %v", took)
			}
			if n := strings.Count(errs.String(), "\n"); n > 1 || n == 0 && c.codes[0] == exitFault {
				t.Errorf("it says %q", errs.String())
			}
			text, err := os.ReadFile(out)
			if c.codes[0] == exitUnknown && (err != nil || !strings.Contains(string(text), "nknown") && !strings.Contains(string(text), "UNKNOWN")) {
				t.Errorf("the result is %q, %v", text, err)
			}
			if c.codes[0] == exitFault && err == nil {
				t.Errorf("there is a result: %q", text)
			}
			if left, err := filepath.Glob(filepath.Join(filepath.Dir(out), ".*")); err != nil || len(left) > 0 {
				t.Errorf("%v is left", left)
			}
		})
	}
}
