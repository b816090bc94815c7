package playground

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/txrobust/robust/internal/demo"
	"github.com/txrobust/robust/internal/folder"
	"github.com/txrobust/robust/internal/inbrowser"
	"github.com/txrobust/robust/internal/levels"
	"github.com/txrobust/robust/internal/page"
)

var (
	//go:embed body.html
	body string
	//go:embed style.css
	style string
	//go:embed script.js
	script string
	//go:embed worker.js
	worker []byte
)

// The files that the command in the folder build writes. The checker is compressed, under a name
// that makes no server say so: the page unpacks it.
const (
	Checker = "robust.wasm-gz"
	Runtime = "wasm_exec.js"
)

// solver are the files of the npm package z3-solver that the page uses.
var solver = []string{"z3-built.js", "z3-built.wasm"}

// ErrNotBuilt says that the checker is missing.
var ErrNotBuilt = errors.New("this robust was built without its playground: build it with make, or name with -wasm a folder that go run ./internal/playground/build wrote")

// ErrNoSolver says that the npm package is not where it should be.
var ErrNoSolver = errors.New("there is no " + solver[0] + ": name the folder of the npm package z3-solver")

// Source says where the parts of a playground are.
type Source struct {
	// Built has Checker and Runtime.
	Built fs.FS
	// Solver, if not nil, has the npm package z3-solver.
	Solver fs.FS
}

// example is a program to begin with.
type example struct {
	Scene string   `json:"scene"`
	Title string   `json:"title"`
	Story []string `json:"story"`
	Level string   `json:"level"`
	SQL   string   `json:"sql"`
}

// Files are the files of a playground by their names.
func (s Source) Files() (map[string][]byte, error) {
	if s.Built == nil {
		return nil, ErrNotBuilt
	}
	out := map[string][]byte{"worker.js": worker}
	for _, name := range []string{Checker, Runtime} {
		text, err := fs.ReadFile(s.Built, name)
		if err != nil {
			return nil, err
		}
		out[name] = text
	}
	if err := s.solverTo(out); err != nil {
		return nil, err
	}
	index, err := index(s.Solver != nil)
	out["index.html"] = index
	return out, err
}

// solverTo adds the solver. Where a folder has the package among others, it is found there.
func (s Source) solverTo(out map[string][]byte) error {
	if s.Solver == nil {
		return nil
	}
	for _, dir := range []string{".", "build", "z3-solver/build", "node_modules/z3-solver/build"} {
		if _, err := fs.Stat(s.Solver, path.Join(dir, solver[0])); err != nil {
			continue
		}
		for _, name := range solver {
			text, err := fs.ReadFile(s.Solver, path.Join(dir, name))
			if err != nil {
				return err
			}
			out["z3/"+name] = text
		}
		return nil
	}
	return ErrNoSolver
}

// index is the page.
func index(solver bool) ([]byte, error) {
	examples, err := examples()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = page.Write(&b, page.Page{Title: "robust playground", Body: page.HTML(body), Style: style, Script: script,
		Data: map[string]any{"examples": examples, "solver": solver, "checker": Checker, "longest": inbrowser.MaxText},
		// What is WebAssembly must be allowed, and nothing is asked but where the page is from.
		Scripts: "'self' 'wasm-unsafe-eval'", Connect: "'self'",
		Without: "The playground needs JavaScript and WebAssembly. robust check does the same in a terminal."})
	return b.Bytes(), err
}

// isolations are the levels as the page has them.
var isolations = map[levels.Level]string{levels.ReadCommitted: levels.AtReadCommitted, levels.RepeatableRead: levels.AtRepeatableRead, levels.Serializable: levels.AtSerializable}

// examples are the scenes, each followed by its changes.
func examples() ([]example, error) {
	var out []example
	for _, name := range demo.Names() {
		s, err := demo.Named(name)
		if err != nil {
			return nil, err
		}
		all := append([]demo.Change{{Title: s.Title, Story: s.Story, Level: s.Level, Files: s.Files}}, s.Changes...)
		for _, c := range all {
			var texts []string
			for _, f := range c.Files {
				texts = append(texts, strings.TrimSpace(f.Text)+"\n")
			}
			out = append(out, example{name, c.Title, strings.Split(strings.TrimSpace(c.Story), "\n\n"), isolations[c.Level], strings.Join(texts, "\n")})
		}
	}
	return out, nil
}

// folders are the folders with playgrounds.
var folders = folder.Kind{Mark: Checker, Ours: func(name string) bool {
	switch name {
	case "index.html", "worker.js", "z3", Checker, Runtime:
		return true
	}
	return false
}}

// Replaceable reports an error unless dir is absent, empty, or a playground.
func Replaceable(dir string) error { return folders.Replaceable(dir) }

// Write writes the playground to a folder, which any server of files can serve.
func (s Source) Write(dir string) error {
	files, err := s.Files()
	if err != nil {
		return err
	}
	return folders.Write(dir, func(put folder.Put) error {
		for name, text := range files {
			if err := put(name, text); err != nil {
				return err
			}
		}
		return nil
	})
}

// Compressed compresses the checker as the page wants it.
func Compressed(wasm []byte) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(wasm); err != nil {
		return nil, err
	}
	err = z.Close()
	return b.Bytes(), err
}
