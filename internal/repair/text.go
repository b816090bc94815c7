package repair

import (
	"cmp"
	"fmt"
	"go/format"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pmezard/go-difflib/difflib"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/gosource"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/internal/sql/input"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/report"
)

// Edit puts a text in the place of bytes of a file as it was.
type Edit = gosource.Edit

func key(e Edit) string { return fmt.Sprintf("%s:%d:%d:%s", e.File, e.At, e.End, e.Text) }

// edit is the texts of a program with edits, sorted by their place, and what is known of the program that they make.
type edit struct {
	before []input.File
	edits  map[string][]Edit
	client []*client.Txn // of a Go program
	golang *gosource.Source
}

func edited(files []input.File, changes []Change) *edit {
	e := &edit{before: files, edits: map[string][]Edit{}}
	for _, c := range changes {
		for _, in := range c.edits {
			e.edits[in.File] = append(e.edits[in.File], in)
		}
	}
	for f, list := range e.edits {
		slices.SortStableFunc(list, func(a, b Edit) int { return cmp.Compare(a.At, b.At) })
		e.edits[f] = slices.Compact(list)
	}
	return e
}

// apart reports whether no two edits are about the same bytes.
func (e *edit) apart() bool {
	for _, list := range e.edits {
		for i := 1; i < len(list); i++ {
			if list[i].At < list[i-1].End {
				return false
			}
		}
	}
	return true
}

// text is a file with its edits.
func (e *edit) text(f input.File) string {
	var b strings.Builder
	from := 0
	for _, in := range e.edits[f.Name] {
		b.WriteString(f.Text[from:in.At] + in.Text)
		from = in.End
	}
	b.WriteString(f.Text[from:])
	return b.String()
}

// origin gives the place in the file as it was of a byte of the text with edits. What was
// inserted has the place where that was done; of what replaces another text only the ends have one.
func (e *edit) origin(file string, at int) (int, bool) {
	for _, in := range e.edits[file] {
		if at <= in.At {
			break
		}
		if in.End > in.At && at < in.At+len(in.Text) {
			return 0, false
		}
		at = max(at-len(in.Text), in.At) + in.End - in.At
	}
	return at, true
}

// back gives an edit of the text with edits as one of the file as it was.
func (e *edit) back(in Edit) (Edit, bool) {
	at, okAt := e.origin(in.File, in.At)
	end, okEnd := e.origin(in.File, in.End)
	in.At, in.End = at, end
	return in, okAt && okEnd
}

func (e *edit) files() []input.File {
	out := make([]input.File, len(e.before))
	for i, f := range e.before {
		out[i] = input.File{Name: f.Name, Text: e.text(f)}
	}
	return out
}

// changed are the files with edits.
func (e *edit) changed() (out []input.File) {
	for _, f := range e.before {
		if e.edits[f.Name] != nil {
			out = append(out, input.File{Name: f.Name, Text: e.final(f)})
		}
	}
	return out
}

// final is a file with its edits as it is written. Go source stays in the format of gofmt, if it is so.
func (e *edit) final(f input.File) string {
	text := e.text(f)
	if !isGo(f.Name) {
		return text
	}
	if was, err := format.Source([]byte(f.Text)); err != nil || string(was) != f.Text {
		return text
	}
	if out, err := format.Source([]byte(text)); err == nil {
		return string(out)
	}
	return text
}

func isGo(name string) bool { return strings.HasSuffix(name, ".go") }

// diff is the change as a unified diff, as git apply takes it.
func (e *edit) diff() string {
	var b strings.Builder
	for _, f := range e.before {
		if e.edits[f.Name] == nil {
			continue
		}
		name := strings.TrimPrefix(filepath.ToSlash(f.Name), "/")
		err := difflib.WriteUnifiedDiff(&b, difflib.UnifiedDiff{A: lines(f.Text), B: lines(e.final(f)), FromFile: "a/" + name, ToFile: "b/" + name, Context: 3})
		if err != nil {
			panic(err) // a strings.Builder takes everything
		}
	}
	return b.String()
}

// lines are those of a text, as a diff shows them.
func lines(text string) []string {
	list := strings.SplitAfter(text, "\n")
	if last := len(list) - 1; list[last] == "" {
		list = list[:last]
	} else {
		list[last] += "\n\\ No newline at end of file\n"
	}
	return list
}

// statement is a statement of SQL: its tokens, without comments, whose offsets are those of a text.
type statement struct {
	ed   *edit
	file string
	text string // of the whole file with edits, or the string that is sent
	toks []pg.Token
	// sent are the strings of Go source that have the text, nil if it is that of a file, and
	// queries the statements of files from which a program generates them.
	sent    []*gosource.Text
	queries []*statement
}

// statement gives the statement that begins at a position, nil if there is none.
func (e *edit) statement(p report.Position) *statement {
	i := slices.IndexFunc(e.before, func(f input.File) bool { return f.Name == p.File })
	if i < 0 {
		return nil
	}
	text := e.text(e.before[i])
	start, ok := offset(text, p)
	if !ok {
		return nil
	}
	limit := bodyEnd(text, start)
	for end := start; end < limit; end++ {
		last := 0 // tokens that are not of the statement
		if semi := strings.IndexByte(text[end:limit], ';'); semi < 0 {
			end = limit - 1
		} else {
			end += semi
			last = 1
		}
		toks, err := pg.Scan(text[start : end+1])
		if err != nil || len(toks) == 0 || last == 1 && toks[len(toks)-1].Kind == pg.Comment {
			continue // the semicolon is one of a string or of a comment
		}
		toks = slices.DeleteFunc(toks[:len(toks)-last], func(t pg.Token) bool { return t.Kind == pg.Comment })
		if len(toks) == 0 {
			return nil
		}
		for k := range toks {
			toks[k].Start += start
			toks[k].End += start
		}
		return &statement{ed: e, file: p.File, text: text, toks: toks}
	}
	return nil
}

// bodyEnd is where the string ends that has a byte in it, the body of a function, or else the text: the last statement
// of a body needs no semicolon.
func bodyEnd(text string, at int) int {
	toks, err := pg.Scan(text)
	if err != nil {
		return len(text)
	}
	for _, t := range toks {
		switch {
		case t.Start >= at || t.End <= at:
		case text[t.Start] == '$':
			return t.End - strings.IndexByte(text[t.Start+1:], '$') - 2
		case text[t.End-1] == '\'':
			return t.End - 1
		}
	}
	return len(text)
}

// says reports whether a word is one of the statement.
func (s *statement) says(word string) bool {
	return slices.ContainsFunc(s.toks, func(t pg.Token) bool { return t.Kind == pg.Word && t.Text == word })
}

// statements are those of a file with edits, nil if it cannot be split.
func (e *edit) statements(f input.File) (out []*statement) {
	if isGo(f.Name) {
		return nil
	}
	text := e.text(f)
	toks, err := pg.Scan(text)
	if err != nil {
		return nil
	}
	toks = slices.DeleteFunc(toks, func(t pg.Token) bool { return t.Kind == pg.Comment })
	from := 0
	for i, t := range toks {
		if t.Text == ";" && t.Kind == pg.Punct {
			if i > from {
				out = append(out, &statement{ed: e, file: f.Name, text: text, toks: toks[from:i]})
			}
			from = i + 1
		}
	}
	return out
}

// declaration is the statement that declares a table, nil if it is not found.
func (e *edit) declaration(t *ir.Table) *statement {
	p := report.Position{File: t.Pos.File, Line: t.Pos.Line, Col: t.Pos.Col}
	for _, f := range e.before {
		if f.Name != p.File {
			continue
		}
		for _, s := range e.statements(f) {
			if at, ok := offset(s.text, p); ok && at < s.toks[len(s.toks)-1].End {
				return s
			}
		}
	}
	return nil
}

// alters reports whether the statement alters a table with a name.
func (s *statement) alters(table string) bool {
	parts := quote.Parts(table)
	return len(s.toks) > 2 && s.toks[0].Text == "alter" && s.toks[1].Text == "table" &&
		slices.ContainsFunc(s.toks, func(t pg.Token) bool { return t.Text == parts[len(parts)-1] })
}

var (
	routine  = regexp.MustCompile(`(?i)\bcreate\s+(or\s+replace\s+)?(function|procedure)\b`)
	readOnly = regexp.MustCompile(`(?i)\b(stable|immutable)\b`)
)

// readOnly reports whether the statement may be one of a function that is declared STABLE
// or IMMUTABLE, in which it can lock and write nothing.
func (s *statement) readOnly() bool {
	at := s.toks[0].Start
	starts := routine.FindAllStringIndex(s.text, -1)
	for i, m := range starts {
		end := len(s.text)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		if m[0] < at && at < end {
			return readOnly.MatchString(s.text[m[0]:end])
		}
	}
	return false
}

// offset gives the byte of a position, whose column counts characters.
func offset(text string, p report.Position) (int, bool) {
	at := 0
	for range p.Line - 1 {
		k := strings.IndexByte(text[at:], '\n')
		if k < 0 {
			return 0, false
		}
		at += k + 1
	}
	for range p.Col - 1 {
		_, n := utf8.DecodeRuneInString(text[at:])
		at += n
	}
	return at, at < len(text)
}

// insert is the insertion of text before a byte of the statement's text, nil if it cannot be
// made. Its lines end as those of the file.
func (s *statement) insert(at int, text string) []Edit { return s.replace(at, at, text) }

// replace puts text in the place of the bytes from at to end of the statement's text.
func (s *statement) replace(at, end int, text string) (out []Edit) {
	var list []Edit
	if s.sent == nil {
		if strings.Contains(s.text, "\r\n") {
			text = strings.ReplaceAll(text, "\n", "\r\n")
		}
		list = append(list, Edit{File: s.file, At: at, End: end, Text: text})
	}
	for _, t := range s.sent {
		in, ok := t.Replace(at, end, text)
		if !ok {
			return nil
		}
		list = append(list, in)
	}
	for _, in := range list {
		was, ok := s.ed.back(in)
		if !ok {
			return nil
		}
		out = append(out, was)
	}
	for _, q := range s.queries {
		from, okFrom := s.same(q, at)
		to, okTo := s.same(q, end)
		if !okFrom || !okTo || strings.Contains(text, "$") && !q.numbered() {
			return nil
		}
		in := q.replace(from, to, text)
		if in == nil {
			return nil
		}
		out = append(out, in...)
	}
	return out
}

// behind is the insertion of another statement behind this one, and behind a comment on its line.
func (s *statement) behind(sql string) []Edit {
	at := s.toks[len(s.toks)-1].End
	m := ending.FindStringIndex(s.text[at:])
	if m == nil {
		return nil
	}
	return s.insert(at+m[1], "\n"+sql+";")
}

var (
	// ending is what ends a statement: comments, the semicolon, and a comment on the same line.
	ending = regexp.MustCompile(`^(?:\s|--[^\n]*\n|/\*(?:[^*]|\*[^*/])*\*/)*;(?:[ \t]*--[^\r\n]*)?`)
	// opening is what a statement can stand behind on its line, and commented what looks like that.
	opening   = regexp.MustCompile(`(?i)(?:;|\b(?:begin(?:\s+atomic)?|loop|then|else)\b|\$\w*\$)[ \t]*`)
	commented = regexp.MustCompile(`/\*.*?\*/|'[^']*'`)
	choice    = regexp.MustCompile(`(?i)\bcase\b`)
)

// line gives where a statement before this one can stand: where the line begins, behind its blanks, or
// behind what else ends or begins a statement on the line. It also gives the blanks.
func (s *statement) line() (at int, indent string) {
	start := s.toks[0].Start
	from := strings.LastIndexByte(s.text[:start], '\n') + 1
	at = from
	for s.text[at] == ' ' || s.text[at] == '\t' {
		at++
	}
	indent = s.text[from:at]
	before := commented.ReplaceAllStringFunc(s.text[at:start], func(c string) string { return strings.Repeat(" ", len(c)) })
	all := opening.FindAllStringIndex(before, -1)
	for i, m := range slices.Backward(all) {
		behind := 0
		if i > 0 {
			behind = all[i-1][1]
		}
		if !choice.MatchString(before[behind:m[0]]) {
			return at + m[1], indent
		}
	}
	return at, indent
}
