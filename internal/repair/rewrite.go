package repair

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/internal/sql/input"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/witness"
	"github.com/txrobust/robust/report"
)

// copied is a row of a table that a transaction reads into variables by its key, and the only
// statement that writes the table, an UPDATE of that row by the same key. Between the two the row and the
// variables stay as they are when nobody else runs: each variable is the column that it was read from.
type copied struct {
	read, write *statement
	// columns are those of the variables, by the names of these; alias is the table in the UPDATE.
	columns map[string]string
	alias   string
	params  []string // that are never set
	into    int      // how many variables the read sets
}

// copy finds out whether a query reads a row that the transaction updates later. In Go and in scripts the values pass
// through the client, which this does not follow.
func (m *maker) copy(e *witness.Edge, t *ir.Table, q *query) *copied {
	txn := m.prog.Txn(e.FromName)
	if txn == nil || txn.Script || m.ed.client != nil {
		return nil
	}
	set := map[string]int{}
	var reads []*ir.Select
	var writes []ir.Stmt
	loops := false
	ir.Walk(txn.Body, func(s ir.Stmt) {
		for _, name := range ir.Assigned(s) {
			set[name]++
		}
		switch s := s.(type) {
		case *ir.While, *ir.ForRange, *ir.Foreach:
			loops = true
		case *ir.Select:
			if s.Pos.Line == e.FromPosition.Line && s.Pos.Col == e.FromPosition.Col && s.Pos.File == e.FromPosition.File {
				reads = append(reads, s)
			}
		default: // it neither reads a row nor runs again
		}
		if ir.Written(s) == t {
			writes = append(writes, s)
		}
	})
	if loops || len(reads) != 1 || len(writes) != 1 || q.toks[0] != q.statement.toks[0] {
		return nil
	}
	read := reads[0]
	write, ok := writes[0].(*ir.Update)
	if !ok || len(read.Aggs) > 0 || len(read.Query.From) != 1 || read.Query.From[0].Table != t || !sameKey(t, read.Query.Where, write.Where, set) {
		return nil
	}
	c := &copied{read: q.statement, write: m.ed.statement(report.Position{File: write.Pos.File, Line: write.Pos.Line, Col: write.Pos.Col}), columns: map[string]string{}, into: len(read.Into)}
	for _, p := range txn.Params {
		if set[p.Name] == 0 {
			c.params = append(c.params, p.Name)
		}
	}
	for i, name := range read.Into {
		if col, ok := read.Cols[i].(*ir.Col); ok && set[name] == 1 && columnOf(t, name) < 0 && sameValues(txn, name, t, col.Col) {
			c.columns[name] = col.Col
		}
	}
	if c.write == nil || len(c.columns) == 0 || !c.updates(t) {
		return nil
	}
	return c
}

// sameKey reports whether two conditions pin the whole key of a table to the same parameters, which nothing sets.
func sameKey(t *ir.Table, a, b ir.Expr, set map[string]int) bool {
	pinned := func(where ir.Expr, column string) string {
		for _, part := range ir.Conjuncts(where) {
			eq, ok := part.(*ir.Binary)
			if !ok || eq.Op != ir.Eq {
				continue
			}
			col, isCol := eq.X.(*ir.Col)
			v, isVar := eq.Y.(*ir.Var)
			if isCol && isVar && col.Col == column && set[v.Name] == 0 {
				return v.Name
			}
		}
		return ""
	}
	for _, k := range t.Key {
		name := t.Columns[k].Name
		if v := pinned(a, name); v == "" || v != pinned(b, name) {
			return false
		}
	}
	return len(t.Key) > 0
}

// sameValues reports whether a local can have the values of a column as they are.
func sameValues(txn *ir.Txn, local string, t *ir.Table, column string) bool {
	k := columnOf(t, column)
	return k >= 0 && slices.ContainsFunc(txn.Locals, func(l ir.Local) bool {
		return l.Name == local && l.Type == t.Columns[k].Type && reflect.DeepEqual(l.Domain, t.Columns[k].Domain)
	})
}

// updates reports whether the statement that writes is a plain UPDATE of the table, and finds the name of that.
func (c *copied) updates(t *ir.Table) bool {
	toks := c.write.toks
	set := c.word("set")
	if len(toks) < 4 || toks[0].Text != "update" || set < 2 || c.write.says("from") || c.write.says("select") || c.word("where") < set {
		return false
	}
	parts := quote.Parts(t.Name)
	c.alias = parts[len(parts)-1]
	if last := toks[set-1]; name(last) && toks[set-2].Text != "." && set > 2 {
		c.alias = last.Text
	}
	return true
}

// word is the place of a word of the statement that writes, -1 if it has none.
func (c *copied) word(text string) int {
	return slices.IndexFunc(c.write.toks, func(t pg.Token) bool { return t.Kind == pg.Word && t.Text == text })
}

// uses gives the tokens that are a variable which has a column.
func (c *copied) uses(toks []pg.Token) (out []pg.Token) {
	for i, t := range toks {
		of := i > 0 && toks[i-1].Text == "." || i+1 < len(toks) && (toks[i+1].Text == "." || toks[i+1].Text == "(")
		if name(t) && c.columns[t.Text] != "" && !of {
			out = append(out, t)
		}
	}
	return out
}

// inRow is an expression with columns of the row in the place of the variables.
func (c *copied) inRow(toks []pg.Token, text string) string {
	var b strings.Builder
	from := toks[0].Start
	for _, t := range c.uses(toks) {
		b.WriteString(text[from:t.Start] + c.column(t.Text))
		from = t.End
	}
	b.WriteString(text[from:toks[len(toks)-1].End])
	return b.String()
}

func (c *copied) column(variable string) string {
	return quote.Ident(c.alias) + "." + quote.Ident(c.columns[variable])
}

// rewrites are changes of statements that do the same when nobody else runs.
func (m *maker) rewrites(e *witness.Edge, t *ir.Table, q *query) {
	c := m.copy(e, t, q)
	if c == nil {
		return
	}
	sets := c.uses(c.write.toks[c.word("set")+1 : c.word("where")])
	var edits []Edit
	for _, u := range sets {
		one := c.write.replace(u.Start, u.End, c.column(u.Text))
		if one == nil {
			return
		}
		edits = append(edits, one...)
	}
	if len(sets) > 0 {
		all := edits
		if c.onlyIn(sets) {
			all = slices.Concat(edits, c.read.remove())
		}
		m.add(Increment, e, t, costIncrement, fmt.Sprintf("%s computes the new values of %s from the row as it is then, in one UPDATE", e.FromName, t.Name), all)
	}
	// A trigger may keep an UPDATE from what its condition finds.
	if !slices.ContainsFunc(m.ed.before, func(f input.File) bool { return trigger.MatchString(f.Text) }) {
		m.condition(e, t, c, sets, edits)
	}
}

var trigger = regexp.MustCompile(`(?i)\btrigger\b`)

// rest are the tokens of the routine behind the read, nil if they cannot be told.
func (c *copied) rest() []pg.Token {
	from := c.read.toks[len(c.read.toks)-1].End + 1
	end := dollar.FindStringIndex(c.read.text[from:])
	if end == nil {
		return nil
	}
	toks, err := pg.Scan(c.read.text[from : from+end[0]])
	if err != nil {
		return nil
	}
	for i := range toks {
		toks[i].Start += from
		toks[i].End += from
	}
	return toks
}

// dollar ends the body of a routine.
var dollar = regexp.MustCompile(`\$\w*\$`)

// onlyIn reports whether nothing but these tokens depends on the read, which may go then.
func (c *copied) onlyIn(places ...[]pg.Token) bool {
	toks := c.rest()
	into := slices.IndexFunc(c.read.toks, func(t pg.Token) bool { return t.Kind == pg.Word && t.Text == "into" })
	if toks == nil || into < 0 || c.read.says("strict") || len(c.columns) != c.into {
		return false
	}
	for _, t := range toks {
		if name(t) && (t.Text == "found" || t.Text == "diagnostics" || c.columns[t.Text] != "" && !slices.ContainsFunc(places, func(list []pg.Token) bool { return slices.Contains(list, t) })) {
			return false
		}
	}
	return true
}

// remove takes a statement out, with its semicolon and the blanks behind it.
func (s *statement) remove() []Edit {
	from, to := s.toks[0].Start, s.toks[len(s.toks)-1].End+1
	for to < len(s.text) && strings.ContainsRune(" \t\r\n", rune(s.text[to])) {
		to++
	}
	if toks, err := pg.Scan(s.text[from:to]); err != nil || slices.ContainsFunc(toks, func(t pg.Token) bool { return t.Kind == pg.Comment }) {
		return nil // what is said there would get lost
	}
	return s.replace(from, to, "")
}

// condition moves what the transaction checks of the row into the UPDATE, in the place of reading it first.
func (m *maker) condition(e *witness.Edge, t *ir.Table, c *copied, sets []pg.Token, with []Edit) {
	toks := c.between()
	if len(toks) < 4 || toks[0].Text != "if" || slices.ContainsFunc(toks, func(t pg.Token) bool { return t.Kind == pg.Comment }) {
		return
	}
	then := slices.IndexFunc(toks, func(t pg.Token) bool { return t.Kind == pg.Word && t.Text == "then" })
	if then < 2 {
		return
	}
	cond := toks[1:then]
	if !c.known(cond) || !c.onlyIn(sets, c.uses(cond)) {
		return
	}
	where := c.write.text[c.write.toks[c.word("where")+1].Start:c.write.toks[len(c.write.toks)-1].End]
	end := c.write.toks[len(c.write.toks)-1].End
	also := " AND (" + c.inRow(cond, c.write.text) + ")"
	out := [][]Edit{c.read.remove()}
	_, indent := c.read.line()
	if then == len(toks)-1 { // the UPDATE is in its branch
		behind := c.branch(end + 1)
		if behind == nil {
			return
		}
		out = append(out, c.write.replace(toks[0].Start, c.write.toks[0].Start, ""), c.write.insert(end, also), behind)
	} else {
		close := closing(toks, then+1)
		if close < 0 || close+3 != len(toks) || !leaves(toks[then+1:close]) {
			return
		}
		body := c.write.text[toks[then+1].Start:toks[close-1].End]
		refused := fmt.Sprintf("\n%sIF NOT FOUND AND EXISTS (SELECT FROM %s WHERE %s) THEN %s END IF;", indent, c.write.text[c.write.toks[1].Start:c.write.toks[c.word("set")-1].End], where, body)
		out = append(out, c.write.replace(toks[0].Start, c.write.toks[0].Start, ""), c.write.insert(end, also+" IS NOT TRUE"), c.write.insert(end+1, refused))
	}
	if len(with) > 0 {
		out = append(out, with)
	}
	m.add(Condition, e, t, costCondition, fmt.Sprintf("%s checks the row of %s in the UPDATE, in its WHERE, in the place of reading it before", e.FromName, t.Name), out...)
}

// branch turns the rest of the branch of an IF, behind a byte, into one that runs if the UPDATE before it has found
// its row, and the other branch into one that runs if it has not.
func (c *copied) branch(from int) []Edit {
	var toks []pg.Token
	for _, t := range c.rest() {
		if t.Start >= from {
			toks = append(toks, t)
		}
	}
	if len(toks) == 0 || slices.ContainsFunc(toks, func(t pg.Token) bool { return t.Text == "elsif" || t.Text == "elseif" }) {
		return nil
	}
	switch {
	case toks[0].Text == "else":
		return c.write.replace(toks[0].Start, toks[0].End, "IF NOT FOUND THEN")
	case toks[0].Text == "end" && len(toks) > 2 && toks[1].Text == "if":
		return c.write.replace(from, toks[2].End, "")
	case toks[0].Kind == pg.Word:
		return c.write.insert(toks[0].Start, "IF FOUND THEN ")
	}
	return nil
}

// between are the tokens from the end of the read to the UPDATE.
func (c *copied) between() (out []pg.Token) {
	for _, t := range c.rest() {
		if t.End <= c.write.toks[0].Start {
			out = append(out, t)
		}
	}
	return out
}

// quiet turns IF NOT EXISTS (a row with these columns) THEN INSERT (one) into an INSERT that does nothing where such a
// row is there; set are the columns. It is nil where the statements have another form.
func (m *maker) quiet(e *witness.Edge, t *ir.Table, q *query, eq map[string]string, set []int) []Edit {
	s := q.statement
	toks := s.toks
	then := slices.IndexFunc(toks, func(t pg.Token) bool { return t.Kind == pg.Word && t.Text == "then" })
	if s.sent != nil || then < 0 || then+1 == len(toks) || toks[then-1].Text != ")" || toks[then-1] == q.toks[len(q.toks)-1] || q.toks[len(q.toks)-1] != toks[then-2] {
		return nil
	}
	for i, word := range []string{"if", "not", "exists", "(", "select"} {
		if i >= then || toks[i].Text != word {
			return nil
		}
	}
	list := inserts(m.prog.Txn(e.FromName))
	insert := toks[then+1:]
	plain := insert[0].Text == "insert" && !slices.ContainsFunc(insert, func(t pg.Token) bool {
		return slices.Contains([]string{"select", "returning", "conflict"}, t.Text)
	})
	if !plain || len(list) != 1 || list[0].Table != t || belonging(list[0], t, set, eq) == nil {
		return nil
	}
	from := insert[len(insert)-1].End + 1
	end := endIf.FindStringIndex(s.text[from:])
	if end == nil {
		return nil
	}
	var names []string
	for _, c := range set {
		names = append(names, quote.Ident(t.Columns[c].Name))
	}
	out := s.replace(toks[0].Start, insert[0].Start, "")
	out = append(out, s.insert(from-1, " ON CONFLICT ("+strings.Join(names, ", ")+") DO NOTHING")...)
	return append(out, s.replace(from, from+end[1], "")...)
}

// endIf matches the end of an IF whose branch is over.
var endIf = regexp.MustCompile(`(?i)^\s*end\s+if\s*;`)

// closing gives the place of the END that closes an IF which has one branch and no other IF in it, -1 if it is
// another one.
func closing(toks []pg.Token, from int) int {
	for i := from; i < len(toks)-1; i++ {
		switch t := toks[i]; {
		case t.Kind != pg.Word:
		case t.Text == "end" && toks[i+1].Text == "if":
			return i
		case slices.Contains([]string{"if", "case", "begin", "loop", "else", "elsif", "elseif"}, t.Text):
			return -1
		}
	}
	return -1
}

// leaves reports whether statements are one RAISE or RETURN.
func leaves(body []pg.Token) bool {
	semi := slices.IndexFunc(body, func(t pg.Token) bool { return t.Text == ";" })
	raises := len(body) > 2 && body[0].Text == "raise" && (body[1].Kind == pg.Text || body[1].Text == "exception")
	return semi >= 0 && semi == len(body)-1 && (raises || body[0].Text == "return")
}

// conditionWords are the words of conditions besides variables. Without OR, NOT and IS a condition is not true where
// the row is not there, which leaves its variables NULL.
var conditionWords = []string{"and", "true", "false", "between", "in"}

// known reports whether a condition is about variables of the row, constants, and parameters that nothing sets.
func (c *copied) known(cond []pg.Token) bool {
	uses := c.uses(cond)
	for _, t := range cond {
		if name(t) && !slices.Contains(uses, t) && !slices.Contains(c.params, t.Text) && !slices.Contains(conditionWords, t.Text) {
			return false
		}
	}
	return len(uses) > 0
}
