package mysql

import (
	"strings"

	"github.com/txrobust/robust/internal/ir"
)

// leaveOut is what to do with a file in the dialect of PostgreSQL.
const leaveOut = "this is SQL of PostgreSQL: leave -dialect mysql out"

// refused is the fault of a statement that neither MySQL nor MariaDB takes, nil if none is known.
func (st *Statement) Refused() *ir.Error {
	depth := 0
	for i, t := range st.Tokens {
		switch {
		case t.Is("("):
			depth++
		case t.Is(")"):
			depth--
		}
		if what := st.foreign(i, depth); what != "" {
			return ir.Errorf(st.Src.Pos(t.From), "%s", what)
		}
	}
	last := st.Tokens[len(st.Tokens)-1]
	switch {
	case depth != 0:
		return ir.Errorf(st.Pos(), "the parentheses of this statement must be closed as often as they are opened, but are not; mend it")
	case last.Is("WHERE", "FROM", "SET", "AND", "OR", "HAVING", "BY", "ON", "INTO", ",", "=") && !st.at(len(st.Tokens)-2, "."):
		return ir.Errorf(st.Src.Pos(last.From), "the statement ends after %s; complete it", strings.ToUpper(last.Text))
	}
	return nil
}

// at reports whether the token at i is there, and one of the words.
func (st *Statement) at(i int, words ...string) bool {
	return i >= 0 && i < len(st.Tokens) && st.Tokens[i].Is(words...)
}

// sequence reports whether the words stand from i on.
func (st *Statement) sequence(i int, words ...string) bool {
	for k, w := range words {
		if !st.at(i+k, w) {
			return false
		}
	}
	return true
}

// foreign says what of the dialect of PostgreSQL stands at i, or gives "". Names stay names: a column may be called conflict.
func (st *Statement) foreign(i, depth int) string {
	if st.at(i-1, ".") || st.at(i+1, ".") {
		return ""
	}
	operand := func(i int) bool {
		return i >= 0 && i < len(st.Tokens) && (st.Tokens[i].Kind != Punct && !st.Tokens[i].Is("SELECT", "WHERE", "AND", "OR", "NOT", "ON", "BY", "SET") || st.at(i, ")"))
	}
	switch {
	case st.sequence(i, "ON", "CONFLICT") && st.at(i+2, "(", "DO", "ON"):
		return "ON CONFLICT must be ON DUPLICATE KEY UPDATE or INSERT IGNORE here; " + leaveOut
	case st.at(i, "RETURNING") && depth == 0 && st.First("UPDATE") && operand(i-1) && operand(i+1):
		return "an UPDATE must not have RETURNING, but has; select the row first, with FOR UPDATE, or, if " + leaveOut
	case st.at(i, ":") && i+1 < len(st.Tokens) && st.Tokens[i+1].Kind == Named && st.Tokens[i+1].Text[0] == ':' && st.Tokens[i+1].From == st.Tokens[i].To:
		return ":: must be CAST(… AS …) here; " + leaveOut
	case st.at(i, "ILIKE") && operand(i-1) && !st.at(i-1, "SELECT") && i+1 < len(st.Tokens) && (st.Tokens[i+1].Kind == Text || st.Tokens[i+1].Kind == Mark || st.Tokens[i+1].Kind == Named):
		return "ILIKE must be LIKE here; " + leaveOut
	case st.sequence(i, "DISTINCT", "ON", "("):
		return "DISTINCT must not have ON, but has; " + leaveOut
	case st.sequence(i, "FOR", "NO", "KEY", "UPDATE"), st.sequence(i, "FOR", "KEY", "SHARE"):
		return "a lock must be FOR UPDATE, FOR SHARE or LOCK IN SHARE MODE here; " + leaveOut
	case st.at(i, "NULLS") && st.at(i+1, "FIRST", "LAST") && operand(i-1):
		return "an order must not have NULLS FIRST or LAST, but has; " + leaveOut
	case st.at(i, "FULL") && st.at(i+1, "OUTER") && st.at(i+2, "JOIN"):
		return "FULL OUTER JOIN must be a UNION of two joins here; " + leaveOut
	case st.at(i, "FROM") && !st.at(i-1, "DISTINCT") && depth == 0 && st.First("UPDATE") && st.Has("SET"):
		return "an UPDATE must name the other tables beside its own, but has FROM; " + leaveOut
	case st.sequence(i, "DEFAULT", "VALUES") && st.First("INSERT"):
		return "DEFAULT VALUES must be VALUES () here; " + leaveOut
	case dollar(st.Tokens[i]):
		return "a parameter must be ? or :name, but is " + st.Tokens[i].Text + "; " + leaveOut
	}
	return ""
}

// dollar reports whether a token is a parameter of PostgreSQL: $1.
func dollar(t Token) bool {
	return t.Kind == Word && len(t.Text) > 1 && t.Text[0] == '$' && strings.Trim(t.Text[1:], "0123456789") == ""
}
