package mysqlscript

import "github.com/txrobust/robust/internal/sql/mysql"

import "slices"

// The names of variables hide those of columns, wherever an expression stands in a statement of a body (MySQL manual, "Local
// Variable Scope and Resolution"; quotes make no difference). Names of tables, columns that are set, aliases and words are no
// expressions.

// nameFinder finds the names in a statement that stand where an expression does.
type nameFinder struct {
	tokens []mysql.Token
	// levels are the parentheses that are open.
	levels []nameLevel
	found  []int
}

// nameLevel is what is known inside of parentheses.
type nameLevel struct {
	// tables says that names are those of tables, from that there is a list of them; targets that names before = are those of columns.
	tables, from, targets bool
	// none says that no name is an expression: a list of columns. call says that they are the arguments of a function.
	none, call bool
}

// expressionNames gives the places of the tokens that may be names of variables.
func expressionNames(tokens []mysql.Token) []int {
	f := &nameFinder{tokens: tokens, levels: []nameLevel{{}}}
	for i, t := range tokens {
		f.token(i, t)
	}
	return f.found
}

// is reports whether the token at i is one of the words.
func (f *nameFinder) is(i int, words ...string) bool {
	return i >= 0 && i < len(f.tokens) && f.tokens[i].Is(words...)
}

func (f *nameFinder) token(i int, t mysql.Token) {
	l := &f.levels[len(f.levels)-1]
	switch {
	case t.Is("("):
		f.levels = append(f.levels, f.inside(i))
	case t.Is(")"):
		if len(f.levels) > 1 {
			f.levels = f.levels[:len(f.levels)-1]
		}
	case f.is(i-1, ".") || f.is(i+1, "."):
	case t.Is("FROM") && !f.is(i-1, "DISTINCT") && !f.inCall(), t.Is("JOIN"), t.Is("UPDATE") && !f.is(i-1, "FOR", "KEY"), t.Is("INTO"), t.Is("DELETE") && i == 0:
		l.tables, l.from, l.targets = true, true, false
	case t.Is("ON") && f.is(i+1, "DUPLICATE"):
		l.tables, l.from = false, false
	case t.Is("UPDATE"):
		l.tables, l.from, l.targets = false, false, f.is(i-1, "KEY")
	case t.Is("SET"):
		l.tables, l.from, l.targets = false, false, true
	case t.Is("ON", "USING"):
		l.tables = false
	case t.Is("VALUES") && l.targets: // the row that was to be inserted
	case t.Is("WHERE", "HAVING", "GROUP", "ORDER", "LIMIT", "VALUES", "VALUE", "SELECT", "FOR", "UNION"):
		*l = nameLevel{}
	case t.Is(","):
		l.tables = l.from
	case t.IsName() && !l.tables && !l.none && f.expression(i, l):
		f.found = append(f.found, i)
	}
}

// inCall reports whether the parentheses that are open belong to a function with FROM among its arguments: EXTRACT(YEAR FROM d).
func (f *nameFinder) inCall() bool { return f.levels[len(f.levels)-1].call }

// inside is what is known behind the parenthesis at i.
func (f *nameFinder) inside(i int) nameLevel {
	outer := f.levels[len(f.levels)-1]
	switch {
	case f.is(i+1, "SELECT", "WITH", "("):
		return nameLevel{}
	case f.is(i-1, "USING"), outer.tables && i > 0 && f.tokens[i-1].IsName() && !f.is(i-1, "FROM", "JOIN", "INTO"): // INSERT INTO t (a, b)
		return nameLevel{none: true}
	case outer.targets && f.is(i-1, "VALUES", "VALUE"): // ON DUPLICATE KEY UPDATE a = VALUES(a)
		return nameLevel{none: true}
	}
	call := i > 0 && f.tokens[i-1].Kind == mysql.Word && f.is(i-1, "EXTRACT", "TRIM", "SUBSTRING", "SUBSTR", "MID", "POSITION", "OVERLAY")
	return nameLevel{tables: outer.tables, from: outer.tables, call: call}
}

// words are words that stand in expressions and may also be names.
var expressionWords = []string{"AND", "OR", "NOT", "XOR", "IS", "NULL", "TRUE", "FALSE", "IN", "LIKE", "BETWEEN", "EXISTS", "CASE", "WHEN", "THEN", "ELSE", "END", "DIV", "MOD", "REGEXP",
	"RLIKE", "BINARY", "INTERVAL", "DISTINCT", "ALL", "ANY", "SOME", "ASC", "DESC", "AS", "BY", "DEFAULT", "IGNORE", "UNKNOWN", "COLLATE", "ESCAPE", "SEPARATOR"}

// expression reports whether the name at i stands where an expression does.
func (f *nameFinder) expression(i int, l *nameLevel) bool {
	t := f.tokens[i]
	switch {
	case t.Kind == mysql.Word && t.Is(expressionWords...), f.is(i+1, "("):
		return false
	case f.is(i-1, "AS", "COLLATE", "SAVEPOINT"):
		return false
	case i > 0 && f.ends(i-1): // an alias, or the unit of an interval
		return false
	case l.targets && f.is(i+1, "=") && f.begins(i):
		return false
	case f.is(i-1, "(") && f.is(i-2, "EXTRACT", "TIMESTAMPDIFF", "TIMESTAMPADD"): // a unit
		return false
	}
	return true
}

// ends reports whether the token at i ends an operand.
func (f *nameFinder) ends(i int) bool {
	t := f.tokens[i]
	switch t.Kind {
	case mysql.Punct:
		return t.Is(")")
	case mysql.Word:
		return t.Is("END", "NULL", "TRUE", "FALSE") || !t.Is(expressionWords...) && !slices.ContainsFunc(clauseWords, func(w string) bool { return t.Is(w) })
	}
	return true
}

// clauseWords are words before which no operand ends.
var clauseWords = []string{"SELECT", "WHERE", "HAVING", "ON", "SET", "BY", "LIMIT", "OFFSET", "VALUES", "VALUE", "RETURN", "DO", "DISTINCTROW", "STRAIGHT_JOIN", "HIGH_PRIORITY",
	"SQL_CALC_FOUND_ROWS", "SQL_NO_CACHE", "IF", "UNTIL", "WHILE", "RETURNING", "CALL"}

// begins reports whether the name at i begins an assignment.
func (f *nameFinder) begins(i int) bool {
	return f.is(i-1, "SET", ",", "UPDATE", ".")
}
