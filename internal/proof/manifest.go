package proof

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/txrobust/robust/internal/quote"
)

// Schema is the JSON schema of a Manifest.
//
//go:embed schema.json
var Schema string

// Version is that of the format of manifests.
const Version = 2

// Kinds of arguments.
const (
	// ByGraph: no walk is left in the commutativity dependency graph.
	ByGraph = "graph"
	// ByCertificate: a reason that needs no question.
	ByCertificate = "certificate"
	// ByExecutions: all executions of a finite program were interpreted, itself
	// or as instrumented.
	ByExecutions = "executions"
)

// Reasons of refutations.
const (
	// BySolver: there is a script that Z3 finds unsatisfiable.
	BySolver = "solver"
	// BySyntax: the question contradicts itself as it is built.
	BySyntax = "syntax"
)

// Manifest lists what a proof rests on. There is nothing in it that Verify does
// not compare.
type Manifest struct {
	// Format is "robust proof", Version the version of it.
	Format  string `json:"format"`
	Version int    `json:"version"`
	// MadeBy is the version of the program that wrote the proof.
	MadeBy string `json:"made_by"`
	// Program is its name; Claim is what is proved.
	Program string `json:"program"`
	Claim   string `json:"claim"`
	// Isolation is the level at which the transactions run, Engine the name of the
	// profile and Init which initial rows there may be: any, empty or file.
	Isolation string `json:"isolation"`
	Engine    string `json:"engine"`
	Init      string `json:"init"`
	// Transactions are the names of those that were looked at, in order.
	Transactions []string `json:"transactions"`
	// Inputs are the files that were read, in the order in which they are.
	Inputs  []Input `json:"inputs"`
	Command Command `json:"command"`
	// Argument is ByGraph, ByCertificate or ByExecutions; Method puts it in
	// words, and for a certificate names it.
	Argument string `json:"argument"`
	Method   string `json:"method"`
	// Exclusion says what two writes share that exclude each other in the
	// proof: "row" or "cell".
	Exclusion string `json:"exclusion,omitempty"`
	// Vertices are those of the graph. Steady ones have no walks.
	Vertices []Vertex `json:"vertices"`
	Steady   []int    `json:"steady"`
	// Facts are the inductive facts that questions may use.
	Facts []Fact `json:"facts"`
	// Refuted are the pieces of walks that are impossible.
	Refuted []Refuted `json:"refuted"`
	// Kept says that templates keep the needed facts.
	Kept        []Kept   `json:"kept"`
	Assumptions []string `json:"assumptions"`
}

// Input is a file.
type Input struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

// Command is what was asked for.
type Command struct {
	// Flags are all that shape the claim, each with its value, those by default
	// included, as -name=value and sorted.
	Flags []string `json:"flags"`
	// Inputs are what was named on the command line: files, directories, or
	// patterns of packages.
	Inputs []string `json:"inputs"`
}

// Fact is a statement about all reachable rows.
type Fact struct {
	Text string `json:"text"`
	// Stated: by the program. Needed: a refutation uses it.
	Stated bool `json:"stated"`
	Needed bool `json:"needed"`
}

// Reason says why a question has the answer no.
type Reason struct {
	// By is BySolver or BySyntax.
	By string `json:"by"`
	// WithFacts: the guessed facts were there to be used; Uses are the
	// numbers of those that were.
	WithFacts bool  `json:"with_facts"`
	Uses      []int `json:"uses"`
	// Dropped are the groups of assertions that are not needed and not in the
	// script.
	Dropped []string `json:"dropped,omitempty"`
	// File is the name of the script, and SHA256 its digest.
	File   string `json:"file,omitempty"`
	SHA256 string `json:"sha256,omitempty"`
}

// Refuted is a piece of a walk that is impossible.
type Refuted struct {
	// Text puts the question in words.
	Text string `json:"text"`
	Question
	Reason
}

// Kept says that a template, run alone where all facts hold, keeps one.
type Kept struct {
	Fact     int    `json:"fact"`
	Template string `json:"template"`
	Reason
}

const format = "robust proof"

// digest is the SHA-256 of a text, in hexadecimal digits.
func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Digest describes an input.
func Digest(path string, text []byte) Input { return Input{path, digest(text)} }

// text writes the manifest.
func (m *Manifest) text() ([]byte, error) {
	return quote.EncodeJSON(m, " ")
}

// parse reads a manifest, and finds what is wrong with it by itself.
func parse(text []byte) (*Manifest, error) {
	m, err := decode(text)
	if err != nil {
		return nil, err
	}
	if again, err := m.text(); err != nil || !bytes.Equal(again, text) {
		return nil, fmt.Errorf("it must be written as check -proof writes it, each field once and in order, but is not")
	}
	return m, m.check()
}

func decode(text []byte) (*Manifest, error) {
	m := &Manifest{}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(m); err != nil {
		return nil, fmt.Errorf("it is no manifest of a proof: %v", err)
	}
	if m.Format != format || m.Version != Version {
		return nil, fmt.Errorf("it has the format %q, version %d; this program reads %q, version %d", m.Format, m.Version, format, Version)
	}
	return m, nil
}

// check finds what does not fit together.
func (m *Manifest) check() error {
	switch m.Argument {
	case ByCertificate, ByExecutions:
		if len(m.Vertices)+len(m.Steady)+len(m.Facts)+len(m.Refuted)+len(m.Kept) > 0 || m.Exclusion != "" {
			return fmt.Errorf("it has parts of a graph, but its argument is %q", m.Argument)
		}
		return nil
	case ByGraph:
	default:
		return fmt.Errorf("%q is no kind of argument", m.Argument)
	}
	vertex := func(v int) bool { return v >= 0 && v < len(m.Vertices) }
	for _, v := range m.Steady {
		if !vertex(v) {
			return fmt.Errorf("there is no vertex %d", v)
		}
	}
	for _, q := range m.Refuted {
		if !vertex(q.Delayed) {
			return fmt.Errorf("there is no vertex %d", q.Delayed)
		}
		for _, e := range q.Elements {
			if !vertex(e.Vertex) || e.Kind != Atomic && e.Kind != Issued {
				return fmt.Errorf("there is no element %d %s", e.Vertex, e.Kind)
			}
		}
		if words := q.Words(m.Vertices); q.Text != words {
			return fmt.Errorf("the text of a question must be %q, but is %q", words, q.Text)
		}
		if err := q.Reason.check(m); err != nil {
			return fmt.Errorf("%s: %v", q.Words(m.Vertices), err)
		}
	}
	for _, k := range m.Kept {
		if k.Fact < 0 || k.Fact >= len(m.Facts) {
			return fmt.Errorf("there is no fact %d", k.Fact)
		}
		if err := k.Reason.check(m); err != nil {
			return fmt.Errorf("%s keeps fact %d: %v", k.Template, k.Fact, err)
		}
	}
	return nil
}

// check finds what is wrong with a reason.
func (r *Reason) check(m *Manifest) error {
	if r.By != BySolver && r.By != BySyntax {
		return fmt.Errorf("%q is no reason", r.By)
	}
	if (r.By == BySolver) != scriptName.MatchString(r.File) {
		return fmt.Errorf("the file is called %q", r.File)
	}
	for _, f := range r.Uses {
		if f < 0 || f >= len(m.Facts) || !m.Facts[f].Needed {
			return fmt.Errorf("it uses the fact %d, which is not said to be needed", f)
		}
	}
	return nil
}

// open gives a walk that the refuted pieces leave, in words, or "".
func (m *Manifest) open() string {
	var refuted []Question
	for _, q := range m.Refuted {
		refuted = append(refuted, q.Question)
	}
	graph := NewGraph(m.Vertices)
	for v := range m.Vertices {
		if slices.Contains(m.Steady, v) {
			continue
		}
		if walk := graph.Walk(v, refuted); walk != nil {
			return Question{v, walk, true, true}.Words(m.Vertices)
		}
	}
	return ""
}
