package sqlmodel

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/ir"
)

// command is a command of psql or pgbench: what begins with a backslash.
type command struct {
	pos  ir.Pos
	at   int // offset in the file
	name string
	// ends says that it stands in the place of a semicolon.
	ends bool
	// target is the variable that it sets, or the prefix of \gset.
	target string
	// expr is the expression of \set or \if after SELECT; nil for any value.
	// literal is the text that \set gives the variable, where plain says so.
	expr    *text
	literal string
	plain   bool
	// truth says what is known of a condition.
	truth    truthValue
	included []*node
	// strict says that at this place an error ends the script.
	strict bool
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
func (sc *scanner) command() {
	l := sc.s.l
	if sc.at(sc.i+1) == ';' {
		sc.cmds = append(sc.cmds, &command{pos: sc.pos(), at: sc.i, name: ";", ends: !sc.empty()})
		sc.blank = append(sc.blank, [2]int{sc.i, sc.i + 2})
		sc.finish(sc.i+2, !sc.empty())
		return
	}
	end := sc.i + 1
	for end < len(sc.in) && !strings.ContainsRune(" \t\r\n\\", rune(sc.in[end])) {
		if end++; sc.in[end-1] == '!' && end == sc.i+2 {
			break
		}
	}
	c := &command{pos: sc.pos(), at: sc.i, name: sc.in[sc.i+1 : end], strict: sc.s.strict}
	from := end
	end = sc.argsEnd(end, slices.Contains(wholeLine, c.name))
	if c.name == "" && sc.at(sc.i+1) == '\\' { // "\\" separates commands
		sc.blank = append(sc.blank, [2]int{sc.i, sc.i + 2})
		sc.finish(sc.i+2, false)
		return
	}
	c.ends = slices.Contains(ending, c.name)
	switch {
	case c.ends && sc.empty():
		l.fail(c.pos, "\\%s stands after no statement; write it in the place of the semicolon", c.name)
	case slices.Contains(unread, c.name):
		l.fail(c.pos, "\\%s is not read: what it runs does not stand here; write the statements", c.name)
	case c.ends, idle[c.name], strings.HasPrefix(c.name, "d"):
	case noted[c.name] != "":
		l.note(c.pos, "\\%s is left out: %s", c.name, noted[c.name])
	case !slices.Contains(acted, c.name):
		l.fail(c.pos, "\\%s is no command of psql or pgbench that is known here; leave it out", c.name)
	case !sc.empty():
		l.fail(c.pos, "\\%s stands inside of a statement; end that with a semicolon", c.name)
	}
	switch c.name {
	case "set":
		sc.set(c, from, end)
	case "setrandom", "setshell", "prompt", "getenv", "unset":
		words := psqlWords(sc.in[from:end])
		if len(words) == 0 {
			l.fail(c.pos, "\\%s needs a variable", c.name)
		}
		c.target = words[0].s
		if c.name == "prompt" {
			c.target = words[len(words)-1].s
		}
		sc.variableName(c)
		sc.s.setValue(c.target)
		sc.s.pgbench = sc.s.pgbench || c.name == "setrandom" || c.name == "setshell"
	case "if", "elif", "else", "endif":
		sc.flow(c, from, end)
	case "gset", "aset":
		if words := psqlWords(sc.in[from:end]); len(words) > 0 {
			c.target = words[0].s
		}
		sc.gset(c)
	case "i", "ir", "include", "include_relative":
		words := psqlWords(sc.in[from:end])
		if len(words) == 0 {
			l.fail(c.pos, "\\%s needs the name of a file", c.name)
		}
		c.included = sc.s.include(c, sc.src, words[0].s)
	case "q", "quit":
		switch {
		case len(sc.s.branches) == 0: // what follows is not there
			sc.s.ended = true
			c.name = "echo"
		case len(sc.s.around) > 1:
			l.fail(c.pos, "\\%s under an \\if is not read in an included file; write the rest of the file under the \\if", c.name)
		}
	case "sleep", "startpipeline", "endpipeline", "syncpipeline", "shell":
		sc.s.pgbench = true
	}
	sc.cmds = append(sc.cmds, c)
	sc.blank = append(sc.blank, [2]int{sc.i, end})
	sc.finish(end, c.ends)
}

// acted are the commands that are read, beside those above.
var acted = strings.Fields(`set unset setrandom setshell prompt getenv if elif else endif i ir include include_relative q quit
	startpipeline endpipeline`)

// finish goes on behind a command.
func (sc *scanner) finish(end int, ends bool) {
	if ends {
		sc.put(";", end)
		sc.endStatement()
		return
	}
	sc.put(" ", end)
}

// argsEnd gives the end of the arguments of a command: that of the line, or
// another command.
func (sc *scanner) argsEnd(i int, all bool) int {
	var quote byte
	for ; i < len(sc.in) && sc.in[i] != '\n'; i++ {
		c := sc.in[i]
		switch {
		case c == '\\' && strings.HasPrefix(strings.TrimPrefix(sc.in[i+1:], "\r"), "\n"): // the line goes on
			i += strings.IndexByte(sc.in[i:], '\n')
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
	return min(i, len(sc.in))
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

func (sc *scanner) variableName(c *command) {
	if !clientName.MatchString(c.target) {
		sc.s.l.fail(c.pos, "%q is no name of a variable", c.target)
	}
}

// set is \set name value: of pgbench, if the value is an expression, or else of
// psql, which joins the words.
func (sc *scanner) set(c *command, from, end int) {
	s, l := sc.s, sc.s.l
	words := psqlWords(sc.in[from:end])
	if len(words) == 0 { // lists the variables
		c.name = "echo"
		return
	}
	c.target = words[0].s
	sc.variableName(c)
	at := from + strings.Index(sc.in[from:end], c.target) + len(c.target)
	expr := sc.part("SELECT ", at, end)
	n := clientExpression(expr)
	_, number := pg.Inner(n).(*pg.A_Const)
	switch {
	case n != nil && !number:
		c.expr = expr
		_, alone := pg.Inner(n).(*pg.ParamRef)
		if !alone {
			s.computes = append(s.computes, c)
		}
		s.pgbench = s.pgbench || callsClient(n)
		s.setValue(c.target)
		return
	case slices.ContainsFunc(words, func(w psqlWord) bool { return w.run }):
		s.setValue(c.target)
		return
	}
	c.plain = true
	for _, w := range words[1:] {
		c.literal += sc.expand(c, w.s)
	}
	switch on := psqlTruth(c.literal) == yes || c.literal == ""; {
	case c.target == "AUTOCOMMIT" && !on:
		l.fail(c.pos, `\set AUTOCOMMIT off is not read; write BEGIN where a transaction begins`)
	case c.target == "ON_ERROR_ROLLBACK" && psqlTruth(c.literal) != no:
		l.fail(c.pos, `\set ON_ERROR_ROLLBACK is not read: transactions that go on after an error are not analysed; leave it out`)
	case c.target == "ON_ERROR_STOP":
		s.strict = on
	}
	s.setText(c.target, c.literal)
}

var namedVariable = regexp.MustCompile(`:([A-Za-z_][A-Za-z0-9_]*)`)

// expand puts the texts of variables into a word.
func (sc *scanner) expand(c *command, word string) string {
	size := len(c.literal) + len(word)
	return namedVariable.ReplaceAllStringFunc(word, func(ref string) string {
		if size += len(sc.s.texts[ref[1:]]); size > maxText {
			sc.s.l.fail(c.pos, "the text of :%s must have at most %d bytes, but has more; leave the script out", c.target, maxText)
		}
		text, known := sc.s.texts[ref[1:]]
		if !known {
			sc.s.l.fail(c.pos, "the text of %s is not known here, so that of :%s is not either; set it to one", ref, c.target)
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

// flow is \if and what belongs to it.
func (sc *scanner) flow(c *command, from, end int) {
	s := sc.s
	switch c.name {
	case "else":
		s.nextBranch(c.name, c.pos)
		return
	case "endif":
		s.leaveIf(c.pos)
		return
	case "elif":
		s.nextBranch(c.name, c.pos)
	default:
		s.enterIf(c.pos)
	}
	if len(psqlWords(sc.in[from:end])) == 0 {
		s.l.fail(c.pos, "\\%s needs a condition", c.name)
	}
	c.expr = sc.part("SELECT ", from, end)
	if c.truth = psqlTruth(strings.Trim(c.expr.s[c.expr.prefix:], " \t\r\n'")); c.truth != open {
		return
	}
	n := clientExpression(c.expr)
	if n == nil {
		s.l.fail(c.pos, "\\%s needs a condition: true or false, a variable, or an expression of pgbench", c.name)
	}
	if _, alone := pg.Inner(n).(*pg.ParamRef); !alone {
		s.pgbench = true
	}
}

// gset is \gset and \aset: the columns of the row become variables.
func (sc *scanner) gset(c *command) {
	s := sc.s
	s.pgbench = s.pgbench || c.name == "aset"
	names, ok := sc.results()
	if ok {
		for _, n := range names {
			s.setValue(c.target + n)
		}
		return
	}
	for name := range s.texts {
		if strings.HasPrefix(name, c.target) {
			s.setValue(name)
		}
	}
}

// clientFunctions are the functions of pgbench's expressions; those that are
// random have the value true.
var clientFunctions = map[string]bool{
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
		found = found || ok && (clientFunctions[qualified(names(e.Funcname))] || strings.HasPrefix(qualified(names(e.Funcname)), "hash"))
		return !found
	})
	return found
}

var intCall = regexp.MustCompile(`(?i)(^|[^A-Za-z0-9_"])int\s*\(`)

// clientExpression parses an expression of pgbench, whose grammar is a part of
// that of SQL. It is nil for anything else.
func clientExpression(t *text) *pg.Node {
	if m := intCall.FindStringIndex(t.s); m != nil && len(t.s) < 10000 {
		// int is a function there, and a type here.
		i := m[0] + strings.Index(strings.ToLower(t.s[m[0]:]), "int")
		t.s = t.s[:i] + `"int"` + t.s[i+3:]
		o := i - t.prefix
		t.offs = slices.Insert(t.offs, o, t.offs[o], t.offs[o])
		return clientExpression(t)
	}
	stmts, err := t.parse()
	if err != nil || len(stmts) != 1 {
		return nil
	}
	s, ok := pg.Inner(stmts[0].Stmt).(*pg.SelectStmt)
	if !ok || len(s.TargetList) != 1 || !plainExpression(s) {
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
			_, isKnown := clientFunctions[qualified(names(e.Funcname))]
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
