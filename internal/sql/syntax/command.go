package syntax

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/pg"
)

// Command is a command of psql or pgbench: what begins with a backslash.
type Command struct {
	Pos  ir.Pos
	at   int // offset in the file
	Name string
	// ends says that it stands in the place of a semicolon.
	ends bool
	// Target is the variable that it sets, or the prefix of \gset.
	Target string
	// Expr is the expression of \set or \if after SELECT; nil for any value.
	// literal is the text that \set gives the variable, where plain says so.
	Expr    *Text
	Literal string
	Plain   bool
	// Asks says that the condition is whether the variable of Expr has a value (\if :{?n}), of one that \gset alone sets.
	Asks bool
	// truth says what is known of a condition.
	truth    truthValue
	included []*Node
	// Strict says that at this place an error ends the script.
	Strict bool
}

// truthValue is what is known of a condition when the script is read.
type truthValue uint8

const (
	open truthValue = iota
	yes
	no
)

// ending are the commands that end a statement, and what becomes of it.
var ending = []string{"g", "gx", "gset", "aset", "gdesc", "crosstabview"}

// idle are the commands that change neither rows nor variables nor which
// statements are run.
var idle = func() map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(`echo qecho warn timing a x t f C H T pset o out p print w write s conninfo copyright
		encoding errverbose h help ? l l+ list list+ password setenv html sf sf+ sv sv+ z z+ bind bind_named parse sleep
		syncpipeline flushrequest flush restrict unrestrict dt+ cd close close_prepared`) {
		out[w] = true
	}
	return out
}()

// noted are those that do something apart from the transactions.
var noted = map[string]string{
	"c":       "all connections are taken to be to one database",
	"connect": "all connections are taken to be to one database",
	"copy":    "its rows are no initial rows",
	"!":       "what it does is not analysed",
	"shell":   "what it does is not analysed",
}

// unread are those that run statements which do not stand in the text, or
// change the one that is being written.
var unread = strings.Fields(`e edit ef ev r reset watch gexec lo_import lo_export lo_unlink`)

// wholeLine are those whose arguments may contain backslashes.
var wholeLine = strings.Fields(`copy ! shell setshell ef ev h help sf sv`)

// command takes a command.
func (sc *Scanner) command() {
	if sc.at(sc.i+1) == ';' {
		sc.cmds = append(sc.cmds, &Command{Pos: sc.pos(), at: sc.i, Name: ";", ends: !sc.empty()})
		sc.blank = append(sc.blank, [2]int{sc.i, sc.i + 2})
		sc.finish(sc.i+2, !sc.empty())
		return
	}
	end := sc.i + 1
	for end < len(sc.In) && !strings.ContainsRune(" \t\r\n\\", rune(sc.In[end])) {
		if end++; sc.In[end-1] == '!' && end == sc.i+2 {
			break
		}
	}
	c := &Command{Pos: sc.pos(), at: sc.i, Name: sc.In[sc.i+1 : end], Strict: sc.S.strict}
	from := end
	end = sc.argsEnd(end, slices.Contains(wholeLine, c.Name))
	if c.Name == "" && sc.at(sc.i+1) == '\\' { // "\\" separates commands
		sc.blank = append(sc.blank, [2]int{sc.i, sc.i + 2})
		sc.finish(sc.i+2, false)
		return
	}
	c.ends = slices.Contains(ending, c.Name)
	switch {
	case c.ends && sc.empty():
		fail(c.Pos, "\\%s stands after no statement; write it in the place of the semicolon", c.Name)
	case slices.Contains(unread, c.Name):
		fail(c.Pos, "\\%s is not read: what it runs does not stand here; write the statements", c.Name)
	case c.ends, idle[c.Name], strings.HasPrefix(c.Name, "d"):
	case noted[c.Name] != "":
		sc.S.input.Note(c.Pos, "\\%s is left out: %s", c.Name, noted[c.Name])
	case !slices.Contains(acted, c.Name):
		fail(c.Pos, "\\%s is no command of psql or pgbench that is known here; leave it out", c.Name)
	case !sc.empty():
		fail(c.Pos, "\\%s stands inside of a statement; end that with a semicolon", c.Name)
	}
	switch c.Name {
	case "set":
		sc.set(c, from, end)
	case "setrandom", "setshell", "prompt", "getenv", "unset":
		words := psqlWords(sc.In[from:end])
		if len(words) == 0 {
			fail(c.Pos, "\\%s needs a variable", c.Name)
		}
		c.Target = words[0].s
		if c.Name == "prompt" {
			c.Target = words[len(words)-1].s
		}
		sc.variableName(c)
		sc.S.setValue(c.Target)
		sc.S.value(c.Target, c.Name != "unset")
		sc.S.Pgbench = sc.S.Pgbench || c.Name == "setrandom" || c.Name == "setshell"
	case "if", "elif", "else", "endif":
		sc.flow(c, from, end)
	case "gset", "aset":
		if words := psqlWords(sc.In[from:end]); len(words) > 0 {
			c.Target = words[0].s
		}
		sc.gset(c)
	case "i", "ir", "include", "include_relative":
		words := psqlWords(sc.In[from:end])
		if len(words) == 0 {
			fail(c.Pos, "\\%s needs the name of a file", c.Name)
		}
		c.included = sc.S.include(c, sc.Src, words[0].s)
	case "q", "quit":
		switch {
		case len(sc.S.branches) == 0: // what follows is not there
			sc.S.ended = true
			c.Name = "echo"
		case len(sc.S.around) > 1:
			fail(c.Pos, "\\%s under an \\if is not read in an included file; write the rest of the file under the \\if", c.Name)
		}
	case "sleep", "startpipeline", "endpipeline", "syncpipeline", "shell":
		sc.S.Pgbench = true
	}
	sc.cmds = append(sc.cmds, c)
	sc.blank = append(sc.blank, [2]int{sc.i, end})
	sc.finish(end, c.ends)
}

// acted are the commands that are read, beside those above.
var acted = strings.Fields(`set unset setrandom setshell prompt getenv if elif else endif i ir include include_relative q quit
	startpipeline endpipeline`)

// finish goes on behind a command.
func (sc *Scanner) finish(end int, ends bool) {
	if ends {
		sc.put(";", end)
		sc.endStatement()
		return
	}
	sc.put(" ", end)
}

// argsEnd gives the end of the arguments of a command: that of the line, or
// another command.
func (sc *Scanner) argsEnd(i int, all bool) int {
	var quote byte
	for ; i < len(sc.In) && sc.In[i] != '\n'; i++ {
		c := sc.In[i]
		switch {
		case c == '\\' && strings.HasPrefix(strings.TrimPrefix(sc.In[i+1:], "\r"), "\n"): // the line goes on
			i += strings.IndexByte(sc.In[i:], '\n')
		case c == '\\' && quote != 0:
			i++
		case c == '\\' && !all:
			return i
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"' || c == '`'):
			quote = c
		}
	}
	return min(i, len(sc.In))
}

// psqlWord is an argument of a command; run says that psql runs a program to
// get it.
type psqlWord struct {
	s   string
	run bool
}

// psqlWords splits arguments as psql does.
func psqlWords(args string) []psqlWord {
	var out []psqlWord
	for i := 0; ; {
		for i < len(args) && strings.IndexByte(" \t\r\n", args[i]) >= 0 {
			i++
		}
		if i >= len(args) {
			return out
		}
		var w psqlWord
		for i < len(args) && strings.IndexByte(" \t\r\n", args[i]) < 0 {
			q := args[i]
			if q != '\'' && q != '"' && q != '`' {
				w.s += string(q)
				i++
				continue
			}
			w.run = w.run || q == '`'
			for i++; i < len(args) && args[i] != q; i++ {
				if args[i] == '\\' && q == '\'' && i+1 < len(args) {
					i++
				}
				w.s += string(args[i])
				if q == '\'' && strings.HasPrefix(args[i+1:], "''") {
					w.s += "'"
					i += 2
				}
			}
			i++
		}
		out = append(out, w)
	}
}

var clientName = regexp.MustCompile(`^[A-Za-z0-9_\x{80}-\x{10ffff}]+$`)

func (sc *Scanner) variableName(c *Command) {
	if !clientName.MatchString(c.Target) {
		fail(c.Pos, "%q is no name of a variable", c.Target)
	}
}

// set is \set name value: of pgbench, if the value is an expression, or else of
// psql, which joins the words.
func (sc *Scanner) set(c *Command, from, end int) {
	s := sc.S
	words := psqlWords(sc.In[from:end])
	if len(words) == 0 { // lists the variables
		c.Name = "echo"
		return
	}
	c.Target = words[0].s
	sc.variableName(c)
	defer s.value(c.Target, true)
	at := from + strings.Index(sc.In[from:end], c.Target) + len(c.Target)
	expr := sc.part("SELECT ", at, end)
	n := ClientExpression(expr)
	_, number := pg.Inner(n).(*pg.A_Const)
	switch {
	case n != nil && !number:
		c.Expr = expr
		_, alone := pg.Inner(n).(*pg.ParamRef)
		if !alone {
			s.Computes = append(s.Computes, c)
		}
		s.Pgbench = s.Pgbench || callsClient(n)
		s.setValue(c.Target)
		return
	case slices.ContainsFunc(words, func(w psqlWord) bool { return w.run }):
		s.setValue(c.Target)
		return
	}
	c.Plain = true
	for _, w := range words[1:] {
		c.Literal += sc.expand(c, w.s)
	}
	switch on := psqlTruth(c.Literal) == yes || c.Literal == ""; {
	case c.Target == "AUTOCOMMIT" && !on:
		fail(c.Pos, `\set AUTOCOMMIT off is not read; write BEGIN where a transaction begins`)
	case c.Target == "ON_ERROR_ROLLBACK" && psqlTruth(c.Literal) != no:
		fail(c.Pos, `\set ON_ERROR_ROLLBACK is not read: transactions that go on after an error are not analysed; leave it out`)
	case c.Target == "ON_ERROR_STOP":
		s.strict = on
	}
	s.setText(c.Target, c.Literal)
}

var namedVariable = regexp.MustCompile(`:([A-Za-z_][A-Za-z0-9_]*)`)

// expand puts the texts of variables into a word.
func (sc *Scanner) expand(c *Command, word string) string {
	size := len(c.Literal) + len(word)
	return namedVariable.ReplaceAllStringFunc(word, func(ref string) string {
		if size += len(sc.S.texts[ref[1:]]); size > maxText {
			fail(c.Pos, "the text of :%s must have at most %d bytes, but has more; leave the script out", c.Target, maxText)
		}
		text, known := sc.S.texts[ref[1:]]
		if !known {
			fail(c.Pos, "the text of %s is not known here, so that of :%s is not either; set it to one", ref, c.Target)
		}
		return text
	})
}

// psqlTruth reads a boolean as psql does.
func psqlTruth(s string) truthValue {
	s = strings.ToLower(s)
	switch {
	case s == "":
		return open
	case s == "1", s == "on", strings.HasPrefix("true", s), strings.HasPrefix("yes", s):
		return yes
	case s == "0", s == "of", s == "off", strings.HasPrefix("false", s), strings.HasPrefix("no", s):
		return no
	}
	return open
}

var hasValue = regexp.MustCompile(`^\s*:\{\?([A-Za-z0-9_\x{80}-\x{10ffff}]+)\}\s*$`)

// asked is the condition that a variable has a value: the variable, or one of its own.
func (sc *Scanner) asked(name string, from, end int) *Text {
	t := &Text{Src: sc.Src, SQL: fmt.Sprint("SELECT $", sc.S.number(":"+name, name)), Prefix: len("SELECT ")}
	for range t.SQL[t.Prefix:] {
		t.Offs = append(t.Offs, from)
	}
	t.Offs = append(t.Offs, end)
	return t
}

// flow is \if and what belongs to it.
func (sc *Scanner) flow(c *Command, from, end int) {
	s := sc.S
	switch c.Name {
	case "else":
		s.nextBranch(c.Name, c.Pos)
		return
	case "endif":
		s.leaveIf(c.Pos)
		return
	case "elif":
		s.nextBranch(c.Name, c.Pos)
	default:
		s.enterIf(c.Pos)
	}
	if len(psqlWords(sc.In[from:end])) == 0 {
		fail(c.Pos, "\\%s needs a condition", c.Name)
	}
	if m := hasValue.FindStringSubmatch(sc.In[from:end]); m != nil {
		switch c.Asks = s.fetched[m[1]]; {
		case c.Asks:
			c.Expr = sc.asked(m[1], from, end)
		default:
			if c.truth = s.whether(m[1], c.Pos); c.truth == open {
				c.Expr = sc.asked(m[1]+"_is_set", from, end)
			}
		}
		return
	}
	c.Expr = sc.part("SELECT ", from, end)
	if c.truth = psqlTruth(strings.Trim(c.Expr.SQL[c.Expr.Prefix:], " \t\r\n'")); c.truth != open {
		return
	}
	n := ClientExpression(c.Expr)
	if n == nil {
		fail(c.Pos, "\\%s needs a condition: true or false, a variable, or an expression of pgbench", c.Name)
	}
	if _, alone := pg.Inner(n).(*pg.ParamRef); !alone {
		s.Pgbench = true
	}
}

// gset is \gset and \aset: the columns of the row become variables.
func (sc *Scanner) gset(c *Command) {
	s := sc.S
	s.Pgbench = s.Pgbench || c.Name == "aset"
	names, ok := sc.results()
	if ok {
		for _, n := range names {
			s.fetch(c.Target + n)
		}
		return
	}
	for name := range s.texts {
		if strings.HasPrefix(name, c.Target) {
			s.fetch(name)
		}
	}
}

// ClientFunctions are the functions of pgbench's expressions; those that are
// random have the value true.
var ClientFunctions = map[string]bool{
	"abs": false, "debug": false, "double": false, "exp": false, "hash": false, "hash_fnv1a": false, "hash_murmur2": false,
	"int": false, "ln": false, "mod": false, "permute": false, "pi": false, "pow": false, "power": false, "sqrt": false,
	"random": true, "random_exponential": true, "random_gaussian": true, "random_zipfian": true,
}

// callsClient reports whether an expression calls a function of pgbench, so
// that it cannot be a text that psql puts into a statement.
func callsClient(n *pg.Node) bool {
	found := false
	pg.Walk(n, func(tree any) bool {
		e, ok := tree.(*pg.FuncCall)
		found = found || ok && (ClientFunctions[Qualified(Names(e.Funcname))] || strings.HasPrefix(Qualified(Names(e.Funcname)), "hash"))
		return !found
	})
	return found
}

var intCall = regexp.MustCompile(`(?i)(^|[^A-Za-z0-9_"])int\s*\(`)

// ClientExpression parses an expression of pgbench, whose grammar is a part of
// that of SQL. It is nil for anything else.
func ClientExpression(t *Text) *pg.Node {
	if m := intCall.FindStringIndex(t.SQL); m != nil && len(t.SQL) < 10000 {
		// int is a function there, and a type here.
		i := m[0] + strings.Index(strings.ToLower(t.SQL[m[0]:]), "int")
		t.SQL = t.SQL[:i] + `"int"` + t.SQL[i+3:]
		o := i - t.Prefix
		t.Offs = slices.Insert(t.Offs, o, t.Offs[o], t.Offs[o])
		return ClientExpression(t)
	}
	stmts, err := t.Parse()
	if err != nil || len(stmts) != 1 {
		return nil
	}
	s, ok := pg.Inner(stmts[0].Stmt).(*pg.SelectStmt)
	if !ok || len(s.TargetList) != 1 || !PlainExpression(s) {
		return nil
	}
	r, ok := pg.Inner(s.TargetList[0]).(*pg.ResTarget)
	if !ok || r.Name != "" || r.Val == nil {
		return nil
	}
	fits := true
	pg.Walk(r.Val, func(tree any) bool {
		switch e := tree.(type) {
		case *pg.A_Const:
			_, isText := e.Val.(*pg.A_ConstText)
			fits = fits && !isText
		case *pg.FuncCall:
			_, isKnown := ClientFunctions[Qualified(Names(e.Funcname))]
			fits = fits && isKnown
		case *pg.ParamRef, *pg.A_Expr, *pg.BoolExpr, *pg.CaseExpr, *pg.CaseWhen, *pg.MinMaxExpr, *pg.NullTest, *pg.BooleanTest,
			*pg.String, *pg.Integer, *pg.Float, *pg.Boolean, *pg.List:
		default:
			fits = fits && strings.HasPrefix(fmt.Sprintf("%T", tree), "*ast.A_Const")
		}
		return fits
	})
	if !fits {
		return nil
	}
	return r.Val
}
