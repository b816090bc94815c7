package demo

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/infile"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/levels"
	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/internal/sql/input"
	"github.com/txrobust/robust/internal/sql/syntax"
)

//go:embed scenes
var embedded embed.FS

// sceneFile is the file that makes a folder a scene.
const sceneFile = "scene.md"

// Scene is a scene as its folder describes it.
type Scene struct {
	Name, Title, Summary string
	// Level is the isolation level of all transactions.
	Level levels.Level
	// Stores are the models of distributed stores in which the calls run, too (psi, pc, cc).
	Stores []string
	// Calls are those of the sessions, one each.
	Calls []Call
	// Story, Why, Exercise and Solution are paragraphs of Markdown.
	Story, Why, Exercise, Solution string
	// Files are the .sql files in the order of their names, schema.sql first.
	Files []input.File
	// Changes might repair the scene.
	Changes []Change
}

// Call is a transaction with its arguments, which one session runs.
type Call struct {
	Pos         ir.Pos
	Transaction string
	Args        []Arg
}

// Arg is the value of a parameter.
type Arg struct {
	Name  string
	Value ir.Value
}

// Change is a change of a scene.
type Change struct {
	Name, Title, Story string
	Level              levels.Level
	// Files are all files of the changed scene.
	Files []input.File
}

// sceneFiles has the texts of the files of a scene by their paths.
type sceneFiles map[string]string

// Names lists the scenes that come with the program, in the order of a lecture.
func Names() []string {
	return []string{"lost-update", "read-committed-decision", "long-fork", "write-skew", "for-update", "phantom",
		"for-update-absent", "advisory-lock", "freed-key", "read-only-anomaly", "tpcc"}
}

// Named gives a scene that comes with the program.
func Named(name string) (*Scene, error) {
	if !slices.Contains(Names(), name) {
		return nil, fmt.Errorf("there is no scene %q", name)
	}
	files := sceneFiles{}
	root := path.Join("scenes", name)
	err := fs.WalkDir(embedded, root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := embedded.ReadFile(p)
		files[strings.TrimPrefix(p, root+"/")] = string(text)
		return err
	})
	if err != nil {
		return nil, err
	}
	return files.scene(name, "")
}

// Read reads a scene from a folder on the disk.
func Read(ctx context.Context, dir string) (*Scene, error) {
	files := sceneFiles{}
	r, err := infile.NewReader(dir) // a link must not lead elsewhere
	if err != nil {
		return nil, err
	}
	if err := files.read(ctx, r, dir, ""); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		_, err := infile.Stat(filepath.Join(dir, e.Name(), sceneFile))
		if !e.IsDir() || err != nil {
			continue
		}
		if err := files.read(ctx, r, dir, e.Name()); err != nil {
			return nil, err
		}
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	return files.scene(filepath.Base(abs), dir)
}

// read adds the files of a folder of a scene.
func (f sceneFiles) read(ctx context.Context, r *infile.Reader, dir, sub string) error {
	paths, err := infile.List(filepath.Join(dir, sub), ".sql")
	if err != nil {
		return err
	}
	for _, p := range append(paths, filepath.Join(dir, sub, sceneFile)) {
		text, err := r.Read(ctx, p, syntax.MaxFile, syntax.Smaller)
		if errors.Is(err, fs.ErrNotExist) && filepath.Base(p) == sceneFile {
			return fmt.Errorf("%s: there is no such file, which tells the story of a scene; robust demo -h says what a scene is made of", p)
		}
		if err != nil {
			return err
		}
		f[path.Join(sub, filepath.Base(p))] = string(text)
	}
	return nil
}

// scene makes a scene of files. dir stands before their names in positions.
func (f sceneFiles) scene(name, dir string) (*Scene, error) {
	s := &Scene{Name: name}
	where := func(p string) string { return filepath.Join(dir, filepath.FromSlash(p)) }
	p, err := parsePage(where(sceneFile), f[sceneFile], s.sections())
	if err != nil {
		return nil, err
	}
	s.Title, s.Summary, s.Level, s.Stores, s.Calls = p.title, p.summary, p.level, p.stores, p.calls
	if s.Level == "" {
		s.Level = levels.RepeatableRead
	}
	if s.Level == levels.Serializable {
		return nil, ir.Errorf(ir.Pos{File: where(sceneFile), Line: 1, Col: 1}, "a scene runs at READ COMMITTED or REPEATABLE READ: at SERIALIZABLE there is nothing to show")
	}
	if len(s.Calls) < 2 {
		return nil, ir.Errorf(ir.Pos{File: where(sceneFile), Line: 1, Col: 1}, "a scene needs two sessions or more: lines such as Session: transfer amount=10")
	}
	base := f.in(".")
	if len(base) == 0 {
		return nil, ir.Errorf(ir.Pos{File: where(".")}, "there is no .sql file in this scene")
	}
	s.Files = inputs(base, where)
	subs := map[string]bool{}
	for p := range f {
		if d := path.Dir(p); d != "." {
			subs[d] = true
		}
	}
	for _, sub := range slices.Sorted(maps.Keys(subs)) {
		c := Change{Name: sub}
		p, err := parsePage(where(path.Join(sub, sceneFile)), f[path.Join(sub, sceneFile)], map[string]*string{"": &c.Story})
		if err != nil {
			return nil, err
		}
		if len(p.calls) > 0 {
			return nil, ir.Errorf(p.calls[0].Pos, "a change has the sessions of its scene")
		}
		if c.Title, c.Level = p.title, p.level; c.Level == "" {
			c.Level = s.Level
		}
		all := maps.Clone(base)
		maps.Copy(all, f.in(sub))
		c.Files = inputs(all, where)
		s.Changes = append(s.Changes, c)
	}
	return s, nil
}

// sections are the parts of a scene.md, by their headings.
func (s *Scene) sections() map[string]*string {
	return map[string]*string{"": &s.Story, "Why": &s.Why, "Exercise": &s.Exercise, "Solution": &s.Solution}
}

// in gives the paths of the .sql files of a folder by their names.
func (f sceneFiles) in(dir string) map[string]file {
	out := map[string]file{}
	for p, text := range f {
		if path.Dir(p) == dir && strings.EqualFold(path.Ext(p), ".sql") {
			out[path.Base(p)] = file{p, text}
		}
	}
	return out
}

type file struct{ path, text string }

// inputs gives files in the order in which they are read.
func inputs(files map[string]file, where func(string) string) []input.File {
	var out []input.File
	first := func(name string) int { // schema.sql comes first
		if strings.EqualFold(name, "schema.sql") {
			return 0
		}
		return 1
	}
	names := slices.SortedFunc(maps.Keys(files), func(a, b string) int { return cmp.Or(cmp.Compare(first(a), first(b)), cmp.Compare(a, b)) })
	for _, name := range names {
		out = append(out, input.File{Name: where(files[name].path), Text: files[name].text})
	}
	return out
}

// Nearest gives the name that is most like another one, or "".
func Nearest(name string) string {
	best, at := "", 1+len(name)/2
	for _, n := range Names() {
		d := quote.Distance(name, n)
		if strings.HasPrefix(n, name) || strings.Contains(n, name) && len(name) > 3 {
			d = 0
		}
		if d < at {
			best, at = n, d
		}
	}
	return best
}
