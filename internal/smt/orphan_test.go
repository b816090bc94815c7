//go:build linux

package smt

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// parentVar makes TestOrphan the process that is killed.
const parentVar = "ROBUST_TEST_PARENT"

// TestOrphan kills a process while its z3 works. The z3 ends with it.
func TestOrphan(t *testing.T) {
	if os.Getenv(parentVar) != "" {
		s := &Solver{z3: newProcess("")}
		fmt.Printf("child %d\n", s.z3.(*process).z3.cmd.Process.Pid)
		s.Check(context.Background(), hard(NewBuilder()))
		return
	}
	needsProgram(t)
	parent := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestOrphan$")
	parent.Env = append(os.Environ(), parentVar+"=1")
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	var pid int
	line, err := bufio.NewReader(out).ReadString('\n')
	if _, scan := fmt.Sscanf(line, "child %d", &pid); err != nil || scan != nil {
		t.Fatalf("%q: %v", line, err)
	}
	if state := stateOf(pid); state == "" || state == "Z" {
		t.Fatalf("the program does not run: its state is %q", state)
	}
	time.Sleep(100 * time.Millisecond) // until it works
	parent.Process.Kill()
	parent.Wait()
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		state := stateOf(pid)
		if state == "" || state == "Z" {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("the program still runs: its state is %q", state)
		}
	}
}

// stateOf is the state of a process, Z after its end, "" if there is none.
func stateOf(pid int) string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	return rest[:1]
}
