package proof

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/txrobust/robust/internal/folder"
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

// proofs is what a folder with a proof is.
var proofs = folder.Kind{Mark: manifestFile, Ours: ours}

// Write stores a proof as the folder dir, which appears when it is complete. A
// folder that holds another proof is replaced; one that holds anything else is
// an error.
func (p *Proof) Write(dir string) error {
	return proofs.Write(dir, func(put folder.Put) error {
		manifest, err := p.Manifest.text()
		if err != nil {
			return err
		}
		var sums strings.Builder
		add := func(name string, text []byte) error {
			fmt.Fprintf(&sums, "%s  %s\n", digest(text), name)
			return put(name, text)
		}
		if err := add(manifestFile, manifest); err != nil {
			return err
		}
		for _, f := range p.Manifest.files() {
			if err := add(f.name, []byte(p.Scripts[f.name])); err != nil {
				return err
			}
		}
		return put(sumsFile, []byte(sums.String()))
	})
}

// Replaceable reports an error unless dir is absent, empty, or a proof.
func Replaceable(dir string) error { return proofs.Replaceable(dir) }

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
