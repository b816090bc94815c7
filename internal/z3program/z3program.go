// Package z3program finds the program z3 and says whether it is new enough.
package z3program

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// ErrMissing says that the program is missing.
var ErrMissing = errors.New("the program z3 is missing")

// Program is a program z3.
type Program struct {
	Path    string
	Version string // such as 4.8.12
	Size    int64
	Changed time.Time
}

// Oldest is the oldest version that is asked.
const Oldest = "4.8.12"

// patience bounds the time in which a program says its version.
const patience = time.Minute

// Path gives the path of the program with this name, z3 if it is "". The error is
// ErrMissing if there is none.
func Path(name string) (string, error) {
	if name == "" {
		name = "z3"
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", ErrMissing
	}
	return path, nil
}

// Find gives the program with this name, z3 if it is "", whose version must be Oldest
// or a newer one.
func Find(name string) (*Program, error) {
	path, err := Path(name)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	known.Lock()
	defer known.Unlock()
	if p := known.programs[path]; p != nil && p.Size == info.Size() && p.Changed.Equal(info.ModTime()) {
		return p, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, "--version").CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%s --version: %w", path, err)
	}
	m := versionText.FindSubmatch(out)
	if m == nil {
		return nil, fmt.Errorf("%s must be Z3, but --version prints %q", path, firstLine(out))
	}
	p := &Program{path, string(m[1]), info.Size(), info.ModTime()}
	if older(p.Version, Oldest) {
		return nil, fmt.Errorf("%s must be Z3 %s or newer, but is %s", path, Oldest, p.Version)
	}
	known.programs[path] = p
	return p, nil
}

// known are the programs that were asked for their version, which takes a process.
var known = struct {
	sync.Mutex
	programs map[string]*Program
}{programs: map[string]*Program{}}

var versionText = regexp.MustCompile(`^Z3 version (\d+\.\d+\.\d+)`)

// firstLine is the start of what a program printed, for a message.
func firstLine(out []byte) string {
	line, _, _ := strings.Cut(string(out), "\n")
	return line[:min(len(line), 80)]
}

// older reports whether version a is older than b.
func older(a, b string) bool { return slices.Compare(numbers(a), numbers(b)) < 0 }

func numbers(version string) (out []int) {
	for _, part := range strings.Split(version, ".") {
		n, err := strconv.Atoi(part)
		if err != nil {
			n = 0
		}
		out = append(out, n)
	}
	return out
}
