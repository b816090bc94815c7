package peers

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// Missing is a peer that is not compared: why, and what to do.
type Missing struct{ Name, Why string }

func (m Missing) String() string { return m.Name + " is missing: " + m.Why }

// Ready gives the peers in a folder that can run. Those that are not built yet are, where fetched
// is set, after they were fetched; what cannot be is missing. say is told what begins.
func Ready(ctx context.Context, dir string, all []Peer, fetch bool, say func(string)) (ready []Peer, missing []Missing) {
	for _, p := range all {
		if p.binary(dir) != "" {
			ready = append(ready, p)
			continue
		}
		if why := p.build(ctx, dir, fetch, say); why != "" {
			missing = append(missing, Missing{p.Name, why})
		} else {
			ready = append(ready, p)
		}
	}
	return ready, missing
}

// build fetches and builds a peer. It gives what is in the way, and what to do.
func (p *Peer) build(ctx context.Context, dir string, fetch bool, say func(string)) string {
	var absent []string
	for _, program := range p.Needs {
		if _, err := exec.LookPath(program); err != nil {
			absent = append(absent, program)
		}
	}
	if len(absent) > 0 {
		return fmt.Sprintf("it needs %s; install that, and run this again", strings.Join(absent, ", "))
	}
	at := p.dir(dir)
	if _, err := os.Stat(at); err != nil {
		if !fetch {
			return fmt.Sprintf("clone %s to %s, or use -fetch", p.Source, at)
		}
		say("fetching " + p.Name)
		if out, err := exec.CommandContext(ctx, "git", "clone", "--recurse-submodules", p.Source, at).CombinedOutput(); err != nil {
			return fmt.Sprintf("git clone %s failed: %s; clone it to %s yourself", p.Source, last(out, err), at)
		}
	}
	for _, line := range p.Build {
		say("building " + p.Name + ": " + strings.Join(line, " "))
		c := exec.CommandContext(ctx, line[0], line[1:]...)
		c.Dir = at
		if out, err := c.CombinedOutput(); err != nil {
			return fmt.Sprintf("%q failed in %s: %s; build it there as its README says", strings.Join(line, " "), at, last(out, err))
		}
	}
	if p.binary(dir) == "" {
		return fmt.Sprintf("the build left no %s in %s; build it there as its README says", p.Binary, at)
	}
	return ""
}

// last is the last line that a command printed, or its error.
func last(out []byte, err error) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if line := strings.TrimSpace(lines[len(lines)-1]); line != "" {
		return line
	}
	return err.Error()
}
