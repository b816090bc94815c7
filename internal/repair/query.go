package repair

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/internal/sql/pg"
)

// query is one SELECT of a statement, or what an UPDATE or DELETE reads: the tokens from
// its first word to the end of its last clause, without those of nested parentheses.
type query struct {
	*statement
	// toks are those of the query, nested ones too; clauses has the place in them of the
	// first word of each clause.
	toks    []pg.Token
	clauses map[string]int
}

// clauseWords begin the clauses of a query behind its list of columns.
var clauseWords = []string{"into", "from", "where", "group", "having", "window", "order", "limit", "offset", "fetch", "for", "union", "intersect", "except"}

// selects are the SELECTs of the statement, outer ones first.
func (s *statement) selects() (out []*query) {
	for i, t := range s.toks {
		// PERFORM of PL/pgSQL is a SELECT whose rows nobody wants.
		if t.Kind == pg.Word && (t.Text == "select" || t.Text == "perform" && i == 0) {
			out = append(out, s.query(i))
		}
	}
	return out
}

// query is the SELECT whose first word is the token first.
func (s *statement) query(first int) *query {
	q := &query{statement: s, clauses: map[string]int{}}
	depth, end := 0, first
	for ; end < len(s.toks) && depth >= 0; end++ {
		t := s.toks[end]
		switch {
		case t.Text == "(" || t.Text == "[":
			depth++
		case t.Text == ")" || t.Text == "]":
			depth--
		case depth > 0 || t.Kind != pg.Word:
		case t.Text == "loop" || t.Text == "then":
			depth = -1
		case slices.Contains(clauseWords, t.Text):
			if _, again := q.clauses[t.Text]; !again {
				q.clauses[t.Text] = end - first
			}
		}
		if depth < 0 {
			break
		}
	}
	q.toks = s.toks[first:end]
	return q
}

func (q *query) has(words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { _, ok := q.clauses[w]; return ok })
}

// clause gives the tokens of a clause behind its first word.
func (q *query) clause(word string) []pg.Token {
	from, ok := q.clauses[word]
	if !ok {
		return nil
	}
	to := len(q.toks)
	for _, k := range q.clauses {
		if k > from {
			to = min(to, k)
		}
	}
	return q.toks[from+1 : to]
}

// end is the byte behind the query.
func (q *query) end() int { return q.toks[len(q.toks)-1].End }

// lockable reports whether the query may have a locking clause: it gives rows of tables as
// they are.
func (q *query) lockable() bool {
	if !q.has("from") || q.has("for", "group", "having", "window", "union", "intersect", "except") {
		return false
	}
	list := q.toks[1:q.clauses["from"]]
	if i, ok := q.clauses["into"]; ok && i < q.clauses["from"] {
		list = q.toks[1:i]
	}
	for i, t := range list {
		if t.Text == "distinct" || t.Text == "(" && i > 0 && list[i-1].Kind == pg.Word {
			return false // a function may be an aggregate
		}
	}
	return true
}

// source is a table of a FROM clause: its name as written, and by which name its columns
// are called.
type source struct{ written, name, alias string }

// sources are the tables of the FROM clause, nil if there is something else.
func (q *query) sources() (out []source) {
	list := q.clause("from")
	depth := 0
	for i := 0; i < len(list); i++ {
		t := list[i]
		switch {
		case t.Text == "(":
			depth++
		case t.Text == ")":
			depth--
		}
		first := i == 0 || list[i-1].Text == "," || list[i-1].Text == "join" || list[i-1].Text == "only"
		if depth > 0 || !first || !name(t) || t.Text == "only" {
			continue
		}
		src := source{name: t.Text, alias: t.Text}
		end := i + 1
		for ; end+1 < len(list) && list[end].Text == "." && name(list[end+1]); end += 2 {
			src.name, src.alias = list[end+1].Text, list[end+1].Text
		}
		src.written = q.text[t.Start:list[end-1].End]
		if end < len(list) && list[end].Text == "as" {
			end++
		}
		if end < len(list) && name(list[end]) && !slices.Contains([]string{"join", "left", "right", "full", "inner", "cross", "natural", "on", "using", "tablesample"}, list[end].Text) {
			src.alias = list[end].Text
		}
		out = append(out, src)
	}
	return out
}

func name(t pg.Token) bool { return t.Kind == pg.Word || t.Kind == pg.Quoted }

// source gives the table of the FROM clause with a name.
func (q *query) source(table string) (source, bool) {
	own := quote.Parts(table)
	for _, s := range q.sources() {
		if s.name == own[len(own)-1] {
			return s, true
		}
	}
	return source{}, false
}

// equalities are the columns that the WHERE clause compares with expressions, as written,
// and reports whether it does nothing else.
func (q *query) equalities(columns func(name string) bool) (map[string]string, bool) {
	out, only := map[string]string{}, true
	for _, part := range conjuncts(q.clause("where")) {
		eq := slices.IndexFunc(part, func(t pg.Token) bool { return t.Text == "=" })
		if eq <= 0 || eq == len(part)-1 {
			only = false
			continue
		}
		left, right := part[:eq], part[eq+1:]
		if !column(left, columns) {
			left, right = right, left
		}
		if !column(left, columns) {
			only = false
			continue
		}
		out[left[len(left)-1].Text] = q.text[right[0].Start:right[len(right)-1].End]
	}
	return out, only && len(out) > 0
}

// column reports whether tokens are the name of a column, with that of its table or without.
func column(toks []pg.Token, columns func(name string) bool) bool {
	last := toks[len(toks)-1]
	return (len(toks) == 1 || len(toks) == 3 && toks[1].Text == ".") && name(last) && columns(last.Text)
}

// conjuncts splits a condition at AND.
func conjuncts(toks []pg.Token) (out [][]pg.Token) {
	depth, from := 0, 0
	for i, t := range toks {
		switch {
		case t.Text == "(":
			depth++
		case t.Text == ")":
			depth--
		case depth == 0 && t.Kind == pg.Word && t.Text == "or":
			return nil
		case depth == 0 && t.Kind == pg.Word && t.Text == "and":
			out = append(out, toks[from:i])
			from = i + 1
		}
	}
	if from < len(toks) {
		out = append(out, toks[from:])
	}
	return out
}

// reading is FROM and WHERE of the query, as written.
func (q *query) reading() string {
	end := q.clause("from")
	if q.has("where") {
		end = q.clause("where")
	}
	return strings.TrimSpace(q.text[q.toks[q.clauses["from"]].Start:end[len(end)-1].End])
}
