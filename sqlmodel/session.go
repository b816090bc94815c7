package sqlmodel

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/ir"
)

// session is what psql or pgbench does with one file and those that it
// includes: the variables of one live in the others.
type session struct {
	l *loader
	// vars are the names of the variables and other parameters, by their number,
	// from 1; those of ? are "".
	vars  []string
	index map[string]int
	// texts are the variables that hold a text which is known, and which
	// psql puts in their place. The texts of doubtful ones depend on a branch of
	// \if; held are all that they may have.
	texts    map[string]string
	doubtful map[string]bool
	held     map[string][]string
	branches []*textBranch
	// pgbench says that the commands are those of pgbench. computes are the
	// expressions of \set, which psql would put into the statements as texts.
	// strict says that psql ends the script at the first error.
	pgbench  bool
	computes []*command
	strict   bool
	// around are the files that are being read, outermost first.
	around []string
	srcs   []*source
	// ended is set by \q: nothing that follows in the file is run.
	ended bool
	// sent, if not nil, says that this is the text that a client program sends.
	sent *sentParams
}

// sentParams are the forms of parameters that a client program uses: no others
// are taken for parameters.
type sentParams struct {
	// questions says that ? is one, unknown that any name may be one.
	questions, unknown bool
	named              map[string]bool
}

// parameter reports whether a name after a colon or an @ is a parameter.
func (p *sentParams) parameter(name string) bool { return p == nil || p.unknown || p.named[name] }

// textBranch is an \if that is being read: the texts before it, and the
// variables that its branches set.
type textBranch struct {
	pos   ir.Pos
	texts map[string]string
	set   map[string]bool
	last  bool // in \else
}

func (l *loader) newSession() *session {
	return &session{l: l, index: map[string]int{}, texts: map[string]string{}, doubtful: map[string]bool{}, held: map[string][]string{}}
}

// number gives the number of a variable. key tells it from the others.
func (s *session) number(key, name string) int {
	if n := s.index[key]; n > 0 {
		return n
	}
	s.vars = append(s.vars, name)
	s.index[key] = len(s.vars)
	return len(s.vars)
}

// setText is \set with a text. Where that is under a condition, the text is
// known up to the end of the branch.
func (s *session) setText(name, text string) {
	s.texts[name] = text
	delete(s.doubtful, name)
	s.held[name] = append(s.held[name], text)
	s.noteSet(name)
}

// maxText bounds the bytes of a text of a variable.
const maxText = 1 << 16

// setValue says that a variable now has a value which the run gives it.
func (s *session) setValue(name string) {
	if _, known := s.texts[name]; known || s.doubtful[name] {
		s.doubtful[name] = true
	}
	delete(s.texts, name)
	s.noteSet(name)
}

func (s *session) noteSet(name string) {
	for _, b := range s.branches {
		b.set[name] = true
	}
}

// enterIf, nextBranch and leaveIf follow \if, \elif and \else, and \endif.
func (s *session) enterIf(pos ir.Pos) {
	before := map[string]string{}
	for k, v := range s.texts {
		before[k] = v
	}
	s.branches = append(s.branches, &textBranch{pos: pos, texts: before, set: map[string]bool{}})
}

func (s *session) nextBranch(word string, pos ir.Pos) {
	if len(s.branches) == 0 {
		s.l.fail(pos, "there is no \\if for this \\%s", word)
	}
	b := s.branches[len(s.branches)-1]
	if b.last {
		s.l.fail(pos, "\\%s stands after the \\else of the \\if at %s", word, b.pos)
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

func (s *session) leaveIf(pos ir.Pos) {
	n := len(s.branches)
	if n == 0 {
		s.l.fail(pos, "there is no \\if for this \\endif")
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

// node is a statement, a command of psql or pgbench, or an \if with its
// branches.
type node struct {
	pos ir.Pos
	src *source
	at  int // offset in src
	// A statement, with the index of its first token.
	raw   *pg.RawStmt
	text  *text
	first int
	// cmd is a command; the one that ends a statement stands with it.
	cmd *command
	// branches are those of \if.
	branches []branch
}

// branch is a part of an \if; cond is nil in \else.
type branch struct {
	cond  *command
	nodes []*node
}

// read gives the contents of a file.
func (s *session) read(f File) []*node {
	l := s.l
	src := newSource(f.Name, strings.TrimPrefix(f.Text, "\ufeff")) // the mark that some editors put before UTF-8
	if err := src.checkText(); err != nil {
		panic(err)
	}
	src = newSource(f.Name, withoutData(src.text))
	if l.size += size(src.text); l.size > maxSQL {
		l.fail(src.pos(0), "with this file there is more than %d MB of SQL; leave out the rows, and name the schema and the functions", maxSQL>>20)
	}
	s.around = append(s.around, f.Name)
	defer func() {
		s.around = s.around[:len(s.around)-1]
		s.ended = false // \q ends the file that it stands in
	}()
	open := len(s.branches)
	sc := &scanner{s: s, src: src, in: src.text}
	sc.run()
	if len(s.branches) > open {
		l.fail(s.branches[len(s.branches)-1].pos, "this \\if has no \\endif")
	}
	t := src.whole()
	if sc.changed {
		t = &text{src: src, s: string(sc.out), offs: append(sc.offs, len(src.text))}
	}
	stmts, err := t.parse()
	if err != nil {
		panic(err)
	}
	toks, err := pg.Scan(string(sc.plain()))
	if err != nil {
		e := err.(*pg.Error)
		l.fail(src.pos(e.Offset), "%s", clipped(e.Msg))
	}
	src.toks = toks
	s.srcs = append(s.srcs, src)
	var flat []*node
	for _, raw := range stmts {
		if sc.end >= 0 && t.offset(int(raw.StmtLocation)) >= sc.end {
			break
		}
		n := &node{src: src, raw: raw, text: t, first: src.firstToken(t.offset(int(raw.StmtLocation)))}
		n.pos, n.at = ir.Pos{File: src.name}, len(src.text)
		if n.first < len(toks) {
			n.at = toks[n.first].Start
			n.pos = src.pos(n.at)
		}
		flat = append(flat, n)
	}
	for _, c := range sc.cmds {
		if c.ends {
			before := slices.IndexFunc(flat, func(n *node) bool { return n.raw != nil && n.at > c.at }) - 1
			if before == -2 {
				before = len(flat) - 1
			}
			flat[before].cmd = c
		}
	}
	for _, c := range sc.cmds {
		if !c.ends {
			flat = append(flat, &node{pos: c.pos, src: src, at: c.at, cmd: c})
		}
	}
	slices.SortStableFunc(flat, func(a, b *node) int { return a.at - b.at })
	rest := flat
	return nest(&rest)
}

// nest puts the nodes up to the end of the branch around them into a tree, and
// those of included files in the place of the command.
func nest(rest *[]*node) []*node {
	var out []*node
	for len(*rest) > 0 {
		n := (*rest)[0]
		if n.raw == nil {
			switch n.cmd.name {
			case "elif", "else", "endif":
				return out
			case "if":
				out = append(out, n.branch(rest)...)
				continue
			}
		}
		*rest = (*rest)[1:]
		if n.raw == nil && n.cmd.included != nil {
			out = append(out, n.cmd.included...)
			continue
		}
		out = append(out, n)
	}
	return out
}

// branch reads an \if up to its \endif. Branches that cannot run are left out.
func (n *node) branch(rest *[]*node) []*node {
	out := &node{pos: n.pos, src: n.src, at: n.at}
	for {
		c := (*rest)[0].cmd
		*rest = (*rest)[1:]
		if c.name == "endif" {
			break
		}
		b := branch{nodes: nest(rest)}
		if c.name != "else" {
			b.cond = c
		}
		out.branches = append(out.branches, b)
	}
	var live []branch
	for _, b := range out.branches {
		if b.cond != nil && b.cond.truth == no {
			continue
		}
		if b.cond != nil && b.cond.truth == yes {
			b.cond = nil
		}
		if live = append(live, b); b.cond == nil {
			break
		}
	}
	switch {
	case len(live) == 0:
		return nil
	case live[0].cond == nil:
		return live[0].nodes
	}
	out.branches = live
	return []*node{out}
}

// maxIncluded bounds the nesting of included files.
const maxIncluded = 20

// include reads the file that \i or \ir names: relative to the file that names
// it, or else to where the program runs.
func (s *session) include(c *command, src *source, name string) []*node {
	l := s.l
	candidates := []string{name}
	if !filepath.IsAbs(name) {
		candidates = []string{filepath.Join(filepath.Dir(src.name), name), name}
	}
	if len(s.around) >= maxIncluded {
		l.fail(c.pos, "files include each other more than %d deep", maxIncluded)
	}
	for _, path := range candidates {
		f, err := l.fileNamed(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			l.fail(c.pos, "%v", err)
		}
		if slices.Contains(s.around, f.Name) {
			l.fail(c.pos, "%s includes itself", f.Name)
		}
		nodes := s.read(f)
		if nodes == nil {
			nodes = []*node{}
		}
		return nodes
	}
	l.fail(c.pos, "there is no file %s to include; its name is relative to this file", name)
	return nil
}

// fileNamed finds an input file, or another one on the disk if the input came
// from there. The error is fs.ErrNotExist where there is none.
func (l *loader) fileNamed(path string) (File, error) {
	for _, f := range l.files {
		if filepath.Clean(f.Name) == filepath.Clean(path) {
			return f, nil
		}
	}
	if l.opt.Files == nil {
		return File{}, fs.ErrNotExist
	}
	ctx := l.opt.ctx
	if ctx == nil {
		ctx = context.Background()
	}
	b, err := l.opt.Files.Read(ctx, path, maxFile, smaller)
	return File{Name: path, Text: string(b)}, err
}

var includes = regexp.MustCompile(`(?m)^[ \t]*\\(?:i|ir|include|include_relative)[ \t]+'?([^'\s]+)`)

// included gives the input files that others include: they are read there.
func (l *loader) included() map[string]bool {
	out := map[string]bool{}
	for _, f := range l.files {
		for _, m := range includes.FindAllStringSubmatch(f.Text, -1) {
			for _, path := range []string{filepath.Join(filepath.Dir(f.Name), m[1]), m[1]} {
				if g, err := l.fileNamed(path); err == nil {
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
