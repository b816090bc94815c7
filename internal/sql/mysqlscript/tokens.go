package mysqlscript

import (
	"slices"

	"github.com/txrobust/robust/internal/sql/mysql"
)

// closing gives the place of the parenthesis that closes the one at i, the end if none does.
func closing(tokens []mysql.Token, i int) int {
	depth := 0
	for ; i < len(tokens); i++ {
		if tokens[i].Is("(") {
			depth++
		} else if tokens[i].Is(")") {
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(tokens) - 1
}

// castName gives the type that tokens name as CAST names it, "" for another one than a number that is exact.
func castName(st *mysql.Statement, tokens []mysql.Token) string {
	switch {
	case tokens[0].Is("INT", "INTEGER", "BIGINT", "SMALLINT", "TINYINT", "MEDIUMINT"):
		return "SIGNED"
	case tokens[0].Is("DECIMAL") && len(tokens) > 1 && !tokens[len(tokens)-1].Is("UNSIGNED"):
		return st.Src.Text[tokens[0].From:tokens[len(tokens)-1].To]
	}
	return ""
}

// assigns gives the place of the first @v := in a statement, -1 if it has none.
func assigns(st *mysql.Statement) int {
	if st.First("SET") {
		return -1
	}
	for i := 0; i+2 < len(st.Tokens); i++ {
		if _, is := st.Tokens[i].UserVariable(); is && st.Tokens[i+1].Is(":") && st.Tokens[i+2].Is("=") {
			return i
		}
	}
	return -1
}

// countsUp gives the place of the first LAST_INSERT_ID with an argument, -1 if there is none.
func countsUp(tokens []mysql.Token) int {
	for i := 0; i+2 < len(tokens); i++ {
		if tokens[i].Is("LAST_INSERT_ID") && tokens[i+1].Is("(") && !tokens[i+2].Is(")") {
			return i
		}
	}
	return -1
}

// topWord finds the first of some words from i on that stands in no parentheses, the end if there is none.
func topWord(tokens []mysql.Token, i int, words ...string) int {
	depth := 0
	for ; i < len(tokens); i++ {
		switch t := tokens[i]; {
		case t.Is("("):
			depth++
		case t.Is(")"):
			depth--
		case depth == 0 && t.Is(words...):
			return i
		}
	}
	return len(tokens)
}

// aggregates reports whether columns are computed of all rows.
func aggregates(columns []mysql.Token) bool {
	for i := 0; i+1 < len(columns); i++ {
		if columns[i].Is("COUNT", "SUM", "MIN", "MAX", "AVG") && columns[i+1].Is("(") {
			return !slices.ContainsFunc(columns, func(t mysql.Token) bool { return t.Is("OVER") })
		}
	}
	return false
}

// counts reports whether a value is one that a column takes as it is: the column itself with whole numbers added.
func counts(column mysql.Token, value []mysql.Token) bool {
	return !slices.ContainsFunc(value, func(t mysql.Token) bool {
		whole := t.Kind == mysql.Number && !slices.ContainsFunc([]byte(t.Text), func(c byte) bool { return c < '0' || c > '9' })
		return !whole && !t.Is("(", ")", "+", "-") && !(t.IsName() && t.Text == column.Text)
	})
}
