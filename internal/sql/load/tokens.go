package load

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// writing are the words that make a statement write. They are no names of
// functions or columns without quotes that anybody would use.
var writing = map[string]bool{"insert": true, "update": true, "delete": true, "merge": true, "truncate": true, "copy": true,
	"drop": true, "alter": true, "create": true, "call": true, "do": true, "execute": true, "refresh": true}

// reading are the words that a statement begins with whose words say what it
// touches.
var reading = map[string]bool{"select": true, "insert": true, "update": true, "delete": true, "merge": true, "with": true,
	"values": true, "table": true, "truncate": true, "lock": true}

// declared are the words with which a statement begins that declares something, with
// those after it that name what: tables and the like, which have no rows before, or
// are changed as migrations do it.
var declared = map[string][]string{
	"create": strings.Fields("table index view schema database sequence type domain extension unlogged materialized unique role user"),
	"alter":  strings.Fields("table index view schema database sequence type domain extension materialized role user"),
	"drop":   strings.Fields("table index view schema database sequence type domain extension materialized role user"),
}

// kept are the words with which a statement begins that changes no rows and no
// tables.
var kept = map[string]bool{"analyze": true, "vacuum": true, "comment": true, "grant": true, "revoke": true}

// endsFrom are the words after which no table of a FROM list stands.
var endsFrom = map[string]bool{"where": true, "group": true, "having": true, "window": true, "union": true, "intersect": true,
	"except": true, "order": true, "limit": true, "offset": true, "fetch": true, "for": true, "set": true, "returning": true,
	"select": true, "values": true}

// notCalled are words before a parenthesis that call no function.
var notCalled = func() map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(`select where and or not in any all some exists values on using when then else case having by returning set
		from join with as is between like ilike limit offset only lateral over filter within distinct array row cast coalesce nullif greatest
		least extract substring trim overlay position interval into conflict materialized partition union except intersect insert update
		delete numeric decimal char varchar character bit float time timestamp int integer bigint text boolean uuid date excluded grouping
		rollup cube sets do table begin end key`) {
		out[w] = true
	}
	return out
}()

// readTokens finds what a text names that cannot be parsed.
func (l *Loader) readTokens(s *schema.Sent, src string) {
	toks, err := pg.Scan(src)
	toks = slices.DeleteFunc(toks, func(t pg.Token) bool { return t.Kind == pg.Comment })
	r := s.Refs
	if err != nil || len(toks) == 0 {
		r.Everything()
		return
	}
	declares, other := false, false
	for len(toks) > 0 {
		end := slices.IndexFunc(toks, func(tok pg.Token) bool { return tok.Kind == pg.Punct && tok.Text == ";" })
		if end < 0 {
			end = len(toks)
		}
		t := &tokenReader{l: l, toks: toks[:end], refs: r, ctes: map[string]bool{}}
		s.MaySetLevel = s.MaySetLevel || t.maySetLevel()
		switch t.kind() {
		case declaring:
			declares = true
		case acting:
			other = true
			t.run()
		case keeping:
		}
		toks = toks[min(end+1, len(toks)):]
	}
	if declares {
		s.Declares = !other
		r.Everything() // beside statements that do more
	}
}

// partKind is what one of several statements in a text does.
type partKind uint8

const (
	acting    partKind = iota // on rows, or what is not known
	declaring                 // tables and the like
	keeping                   // all rows and tables as they are
)

// kind tells what the statement does.
func (t *tokenReader) kind() partKind {
	first, what := t.at(0), t.at(1)
	switch {
	case len(t.toks) == 0:
		return keeping
	case first.Kind != pg.Word || isHole(what):
		return acting
	case slices.Contains(declared[first.Text], what.Text):
		return declaring
	case kept[first.Text], (first.Text == "set" || first.Text == "show" || first.Text == "reset") && what.Text != "constraints":
		return keeping
	}
	return acting
}

// maySetLevel reports whether a statement whose first word is known may set the isolation level of
// the running transaction.
func (t *tokenReader) maySetLevel() bool {
	open := slices.ContainsFunc(t.toks, func(tok pg.Token) bool { return isHole(tok) || tok.Kind == pg.Word && tok.Text == "isolation" })
	const setting = "transaction_isolation"
	switch first := t.at(0); {
	case first.Kind != pg.Word || isHole(first):
		return false
	case first.Text == "begin" || first.Text == "start":
		return open
	case first.Text == "set" || first.Text == "reset":
		i := 1
		if t.word(i, "local", "session") && len(t.toks) > 2 {
			i++
		}
		lead, _, holed := strings.Cut(t.at(i).Text, holeWord)
		known := !holed && t.at(i).Kind == pg.Word
		return lead == setting || lead == "transaction" && open || !known && (strings.HasPrefix(setting, lead) || lead == "local" || lead == "session")
	}
	return false
}

type tokenReader struct {
	l    *Loader
	toks []pg.Token
	refs *schema.Refs
	ctes map[string]bool
}

func (t *tokenReader) at(i int) pg.Token {
	if i < 0 || i >= len(t.toks) {
		return pg.Token{Kind: pg.Punct}
	}
	return t.toks[i]
}

func (t *tokenReader) word(i int, words ...string) bool {
	tok := t.at(i)
	return tok.Kind == pg.Word && slices.Contains(words, tok.Text)
}

func (t *tokenReader) punct(i int, text string) bool {
	tok := t.at(i)
	return tok.Kind == pg.Punct && tok.Text == text
}

// isHole reports whether a token is, or has in it, a part that is not known.
func isHole(tok pg.Token) bool {
	return tok.Kind != pg.Text && strings.Contains(tok.Text, holeWord)
}

// run reads all tokens.
func (t *tokenReader) run() {
	start := 0
	for t.punct(start, "(") {
		start++
	}
	if first := t.at(start); first.Kind != pg.Word || !reading[first.Text] {
		t.refs.Everything()
		return
	}
	t.with()
	type level struct{ inFrom, skip bool }
	stack := []level{{}}
	expect := false // a table follows
	for i := 0; i < len(t.toks); i++ {
		tok := t.toks[i]
		top := &stack[len(stack)-1]
		switch {
		case t.punct(i, "("):
			// What extract(year FROM x) and the like have is no table.
			stack = append(stack, level{skip: t.word(i-1, "extract", "substring", "trim", "overlay", "position"), inFrom: expect && top.inFrom})
			continue // a subquery, or a join in parentheses
		case t.punct(i, ")"):
			if len(stack) > 1 {
				stack = stack[:len(stack)-1]
			}
			expect = false
			continue
		case t.punct(i, ","):
			expect = top.inFrom
			continue
		}
		if expect && (tok.Kind == pg.Word || tok.Kind == pg.Quoted) {
			if t.word(i, "only", "lateral", "table", "rows") {
				continue
			}
			if t.word(i, "select", "values", "with") {
				expect = false
				i--
				continue
			}
			i = t.table(i)
			expect = false
			continue
		}
		expect = false
		if tok.Kind == pg.Quoted {
			t.call(i)
			continue
		}
		if tok.Kind != pg.Word {
			continue
		}
		switch w := tok.Text; {
		case w == "from":
			if !top.skip && !t.word(i-1, "distinct") {
				expect, top.inFrom = true, true
			}
		case w == "join", w == "into", w == "truncate":
			expect = true
			top.inFrom = top.inFrom || w != "into"
		case w == "using" && !t.punct(i+1, "("):
			expect, top.inFrom = true, true
		case w == "table", w == "lock":
			expect, top.inFrom = true, true
			t.refs.Locks = t.refs.Locks || w == "lock"
		case w == "update" && (t.word(i-1, "for", "key", "on") || t.word(i-1, "do") || t.word(i-1, "then")):
			t.refs.Locks = t.refs.Locks || t.word(i-1, "for", "key")
		case w == "update":
			expect = true
		case endsFrom[w]:
			top.inFrom = false
		}
		switch w := tok.Text; {
		case w == "update" && t.word(i-1, "for", "key"):
		case w == "do" && t.word(i+1, "nothing", "update"):
			t.refs.Frees = t.refs.Frees || t.word(i+1, "update")
		case writing[w]:
			t.refs.Writes = true
			t.refs.Frees = t.refs.Frees || w != "insert"
		case w == "lock":
			t.refs.LocksTables = true
		}
		t.call(i)
	}
}

// with finds the names of WITH queries: a name, perhaps with columns, before AS
// and a parenthesis.
func (t *tokenReader) with() {
	if !slices.ContainsFunc(t.toks, func(tok pg.Token) bool { return tok.Kind == pg.Word && tok.Text == "with" }) {
		return
	}
	for i := range t.toks {
		if !t.word(i, "as") {
			continue
		}
		j := i + 1
		for t.word(j, "not", "materialized") {
			j++
		}
		if !t.punct(j, "(") {
			continue
		}
		k := i - 1
		if t.punct(k, ")") {
			for k > 0 && !t.punct(k, "(") {
				k--
			}
			k--
		}
		if tok := t.at(k); (tok.Kind == pg.Word || tok.Kind == pg.Quoted) && (t.word(k-1, "with", "recursive") || t.punct(k-1, ",")) {
			t.ctes[tok.Text] = true
		}
	}
}

// table takes the name of a table at i, and gives the place of its last token.
func (t *tokenReader) table(i int) int {
	parts := []string{t.at(i).Text}
	hole := isHole(t.at(i))
	for t.punct(i+1, ".") {
		parts = append(parts, t.at(i+2).Text)
		hole = hole || isHole(t.at(i+2))
		i += 2
	}
	name := syntax.Qualified(parts)
	switch {
	case hole:
		t.refs.Everything()
	case t.punct(i+1, "(") && !t.written(i-2*(len(parts)-1)):
		t.refs.Calls[name] = true
	case len(parts) == 1 && t.ctes[name] && t.l.Late.Table(name) == nil:
	default:
		t.refs.Tables[name] = true
	}
	return i
}

// written reports whether the name at i stands after INTO, where a list of
// columns may follow it.
func (t *tokenReader) written(i int) bool { return t.word(i-1, "into") }

// call takes the name of a function.
func (t *tokenReader) call(i int) {
	if !t.punct(i+1, "(") || t.at(i).Kind == pg.Word && notCalled[t.at(i).Text] {
		return
	}
	if isHole(t.at(i)) {
		return
	}
	parts := []string{t.at(i).Text}
	for k := i; t.punct(k-1, ".") && k >= 2; k -= 2 {
		parts = append([]string{t.at(k - 2).Text}, parts...)
	}
	name := syntax.Qualified(parts)
	switch {
	case t.ctes[name], t.punct(i-1, ".") && len(parts) == 1:
	case t.word(i-1, "as") || t.punct(i-1, ")"): // an alias with columns
	default:
		t.refs.Calls[name] = true
	}
}
