package mysql

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/txrobust/robust/ir"
	"github.com/xwb1989/sqlparser"
)

// unsupported is the panic of a statement that is not modelled.
type unsupported struct {
	reason string
	// all: it may read or write anything.
	all bool
	// also are tables that its text does not name.
	also []*table
}

func fail(format string, args ...any) { panic(unsupported{reason: fmt.Sprintf(format, args...)}) }

// builder translates a transaction.
type builder struct {
	l       *loader
	txn     *ir.Txn
	body    []ir.Stmt
	at      ir.At
	types   map[string]typ // of parameters, as far as they are known
	typed   map[string]bool
	fresh   []string
	locals  map[string]value // @v that were set
	lastID  *value
	marks   int
	rows    int // row variables so far
	points  map[string]bool
	taken   map[string]bool // names of parameters that are written
	auto    string          // why LAST_INSERT_ID is not known
	clock   string          // the local with the time of the statement at clockAt
	clockAt ir.Pos
	inner   bool // the statement is no SELECT
}

// template translates a transaction. The types of parameters come from the
// places where they stand, which a first translation finds.
func (l *loader) template(b *block) *ir.Txn {
	if b.opaque != "" {
		return &ir.Txn{Pos: b.pos, Name: b.name, Body: []ir.Stmt{&ir.Unmodelled{At: ir.At{Pos: b.pos}, Reason: b.opaque}}}
	}
	types := map[string]typ{}
	taken := map[string]bool{}
	for _, st := range b.stmts {
		for _, t := range st.tokens {
			if t.kind == named {
				taken[strings.ToLower(t.text[1:])] = true
			}
		}
	}
	var x *builder
	for pass := 0; pass < 3; pass++ {
		x = &builder{l: l, txn: &ir.Txn{Pos: b.pos, Name: b.name, Level: b.level, Script: true}, types: types, typed: map[string]bool{},
			fresh: b.fresh, taken: taken, locals: map[string]value{}, points: map[string]bool{}}
		for _, st := range b.stmts {
			x.statement(st)
		}
		if pass == 1 {
			for n := range x.typed {
				if types[n].kind == unknown {
					types[n] = typ{kind: str}
				}
			}
		}
	}
	x.forget()
	x.txn.Body = x.body
	for _, f := range b.fresh {
		if !slices.ContainsFunc(x.txn.Params, func(p ir.Param) bool { return p.Name == f }) {
			panic(ir.Errorf(b.pos, "transaction %s has no parameter %s, which -- fresh: names", b.name, f))
		}
	}
	return x.txn
}

// param gives the value of a parameter.
func (b *builder) param(name string) value {
	t, known := b.types[name], b.typed[name]
	if !known {
		b.typed[name] = true
		isFresh := slices.Contains(b.fresh, name)
		b.txn.Params = append(b.txn.Params, ir.Param{Name: name, Type: t.ir(), Fresh: isFresh, NotNull: isFresh})
	}
	return value{e: ir.V(name), t: t, param: name, nn: slices.Contains(b.fresh, name)}
}

// settle says what type a parameter has where it stands.
func (b *builder) settle(v value, t typ) value {
	if v.param == "" || t.kind == unknown || t.kind == null || t.kind == other {
		return v
	}
	if t.kind == boolean {
		t.kind = integer
	}
	t.coll, t.enum = "", false
	old := b.types[v.param]
	switch {
	case old.kind == unknown:
		b.types[v.param] = t
	case old.kind == integer && t.kind == decimal, old.kind == date && t.kind == datetime:
		b.types[v.param] = t
	}
	if v.t.kind == unknown {
		v.t = t
	}
	return v
}

// condition parses the tokens of a condition of a statement; err says why there is no tree.
func (l *loader) condition(st *statement, cond []token) (e sqlparser.Expr, err string) {
	if len(cond) == 0 {
		return nil, "an empty condition"
	}
	text := "SELECT 1 FROM dual WHERE (" + st.src.text[cond[0].from:cond[len(cond)-1].to] + ")"
	list := cut(File{Name: "condition", Text: text})
	if len(list) != 1 {
		return nil, "a condition of this form"
	}
	node, _, err := l.parse(list[0], new(int), nil)
	if err != "" {
		return nil, err
	}
	n, ok := node.(*sqlparser.Select)
	if !ok || n.Where == nil {
		return nil, "a condition of this form"
	}
	return n.Where.Expr, ""
}

func (b *builder) add(s ir.Stmt) { b.body = append(b.body, s) }

// statement translates a statement, or puts an Unmodelled in its place.
func (b *builder) statement(st *statement) {
	b.at, b.inner = ir.At{Pos: st.pos()}, !st.first("SELECT")
	before := len(b.body)
	into := targets(st)
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		u, ok := r.(unsupported)
		if !ok {
			panic(r)
		}
		b.body = b.body[:before]
		tables, all := b.l.named(st, u.also)
		plain := b.l.plainCalls(st)
		all = all || u.all || !plain
		if all {
			tables = nil
		}
		// An INSERT whose generated key is not known.
		if st.tokens[0].is("INSERT", "REPLACE", "CALL") {
			b.auto = "an INSERT that is not modelled"
		}
		reads := !st.mayWrite() && !all
		b.add(&ir.Unmodelled{At: b.at, Tables: tables, ReadOnly: reads, Reason: u.reason})
		for _, v := range into {
			b.locals[strings.ToLower(v)] = value{} // nothing is known of it
		}
	}()
	switch {
	case st.first("SAVEPOINT") && len(st.tokens) == 2:
		name := strings.ToLower(st.tokens[1].text)
		if b.points[name] {
			panic(unsupported{"a savepoint whose name is used again", true, nil})
		}
		b.points[name] = true
		b.send(st)
		b.add(&ir.Savepoint{At: b.at, Name: name})
		return
	case st.first("ROLLBACK"):
		name := strings.ToLower(st.tokens[len(st.tokens)-1].text)
		if !b.points[name] {
			panic(ir.Errorf(b.at.Pos, "there is no savepoint %s", name))
		}
		b.send(st)
		b.add(&ir.RollbackTo{At: b.at, Name: name})
		return
	case st.first("RELEASE", "SAVEPOINT"), st.first("DO", "SLEEP"):
		return
	case st.first("LOCK"), st.first("UNLOCK"), st.first("CALL"), st.first("LOAD"), st.first("EXECUTE"), st.first("PREPARE"), st.first("HANDLER"):
		panic(unsupported{strings.ToUpper(st.tokens[0].text), true, nil})
	case st.first("SET") && (len(st.tokens) < 2 || st.tokens[1].kind != named):
		panic(unsupported{"SET of something that is no variable of the user", true, nil})
	}
	b.send(st)
	node, list := b.parse(st)
	switch n := node.(type) {
	case *sqlparser.Select:
		b.selectStmt(n, list)
	case *sqlparser.Insert:
		b.insert(n)
	case *sqlparser.Update:
		b.update(n)
	case *sqlparser.Delete:
		b.delete(n)
	case *sqlparser.Set:
		b.set(n)
	case *sqlparser.Union:
		fail("UNION")
	default:
		fail("a statement of a kind that is not modelled")
	}
}

// targets are the variables that a statement sets.
func targets(st *statement) []string {
	var out []string
	into := st.tokens[0].is("SET")
	for i, t := range st.tokens {
		switch {
		case t.is("INTO"):
			into = true
		case t.is("FROM"):
			into = st.tokens[0].is("SET")
		case t.kind == named && t.text[0] == '@' && i+2 < len(st.tokens) && st.tokens[i+1].is(":") && st.tokens[i+2].is("="):
			out = append(out, t.text[1:])
		case t.kind == named && into && t.text[0] == '@':
			if !st.tokens[0].is("SET") || i+1 < len(st.tokens) && st.tokens[i+1].is("=") {
				out = append(out, t.text[1:])
			}
		}
	}
	return out
}

// The largest statements that are translated, so that no input exhausts the
// stack: tokens, and how deep they nest.
const (
	maxTokens = 20000
	maxDepth  = 200
)

// parse parses a statement, without the INTO of a SELECT, whose variables it
// gives apart.
func (b *builder) parse(st *statement) (sqlparser.Statement, []string) {
	node, list, err := b.l.parse(st, &b.marks, b.taken)
	if err != "" {
		fail("%s", err)
	}
	return node, list
}

// parse is described at builder.parse; err says why there is no tree.
func (l *loader) parse(st *statement, marks *int, taken map[string]bool) (node sqlparser.Statement, list []string, err string) {
	var w strings.Builder
	depth, run := 0, 0
	into, last := false, 0
	for i := 0; i < len(st.tokens); i++ {
		t := st.tokens[i]
		if i > 0 && t.from > last {
			w.WriteByte(' ')
		}
		last = t.to
		switch {
		case t.is("("):
			depth++
		case t.is(")"):
			depth--
		}
		if t.is("NOT", "-", "+", "~", "!", "BINARY", "CASE") {
			run++
		} else if t.kind != punct {
			run = 0
		}
		if depth > maxDepth || run > maxDepth || i > maxTokens {
			return nil, nil, "a statement that is too large or nests too deep"
		}
		raw := st.src.text[t.from:t.to]
		switch {
		case t.kind == text && i > 0 && st.tokens[i-1].kind == text:
			return nil, nil, "texts side by side"
		case t.kind == text && t.text != "":
			if _, ok := unquote(raw); !ok {
				return nil, nil, "a text without its end"
			}
			w.WriteString(raw)
		case t.kind == mark:
			*marks++
			n := "p" + strconv.Itoa(*marks)
			for taken[n] {
				n += "_"
			}
			w.WriteString(":" + n)
		case t.is(":") && st.tokens[0].is("SET") && i+1 < len(st.tokens) && st.tokens[i+1].is("="):
			// SET @v := …
		case t.is("INTO") && st.tokens[0].is("SELECT"):
			if into || depth > 0 {
				return nil, nil, "SELECT … INTO in another place than a SELECT has it"
			}
			into = true
			for i+1 < len(st.tokens) && st.tokens[i+1].kind == named && st.tokens[i+1].text[0] == '@' {
				list = append(list, st.tokens[i+1].text[1:])
				i++
				if i+1 >= len(st.tokens) || !st.tokens[i+1].is(",") {
					break
				}
				i++
			}
			if len(list) == 0 {
				return nil, nil, "SELECT … INTO a file"
			}
			last = 0
		default:
			w.WriteString(raw)
		}
	}
	defer func() {
		if r := recover(); r != nil {
			node, err = nil, "syntax that is not read"
		}
	}()
	node, e := sqlparser.ParseStrictDDL(w.String())
	if e != nil {
		return nil, nil, "syntax that is not read (" + strings.TrimSpace(e.Error()) + ")"
	}
	return node, list, ""
}

// named gives the tables that a statement names; all says that there may be
// others.
func (l *loader) named(st *statement, also []*table) (out []*ir.Table, all bool) {
	seen := map[*table]bool{}
	visit := func(t *table) {
		if seen[t] {
			return
		}
		seen[t] = true
		out = append(out, t.ir)
	}
	for _, t := range also {
		visit(t)
	}
	defined := map[string]bool{} // by WITH
	for i, t := range st.tokens {
		if t.isName() && i+2 < len(st.tokens) && st.tokens[i+1].is("AS") && st.tokens[i+2].is("(") {
			defined[strings.ToLower(t.text)] = true
		}
	}
	written := st.mayWrite()
	for i, t := range st.tokens {
		if !t.isName() {
			continue
		}
		if tab := l.table(t.text); tab != nil {
			visit(tab)
			continue
		}
		if slices.Contains(l.views, strings.ToLower(t.text)) {
			return nil, true
		}
		if i > 0 && st.tokens[i-1].is("FROM", "JOIN", "INTO", "UPDATE", "TABLE") && !(i > 1 && st.tokens[i-2].is("KEY")) && !defined[strings.ToLower(t.text)] && !t.is("OF", "SKIP", "NOWAIT", "SELECT", "IGNORE", "LATERAL", "LOW_PRIORITY") &&
			!(i+1 < len(st.tokens) && st.tokens[i+1].is(".")) && t.kind != number {
			all = true
		}
	}
	if written && l.triggers || len(out) == 0 && !st.tokens[0].is("SELECT", "SET") {
		all = true
	}
	if written { // foreign keys may act on, and look at, other tables
		for i := 0; i < len(l.tables); i++ {
			for _, t := range l.tables {
				if seen[t] {
					for _, f := range t.children {
						visit(f.child)
					}
				}
			}
		}
		for _, t := range l.tables {
			if seen[t] {
				for _, f := range t.foreign {
					if ref := l.table(f.ref); ref != nil {
						visit(ref)
					}
				}
			}
		}
	}
	slices.SortFunc(out, func(a, c *ir.Table) int { return l.prog.TableIndex(a) - l.prog.TableIndex(c) })
	return out, all || len(out) == 0
}

// plainCalls reports whether a statement calls only functions that are known to
// touch no rows.
func (l *loader) plainCalls(st *statement) bool {
	for i := 1; i < len(st.tokens); i++ {
		p := st.tokens[i-1]
		if st.tokens[i].is("(") && p.isName() && !touchesNothing(p.text) && l.table(p.text) == nil {
			return false
		}
	}
	return true
}
