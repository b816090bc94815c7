package syntax

import (
	"slices"
	"strconv"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/catalog"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/value"
)

// Scanner splits a file as psql does: it finds the commands that begin with a
// backslash, and puts $1, $2, … in the place of parameters and variables, for
// which the grammar of SQL has no other form. Strings and comments stay as they
// are.
type Scanner struct {
	S   *Session
	Src *Source
	In  string
	i   int
	// Out is the text for the parser; byte k of it comes from offs[k] of the
	// file. As long as it is a part of the file, which begins at first, changed
	// is false and offs is not kept.
	Out     []byte
	offs    []int
	first   int
	changed bool
	// blank are the spans of commands; in the first byte of those that end
	// a statement a semicolon stands instead.
	blank [][2]int
	cmds  []*Command
	// end is where \q is, or -1.
	end int
	// The statement so far: where it begins in out, its first words, the
	// nesting of parentheses, and of BEGIN … END in a function.
	start    int
	words    []string
	nesting  int
	blocks   int
	brackets []bool // for each "[", whether it begins a subscript
	prev     tokenClass
}

// tokenClass says what stood before a character: an operand, or something
// after which an operand may follow.
type tokenClass uint8

const (
	beforeOperand tokenClass = iota
	afterOperand
)

// Run scans the whole text.
func (sc *Scanner) Run() {
	sc.end = -1
	for sc.i < len(sc.In) {
		if sc.S.ended && sc.end < 0 {
			sc.end = sc.i
			sc.blank = append(sc.blank, [2]int{sc.i, len(sc.In)})
			break
		}
		sc.next()
	}
}

// plain is the file without the commands, with every byte in its place.
func (sc *Scanner) plain() []byte {
	out := []byte(sc.In)
	for _, span := range sc.blank {
		for i := span[0]; i < span[1]; i++ {
			if out[i] != '\n' && out[i] != '\r' {
				out[i] = ' '
			}
		}
	}
	for _, c := range sc.cmds {
		if c.ends {
			out[c.at] = ';'
		}
	}
	return out
}

// copy takes over the bytes up to end.
func (sc *Scanner) copy(end int) {
	end = min(end, len(sc.In))
	if end > sc.i && !sc.changed {
		sc.Out = append(sc.Out, sc.In[sc.i:end]...)
		sc.i = end
	}
	for ; sc.i < end; sc.i++ {
		sc.Out = append(sc.Out, sc.In[sc.i])
		sc.offs = append(sc.offs, sc.i)
	}
}

// Places gives the place in the file of each byte of out.
func (sc *Scanner) Places() []int {
	if !sc.changed {
		sc.offs = make([]int, len(sc.Out))
		for k := range sc.offs {
			sc.offs[k] = sc.first + k
		}
	}
	return sc.offs
}

// put writes text for the bytes up to end.
func (sc *Scanner) put(text string, end int) {
	if n := len(sc.Out); n > 0 && inWord(sc.Out[n-1]) && text != "" && inWord(text[0]) {
		text = " " + text
	}
	sc.offs = sc.Places()
	sc.changed = true
	for k := 0; k < len(text); k++ {
		sc.Out = append(sc.Out, text[k])
		sc.offs = append(sc.offs, sc.i)
	}
	sc.i = end
}

func startsWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func inWord(c byte) bool { return startsWord(c) || isDigit(c) || c == '$' }

// at gives a byte of the file, 0 outside.
func (sc *Scanner) at(i int) byte {
	if i < 0 || i >= len(sc.In) {
		return 0
	}
	return sc.In[i]
}

// wordEnd gives the end of the name at i.
func (sc *Scanner) wordEnd(i int) int {
	for i < len(sc.In) && inWord(sc.In[i]) && sc.In[i] != '$' {
		i++
	}
	return i
}

func (sc *Scanner) pos() ir.Pos { return sc.Src.Pos(sc.i) }

// inDDL reports whether the statement declares something: its own parameters
// stay as they are.
func (sc *Scanner) inDDL() bool {
	return len(sc.words) > 0 && (sc.words[0] == "create" || sc.words[0] == "alter")
}

// empty reports whether no statement has begun.
func (sc *Scanner) empty() bool {
	return sc.prev == beforeOperand && len(sc.words) == 0 && sc.nesting == 0
}

// next takes one token.
func (sc *Scanner) next() {
	c, d := sc.In[sc.i], sc.at(sc.i+1)
	rest := sc.In[sc.i:]
	switch {
	case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v':
		sc.copy(sc.i + 1)
	case c == '-' && d == '-':
		n := strings.IndexByte(rest, '\n')
		if n < 0 {
			n = len(rest)
		}
		sc.copy(sc.i + n)
	case c == '/' && d == '*':
		sc.copy(sc.i + BlockComment(rest))
	case c == '\'':
		sc.copy(sc.i + quoted(rest, '\'', false))
		sc.operand()
	case (c == 'e' || c == 'E') && d == '\'':
		sc.copy(sc.i + 1 + quoted(rest[1:], '\'', true))
		sc.operand()
	case c == '"':
		sc.copy(sc.i + quoted(rest, '"', false))
		sc.word("\"")
		sc.operand()
	case c == '$':
		sc.dollar(rest)
	case c == '\\' && sc.S.Sent == nil:
		sc.command()
	case startsWord(c):
		sc.name(rest)
	case isDigit(c) || c == '.' && isDigit(d):
		sc.copy(sc.numberEnd())
		sc.operand()
	case c == ':':
		sc.colon(d)
	case c == '?':
		sc.question(rest)
	case c == '@' && startsWord(d) && sc.at(sc.i-1) != '<' && sc.at(sc.i-1) != '@' && !sc.inDDL() &&
		sc.S.Sent.parameter(sc.In[sc.i+1:sc.wordEnd(sc.i+1)]):
		end := sc.wordEnd(sc.i + 1)
		sc.parameter(":"+sc.In[sc.i+1:end], sc.In[sc.i+1:end], end)
	default:
		sc.punctuation(c)
	}
}

func (sc *Scanner) operand() { sc.prev = afterOperand }

// word takes note of a word of the statement.
func (sc *Scanner) word(w string) {
	if len(sc.words) < 4 {
		sc.words = append(sc.words, strings.ToLower(w))
	}
}

func (sc *Scanner) numberEnd() int {
	i := sc.i
	for i < len(sc.In) && (inWord(sc.In[i]) && sc.In[i] != '$' || sc.In[i] == '.') {
		if (sc.In[i] == 'e' || sc.In[i] == 'E') && (sc.at(i+1) == '-' || sc.at(i+1) == '+') && isDigit(sc.at(i+2)) {
			i++
		}
		i++
	}
	return i
}

// BlockComment gives the length of the comment at the start of s; comments
// nest.
func BlockComment(s string) int {
	depth := 0
	for i := 0; i < len(s)-1; i++ {
		switch s[i : i+2] {
		case "/*":
			depth++
			i++
		case "*/":
			i++
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(s)
}

// quoted gives the length of the string or quoted name at the start of s.
func quoted(s string, q byte, escapes bool) int {
	for i := 1; i < len(s); i++ {
		switch {
		case escapes && s[i] == '\\':
			i++
		case s[i] == q && i+1 < len(s) && s[i+1] == q:
			i++
		case s[i] == q:
			return i + 1
		}
	}
	return len(s)
}

// dollar takes a parameter $1, or a string in dollar quotes.
func (sc *Scanner) dollar(rest string) {
	i := 1
	for i < len(rest) && isDigit(rest[i]) {
		i++
	}
	if i > 1 {
		if sc.inDDL() {
			sc.copy(sc.i + i)
		} else {
			sc.parameter(rest[:i], "p"+rest[1:i], sc.i+i)
		}
		sc.operand()
		return
	}
	for i < len(rest) && inWord(rest[i]) && rest[i] != '$' {
		i++
	}
	if i < len(rest) && rest[i] == '$' {
		tag := rest[:i+1]
		if n := strings.Index(rest[i+1:], tag); n >= 0 {
			sc.copy(sc.i + i + 1 + n + len(tag))
		} else {
			sc.copy(len(sc.In))
		}
		sc.operand()
		return
	}
	sc.copy(sc.i + 1)
}

// expecting are the words after which an operand follows, so that a question
// mark is no operator there.
var expecting = func() map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(`select where and or not in between limit offset then else when case on having by returning
		values like ilike set from for any all some distinct using first next interval is as return exists with escape to`) {
		out[w] = true
	}
	return out
}()

// name takes a word, or sqlc's form of a parameter.
func (sc *Scanner) name(rest string) {
	end := 1
	for end < len(rest) && inWord(rest[end]) {
		end++
	}
	w := strings.ToLower(rest[:end])
	if w == "sqlc" && sc.S.Sent == nil && end < len(rest) && rest[end] == '.' && !sc.inDDL() {
		sc.sqlc(rest, end+1)
		return
	}
	sc.word(w)
	if len(sc.words) > 1 && (slices.Contains(sc.words, "function") || slices.Contains(sc.words, "procedure")) && sc.inDDL() {
		switch {
		case w == "begin", w == "case" && sc.blocks > 0:
			sc.blocks++
		case w == "end" && sc.blocks > 0:
			sc.blocks--
		}
	}
	sc.copy(sc.i + end)
	sc.prev = afterOperand
	if expecting[w] {
		sc.prev = beforeOperand
	}
}

// sqlc takes sqlc.arg(x), sqlc.narg('x') and sqlc.embed(t); the word after the
// dot is at i.
func (sc *Scanner) sqlc(rest string, i int) {
	j := i
	for j < len(rest) && startsWord(rest[j]) {
		j++
	}
	fn := strings.ToLower(rest[i:j])
	close := strings.IndexByte(rest[j:], ')')
	if j >= len(rest) || rest[j] != '(' || close < 0 {
		fail(sc.pos(), "sqlc.%s needs a name in parentheses", fn)
	}
	name := strings.Trim(rest[j+1:j+close], " \t\r\n'\"")
	end := sc.i + j + close + 1
	switch {
	case name == "" || strings.ContainsAny(name, " \t\r\n'\"();"):
		fail(sc.pos(), "sqlc.%s needs a name in parentheses", fn)
	case fn == "arg" || fn == "narg":
		sc.parameter(":"+name, name, end)
	case fn == "embed":
		sc.put(name+".*", end)
		sc.operand()
	default:
		fail(sc.pos(), "sqlc.%s is not read; there are sqlc.arg, sqlc.narg and sqlc.embed (write = ANY ($1) for a list)", fn)
	}
	sc.word(name)
}

// parameter puts $n in the place of a parameter. key tells the parameters of
// the file apart.
func (sc *Scanner) parameter(key, name string, end int) {
	n := sc.S.number(key, name)
	sc.put("$"+strconv.Itoa(n), end)
	sc.operand()
}

// question takes a parameter ?, or an operator on JSON.
func (sc *Scanner) question(rest string) {
	switch before := sc.at(sc.i - 1); {
	case strings.HasPrefix(rest, "??"): // how JDBC spells the operator
		sc.put("?", sc.i+2)
		sc.prev = beforeOperand
	case sc.prev == afterOperand || before == '@' || sc.inDDL() || sc.S.Sent != nil && !sc.S.Sent.Questions:
		end := sc.i + 1
		if c := sc.at(end); c == '|' || c == '&' {
			end++
		}
		sc.copy(end)
		sc.prev = beforeOperand
	default:
		end := sc.i + 1
		for isDigit(sc.at(end)) {
			end++
		}
		key, name := rest[:end-sc.i], ""
		if key == "?" { // each is another one; the template numbers them
			key += "#" + strconv.Itoa(sc.i) + sc.Src.Name
		} else {
			name = "p" + key[1:]
		}
		sc.parameter(key, name, end)
	}
}

// colon takes a variable of psql or pgbench: :v, :'v' or :"v".
func (sc *Scanner) colon(next byte) {
	switch {
	case next == ':' || next == '=':
		sc.copy(sc.i + 2)
		sc.prev = beforeOperand
	case startsWord(next):
		end := sc.wordEnd(sc.i + 1)
		name := sc.In[sc.i+1 : end]
		_, known := sc.S.texts[name]
		if n := len(sc.brackets); n > 0 && sc.brackets[n-1] && sc.prev == afterOperand && !known {
			sc.copy(sc.i + 1) // a[lo:hi]
			sc.prev = beforeOperand
			return
		}
		if !sc.S.Sent.parameter(name) {
			sc.copy(sc.i + 1)
			sc.prev = beforeOperand
			return
		}
		sc.variable(name, "", end)
	case (next == '\'' || next == '"') && sc.S.Sent == nil:
		end := sc.wordEnd(sc.i + 2)
		if end > sc.i+2 && sc.at(end) == next {
			sc.variable(sc.In[sc.i+2:end], string(next), end+1)
			return
		}
		sc.copy(sc.i + 1)
		sc.prev = beforeOperand
	default:
		sc.copy(sc.i + 1)
		sc.prev = beforeOperand
	}
}

// variable puts the text of a variable in its place where that is known, or
// makes it a parameter.
func (sc *Scanner) variable(name, quote string, end int) {
	if text, known := sc.S.texts[name]; known {
		switch quote {
		case "'":
			text = "'" + strings.ReplaceAll(text, "'", "''") + "'"
			if strings.Contains(text, `\`) {
				text = " E" + strings.ReplaceAll(text, `\`, `\\`)
			}
		case `"`:
			text = `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
		}
		for _, w := range strings.Fields(text) {
			sc.word(w)
		}
		if len(sc.Out)+len(text) > 2*MaxSQL {
			fail(sc.pos(), "with the texts of its variables this file has more than %d MB of SQL; leave the script out", 2*MaxSQL>>20)
		}
		sc.put(text, end)
		sc.operand()
		return
	}
	switch {
	case quote == `"`:
		fail(sc.pos(), `which name :"%s" stands for is not known here; give it one with \set before`, name)
	case sc.inDDL():
		sc.copy(end)
		return
	case sc.S.doubtful[name] && quote == "":
		for _, text := range sc.S.held[name] {
			if _, ok := value.Rational(text); !ok {
				fail(sc.pos(), `which text :%s stands for depends on an \if or a query; write :'%s' if it is a value`, name, name)
			}
		}
	}
	sc.word(":")
	sc.parameter(":"+name, name, end)
}

// punctuation takes a character that is nothing else.
func (sc *Scanner) punctuation(c byte) {
	was := sc.prev
	sc.prev = beforeOperand
	switch c {
	case '(':
		sc.nesting++
	case ')':
		sc.nesting = max(sc.nesting-1, 0)
		sc.operand()
	case '[':
		word := strings.ToLower(strings.TrimRight(string(sc.Out[max(0, len(sc.Out)-20):]), " \t\r\n"))
		sc.brackets = append(sc.brackets, was == afterOperand && !strings.HasSuffix(word, "array"))
	case ']':
		if n := len(sc.brackets); n > 0 {
			sc.brackets = sc.brackets[:n-1]
		}
		sc.operand()
	case ';':
		if sc.nesting == 0 && sc.blocks == 0 {
			sc.copy(sc.i + 1)
			sc.endStatement()
			return
		}
	}
	sc.copy(sc.i + 1)
}

func (sc *Scanner) endStatement() {
	sc.start, sc.words, sc.nesting, sc.blocks, sc.brackets, sc.prev = len(sc.Out), nil, 0, 0, nil, beforeOperand
}

// part scans a piece of a command as SQL: the text with variables replaced.
func (sc *Scanner) part(prefix string, start, end int) *Text {
	inner := &Scanner{S: sc.S, Src: sc.Src, In: sc.In[:end], i: start, first: start}
	for inner.i < end && inner.In[inner.i] != '\\' {
		inner.next()
	}
	return &Text{Src: sc.Src, SQL: prefix + string(inner.Out), Prefix: len(prefix), Offs: append(inner.Places(), end)}
}

// results gives the names of the columns of the statement so far; ok is false
// where they cannot be told.
func (sc *Scanner) results() (names []string, ok bool) {
	stmts, err := pg.Parse(string(sc.Out[sc.start:]))
	if err != nil || len(stmts) != 1 {
		return nil, false
	}
	return ResultNames(stmts[0])
}

// ResultNames gives the names of the columns of the rows that a statement
// gives; ok is false where there is a star.
func ResultNames(raw *pg.RawStmt) (columns []string, ok bool) {
	var list []*pg.Node
	switch s := pg.Inner(raw.Stmt).(type) {
	case *pg.SelectStmt:
		if len(s.ValuesLists) > 0 || s.Op > pg.SetOpNone {
			return nil, false
		}
		list = s.TargetList
	case *pg.InsertStmt:
		list = s.ReturningClause.GetExprs()
	case *pg.UpdateStmt:
		list = s.ReturningClause.GetExprs()
	case *pg.DeleteStmt:
		list = s.ReturningClause.GetExprs()
	default:
		return nil, false
	}
	for _, n := range list {
		r, is := pg.Inner(n).(*pg.ResTarget)
		if !is {
			return nil, false
		}
		if c, is := pg.Inner(r.Val).(*pg.ColumnRef); is && IsStar(c.Fields[len(c.Fields)-1]) {
			return nil, false
		}
		if c, is := pg.Inner(r.Val).(*pg.FuncCall); is && c.Over == nil && r.Name == "" {
			if !catalog.Known(PlainName(Qualified(Names(c.Funcname)))) {
				return nil, false // it may give several columns
			}
		}
		columns = append(columns, TargetName(r))
	}
	return columns, true
}
