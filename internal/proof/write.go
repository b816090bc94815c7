package proof

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/txrobust/robust/internal/folder"
	"github.com/txrobust/robust/internal/quote"
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
			Facts: []Fact{}, Refuted: []Refuted{}, Kept: []Kept{}, Assumptions: []string{}, Transactions: []string{}, Command: Command{[]string{}, []string{}}},
		Scripts: map[string]string{},
	}
}

// stepsMark begins the line of a script that says how it is made.
const stepsMark = "; steps: "

// Refute adds a refuted piece, with its script in SMT-LIB unless the reason is
// BySyntax. steps say how the script is made anew.
func (p *Proof) Refute(q Question, r Reason, script, steps string) {
	q.Elements = append([]Element{}, q.Elements...)
	text := q.Words(p.Manifest.Vertices)
	p.add(&r, refutedQuestion(text), script, steps)
	p.Manifest.Refuted = append(p.Manifest.Refuted, Refuted{text, q, r})
}

// Keep adds that a template keeps a fact.
func (p *Proof) Keep(template string, fact int, r Reason, script, steps string) {
	p.add(&r, keptQuestion(template, p.Manifest.Facts[fact].Text), script, steps)
	p.Manifest.Kept = append(p.Manifest.Kept, Kept{fact, template, r})
}

func refutedQuestion(words string) string { return "is this piece of a walk possible: " + words }

func keptQuestion(template, fact string) string {
	return fmt.Sprintf("can %s, run alone, break the fact: %s", template, fact)
}

func (p *Proof) add(r *Reason, question, script, steps string) {
	if r.Uses == nil {
		r.Uses = []int{}
	}
	if r.By != BySolver {
		return
	}
	r.File = fileName(len(p.Scripts) + 1)
	text := Script(question, script, steps)
	p.Scripts[r.File] = text
	r.SHA256 = digest([]byte(text))
}

// Script is the text of a file: the question in words, how the script is made,
// and the script.
func Script(question, script, steps string) string {
	return header(question) + stepsMark + steps + "\n" + script
}

// header is the first two lines of a file: comments of SMT-LIB, which end with
// the line.
func header(question string) string {
	return "; " + quote.Line(question) + "?\n; unsat means no\n"
}

// split gives the steps and the script of a file whose question is known.
func split(text, question string) (steps, script string, err error) {
	rest, ok := strings.CutPrefix(text, header(question)+stepsMark)
	if !ok {
		return "", "", fmt.Errorf("the first three lines must be the question, its meaning and the steps, but are not: %s", question)
	}
	steps, script, ok = strings.Cut(rest, "\n")
	if !ok || !stepWords.MatchString(steps) {
		return "", "", fmt.Errorf("the third line must have the steps of the refutation, but has not")
	}
	return steps, script, nil
}

// stepWords matches steps: words of a few characters.
var stepWords = regexp.MustCompile(`^[a-z0-9:,;! ]*$`)

// proofs is what a folder with a proof is.
var proofs = folder.Kind{Mark: manifestFile, Ours: ours}

// file is a file of the folder.
type file struct {
	name string
	text []byte
}

// files gives all files of the folder, the manifest first and the digests last.
func (p *Proof) files() ([]file, error) {
	manifest, err := p.Manifest.text()
	if err != nil {
		return nil, err
	}
	out := []file{{manifestFile, manifest}}
	for _, f := range p.Manifest.files() {
		out = append(out, file{f.name, []byte(p.Scripts[f.name])})
	}
	var sums strings.Builder
	for _, f := range out {
		fmt.Fprintf(&sums, "%s  %s\n", digest(f.text), f.name)
	}
	return append(out, file{sumsFile, []byte(sums.String())}), nil
}

// Write stores a proof as the folder dir, which appears when it is complete. A
// folder that holds another proof is replaced; one that holds anything else is
// an error.
func (p *Proof) Write(dir string) error {
	files, err := p.files()
	if err != nil {
		return err
	}
	return proofs.Write(dir, func(put folder.Put) error {
		for _, f := range files {
			if err := put(f.name, f.text); err != nil {
				return err
			}
		}
		return nil
	})
}

// Replaceable reports an error unless dir is absent, empty, or a proof.
func Replaceable(dir string) error { return proofs.Replaceable(dir) }

func ours(name string) bool {
	return name == manifestFile || name == sumsFile || scriptName.MatchString(name)
}

// scriptFile is a script that the manifest names: its file, its digest, what it
// shows, and the question in its first line.
type scriptFile struct{ name, sum, text, question string }

// files lists the scripts, with the question of each in words.
func (m *Manifest) files() []scriptFile {
	var out []scriptFile
	for _, q := range m.Refuted {
		if words := q.Words(m.Vertices); q.By == BySolver {
			out = append(out, scriptFile{q.File, q.SHA256, words, refutedQuestion(words)})
		}
	}
	for _, k := range m.Kept {
		if fact := m.Facts[k.Fact].Text; k.By == BySolver {
			out = append(out, scriptFile{k.File, k.SHA256, k.Template + " keeps: " + fact, keptQuestion(k.Template, fact)})
		}
	}
	return out
}
