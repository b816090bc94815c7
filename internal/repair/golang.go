package repair

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/gosource"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/witness"
	"github.com/txrobust/robust/report"
)

// statements are those that a transaction has at a position: in SQL the one that begins there, in Go those
// that are sent there and name the table. What is sent there and cannot be changed is noted.
func (m *maker) statements(txn string, p report.Position, table string) (out []*statement) {
	if m.ed.client == nil {
		if s := m.ed.statement(p); s != nil {
			out = append(out, s)
		}
		return out
	}
	parts := quote.Parts(table)
	for _, sql := range m.ed.sentAt(txn, p) {
		texts := m.ed.golang.Texts(gosource.Position{File: p.File, Line: p.Line, Col: p.Col}, sql)
		if len(texts) == 0 {
			m.unchanged(p, sql)
			continue
		}
		toks, err := pg.Scan(sql)
		if err != nil {
			continue
		}
		toks = slices.DeleteFunc(toks, func(t pg.Token) bool { return t.Kind == pg.Comment || t.Text == ";" })
		s := &statement{ed: m.ed, file: p.File, text: sql, toks: toks, sent: texts, queries: m.ed.generated(sql)}
		if len(toks) > 0 && s.says(parts[len(parts)-1]) {
			out = append(out, s)
		}
	}
	return out
}

// sentAt gives the texts that a transaction of a client sends at a position, each once.
func (e *edit) sentAt(txn string, p report.Position) (out []string) {
	for _, t := range e.client {
		if t.Name != txn {
			continue
		}
		client.EachQuery(t.Body, func(q *client.Query) {
			if q.Pos.File == p.File && q.Pos.Line == p.Line && q.Pos.Col == p.Col && !slices.Contains(out, q.SQL) {
				out = append(out, q.SQL)
			}
		})
	}
	return out
}

// unchanged notes a statement whose text is no constant of the source.
func (m *maker) unchanged(p report.Position, sql string) {
	if _, ok := m.locking(gosource.Position{File: p.File, Line: p.Line, Col: p.Col}, "UPDATE"); ok {
		return // gorm changes it
	}
	if word, _, _ := strings.Cut(strings.TrimSpace(sql), " "); slices.Contains([]string{"insert", "update", "delete"}, strings.ToLower(word)) {
		return // a change of the read is what helps most
	}
	how := "a library writes its text, or the program puts it together"
	if !strings.Contains(sql, client.Hole) {
		how += ": " + quote.Statement(sql)
	}
	note := fmt.Sprintf("%s:%d:%d: this statement is not changed, since no constant of the source is its text: %s", p.File, p.Line, p.Col, how)
	m.notes = append(m.notes, note+"; what robust check proposes for it has to be done by hand")
}

// gorm locks the rows that a query of GORM reads, whose text no constant of the source is.
func (m *maker) gorm(e *witness.Edge, t *ir.Table) {
	at := gosource.Position{File: e.FromPosition.File, Line: e.FromPosition.Line, Col: e.FromPosition.Col}
	for _, sql := range m.ed.sentAt(e.FromName, e.FromPosition) {
		if !strings.HasPrefix(sql, "SELECT ") || strings.Contains(sql, " FOR ") || len(m.ed.golang.Texts(at, sql)) > 0 {
			continue
		}
		for _, l := range []struct {
			kind Kind
			mode string
			cost int
		}{{LockShare, "SHARE", costShare + costUpgrade}, {LockUpdate, "UPDATE", costUpdate}} {
			list, ok := m.locking(at, l.mode)
			if edits := m.backAll(list); ok {
				m.add(l.kind, e, t, l.cost, fmt.Sprintf("%s locks the rows of %s that it reads (FOR %s)", e.FromName, t.Name, l.mode), edits)
			}
		}
	}
}

// locking gives the edits that add a locking clause to a query of GORM.
func (m *maker) locking(at gosource.Position, mode string) ([]Edit, bool) {
	return m.ed.golang.Chain(at, "gorm.io/gorm", []string{"First", "Take", "Last", "Find"}, `.Clauses(%s.Locking{Strength: "`+mode+`"})`, "gorm.io/gorm/clause")
}

// backAll gives edits of the text with edits as those of the files as they were, nil if one cannot be.
func (m *maker) backAll(list []Edit) (out []Edit) {
	for _, in := range list {
		was, ok := m.ed.back(in)
		if !ok {
			return nil
		}
		out = append(out, was)
	}
	return out
}

// queryName is how a query of sqlc begins, in its file and in the code that is generated.
var queryName = regexp.MustCompile(`(?m)^--[ \t]*name:[ \t]*(\w+)[ \t]+:\w+[^\n]*`)

// generated gives the statements of files from which sqlc generates a text.
func (e *edit) generated(sql string) (out []*statement) {
	own := queryName.FindStringSubmatch(sql)
	if own == nil || !strings.HasPrefix(sql, own[0]) {
		return nil
	}
	for _, f := range e.before {
		if !strings.HasSuffix(f.Name, ".sql") {
			continue
		}
		text := e.text(f)
		all := queryName.FindAllStringSubmatchIndex(text, -1)
		for i, at := range all {
			if text[at[2]:at[3]] != own[1] {
				continue
			}
			end := len(text)
			if i+1 < len(all) {
				end = all[i+1][0]
			}
			if s := e.only(f.Name, text, at[1], end); s != nil {
				out = append(out, s)
			}
		}
	}
	return out
}

// only gives the first statement of a part of a file.
func (e *edit) only(file, text string, from, end int) *statement {
	toks, err := pg.Scan(text[from:end])
	if err != nil {
		return nil
	}
	s := &statement{ed: e, file: file, text: text}
	for _, t := range toks {
		if t.Text == ";" {
			break
		}
		if t.Kind != pg.Comment {
			t.Start, t.End = t.Start+from, t.End+from
			s.toks = append(s.toks, t)
		}
	}
	if len(s.toks) == 0 {
		return nil
	}
	return s
}

// same gives the place in a statement that another one is generated from: behind it stand the same tokens, or
// else before it.
func (s *statement) same(q *statement, at int) (int, bool) {
	before := 0 // tokens that end there, or before it
	for before < len(s.toks) && s.toks[before].End <= at {
		before++
	}
	ends := before > 0 && s.toks[before-1].End == at
	if !ends && (before == len(s.toks) || s.toks[before].Start != at) {
		return 0, false
	}
	equal := func(a, b []pg.Token) bool {
		return slices.EqualFunc(a, b, func(x, y pg.Token) bool { return x.Kind == y.Kind && x.Text == y.Text })
	}
	k := len(q.toks) - (len(s.toks) - before)
	if k < 0 || !equal(s.toks[before:], q.toks[k:]) {
		if k = before; k > len(q.toks) || !equal(s.toks[:k], q.toks[:k]) {
			return 0, false
		}
	}
	switch {
	case ends && k > 0:
		return q.toks[k-1].End, true
	case !ends && k < len(q.toks):
		return q.toks[k].Start, true
	}
	return 0, false
}

// numbered reports whether the parameters of a statement have numbers.
func (s *statement) numbered() bool {
	return slices.ContainsFunc(s.toks, func(t pg.Token) bool { return t.Kind == pg.Param })
}

// first puts another write before a statement: in a file as a statement before it, in a string, which
// is one statement, as a WITH query of it. The snapshot of the two is one then.
func (s *statement) first(write string) []Edit {
	if s.sent == nil {
		at, indent := s.line()
		return s.insert(at, write+";\n"+indent)
	}
	// The places of ? count, and another one would move them.
	if !slices.Contains([]string{"select", "insert", "update", "delete"}, s.toks[0].Text) || slices.ContainsFunc(s.toks, func(t pg.Token) bool { return t.Text == "?" }) {
		return nil
	}
	return s.insert(s.toks[0].Start, "WITH written AS ("+write+") ")
}

// nested locks the rows of a query whose grammar has no place for it in a query inside of it.
func (m *maker) nested(kind Kind, e *witness.Edge, t *ir.Table, q *query, cost int, text, mode string) {
	src := q.sources()
	from := q.clause("from")
	if len(src) != 1 || q.has("for", "union", "intersect", "except") || slices.ContainsFunc(from, func(t pg.Token) bool { return t.Text == "(" || t.Text == "join" || t.Text == "," }) {
		return
	}
	end := from
	if q.has("where") {
		end = q.clause("where")
	}
	m.add(kind, e, t, cost, text+", in a query inside of it",
		q.insert(from[0].Start, "(SELECT * FROM "), q.insert(end[len(end)-1].End, mode+") AS "+quote.Ident(src[0].alias)))
}
