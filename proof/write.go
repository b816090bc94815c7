package proof

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Names of the files of a proof.
const (
	manifestFile = "manifest.json"
	sumsFile     = "SHA256SUMS"
)

var scriptName = regexp.MustCompile(`^q[0-9]{5,}\.smt2$`)

// Proof is a manifest and the scripts that it names.
type Proof struct {
	Manifest Manifest
	Scripts  map[string]string // by file
}

// New starts a proof of a program, of which the caller fills the manifest.
func New(program string) *Proof {
	return &Proof{
		Manifest: Manifest{Format: format, Version: Version, Program: program, Inputs: []Input{}, Vertices: []Vertex{}, Steady: []int{},
			Facts: []Fact{}, Refuted: []Refuted{}, Kept: []Kept{}, Assumptions: []string{}, Options: Options{Transactions: []string{}}},
		Scripts: map[string]string{},
	}
}

// stepsMark begins the line of a script that says how it is made.
const stepsMark = "; steps: "

// Refute adds a refuted piece, with its script in SMT-LIB unless the reason is
// BySyntax. steps say how the script is made anew.
func (p *Proof) Refute(q Question, r Reason, script, steps string) {
	text := q.Words(p.Manifest.Vertices)
	p.add(&r, "is this piece of a walk possible: "+text, script, steps)
	p.Manifest.Refuted = append(p.Manifest.Refuted, Refuted{text, q, r})
}

// Keep adds that a template keeps a fact.
func (p *Proof) Keep(template string, fact int, r Reason, script, steps string) {
	p.add(&r, fmt.Sprintf("can %s, run alone, break the fact: %s", template, p.Manifest.Facts[fact].Text), script, steps)
	p.Manifest.Kept = append(p.Manifest.Kept, Kept{fact, template, r})
}

func (p *Proof) add(r *Reason, question, script, steps string) {
	if r.Uses == nil {
		r.Uses = []int{}
	}
	if r.By != BySolver {
		return
	}
	r.File = fmt.Sprintf("q%05d.smt2", len(p.Scripts)+1)
	text := Script(question, script, steps)
	p.Scripts[r.File] = text
	r.SHA256 = digest([]byte(text))
}

// Script is the text of a file: the question in words, how the script is made,
// and the script.
func Script(question, script, steps string) string {
	return "; " + strings.Join(strings.Fields(question), " ") + "?\n; unsat means no\n" + stepsMark + steps + "\n" + script
}

// steps gives the line of a script that says how it is made.
func steps(text string) (string, bool) {
	for _, line := range strings.SplitN(text, "\n", 4) {
		if s, ok := strings.CutPrefix(line, stepsMark); ok {
			return s, true
		}
	}
	return "", false
}

// Write stores a proof as the folder dir, which appears when it is complete. A
// folder that holds another proof is replaced; one that holds anything else is
// an error.
func (p *Proof) Write(dir string) error {
	dir = filepath.Clean(dir)
	if err := Replaceable(dir); err != nil {
		return err
	}
	parent := filepath.Dir(dir)
	if err := os.MkdirAll(parent, 0o777); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(parent, ".proof")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	manifest, err := p.Manifest.text()
	if err != nil {
		return err
	}
	var sums strings.Builder
	put := func(name string, text []byte) error {
		fmt.Fprintf(&sums, "%s  %s\n", digest(text), name)
		return os.WriteFile(filepath.Join(tmp, name), text, 0o666)
	}
	if err := put(manifestFile, manifest); err != nil {
		return err
	}
	for _, f := range p.Manifest.files() {
		if err := put(f.name, []byte(p.Scripts[f.name])); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(tmp, sumsFile), []byte(sums.String()), 0o666); err != nil {
		return err
	}
	if err := os.Chmod(tmp, 0o755); err != nil {
		return err
	}
	return replace(tmp, dir)
}

// replace puts a folder in the place of another one, which is moved away first
// and removed last.
func replace(tmp, dir string) error {
	old := tmp + ".old"
	switch err := os.Rename(dir, old); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	}
	if err := os.Rename(tmp, dir); err != nil {
		os.Rename(old, dir) // as it was; the first error counts
		return err
	}
	return os.RemoveAll(old)
}

// Replaceable reports an error unless dir is absent, empty, or a proof.
func Replaceable(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	known := len(entries) == 0
	for _, e := range entries {
		known = known || e.Name() == manifestFile
	}
	for _, e := range entries {
		if !known || !ours(e.Name()) {
			return fmt.Errorf("%s: not written by this program; name a folder that does not exist yet", filepath.Join(dir, e.Name()))
		}
	}
	return nil
}

func ours(name string) bool {
	return name == manifestFile || name == sumsFile || scriptName.MatchString(name)
}

// scriptFile is a script that the manifest names.
type scriptFile struct{ name, sum, text string }

// files lists the scripts, with the question of each in words.
func (m *Manifest) files() []scriptFile {
	var out []scriptFile
	for _, q := range m.Refuted {
		if q.By == BySolver {
			out = append(out, scriptFile{q.File, q.SHA256, q.Words(m.Vertices)})
		}
	}
	for _, k := range m.Kept {
		if k.By == BySolver {
			out = append(out, scriptFile{k.File, k.SHA256, k.Template + " keeps: " + m.Facts[k.Fact].Text})
		}
	}
	return out
}
