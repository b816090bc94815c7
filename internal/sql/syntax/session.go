package syntax

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/infile"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/input"
	"github.com/txrobust/robust/internal/sql/pg"
)

// Session is what psql or pgbench does with one file and those that it
// includes: the variables of one live in the others.
type Session struct {
	input *FileSet
	// Vars are the names of the variables and other parameters, by their number,
	// from 1; those of ? are "".
	Vars  []string
	Index map[string]int
	// texts are the variables that hold a text which is known, and which
	// psql puts in their place. The texts of doubtful ones depend on a branch of
	// \if; held are all that they may have.
	texts map[string]string
	// valued says of variables whether \set and \unset have given them a value, as far as that is
	// known, and noted are those that some command before may have set.
	valued, noted map[string]bool
	doubtful      map[string]bool
	// fetched are the variables that \gset alone has set, by names; false for one that something else has set, too.
	fetched  map[string]bool
	held     map[string][]string
	branches []*textBranch
	// Pgbench says that the commands are those of pgbench. computes are the
	// expressions of \set, which psql would put into the statements as texts.
	// strict says that psql ends the script at the first error.
	Pgbench  bool
	Computes []*Command
	strict   bool
	// around are the files that are being read, outermost first.
	around []string
	Srcs   []*Source
	// ended is set by \q: nothing that follows in the file is run.
	ended bool
	// Sent, if not nil, says that this is the text that a client program sends.
	Sent *SentParams
}

// SentParams are the forms of parameters that a client program uses: no others
// are taken for parameters.
type SentParams struct {
	// Questions says that ? is one, unknown that any name may be one.
	Questions, Unknown bool
	Named              map[string]bool
}

// parameter reports whether a name after a colon or an @ is a parameter.
func (p *SentParams) parameter(name string) bool { return p == nil || p.Unknown || p.Named[name] }

// textBranch is an \if that is being read: the texts before it, and the
// variables that its branches set.
type textBranch struct {
	pos   ir.Pos
	texts map[string]string
	set   map[string]bool
	last  bool // in \else
}

// NewSession begins to read files.
func NewSession(files *FileSet) *Session {
	return &Session{input: files, Index: map[string]int{}, texts: map[string]string{}, valued: map[string]bool{}, noted: map[string]bool{}, doubtful: map[string]bool{}, fetched: map[string]bool{}, held: map[string][]string{}}
}

// number gives the number of a variable. key tells it from the others.
func (s *Session) number(key, name string) int {
	if n := s.Index[key]; n > 0 {
		return n
	}
	s.Vars = append(s.Vars, name)
	s.Index[key] = len(s.Vars)
	return len(s.Vars)
}

// setText is \set with a text. Where that is under a condition, the text is
// known up to the end of the branch.
func (s *Session) setText(name, text string) {
	s.texts[name] = text
	delete(s.doubtful, name)
	s.held[name] = append(s.held[name], text)
	s.noteSet(name)
}

// maxText bounds the bytes of a text of a variable.
const maxText = 1 << 16

// setValue says that a variable now has a value which the run gives it.
func (s *Session) setValue(name string) {
	if _, known := s.texts[name]; known || s.doubtful[name] {
		s.doubtful[name] = true
	}
	delete(s.texts, name)
	s.noteSet(name)
}

// whether says whether a variable has a value at this place, as \if :{?name} asks: open is that
// whoever runs the script decides.
func (s *Session) whether(name string, pos ir.Pos) truthValue {
	switch is, known := s.valued[name]; {
	case !known && !s.noted[name]:
		return open
	case known && is:
		return yes
	case known:
		return no
	}
	fail(pos, "whether %s has a value here depends on what ran before; set it outside of conditions, or ask for it first", name)
	return open
}

// fetch notes that \gset may give a variable a value.
func (s *Session) fetch(name string) {
	if _, known := s.fetched[name]; !known && !s.noted[name] {
		s.fetched[name] = true
	}
	delete(s.valued, name)
	s.setValue(name)
}

// value notes that a variable has a value from here on, or has none. Under a condition that is
// not known.
func (s *Session) value(name string, is bool) {
	s.fetched[name] = false
	if delete(s.valued, name); len(s.branches) == 0 {
		s.valued[name] = is
	}
}

func (s *Session) noteSet(name string) {
	s.noted[name] = true
	for _, b := range s.branches {
		b.set[name] = true
	}
}

// enterIf, nextBranch and leaveIf follow \if, \elif and \else, and \endif.
func (s *Session) enterIf(pos ir.Pos) {
	before := map[string]string{}
	for k, v := range s.texts {
		before[k] = v
	}
	s.branches = append(s.branches, &textBranch{pos: pos, texts: before, set: map[string]bool{}})
}

func (s *Session) nextBranch(word string, pos ir.Pos) {
	if len(s.branches) == 0 {
		fail(pos, "there is no \\if for this \\%s", word)
	}
	b := s.branches[len(s.branches)-1]
	if b.last {
		fail(pos, "\\%s stands after the \\else of the \\if at %s", word, b.pos)
	}
	b.last = word == "else"
	for name := range b.set {
		delete(s.texts, name)
		delete(s.doubtful, name)
		if text, known := b.texts[name]; known {
			s.texts[name] = text
		}
	}
}

func (s *Session) leaveIf(pos ir.Pos) {
	n := len(s.branches)
	if n == 0 {
		fail(pos, "there is no \\if for this \\endif")
	}
	b := s.branches[n-1]
	s.branches = s.branches[:n-1]
	for name := range b.set {
		if len(s.held[name]) > 0 {
			s.doubtful[name] = true
		}
		delete(s.texts, name)
	}
}

// Node is a statement, a command of psql or pgbench, or an \if with its
// branches.
type Node struct {
	Pos ir.Pos
	Src *Source
	At  int // offset in src
	// A statement, with the index of its first token.
	Raw   *pg.RawStmt
	Text  *Text
	First int
	// Cmd is a command; the one that ends a statement stands with it.
	Cmd *Command
	// Branches are those of \if.
	Branches []Branch
}

// Branch is a part of an \if; cond is nil in \else.
type Branch struct {
	Cond  *Command
	Nodes []*Node
}

// Read gives the contents of a file.
func (s *Session) Read(f input.File) []*Node {
	src := NewSource(f.Name, strings.TrimPrefix(f.Text, "\ufeff")) // the mark that some editors put before UTF-8
	if err := src.CheckText(); err != nil {
		panic(err)
	}
	src = NewSource(f.Name, WithoutData(src.Text))
	if s.input.Grow(src.Text); s.input.Size > MaxSQL {
		fail(src.Pos(0), "with this file there is more than %d MB of SQL; leave out the rows, and name the schema and the functions", MaxSQL>>20)
	}
	s.around = append(s.around, f.Name)
	defer func() {
		s.around = s.around[:len(s.around)-1]
		s.ended = false // \q ends the file that it stands in
	}()
	open := len(s.branches)
	sc := &Scanner{S: s, Src: src, In: src.Text}
	sc.Run()
	if len(s.branches) > open {
		fail(s.branches[len(s.branches)-1].pos, "this \\if has no \\endif")
	}
	t := src.Whole()
	if sc.changed {
		t = &Text{Src: src, SQL: string(sc.Out), Offs: append(sc.offs, len(src.Text))}
	}
	stmts, err := t.Parse()
	if err != nil {
		panic(err)
	}
	toks, err := pg.Scan(string(sc.plain()))
	if err != nil {
		e := err.(*pg.Error)
		fail(src.Pos(e.Offset), "%s", Clipped(e.Msg))
	}
	src.Toks = toks
	s.Srcs = append(s.Srcs, src)
	var flat []*Node
	for _, raw := range stmts {
		if sc.end >= 0 && t.Offset(int(raw.StmtLocation)) >= sc.end {
			break
		}
		n := &Node{Src: src, Raw: raw, Text: t, First: src.FirstToken(t.Offset(int(raw.StmtLocation)))}
		n.Pos, n.At = ir.Pos{File: src.Name}, len(src.Text)
		if n.First < len(toks) {
			n.At = toks[n.First].Start
			n.Pos = src.Pos(n.At)
		}
		flat = append(flat, n)
	}
	for _, c := range sc.cmds {
		if c.ends {
			before := slices.IndexFunc(flat, func(n *Node) bool { return n.Raw != nil && n.At > c.at }) - 1
			if before == -2 {
				before = len(flat) - 1
			}
			flat[before].Cmd = c
		}
	}
	for _, c := range sc.cmds {
		if !c.ends {
			flat = append(flat, &Node{Pos: c.Pos, Src: src, At: c.at, Cmd: c})
		}
	}
	slices.SortStableFunc(flat, func(a, b *Node) int { return a.At - b.At })
	rest := flat
	return nest(&rest)
}

// nest puts the nodes up to the end of the branch around them into a tree, and
// those of included files in the place of the command.
func nest(rest *[]*Node) []*Node {
	var out []*Node
	for len(*rest) > 0 {
		n := (*rest)[0]
		if n.Raw == nil {
			switch n.Cmd.Name {
			case "elif", "else", "endif":
				return out
			case "if":
				out = append(out, n.branch(rest)...)
				continue
			}
		}
		*rest = (*rest)[1:]
		if n.Raw == nil && n.Cmd.included != nil {
			out = append(out, n.Cmd.included...)
			continue
		}
		out = append(out, n)
	}
	return out
}

// branch reads an \if up to its \endif. Branches that cannot run are left out.
func (n *Node) branch(rest *[]*Node) []*Node {
	out := &Node{Pos: n.Pos, Src: n.Src, At: n.At}
	for {
		c := (*rest)[0].Cmd
		*rest = (*rest)[1:]
		if c.Name == "endif" {
			break
		}
		b := Branch{Nodes: nest(rest)}
		if c.Name != "else" {
			b.Cond = c
		}
		out.Branches = append(out.Branches, b)
	}
	var live []Branch
	for _, b := range out.Branches {
		if b.Cond != nil && b.Cond.truth == no {
			continue
		}
		if b.Cond != nil && b.Cond.truth == yes {
			b.Cond = nil
		}
		if live = append(live, b); b.Cond == nil {
			break
		}
	}
	switch {
	case len(live) == 0:
		return nil
	case live[0].Cond == nil:
		return live[0].Nodes
	}
	out.Branches = live
	return []*Node{out}
}

// maxIncluded bounds the nesting of included files.
const maxIncluded = 20

// include reads the file that \i or \ir names: relative to the file that names
// it, or else to where the program runs.
func (s *Session) include(c *Command, src *Source, name string) []*Node {
	candidates := []string{name}
	if !filepath.IsAbs(name) {
		candidates = []string{filepath.Join(filepath.Dir(src.Name), name), name}
	}
	if len(s.around) >= maxIncluded {
		fail(c.Pos, "files include each other more than %d deep", maxIncluded)
	}
	for _, path := range candidates {
		f, err := s.input.named(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			fail(c.Pos, "%v", err)
		}
		if slices.Contains(s.around, f.Name) {
			fail(c.Pos, "%s includes itself", f.Name)
		}
		nodes := s.Read(f)
		if nodes == nil {
			nodes = []*Node{}
		}
		return nodes
	}
	fail(c.Pos, "there is no file %s to include; its name is relative to this file", name)
	return nil
}

// FileSet is the files of an application, for all sessions that read them.
type FileSet struct {
	Files []input.File
	// More, if not nil, reads those that others include.
	More *infile.Reader
	Ctx  context.Context
	// Size is the SQL that was read, in bytes, without space.
	Size int
	Note func(pos ir.Pos, format string, args ...any)
}

// Grow counts a text that is read.
func (r *FileSet) Grow(text string) { r.Size += size(text) }

// named finds an input file, or another one on the disk if the input came
// from there. The error is fs.ErrNotExist where there is none.
func (r *FileSet) named(path string) (input.File, error) {
	for _, f := range r.Files {
		if filepath.Clean(f.Name) == filepath.Clean(path) {
			return f, nil
		}
	}
	if r.More == nil {
		return input.File{}, fs.ErrNotExist
	}
	ctx := r.Ctx
	if ctx == nil {
		ctx = context.Background()
	}
	b, err := r.More.Read(ctx, path, MaxFile, Smaller)
	return input.File{Name: path, Text: string(b)}, err
}

// Has reports whether a file is one of those that were given.
func (r *FileSet) Has(name string) bool {
	return slices.ContainsFunc(r.Files, func(f input.File) bool { return f.Name == name })
}

// fail refuses the input for a fault at pos: whoever begins to read catches it (input.Catch).
func fail(pos ir.Pos, format string, args ...any) { panic(ir.Errorf(pos, format, args...)) }

var includes = regexp.MustCompile(`(?m)^[ \t]*\\(?:i|ir|include|include_relative)[ \t]+'?([^'\s]+)`)

// Included gives the input files that others include: they are read there.
func (r *FileSet) Included() map[string]bool {
	out := map[string]bool{}
	for _, f := range r.Files {
		for _, m := range includes.FindAllStringSubmatch(f.Text, -1) {
			for _, path := range []string{filepath.Join(filepath.Dir(f.Name), m[1]), m[1]} {
				if g, err := r.named(path); err == nil {
					if g.Name != f.Name {
						out[g.Name] = true
					}
					break
				}
			}
		}
	}
	return out
}
