package proof

import (
	"bytes"
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

	"github.com/txrobust/robust/internal/infile"
	"github.com/txrobust/robust/internal/z3program"
)

// VerifyOptions direct Verify.
type VerifyOptions struct {
	// Z3 is the program, "" for z3 on the PATH.
	Z3 string
	// Timeout bounds Z3's time for each script; it takes whole seconds.
	Timeout time.Duration
	// Anew, if not nil, makes the whole proof anew from the sources, along the
	// Outline. Its error says what is wrong; one that is fs.ErrNotExist, that the
	// sources are not there.
	Anew func(context.Context, *Manifest, *Outline) (*Proof, error)
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

func (v *Verification) fault(format string, args ...any) {
	v.Faults = append(v.Faults, fmt.Sprintf(format, args...))
}

// Verify checks the proof in the folder dir. An error says that it could not be
// done; what is wrong with the proof is in the Verification.
func Verify(ctx context.Context, dir string, opt VerifyOptions) (*Verification, error) {
	z3, err := z3program.Path(opt.Z3)
	if err != nil {
		return nil, fmt.Errorf("%w; install it (the Debian package is z3), or name it with -z3", err)
	}
	v := &Verification{}
	texts, err := v.read(ctx, dir)
	if err != nil || texts == nil {
		return v, err
	}
	m, err := parse(texts[manifestFile])
	if err != nil {
		v.fault("%s: %v", manifestFile, err)
		return v, nil
	}
	v.Manifest = m
	outline := v.scripts(texts)
	if m.Argument == ByGraph {
		if walk := m.open(); walk != "" {
			v.fault("%s: nothing that is refuted excludes the walk %s", manifestFile, walk)
		}
	}
	if len(v.Faults) > 0 {
		return v, nil // what follows takes long
	}
	if err := v.anew(ctx, texts, outline, opt.Anew); err != nil || len(v.Faults) > 0 {
		return v, err
	}
	return v, v.solve(ctx, texts, z3, opt)
}

// read reads the files, and compares them with the list of digests.
func (v *Verification) read(ctx context.Context, dir string) (map[string][]byte, error) {
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
		if e.Type() != 0 {
			v.fault("%s: this must be a file, but is something else", e.Name())
			continue
		}
		if texts[e.Name()], err = infile.Read(ctx, filepath.Join(dir, e.Name()), maxFile, "no proof has such files"); err != nil {
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
		if !ours(name) || name == sumsFile {
			v.fault("%s:%d: %q is no file of a proof with a digest", sumsFile, i+1, name)
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

// maxFile bounds the bytes of each file of a proof.
const maxFile = 256 << 20

// scripts compares the scripts with the manifest, and gives what of the proof is
// not made from the program alone.
func (v *Verification) scripts(texts map[string][]byte) *Outline {
	used := map[string]bool{}
	steps := map[string]string{}
	for i, f := range v.Manifest.files() {
		text, there := texts[f.name]
		switch {
		case used[f.name]:
			v.fault("%s: the file is named twice, the second time for: %s", f.name, f.text)
		case !there:
			v.fault("%s: the file is missing; it refutes: %s", f.name, f.text)
		case f.name != fileName(i+1):
			v.fault("%s: scripts must be numbered in their order, and this one must be %s", f.name, fileName(i+1))
		case digest(text) != f.sum:
			v.fault("%s: the file was altered: its SHA-256 is not that of %s", f.name, manifestFile)
		default:
			how, script, err := split(string(text), f.question)
			if err == nil {
				err = onlyQuestion(script)
			}
			if err != nil {
				v.fault("%s: %v", f.name, err)
			}
			steps[f.name] = how
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
	return v.Manifest.outline(steps)
}

// anew makes the proof anew from the sources, and compares all of it.
func (v *Verification) anew(ctx context.Context, texts map[string][]byte, outline *Outline, anew func(context.Context, *Manifest, *Outline) (*Proof, error)) error {
	var p *Proof
	err := fs.ErrNotExist
	if anew != nil {
		p, err = anew(ctx, v.Manifest, outline)
	}
	var files []file
	if err == nil {
		files, err = p.files()
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		v.unchecked()
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		v.fault("%s: %v", manifestFile, err)
		return nil
	}
	v.FromSources = true
	known := map[string]bool{}
	for _, f := range files {
		known[f.name] = true
		text, there := texts[f.name]
		switch {
		case !there:
			v.fault("%s: the file is missing", f.name)
		case bytes.Equal(text, f.text):
		case f.name == manifestFile:
			v.Faults = append(v.Faults, differences(f.text, text)...)
		case f.name == sumsFile:
			v.fault("%s: the digests are not those of the files, in their order", f.name)
		default:
			v.fault("%s:%d: the script is not what the program asks for: %s", f.name, differentLine(f.text, text), firstLine(f.text))
		}
	}
	for name := range texts {
		if !known[name] {
			v.fault("%s: the file was added: the proof has no such file", name)
		}
	}
	return nil
}

// differentLine is the first line that is not the same in two texts, from 1.
func differentLine(a, b []byte) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return 1 + bytes.Count(a[:n], []byte("\n"))
}

// firstLine is that of a script, without what makes it a comment.
func firstLine(text []byte) string {
	line, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimPrefix(line, "; ")
}

// unchecked lists what only the sources show.
func (v *Verification) unchecked() {
	m := v.Manifest
	v.Unchecked = append(v.Unchecked, "that the program has these files, transactions and assumptions, and the claim is about them")
	if m.Argument != ByGraph {
		v.Unchecked = append(v.Unchecked, m.Method)
		return
	}
	v.Unchecked = append(v.Unchecked, "that the scripts are the questions of the program, and the vertices are what it does")
	syntax := 0
	for _, q := range m.Refuted {
		if q.By == BySyntax {
			syntax++
		}
	}
	if syntax > 0 {
		v.Unchecked = append(v.Unchecked, fmt.Sprintf("%d questions that need no solver", syntax))
	}
	for _, s := range m.Steady {
		v.Unchecked = append(v.Unchecked, "that "+m.Vertices[s].Name+" reads only what it writes, or what nobody writes")
	}
	for _, f := range m.Facts {
		if f.Needed {
			v.Unchecked = append(v.Unchecked, "that this fact is kept by all that may break it, and holds initially or is assumed: "+f.Text)
		}
	}
}

// solve runs Z3 on every script, on all processors.
func (v *Verification) solve(ctx context.Context, texts map[string][]byte, z3 string, opt VerifyOptions) error {
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
				answer, err := runZ3(ctx, z3, texts[files[i].name], opt.Timeout)
				mu.Lock()
				v.Time += time.Since(began)
				switch {
				case err != nil && failure == nil:
					failure = err
					cancel()
				case err != nil:
				case answer != unsat:
					faults[i] = fmt.Sprintf("%s: z3 says %q, not unsat, to: %s", files[i].name, oneLine(answer), files[i].text)
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
