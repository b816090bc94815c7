package mysql

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/sql/value"
)

// LimitWord is the column of the subquery that stands for ORDER BY and LIMIT of an
// UPDATE or DELETE: WHERE (…) AND EXISTS (SELECT "LimitWord" ORDER BY … LIMIT n).
const LimitWord = "\uE001limit"

// AnyKey is the column in ON CONFLICT for whichever key is met.
const AnyKey = "\uE001key"

// OnDuplicate stands behind an INSERT of one row that does nothing where it meets a row with the same key, and fails for any other reason
// that an INSERT has: a handler for error 1062 follows. No SQL can spell it.
const OnDuplicate = " ON DUPLICATE KEY " + onDuplicate

const onDuplicate = "\uE001NOTHING"

// Replace is the column that ON CONFLICT DO UPDATE sets where REPLACE puts a new row in the place of the one that is there.
const Replace = "\uE001replace"

// piece is a token as it is written for PostgreSQL, "" for one that is left out.
// space says that something stands before it.
type piece struct {
	Token
	out   string
	space bool
}

// names of functions, options of statements and names that PostgreSQL has
// otherwise.
var (
	otherFunctions = map[string]string{
		"ifnull": "coalesce", "utc_timestamp": "now", "sysdate": "now", "localtime": "now", "rand": "random", "uuid": "gen_random_uuid", "lcase": "lower", "ucase": "upper",
		"mid": "substr", "ceiling": "ceil", "json_arrayagg": "json_agg", "length": "octet_length",
	}
	// modifiers say how a statement is to be run, not what it does.
	modifiers = []string{"SQL_NO_CACHE", "SQL_CACHE", "SQL_SMALL_RESULT", "SQL_BIG_RESULT", "SQL_BUFFER_RESULT", "SQL_CALC_FOUND_ROWS", "HIGH_PRIORITY", "LOW_PRIORITY", "DELAYED", "QUICK"}
	// reserved are names in MySQL and keywords of PostgreSQL.
	reserved = []string{"USER", "AUTHORIZATION", "COLLATION", "FREEZE", "ILIKE", "ISNULL", "NOTNULL", "OVERLAPS", "PLACING", "SIMILAR", "TABLESAMPLE", "VARIADIC",
		"VERBOSE", "INITIALLY", "DEFERRABLE", "ASYMMETRIC", "SYMMETRIC", "ONLY", "ARRAY", "ANALYSE", "CURRENT_CATALOG", "CURRENT_SCHEMA", "CONCURRENTLY"}
	castTypes = map[string]string{"SIGNED": "bigint", "UNSIGNED": "bigint", "CHAR": "text", "NCHAR": "text", "BINARY": "bytea", "DATETIME": "timestamp", "DOUBLE": "float8"}
)

// Postgres writes statements of MySQL in the dialect of PostgreSQL, as far as they
// have a form there; what has none stays, and cannot be read. Names are in lower
// case. A condition and a number are not told apart by MySQL: TRUE is 1. That texts
// are compared otherwise, and that / does not truncate, is not in what it gives.
// standard says that names stand between double quotes, as in standard SQL.
func (s *Schema) Postgres(sql string, standard bool) string {
	if s.types == nil {
		s.types = &[]*value.Type{}
	}
	var out []string
	for _, st := range Cut(File{Text: sql}) {
		for i, t := range st.Tokens {
			if name, ok := Unquote(st.Src.Text[t.From:t.To]); ok && standard && t.Kind == Text && st.Src.Text[t.From] == '"' {
				st.Tokens[i].Kind, st.Tokens[i].Text = quoted, name
			}
		}
		own := &Schema{types: s.types}
		if st.First("CREATE") || st.First("ALTER") {
			if list, ok := own.Translated(st); ok {
				var parts []string
				for _, p := range list {
					parts = append(parts, p.Out)
				}
				out = append(out, strings.Join(parts, " "))
				continue
			}
		}
		if st.Tokens[0].Is("UPDATE", "DELETE") && st.Readable() {
			if sql, ok := joined(st.Text()); ok {
				for _, one := range Cut(File{Text: sql}) {
					out = append(out, Rewritten(one.Src.Text, one.Tokens))
				}
				continue
			}
		}
		out = append(out, Rewritten(st.Src.Text, st.Tokens))
	}
	return strings.Join(out, "; ")
}

// rewritten writes the tokens of a statement, or a part of one.
func Rewritten(src string, tokens []Token) string {
	if len(tokens) > maxTokens {
		return src[tokens[0].From:tokens[len(tokens)-1].To]
	}
	list := pieces(src, tokens)
	for _, pass := range []func([]piece) []piece{operators, intervals, sequences, calls, options, ignoring, duplicates, targets, limitOffset, limitedWrite} {
		list = pass(list)
	}
	var b strings.Builder
	for _, p := range list {
		if p.out == "" {
			continue
		}
		if p.space && b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(p.out)
	}
	return b.String()
}

// pieces writes each token by itself.
func pieces(src string, tokens []Token) []piece {
	out := make([]piece, len(tokens))
	cases := 0 // that are open
	for i, t := range tokens {
		p := piece{Token: t, out: src[t.From:t.To], space: i > 0 && tokens[i-1].To != t.From}
		switch {
		case t.Kind == quoted:
			p.out = identifier(t.Text)
		case t.Kind == Text:
			p.out = textConstant(p.out)
		case t.Is("TRUE", "FALSE") && !(i > 0 && tokens[i-1].Is("IS")) && !(i > 1 && tokens[i-1].Is("NOT") && tokens[i-2].Is("IS")):
			p.out = map[bool]string{true: "1", false: "0"}[t.Is("TRUE")]
		case t.Is("CASE"):
			cases++
		case t.Is("END") && cases > 0:
			cases--
		case t.Is("END"), t.Is(reserved...) && (i+1 >= len(tokens) || !tokens[i+1].Is("(") || i > 0 && tokens[i-1].Is("INTO", "IGNORE", ".")),
			t.Is("OFFSET") && !(i > 1 && tokens[i-2].Is("LIMIT")) && !(i+2 < len(tokens) && tokens[i+2].Is("ROW", "ROWS")):
			p.out = identifier(t.Text)
		}
		out[i] = p
	}
	return out
}

// identifier writes a name.
func identifier(name string) string {
	return `"` + strings.ReplaceAll(strings.ToLower(name), `"`, `""`) + `"`
}

// textConstant writes a text constant; one that does not end stays.
func textConstant(s string) string {
	v, ok := Unquote(s)
	if !ok || strings.ContainsRune(v, 0) && !strings.ContainsRune(s, 0) {
		return s
	}
	return "'" + strings.ReplaceAll(v, "'", "''") + "'"
}

// next reports whether the piece at i is one of the words.
func next(list []piece, i int, words ...string) bool {
	return i >= 0 && i < len(list) && list[i].Is(words...)
}

// together reports whether the signs stand at i, without space between them.
func together(list []piece, i int, signs ...string) bool {
	for k, s := range signs {
		if !next(list, i+k, s) || k > 0 && list[i+k].space {
			return false
		}
	}
	return true
}

// operators writes those that PostgreSQL has otherwise.
func operators(list []piece) []piece {
	set := func(i, n int, word string) {
		list[i].out, list[i].space = word, true
		for k := i + 1; k < i+n; k++ {
			list[k].out = ""
		}
		if i+n < len(list) {
			list[i+n].space = true
		}
	}
	for i := range list {
		switch {
		case list[i].out == "":
		case together(list, i, "&", "&"):
			set(i, 2, "AND")
		case together(list, i, "|", "|"):
			set(i, 2, "OR")
		case together(list, i, "<", "=", ">"):
			set(i, 3, "IS NOT DISTINCT FROM")
		case next(list, i, "!") && !together(list, i, "!", "="):
			set(i, 1, "NOT")
		case next(list, i, "DIV") && operand(list, i-1):
			set(i, 1, "//")
		case next(list, i, "MOD") && operand(list, i-1):
			set(i, 1, "%")
		case next(list, i, "NOT") && next(list, i+1, "REGEXP", "RLIKE") && i > 0:
			set(i, 2, "!~*")
		case next(list, i, "REGEXP", "RLIKE") && i > 0:
			set(i, 1, "~*")
		case next(list, i, "LOCK") && next(list, i+1, "IN") && next(list, i+2, "SHARE") && next(list, i+3, "MODE"):
			set(i, 4, "FOR SHARE")
		}
	}
	return list
}

// operand reports whether the piece at i may end an operand.
func operand(list []piece, i int) bool {
	return i >= 0 && i < len(list) && (list[i].Kind != Word && list[i].Kind != Punct || list[i].Is(")") ||
		list[i].Kind == Word && !list[i].Is("SELECT", "WHERE", "AND", "OR", "NOT", "SET", "THEN", "ELSE", "WHEN", "CASE", "BY", "ON", "HAVING", "DISTINCT", "VALUES", "IN", "LIKE"))
}

// units are those of intervals.
var units = []string{"MICROSECOND", "SECOND", "MINUTE", "HOUR", "DAY", "WEEK", "MONTH", "QUARTER", "YEAR", "SECOND_MICROSECOND", "MINUTE_MICROSECOND", "MINUTE_SECOND",
	"HOUR_MICROSECOND", "HOUR_SECOND", "HOUR_MINUTE", "DAY_MICROSECOND", "DAY_SECOND", "DAY_MINUTE", "DAY_HOUR", "YEAR_MONTH"}

// intervals writes INTERVAL n unit as a call of the function Interval, and the units of other functions as texts.
func intervals(list []piece) []piece {
	for i := range list {
		switch {
		case next(list, i, "INTERVAL") && i+2 < len(list):
			from, to := i+1, i+1
			if next(list, from, "-", "+") {
				to++
			}
			if next(list, to+1, "(") && list[to].IsName() {
				to++
			}
			if next(list, to, "(") {
				if to = closing(list, to); to < 0 {
					continue
				}
			}
			for next(list, to+1, ".") {
				to += 2
			}
			if to+1 >= len(list) || !next(list, to+1, units...) {
				continue
			}
			list[i].out, list[from].space = Interval+"(", false
			list[to+1].out, list[to+1].space = ", '"+strings.ToLower(list[to+1].Text)+"')", false
		case next(list, i, "TIMESTAMPDIFF", "TIMESTAMPADD") && next(list, i+1, "(") && next(list, i+2, units...):
			list[i+2].out = "'" + strings.ToLower(list[i+2].Text) + "'"
		}
	}
	return list
}

// closing finds the parenthesis that closes the one at i, -1 if none does.
func closing(list []piece, i int) int {
	depth := 0
	for ; i < len(list); i++ {
		switch {
		case list[i].Is("("):
			depth++
		case list[i].Is(")"):
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// commas finds those between parentheses at from and to.
func commas(list []piece, from, to int) []int {
	var out []int
	depth := 0
	for i := from + 1; i < to; i++ {
		switch {
		case list[i].Is("("):
			depth++
		case list[i].Is(")"):
			depth--
		case list[i].Is(",") && depth == 0:
			out = append(out, i)
		}
	}
	return out
}

// calls writes the functions that PostgreSQL has otherwise.
func calls(list []piece) []piece {
	for i := range list {
		if list[i].Kind != Word || !next(list, i+1, "(") || next(list, i-1, ".") {
			continue
		}
		end := closing(list, i+1)
		if end < 0 {
			continue
		}
		at := commas(list, i+1, end)
		switch name := strings.ToLower(list[i].Text); {
		case name == "if" && len(at) == 2:
			list[i].out, list[i+1].out = "(CASE WHEN (", ""
			list[at[0]].out, list[at[0]].space = ") THEN", true
			list[at[1]].out, list[at[1]].space = "ELSE", true
			list[at[0]+1].space, list[at[1]+1].space = true, true
			list[end].out, list[end].space = "END)", true
		case name == "isnull" && len(at) == 0:
			list[i].out, list[end].out = "(", ") IS NULL)"
			list[i+1].out = "("
		case name == "cast" || name == "convert":
			if next(list, end-1, "INTEGER", "INT") {
				list[end-1].out = ""
			}
			for k := i + 1; k < end; k++ {
				if to, ok := castTypes[strings.ToUpper(list[k].Text)]; ok && list[k].Kind == Word && (next(list, k-1, "AS") || name == "convert" && slices.Contains(at, k-1)) {
					list[k].out = to
				}
			}
			if name == "convert" && len(at) == 1 {
				list[i].out, list[at[0]].out, list[at[0]].space = "CAST", "AS", true
				list[at[0]+1].space = true
			}
		case otherFunctions[name] != "":
			list[i].out = otherFunctions[name]
			if list[i].out == "now" { // how many digits of a second
				for k := i + 2; k < end; k++ {
					list[k].out = ""
				}
			}
		case name == "now" || name == "current_timestamp" || name == "localtimestamp":
			list[i].out = "now"
			for k := i + 2; k < end; k++ {
				list[k].out = ""
			}
		case name == "curdate" || name == "current_date" || name == "utc_date":
			list[i].out, list[i+1].out, list[end].out = "current_date", "", ""
		}
	}
	return list
}

// options leaves out what says how a statement is run, and adds INTO to an INSERT
// without one.
func options(list []piece) []piece {
	for i := 0; i < len(list); i++ {
		switch {
		case next(list, i, modifiers...) && i > 0 && next(list, i-1, append([]string{"SELECT", "INSERT", "UPDATE", "DELETE", "REPLACE", "DISTINCT"}, modifiers...)...):
			list[i].out = ""
		case next(list, i, "USE", "FORCE", "IGNORE") && next(list, i+1, "INDEX", "KEY"):
			k := i + 2
			if next(list, k, "FOR") {
				for k++; next(list, k, "JOIN", "ORDER", "GROUP", "BY"); k++ {
				}
			}
			if end := closing(list, k); next(list, k, "(") && end > 0 {
				for ; i <= end; i++ {
					list[i].out = ""
				}
				i--
			}
		case next(list, i, "FROM") && next(list, i+1, "DUAL") && !next(list, i+2, ",", "JOIN"):
			list[i].out, list[i+1].out = "", ""
		case next(list, i, "STRAIGHT_JOIN"):
			list[i].out = "JOIN"
			if next(list, i-1, "SELECT") {
				list[i].out = ""
			}
		}
	}
	return list
}

// ignoring writes INSERT IGNORE as ON CONFLICT DO NOTHING, and REPLACE as ON CONFLICT DO UPDATE.
func ignoring(list []piece) []piece {
	replaces := next(list, 0, "REPLACE")
	if replaces {
		list[0].out, list[0].Token = "INSERT", Token{Kind: Word, Text: "INSERT"}
	}
	if !next(list, 0, "INSERT") {
		return list
	}
	i := 1
	for i < len(list) && list[i].out == "" {
		i++
	}
	ignore := next(list, i, "IGNORE")
	if ignore {
		list[i].out = ""
		i++
	}
	if i < len(list) && !list[i].Is("INTO") {
		list = slices.Insert(list, i, piece{Token: Token{Kind: Word, Text: "INTO"}, out: "INTO", space: true})
	}
	for k := range list { // INSERT INTO t () VALUES ()
		if together(list, k, "(", ")") && next(list, k+2, "VALUES", "VALUE") && together(list, k+3, "(", ")") && k+5 == len(list) {
			list[k].out, list[k+1].out, list[k+2].out, list[k+3].out, list[k+4].out = "DEFAULT VALUES", "", "", "", ""
			list[k].space = true
		}
	}
	list = setForm(list)
	switch {
	case ignore:
		list = append(list, plus("ON CONFLICT DO NOTHING"))
	case replaces:
		list = append(list, plus(`ON CONFLICT ("`+AnyKey+`") DO UPDATE SET "`+Replace+`" = 1`))
	}
	return list
}

// setForm writes INSERT … SET a = x, b = y with VALUES.
func setForm(list []piece) []piece {
	at := slices.IndexFunc(list, func(p piece) bool { return p.Is("SET", "VALUES", "VALUE", "SELECT", "(") })
	if at < 0 || !list[at].Is("SET") {
		if at >= 0 && list[at].Is("(") {
			if end := closing(list, at); next(list, end+1, "VALUE") {
				list[end+1].out = "VALUES"
			}
		}
		return list
	}
	end := len(list)
	for i := at; i+2 < len(list); i++ {
		if next(list, i, "ON") && next(list, i+1, "DUPLICATE") {
			end = i
			break
		}
	}
	ends := append(commas(list, at, end), end)
	var names, values []piece
	from := at + 1
	for n, to := range ends {
		if from+2 > to-1 || !list[from].IsName() || !list[from+1].Is("=") {
			return list
		}
		if n > 0 {
			names, values = append(names, piece{out: ","}), append(values, piece{out: ","})
		}
		names, values = append(names, list[from]), append(values, list[from+2:to]...)
		from = to + 1
	}
	wrap := func(before string, in []piece) []piece {
		return slices.Concat([]piece{{out: before, space: true}}, in, []piece{{out: ")"}})
	}
	return slices.Concat(list[:at], wrap("(", names), wrap("VALUES (", values), list[end:])
}

// duplicates writes ON DUPLICATE KEY UPDATE as ON CONFLICT on whichever key, and OnDuplicate as that without an update.
func duplicates(list []piece) []piece {
	if !next(list, 0, "INSERT") {
		return list
	}
	for i := range list {
		if !next(list, i, "ON") || !next(list, i+1, "DUPLICATE") || !next(list, i+2, "KEY") || !next(list, i+3, "UPDATE", onDuplicate) {
			continue
		}
		if next(list, i+3, onDuplicate) {
			list[i].out, list[i+1].out, list[i+2].out, list[i+3].out = `ON CONFLICT ("`+AnyKey+`") DO NOTHING`, "", "", ""
			break
		}
		list[i].out = `ON CONFLICT ("` + AnyKey + `") DO UPDATE SET`
		list[i+1].out, list[i+2].out, list[i+3].out = "", "", ""
		for k := i + 4; k < len(list); k++ {
			if next(list, k, "VALUES", "VALUE") && next(list, k+1, "(") && next(list, k+3, ")") {
				list[k].out, list[k+1].out, list[k+3].out = "excluded.", "", ""
				list[k+2].space = false
			}
		}
		break
	}
	return list
}

// limitOffset writes LIMIT a, b as OFFSET a LIMIT b: the parameters keep their
// order.
func limitOffset(list []piece) []piece {
	for i := range list {
		if next(list, i, "LIMIT") && next(list, i+2, ",") {
			list[i].out = "OFFSET"
			list[i+2].out, list[i+2].space = "LIMIT", true
			if i+3 < len(list) {
				list[i+3].space = true
			}
		}
	}
	return list
}

// limitedWrite writes ORDER BY and LIMIT of an UPDATE or DELETE as LimitWord says.
func limitedWrite(list []piece) []piece {
	if !next(list, 0, "UPDATE", "DELETE") {
		return list
	}
	where, order, limit, depth := -1, -1, -1, 0
	for i := range list {
		switch {
		case list[i].Is("("):
			depth++
		case list[i].Is(")"):
			depth--
		case depth > 0:
		case list[i].Is("WHERE"):
			where = i
		case list[i].Is("ORDER") && next(list, i+1, "BY"):
			order = i
		case list[i].Is("LIMIT"):
			limit = i
		}
	}
	if limit < 0 {
		if order >= 0 { // all rows are written, in whatever order
			return list[:order]
		}
		return list
	}
	from := limit
	if order >= 0 {
		from = order
	}
	var begin []piece
	if where >= 0 {
		list[where].out = "WHERE ("
		begin = []piece{{out: ") AND", space: true}}
	} else {
		begin = []piece{{out: "WHERE", space: true}}
	}
	begin = append(begin, piece{out: `EXISTS (SELECT "` + LimitWord + `"`, space: true})
	list[from].space = true
	return slices.Concat(list[:from], begin, list[from:], []piece{{out: ")"}})
}
