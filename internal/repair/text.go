package repair

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pmezard/go-difflib/difflib"

	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/internal/sql/input"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/report"
)

// insertion puts text into a file, before the byte at of its text as it was.
type insertion struct {
	file string
	at   int
	text string
}

func (i insertion) key() string { return fmt.Sprintf("%s:%d:%s", i.file, i.at, i.text) }

// edit is the texts of a program with insertions, sorted by their place.
type edit struct {
	before  []input.File
	inserts map[string][]insertion
}

func edited(files []input.File, changes []Change) *edit {
	e := &edit{files, map[string][]insertion{}}
	for _, c := range changes {
		for _, in := range c.inserts {
			e.inserts[in.file] = append(e.inserts[in.file], in)
		}
	}
	for f, list := range e.inserts {
		slices.SortStableFunc(list, func(a, b insertion) int { return cmp.Compare(a.at, b.at) })
		e.inserts[f] = slices.Compact(list)
	}
	return e
}

// text is a file with its insertions.
func (e *edit) text(f input.File) string {
	var b strings.Builder
	from := 0
	for _, in := range e.inserts[f.Name] {
		b.WriteString(f.Text[from:in.at] + in.text)
		from = in.at
	}
	b.WriteString(f.Text[from:])
	return b.String()
}

// origin gives the place in the file as it was of a byte of the text with insertions. What
// was inserted has the place where that was done.
func (e *edit) origin(file string, at int) int {
	for _, in := range e.inserts[file] {
		if at <= in.at {
			break
		}
		at = max(at-len(in.text), in.at)
	}
	return at
}

func (e *edit) files() []input.File {
	out := make([]input.File, len(e.before))
	for i, f := range e.before {
		out[i] = input.File{Name: f.Name, Text: e.text(f)}
	}
	return out
}

// changed are the files with insertions.
func (e *edit) changed() (out []input.File) {
	for _, f := range e.before {
		if e.inserts[f.Name] != nil {
			out = append(out, input.File{Name: f.Name, Text: e.text(f)})
		}
	}
	return out
}

// diff is the change as a unified diff.
func (e *edit) diff() string {
	var b strings.Builder
	for _, f := range e.before {
		if e.inserts[f.Name] == nil {
			continue
		}
		err := difflib.WriteUnifiedDiff(&b, difflib.UnifiedDiff{A: difflib.SplitLines(f.Text), B: difflib.SplitLines(e.text(f)), FromFile: f.Name, ToFile: f.Name, Context: 2})
		if err != nil {
			panic(err) // a strings.Builder takes everything
		}
	}
	return b.String()
}

// statement is a statement of SQL in a file with insertions: its tokens, without comments,
// whose offsets are those of the file.
type statement struct {
	ed   *edit
	file string
	text string // of the whole file
	toks []pg.Token
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
	for end := start; ; {
		semi := strings.IndexByte(text[end:], ';')
		if semi < 0 {
			return nil
		}
		end += semi
		if toks, err := pg.Scan(text[start:end]); err == nil {
			toks = slices.DeleteFunc(toks, func(t pg.Token) bool { return t.Kind == pg.Comment })
			for k := range toks {
				toks[k].Start += start
				toks[k].End += start
			}
			return &statement{e, p.File, text, toks}
		}
		end++
	}
}

// says reports whether a word is one of the statement.
func (s *statement) says(word string) bool {
	return slices.ContainsFunc(s.toks, func(t pg.Token) bool { return t.Kind == pg.Word && t.Text == word })
}

// statements are those of a file with insertions, nil if it cannot be split.
func (e *edit) statements(f input.File) (out []*statement) {
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
				out = append(out, &statement{e, f.Name, text, toks[from:i]})
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

// insert is the insertion of text before a byte of the file. Its lines end as those of the
// file.
func (s *statement) insert(at int, text string) insertion {
	if strings.Contains(s.text, "\r\n") {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return insertion{s.file, s.ed.origin(s.file, at), text}
}

// behind is the insertion of another statement behind this one.
func (s *statement) behind(sql string) insertion {
	return s.insert(s.toks[len(s.toks)-1].End+1, "\n"+sql+";")
}

// line gives where the line of the statement begins, behind its blanks, and these.
func (s *statement) line() (at int, indent string) {
	from := strings.LastIndexByte(s.text[:s.toks[0].Start], '\n') + 1
	at = from
	for s.text[at] == ' ' || s.text[at] == '\t' {
		at++
	}
	return at, s.text[from:at]
}
