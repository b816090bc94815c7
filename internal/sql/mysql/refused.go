package mysql

import (
	"strings"

	"github.com/txrobust/robust/ir"
)

// leaveOut is what to do with a file in the dialect of PostgreSQL.
const leaveOut = "this is SQL of PostgreSQL: leave -dialect mysql out"

// refused is the fault of a statement that neither MySQL nor MariaDB takes, nil if none is known.
func (st *statement) refused() *ir.Error {
	depth := 0
	for i, t := range st.tokens {
		switch {
		case t.is("("):
			depth++
		case t.is(")"):
			depth--
		}
		if what := st.foreign(i, depth); what != "" {
			return ir.Errorf(st.src.pos(t.from), "%s", what)
		}
	}
	last := st.tokens[len(st.tokens)-1]
	switch {
	case depth != 0:
		return ir.Errorf(st.pos(), "the parentheses of this statement must be closed as often as they are opened, but are not; mend it")
	case last.is("WHERE", "FROM", "SET", "AND", "OR", "HAVING", "BY", "ON", "INTO", ",", "=") && !st.at(len(st.tokens)-2, "."):
		return ir.Errorf(st.src.pos(last.from), "the statement ends after %s; complete it", strings.ToUpper(last.text))
	}
	return nil
}

// at reports whether the token at i is there, and one of the words.
func (st *statement) at(i int, words ...string) bool {
	return i >= 0 && i < len(st.tokens) && st.tokens[i].is(words...)
}

// sequence reports whether the words stand from i on.
func (st *statement) sequence(i int, words ...string) bool {
	for k, w := range words {
		if !st.at(i+k, w) {
			return false
		}
	}
	return true
}

// foreign says what of the dialect of PostgreSQL stands at i, or gives "". Names stay names: a column may be called conflict.
func (st *statement) foreign(i, depth int) string {
	if st.at(i-1, ".") || st.at(i+1, ".") {
		return ""
	}
	operand := func(i int) bool {
		return i >= 0 && i < len(st.tokens) && (st.tokens[i].kind != punct && !st.tokens[i].is("SELECT", "WHERE", "AND", "OR", "NOT", "ON", "BY", "SET") || st.at(i, ")"))
	}
	switch {
	case st.sequence(i, "ON", "CONFLICT") && st.at(i+2, "(", "DO", "ON"):
		return "ON CONFLICT must be ON DUPLICATE KEY UPDATE or INSERT IGNORE here; " + leaveOut
	case st.at(i, "RETURNING") && depth == 0 && st.first("UPDATE") && operand(i-1) && operand(i+1):
		return "an UPDATE must not have RETURNING, but has; select the row first, with FOR UPDATE, or, if " + leaveOut
	case st.at(i, ":") && i+1 < len(st.tokens) && st.tokens[i+1].kind == named && st.tokens[i+1].text[0] == ':' && st.tokens[i+1].from == st.tokens[i].to:
		return ":: must be CAST(… AS …) here; " + leaveOut
	case st.at(i, "ILIKE") && operand(i-1) && !st.at(i-1, "SELECT") && i+1 < len(st.tokens) && (st.tokens[i+1].kind == text || st.tokens[i+1].kind == mark || st.tokens[i+1].kind == named):
		return "ILIKE must be LIKE here; " + leaveOut
	case st.sequence(i, "DISTINCT", "ON", "("):
		return "DISTINCT must not have ON, but has; " + leaveOut
	case st.sequence(i, "FOR", "NO", "KEY", "UPDATE"), st.sequence(i, "FOR", "KEY", "SHARE"):
		return "a lock must be FOR UPDATE, FOR SHARE or LOCK IN SHARE MODE here; " + leaveOut
	case st.at(i, "NULLS") && st.at(i+1, "FIRST", "LAST") && operand(i-1):
		return "an order must not have NULLS FIRST or LAST, but has; " + leaveOut
	case st.at(i, "FULL") && st.at(i+1, "OUTER") && st.at(i+2, "JOIN"):
		return "FULL OUTER JOIN must be a UNION of two joins here; " + leaveOut
	case st.at(i, "FROM") && !st.at(i-1, "DISTINCT") && depth == 0 && st.first("UPDATE") && st.has("SET"):
		return "an UPDATE must name the other tables beside its own, but has FROM; " + leaveOut
	case st.sequence(i, "DEFAULT", "VALUES") && st.first("INSERT"):
		return "DEFAULT VALUES must be VALUES () here; " + leaveOut
	case dollar(st.tokens[i]):
		return "a parameter must be ? or :name, but is " + st.tokens[i].text + "; " + leaveOut
	}
	return ""
}

// dollar reports whether a token is a parameter of PostgreSQL: $1.
func dollar(t token) bool {
	return t.kind == word && len(t.text) > 1 && t.text[0] == '$' && strings.Trim(t.text[1:], "0123456789") == ""
}
