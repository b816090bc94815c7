package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/txrobust/robust/internal/pgtest"
)

// sleepy is a write skew of functions that take their time.
const sleepy = `CREATE TABLE doctor (id int PRIMARY KEY, on_call boolean NOT NULL);
CREATE FUNCTION leave(p int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_sleep(60);
  IF (SELECT count(*) FROM doctor WHERE on_call) > 1 THEN UPDATE doctor SET on_call = false WHERE id = p; END IF;
END $$;`

// replaying starts a check whose replay takes long, and returns when that is under way:
// when a backend of the server sleeps. temp is the folder for its temporary files, and
// data the folder of the server that dsn names.
func replaying(t *testing.T, dsn, data string) (cmd *exec.Cmd, temp string) {
	t.Helper()
	temp, err := os.MkdirTemp("", "robust-replay-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(temp) })
	if err := os.Chmod(temp, 0o777); err != nil { // the server may be another user
		t.Fatal(err)
	}
	if data == "" { // a server of its own
		data = temp
	}
	input := filepath.Join(t.TempDir(), "sleepy.sql")
	if err := os.WriteFile(input, []byte(sleepy), 0o666); err != nil {
		t.Fatal(err)
	}
	flag := "-replay"
	if dsn != "" {
		flag += "=" + dsn
	}
	cmd = exec.Command("robust", "check", "-cache", "off", flag, input)
	cmd.Env = append(os.Environ(), "TMPDIR="+temp)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		if t.Failed() {
			t.Log(out.String())
		}
	})
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		// The title of a backend says the database, and what it does. It works in the
		// folder of its server: those of other tests do not count.
		for n, title := range processes(t) {
			folder, _ := os.Readlink(filepath.Join("/proc", strconv.Itoa(n), "cwd"))
			if strings.HasPrefix(folder, data) && strings.Contains(title, "robust_replay_") && strings.Contains(title, "SELECT") {
				return cmd, temp
			}
		}
	}
	t.Fatalf("the replay did not begin\n%s", out.String())
	return nil, ""
}

// processes gives the command lines of all processes, by their numbers.
func processes(t *testing.T) map[int]string {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	out := map[int]string{}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if n, bad := strconv.Atoi(filepath.Base(filepath.Dir(f))); err == nil && bad == nil {
			out[n] = strings.ReplaceAll(string(text), "\x00", " ")
		}
	}
	return out
}

// nothingLeft makes sure that neither files nor processes of a command are left.
func nothingLeft(t *testing.T, temp string) {
	t.Helper()
	var left []string
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		left = nil
		entries, err := os.ReadDir(temp)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			left = append(left, e.Name())
		}
		for _, line := range processes(t) {
			if strings.Contains(line, temp) {
				left = append(left, line)
			}
		}
		if left == nil {
			return
		}
	}
	t.Errorf("this is left: %q", left)
}

// TestInterruptReplay: a check that is interrupted or killed in the middle of a replay
// leaves nothing behind, and says so if it can.
func TestInterruptReplay(t *testing.T) {
	pgtest.Open(t) // or skip
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGKILL} {
		t.Run(sig.String(), func(t *testing.T) {
			cmd, temp := replaying(t, "", "")
			if sig == syscall.SIGKILL { // the one that does the work, which nobody can tell
				for _, n := range children(t, cmd.Process.Pid) {
					syscall.Kill(n, sig)
				}
			} else if err := cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			err := cmd.Wait()
			nothingLeft(t, temp)
			if code := cmd.ProcessState.ExitCode(); sig != syscall.SIGKILL && code != exitNotRobust && code != exitUnknown {
				t.Errorf("%v, exit code %d", err, code)
			}
			if out := cmd.Stdout.(*strings.Builder).String(); sig != syscall.SIGKILL && !strings.Contains(out, "interrupted") {
				t.Errorf("it says\n%s", out)
			}
		})
	}
}

// children gives the processes that a process has started.
func children(t *testing.T, parent int) []int {
	t.Helper()
	var out []int
	for n := range processes(t) {
		text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(n), "stat"))
		if err != nil {
			continue
		}
		_, rest, _ := strings.Cut(string(text), ") ")
		if fields := strings.Fields(rest); len(fields) > 1 && fields[1] == strconv.Itoa(parent) {
			out = append(out, n)
		}
	}
	if out == nil {
		t.Fatal("the command has no children")
	}
	return out
}

// TestInterruptReplayElsewhere: on a server of somebody else, the database is dropped.
func TestInterruptReplayElsewhere(t *testing.T) {
	dsn := pgtest.Open(t).DSN("postgres")
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	list := func() []string {
		rows, err := conn.Query(t.Context(), "SELECT datname::text FROM pg_database ORDER BY 1")
		if err != nil {
			t.Fatal(err)
		}
		out, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	var data string
	if err := conn.QueryRow(t.Context(), "SHOW data_directory").Scan(&data); err != nil {
		t.Fatal(err)
	}
	before := list()
	cmd, temp := replaying(t, dsn, data)
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	cmd.Wait() // the exit code is that of the finding
	nothingLeft(t, temp)
	if after := list(); !slices.Equal(before, after) {
		t.Errorf("there were the databases %v, and are %v", before, after)
	}
}
