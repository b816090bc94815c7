package findings

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/codes"
	"github.com/txrobust/robust/internal/infile"
	"github.com/txrobust/robust/internal/witness"
	"github.com/txrobust/robust/report"
)

// Sources gives the text of the file that a position names; ok is false where it
// is not known.
type Sources func(file string) (text string, ok bool)

// maxSource bounds the bytes of a file that is read for its statements.
const maxSource = 256 << 20

// Disk reads sources where positions say that they are.
func Disk(file string) (string, bool) {
	b, err := infile.Read(context.Background(), file, maxSource, "")
	return string(b), err == nil
}

// fingerprint hashes what a finding is about, without the lines where it stands:
// the kind, and the transactions, tables and statements of the cycle. Space and
// comments in statements do not count.
func fingerprint(f *report.Finding, read Sources) string {
	h := sha256.New()
	put := func(parts ...string) { fmt.Fprintf(h, "%q\n", parts) }
	put(codes.FingerprintVersion, string(f.Kind))
	put(f.Cycle...)
	texts := map[string]string{}
	statement := func(p witness.Position) string {
		return textAt(p, func(file string) (string, bool) {
			text, known := texts[file]
			if !known && read != nil {
				text, known = read(file)
				texts[file] = text
			}
			return text, known
		})
	}
	for _, e := range f.Edges {
		cols := slices.Clone(e.Columns)
		slices.Sort(cols)
		put(e.FromName, e.ToName, e.Type, e.Table, strings.Join(cols, ","), statement(e.FromPosition), statement(e.ToPosition))
	}
	if len(f.Edges) == 0 && f.Witness != nil {
		for _, e := range f.Witness.Schedule {
			if e.Kind == witness.Read || e.Kind == witness.Write {
				put(f.Witness.Transaction(e.Transaction).Name, string(e.Kind), e.Table, statement(e.Position))
			}
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// maxStatement bounds the text of a statement, in bytes.
const maxStatement = 4000

// statementAt gives the statement that begins at a position, up to a semicolon or
// the end of what it stands in, with one space for all space and comments.
func statementAt(text string, p witness.Position) string {
	if text == "" || p.Line == 0 {
		return ""
	}
	for line := 1; line < p.Line; line++ {
		_, rest, ok := strings.Cut(text, "\n")
		if !ok {
			return ""
		}
		text = rest
	}
	runes := []rune(text[:min(len(text), 4*maxStatement)])
	if p.Col < 1 || p.Col > len(runes) {
		return ""
	}
	var b strings.Builder
	space := func() {
		if s := b.String(); s != "" && !strings.HasSuffix(s, " ") {
			b.WriteByte(' ')
		}
	}
	depth := 0
	for rest := string(runes[p.Col-1:]); rest != "" && b.Len() < maxStatement; {
		n := 1
		switch c := rest[0]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			space()
			rest = rest[1:]
			continue
		case strings.HasPrefix(rest, "--"), strings.HasPrefix(rest, "//"):
			if n = strings.IndexByte(rest, '\n'); n < 0 {
				n = len(rest)
			}
			space()
			rest = rest[n:]
			continue
		case strings.HasPrefix(rest, "/*"):
			n = len(rest)
			if i := strings.Index(rest, "*/"); i >= 0 {
				n = i + 2
			}
			space()
			rest = rest[n:]
			continue
		case c == '\'' || c == '"' || c == '`':
			n = len(rest)
			if i := strings.IndexByte(rest[1:], c); i >= 0 {
				n = i + 2
			}
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			depth--
		}
		if depth < 0 || depth == 0 && rest[0] == ';' {
			break
		}
		b.WriteString(rest[:n])
		rest = rest[n:]
	}
	return strings.TrimSpace(b.String())
}
