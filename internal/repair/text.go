package repair

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pmezard/go-difflib/difflib"

	"github.com/txrobust/robust/internal/sql/input"
	"github.com/txrobust/robust/internal/sql/pg"
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

// insert is the insertion of text before a byte of the file.
func (s *statement) insert(at int, text string) insertion {
	return insertion{s.file, s.ed.origin(s.file, at), text}
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
