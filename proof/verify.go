package proof

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// Sources is a program whose questions can be made anew, without a solver. It
// is how a proof is compared with what it is about.
type Sources interface {
	// Vertices are those of the graph, and Facts the texts of facts, those
	// that the program states first.
	Vertices() []Vertex
	Stated() int
	// Steady reports whether a vertex has no walks for a reason that needs no
	// question.
	Steady(vertex int) bool
	// Piece and Kept give the script of a question, without the lines that
	// Script adds, and the facts that it uses. The script is "" where the
	// reason is BySyntax, and rightly so.
	Piece(q Question, r Reason, steps string) (script string, uses []int, err error)
	Kept(template string, fact int, r Reason, steps string) (script string, uses []int, err error)
	// Keepers are the templates that have to keep a fact.
	Keepers(fact int) []string
	// Initially reports whether a fact holds in the initial rows, where these
	// are known or the fact is stated, and else that it is assumed.
	Initially(fact int, assumptions []string) bool
	// Argument checks an argument that is no graph.
	Argument(ctx context.Context, m *Manifest) error
}

// VerifyOptions direct Verify.
type VerifyOptions struct {
	// Z3 is the program, "" for z3 on the PATH.
	Z3 string
	// Timeout bounds Z3's time for each script; it takes whole seconds.
	Timeout time.Duration
	// Sources, if not nil, loads the program. Its error says what is wrong
	// with the sources; one that is fs.ErrNotExist, that they are not there.
	Sources func(*Manifest) (Sources, error)
	// Progress, if not nil, is told what is being done.
	Progress func(done, total int, what string)
}

// Verification is what Verify found.
type Verification struct {
	Manifest *Manifest
	// Faults say what is wrong, one line each, the file first.
	Faults []string
	// Unchecked say what could not be checked without the sources.
	Unchecked []string
	// Scripts is the number of scripts that Z3 refuted, and Time what that
	// took, of all processors together.
	Scripts int
	Time    time.Duration
	// FromSources says that all questions were made anew.
	FromSources bool
}

// OK reports whether everything that the proof says was checked.
func (v *Verification) OK() bool { return len(v.Faults) == 0 && len(v.Unchecked) == 0 }

func (v *Verification) fault(format string, args ...any) {
	v.Faults = append(v.Faults, fmt.Sprintf(format, args...))
}

// ErrNoZ3 says that the program is missing.
var ErrNoZ3 = errors.New("the program z3 is missing; install it (the Debian package is z3), or name it with -z3")

// Verify checks the proof in the folder dir. An error says that it could not be
// done; what is wrong with the proof is in the Verification.
func Verify(ctx context.Context, dir string, opt VerifyOptions) (*Verification, error) {
	z3, err := findZ3(opt.Z3)
	if err != nil {
		return nil, err
	}
	v := &Verification{}
	texts, err := v.read(dir)
	if err != nil || texts == nil {
		return v, err
	}
	m, err := parse(texts[manifestFile])
	if err != nil {
		v.fault("%s: %v", manifestFile, err)
		return v, nil
	}
	v.Manifest = m
	v.scripts(texts)
	if m.Argument == ByGraph {
		if walk := m.open(); walk != "" {
			v.fault("%s: nothing that is refuted excludes the walk %s", manifestFile, walk)
		}
	}
	if len(v.Faults) > 0 {
		return v, nil // what follows takes long
	}
	if err := v.sources(ctx, texts, opt.Sources); err != nil {
		return v, err
	}
	return v, v.solve(ctx, dir, z3, opt)
}

// read reads the files, and compares them with the list of digests.
func (v *Verification) read(dir string) (map[string][]byte, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	texts := map[string][]byte{}
	for _, e := range entries {
		if !ours(e.Name()) {
			v.fault("%s: the proof has no such file", e.Name())
			continue
		}
		if texts[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
			return nil, err
		}
	}
	listed := map[string]bool{sumsFile: true}
	if texts[sumsFile] == nil {
		v.fault("%s: the file is missing", sumsFile)
	}
	for i, line := range slices.Collect(strings.Lines(string(texts[sumsFile]))) {
		line = strings.TrimSuffix(line, "\n")
		sum, name, ok := strings.Cut(line, "  ")
		if !ok {
			v.fault("%s:%d: there is no digest and name in this line", sumsFile, i+1)
			continue
		}
		listed[name] = true
		switch text, ok := texts[name]; {
		case !ok:
			v.fault("%s: the file is missing", name)
		case digest(text) != sum:
			v.fault("%s: the file was altered: its SHA-256 is not that of %s", name, sumsFile)
		}
	}
	for name := range texts {
		if !listed[name] {
			v.fault("%s: the file was added: it is not in %s", name, sumsFile)
		}
	}
	slices.Sort(v.Faults)
	if texts[manifestFile] == nil {
		if !listed[manifestFile] {
			v.fault("%s: the file is missing", manifestFile)
		}
		return nil, nil
	}
	return texts, nil
}

// scripts compares the scripts with the manifest.
func (v *Verification) scripts(texts map[string][]byte) {
	used := map[string]bool{}
	for _, f := range v.Manifest.files() {
		text, there := texts[f.name]
		switch {
		case used[f.name]:
			v.fault("%s: the file is named twice, the second time for: %s", f.name, f.text)
		case !there:
			v.fault("%s: the file is missing; it refutes: %s", f.name, f.text)
		case digest(text) != f.sum:
			v.fault("%s: the file was altered: its SHA-256 is not that of %s", f.name, manifestFile)
		}
		used[f.name] = true
	}
	for name := range texts {
		if scriptName.MatchString(name) && !used[name] {
			v.fault("%s: the file was added: %s does not name it", name, manifestFile)
		}
	}
	slices.Sort(v.Faults)
	v.Faults = slices.Compact(v.Faults)
}

// sources compares the proof with the program.
func (v *Verification) sources(ctx context.Context, texts map[string][]byte, load func(*Manifest) (Sources, error)) error {
	m := v.Manifest
	var src Sources
	err := fs.ErrNotExist
	if load != nil {
		src, err = load(m)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		v.unchecked()
		return nil
	case err != nil:
		v.fault("%v", err)
		return nil
	}
	v.FromSources = true
	if m.Argument != ByGraph {
		if err := src.Argument(ctx, m); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			v.fault("%s: %v", manifestFile, err)
		}
		return nil
	}
	if !slices.EqualFunc(src.Vertices(), m.Vertices, Vertex.equal) {
		v.fault("%s: the vertices are not those of the sources", manifestFile)
		return nil
	}
	for _, s := range m.Steady {
		if !src.Steady(s) {
			v.fault("%s: %s is not steady: it reads what others write", manifestFile, m.Vertices[s].Name)
		}
	}
	compare := func(what string, r Reason, script string, uses []int, err error) {
		text := string(texts[r.File])
		head := strings.Join(strings.SplitAfterN(text, "\n", 4)[:min(3, strings.Count(text, "\n"))], "")
		switch {
		case err != nil:
			v.fault("%s: the question %s is not one of the program: %v", cmpFile(r), what, err)
		case r.By == BySolver && text != head+script:
			v.fault("%s: the script is not what the program asks for: %s", r.File, what)
		case !slices.Equal(uses, r.Uses):
			v.fault("%s: the facts that are used are not those of the question %s", cmpFile(r), what)
		}
	}
	for _, q := range m.Refuted {
		if err := ctx.Err(); err != nil {
			return err
		}
		s, _ := steps(string(texts[q.File]))
		script, uses, err := src.Piece(q.Question, q.Reason, s)
		compare(q.Words(m.Vertices), q.Reason, script, uses, err)
	}
	v.facts(src, texts, compare)
	return nil
}

// cmpFile is the file to name for a reason.
func cmpFile(r Reason) string {
	if r.File != "" {
		return r.File
	}
	return manifestFile
}

// facts compares what is said of facts with the program.
func (v *Verification) facts(src Sources, texts map[string][]byte, compare func(string, Reason, string, []int, error)) {
	m := v.Manifest
	for _, k := range m.Kept {
		s, _ := steps(string(texts[k.File]))
		script, uses, err := src.Kept(k.Template, k.Fact, k.Reason, s)
		compare(k.Template+" keeps: "+m.Facts[k.Fact].Text, k.Reason, script, uses, err)
	}
	for i, f := range m.Facts {
		if f.Stated != (i < src.Stated()) {
			v.fault("%s: whether the program states the fact %s is wrong", manifestFile, f.Text)
		}
		if !f.Needed {
			continue
		}
		if !src.Initially(i, m.Assumptions) {
			v.fault("%s: that this fact holds initially is neither assumed nor so: %s", manifestFile, f.Text)
		}
		for _, t := range src.Keepers(i) {
			if !slices.ContainsFunc(m.Kept, func(k Kept) bool { return k.Fact == i && k.Template == t }) {
				v.fault("%s: nothing says that %s keeps the fact %s", manifestFile, t, f.Text)
			}
		}
	}
}

// unchecked lists what only the sources show.
func (v *Verification) unchecked() {
	m := v.Manifest
	if m.Argument != ByGraph {
		v.Unchecked = append(v.Unchecked, m.Method)
		return
	}
	syntax := 0
	for _, q := range m.Refuted {
		if q.By == BySyntax {
			syntax++
		}
	}
	v.Unchecked = append(v.Unchecked, "that the scripts are the questions of the program")
	if syntax > 0 {
		v.Unchecked = append(v.Unchecked, fmt.Sprintf("%d questions that need no solver", syntax))
	}
	for _, s := range m.Steady {
		v.Unchecked = append(v.Unchecked, "that "+m.Vertices[s].Name+" reads only what it writes, or what nobody writes")
	}
}

// solve runs Z3 on every script, on all processors.
func (v *Verification) solve(ctx context.Context, dir, z3 string, opt VerifyOptions) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	files := v.Manifest.files()
	faults := make([]string, len(files))
	var mu sync.Mutex
	var group sync.WaitGroup
	var failure error
	next := 0
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for {
				mu.Lock()
				i := next
				next++
				if i < len(files) && opt.Progress != nil {
					opt.Progress(i, len(files), files[i].name)
				}
				mu.Unlock()
				if i >= len(files) || ctx.Err() != nil {
					return
				}
				began := time.Now()
				answer, err := runZ3(ctx, z3, filepath.Join(dir, files[i].name), opt.Timeout)
				mu.Lock()
				v.Time += time.Since(began)
				switch {
				case err != nil && failure == nil:
					failure = err
					cancel()
				case err != nil:
				case answer != "unsat":
					faults[i] = fmt.Sprintf("%s: z3 says %q, not unsat, to: %s", files[i].name, answer, files[i].text)
				default:
					v.Scripts++
				}
				mu.Unlock()
			}
		})
	}
	group.Wait()
	for _, f := range faults {
		if f != "" {
			v.Faults = append(v.Faults, f)
		}
	}
	return failure
}
