// Package peers runs checkers of other projects and robust in turn on the same recorded histories,
// and compares how long they take and what they answer.
//
// The code of the peers is no part of this project: whoever runs the comparison fetches and builds
// it in a folder, with the commands in the table here. A peer that is not there, or that does not
// have a level or a format, is said so and left out.
//
// What is measured is the processor time of the process with its children, which other
// work on the machine changes least; runs alternate, so that what does change hits all alike.
package peers

import (
	"path/filepath"
	"regexp"
	"strings"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/history/codec"
	"github.com/txrobust/robust/isolation"
)

// Peer is a checker of another project.
type Peer struct {
	Name string
	// Source is the address of its repository.
	Source string
	// Needs are programs without which it is not built or run, Build the commands for its
	// folder, in which Source was cloned.
	Needs []string
	Build [][]string
	// Binary is what the build leaves, a pattern below its folder.
	Binary string
	// Format is that of its files, and File what of a history's folder it is given, if not all.
	Format codec.Format
	File   string
	// Types are the data types of keys that it judges.
	Types []history.Type
	// Levels are what it calls those that it judges.
	Levels map[isolation.Level]string
	// Command is a command line: BINARY, LEVEL and FILE stand for these.
	Command []string
	// Accepts and Rejects match what it prints.
	Accepts, Rejects *regexp.Regexp
}

// All are the peers.
func All() []Peer {
	registers, lists := []history.Type{history.Register}, []history.Type{history.List}
	return []Peer{
		{
			Name: "AWDIT", Source: "https://github.com/lassemoldrup/AWDIT", Needs: []string{"git", "cargo"},
			Build:  [][]string{{"git", "submodule", "update", "--init", "--recursive"}, {"cargo", "build", "--release"}},
			Binary: "target/release/awdit", Format: codec.Plume, Types: registers,
			Levels:  map[isolation.Level]string{isolation.RC: "read-committed", isolation.RA: "read-atomic", isolation.CC: "causal"},
			Command: []string{"BINARY", "check", "-i", "LEVEL", "-r", "first", "FILE"},
			Accepts: regexp.MustCompile(`(?m)^Consistent\.`), Rejects: regexp.MustCompile(`(?m)^Inconsistent\.`),
		},
		{
			Name: "PolySI", Source: "https://github.com/amnore/PolySI", Needs: []string{"git", "java", "cmake", "g++"},
			Build:  [][]string{{"git", "submodule", "update", "--init", "--recursive"}, {"./gradlew", "jar"}},
			Binary: "build/libs/PolySI-*.jar", Format: codec.Plume, Types: registers,
			Levels:  map[isolation.Level]string{isolation.SI: ""},
			Command: []string{"java", "-jar", "BINARY", "audit", "--type=text", "FILE"},
			Accepts: regexp.MustCompile(`\[\[\[\[ ACCEPT \]\]\]\]`), Rejects: regexp.MustCompile(`\[\[\[\[ REJECT \]\]\]\]`),
		},
		{
			Name: "VeriStrong", Source: "https://github.com/CzxingcHen/VeriStrong", Needs: []string{"git", "meson", "ninja", "g++"},
			Build:  [][]string{{"meson", "setup", "veristrong/builddir", "veristrong", "--buildtype=release"}, {"meson", "compile", "-C", "veristrong/builddir"}},
			Binary: "veristrong/builddir/checker", Format: codec.Dbcop, File: "history.bincode", Types: registers,
			Levels:  map[isolation.Level]string{isolation.SI: "si", isolation.SER: "ser"},
			Command: []string{"BINARY", "--history-type", "dbcop", "--isolation-level", "LEVEL", "--pruning", "fast", "FILE"},
			Accepts: regexp.MustCompile(`(?m)^accept: true`), Rejects: regexp.MustCompile(`(?m)^accept: false`),
		},
		{
			Name: "Viper", Source: "https://github.com/Khoury-srg/Viper", Needs: []string{"git", "python3"},
			Build:  [][]string{{"python3", "-c", "import monosat, yaml"}},
			Binary: "src/main_allcases.py", Format: codec.Viper, Types: registers,
			Levels:  map[isolation.Level]string{isolation.PLSI: ""},
			Command: []string{"python3", "BINARY", "--algo", "6", "--config_file", "src/config.yaml", "--sub_dir", "FILE", "--perf_file", "perf.txt", "--exp_name", "peers"},
			Accepts: regexp.MustCompile(`(?mi)^.*: (accept|true)$`), Rejects: regexp.MustCompile(`(?mi)^.*: (reject|false)$`),
		},
		{
			Name: "Elle", Source: "https://github.com/ligurio/elle-cli", Needs: []string{"git", "java", "lein"},
			Build:  [][]string{{"lein", "uberjar"}},
			Binary: "target/elle-cli-*-standalone.jar", Format: codec.EDN, Types: lists,
			Levels:  map[isolation.Level]string{isolation.RC: "read-committed", isolation.SI: "strong-session-snapshot-isolation", isolation.SER: "strong-session-serializable"},
			Command: []string{"java", "-jar", "BINARY", "--model", "list-append", "--consistency-models", "LEVEL", "FILE"},
			Accepts: regexp.MustCompile(`(?m)\ttrue$`), Rejects: regexp.MustCompile(`(?m)\tfalse$`),
		},
	}
}

// Verdict is what a peer answers, by what it prints.
func (p *Peer) Verdict(output string) isolation.Verdict {
	accepts, rejects := p.Accepts.MatchString(output), p.Rejects.MatchString(output)
	switch {
	case accepts && !rejects:
		return isolation.Accept
	case rejects && !accepts:
		return isolation.Reject
	}
	return isolation.Unknown
}

// judges tells whether the peer judges keys of these types.
func (p *Peer) judges(h *history.History) bool {
	for k := range history.Key(h.NumKeys()) {
		can := h.Type(k) == history.Untyped
		for _, t := range p.Types {
			can = can || h.Type(k) == t
		}
		if !can {
			return false
		}
	}
	return true
}

// dir is the folder of a peer.
func (p *Peer) dir(all string) string { return filepath.Join(all, strings.ToLower(p.Name)) }

// binary is what was built, or empty.
func (p *Peer) binary(all string) string {
	found, err := filepath.Glob(filepath.Join(p.dir(all), filepath.FromSlash(p.Binary)))
	if err != nil || len(found) == 0 {
		return ""
	}
	return found[len(found)-1]
}

// command is the command line for a file.
func (p *Peer) command(binary, level, file string) []string {
	r := strings.NewReplacer("BINARY", binary, "LEVEL", level, "FILE", file)
	out := make([]string, len(p.Command))
	for i, arg := range p.Command {
		out[i] = r.Replace(arg)
	}
	return out
}
