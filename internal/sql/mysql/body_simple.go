package mysql

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// simple writes a statement that contains no others.
func (w *bodyWriter) simple(a *action) {
	st := a.st
	at := w.at(st)
	switch {
	case a.begins():
		w.begin(a)
	case st.first("COMMIT"), st.first("ROLLBACK") && !st.has("TO"):
		w.finish(st)
	case st.first("SET") && st.has("ISOLATION"):
		w.setLevel(st)
	case st.first("SET"):
		w.assignments(st)
	case st.first("LEAVE"), st.first("ITERATE"):
		w.jumpTo(st)
	case st.first("SIGNAL"), st.first("RESIGNAL"):
		w.raise(st)
	case st.first("CALL"):
		w.call(st)
	case st.first("OPEN"), st.first("CLOSE"), st.first("FETCH"):
		w.onCursor(st)
	case st.first("GET"):
		w.diagnostics(st)
	case st.first("DO"):
		if onTables(st.tokens) {
			w.unknown(st, "DO with a query")
		}
		w.counted(st, 0)
	case st.first("RELEASE", "SAVEPOINT"), st.first("ANALYZE"), st.first("SHOW"):
	case st.first("SAVEPOINT") && len(st.tokens) == 2:
		if w.inside {
			w.add(&client.Savepoint{At: at, Name: strings.ToLower(st.tokens[1].text)})
		}
		w.counted(st, 0)
	case st.first("ROLLBACK"):
		if w.inside {
			w.add(&client.RollbackTo{At: at, Name: strings.ToLower(st.tokens[len(st.tokens)-1].text)})
		}
		w.counted(st, 0)
	case !st.readable():
		w.unknown(st, "a statement that is too large or nests too deep")
	case dml(st) && !st.tokens[0].is("LOAD", "HANDLER", "EXECUTE", "PREPARE", "TABLE"):
		w.command(st)
	case st.tokens[0].is("LOAD", "HANDLER", "EXECUTE", "PREPARE", "DEALLOCATE", "TABLE", "LOCK", "UNLOCK", "CREATE", "DROP", "ALTER", "TRUNCATE", "RENAME", "FOR", "XA", "KILL", "FLUSH", "GRANT"):
		w.unknown(st, strings.ToUpper(st.tokens[0].text)+" in a procedure")
	default:
		panic(ir.Errorf(st.pos(), "%s is not a statement that is read in a procedure; check the spelling", st.src.text[st.tokens[0].from:st.tokens[0].to]))
	}
}

// begin writes START TRANSACTION. It ends the transaction that is open.
func (w *bodyWriter) begin(a *action) {
	if w.inside {
		w.end(a.st)
		return
	}
	w.counted(a.st, 0)
	if w.inside = a == w.start && len(w.calls) == 0; !w.inside {
		w.other = true
		return
	}
	if a.st.has("CONSISTENT") { // a plain SELECT takes the snapshot later
		w.unknown(a.st, "WITH CONSISTENT SNAPSHOT, which takes the snapshot before anything is locked")
	}
}

// finish writes COMMIT and ROLLBACK.
func (w *bodyWriter) finish(st *statement) {
	switch {
	case st.has("CHAIN") && !st.has("NO"):
		w.unknown(st, "AND CHAIN")
	case w.inside && st.first("COMMIT"):
		w.end(st)
	case w.inside:
		w.add(&client.Rollback{At: w.at(st)})
		w.gone = true
	}
	w.other = false
	w.counted(st, 0)
}

// counted sets what ROW_COUNT() gives, if the procedure asks.
func (w *bodyWriter) counted(st *statement, n int64) {
	if w.rows != "" {
		w.add(&client.Assign{At: w.at(st), Var: w.rows, Expr: client.C(ir.Int(n))})
	}
}

// end ends the transaction that is written with a commit.
func (w *bodyWriter) end(st *statement) {
	if !w.gone {
		show := &client.Emit{At: w.at(st)}
		w.ends = append(w.ends, show)
		w.add(show)
		w.add(&client.Commit{At: w.at(st)})
	}
	w.gone, w.ended = true, true
}

// setLevel writes SET TRANSACTION ISOLATION LEVEL.
func (w *bodyWriter) setLevel(st *statement) {
	if w.inside && w.start != nil {
		w.unknown(st, "SET TRANSACTION inside of a transaction")
		return
	}
	w.level = levelOf(st)
}

// assignments writes SET a = …, @b = …
func (w *bodyWriter) assignments(st *statement) {
	for _, part := range commaParts(st.tokens[1:]) {
		from := 2
		if len(part) > 1 && part[1].is(":") {
			from = 3
		}
		target := ""
		if len(part) > from && part[from-1].is("=") {
			if name, is := part[0].userVariable(); is {
				target = w.user("@" + name)
			} else if part[0].isName() {
				target = w.lookup(part[0].text)
			}
		}
		switch {
		case target != "":
			w.set(st, target, part[from:])
			if part[0].kind == named {
				w.counted(st, 0)
			}
		case st.has("autocommit"), st.has("foreign_key_checks", "unique_checks"):
			w.unknown(st, "SET of something that is no variable of the procedure")
		}
	}
}

// jumpTo writes LEAVE and ITERATE.
func (w *bodyWriter) jumpTo(st *statement) {
	if len(st.tokens) != 2 {
		panic(ir.Errorf(st.pos(), "%s must name a label, and nothing else; mend it", strings.ToUpper(st.tokens[0].text)))
	}
	name := strings.ToLower(st.tokens[1].text)
	for i := len(w.jumps) - 1; i >= 0 && w.jumps[i].calls == len(w.calls); i-- {
		j := w.jumps[i]
		switch {
		case j.name != name:
		case st.first("LEAVE"):
			w.leave(j, st)
			return
		case j.loop:
			w.add(&client.Continue{At: w.at(st), Label: j.again})
			w.gone = true
			return
		}
	}
	panic(ir.Errorf(st.pos(), "there is no label %s around this statement; check the spelling", st.tokens[1].text))
}

// command writes a statement that reads or writes rows.
func (w *bodyWriter) command(st *statement) {
	if fault := st.refused(); fault != nil {
		panic(fault)
	}
	tokens, into, ok := w.withoutInto(st)
	if !ok {
		w.unknown(st, "SELECT … INTO in another place than a SELECT has it, or a file")
		return
	}
	q := w.query(st, "", tokens, "")
	isQuery := st.tokens[0].is("SELECT", "WITH", "(", "VALUES") && !st.has("INSERT", "DELETE") && !(st.has("SET") && st.has("UPDATE"))
	q.Into, q.OneRow, q.Returned = into, into != nil, into == nil && (isQuery || st.has("RETURNING"))
	q.Clears = into != nil && !slices.ContainsFunc(into, func(v string) bool { return !w.unset[v] })
	if into != nil && w.handlerOf(notFound, "02000", "1329") != nil {
		q.Found = w.temporary("is_row", client.Bool)
	}
	counter := w.rows
	if isQuery && into == nil || isQuery && counter == "" {
		counter = w.found
	}
	if counter != "" {
		q.Count = counter
	}
	w.risk(st)
	w.send(st, q, !isQuery || onTables(tokens))
	if isQuery && into == nil {
		w.counted(st, -1)
	}
	if counter == w.rows && counter != "" && w.found != "" && isQuery {
		w.add(&client.Assign{At: w.at(st), Var: w.found, Expr: client.V(counter)})
	}
	if q.Found != "" {
		w.choose(st, client.V(q.Found), func() {}, func() { w.raised(st, notFound, "02000", "1329") })
	}
}

// withoutInto takes the INTO of a SELECT away, whose variables it gives.
func (w *bodyWriter) withoutInto(st *statement) (tokens []token, into []string, ok bool) {
	if !st.tokens[0].is("SELECT", "WITH") {
		return st.tokens, nil, true
	}
	depth := 0
	for i, t := range st.tokens {
		switch {
		case t.is("("):
			depth++
		case t.is(")"):
			depth--
		case t.is("INTO") && (depth > 0 || st.has("INSERT")):
			return nil, nil, false
		case t.is("INTO"):
			k := i + 1
			for k < len(st.tokens) {
				v := ""
				if name, is := st.tokens[k].userVariable(); is {
					v = w.user("@" + name)
				} else if st.tokens[k].isName() {
					v = w.lookup(st.tokens[k].text)
				}
				if v == "" {
					return nil, nil, false
				}
				into = append(into, v)
				if k++; k >= len(st.tokens) || !st.tokens[k].is(",") {
					break
				}
				k++
			}
			return slices.Concat(st.tokens[:i], st.tokens[k:]), into, len(into) > 0
		}
	}
	return st.tokens, nil, true
}

// diagnostics writes GET DIAGNOSTICS, whose values are any but ROW_COUNT.
func (w *bodyWriter) diagnostics(st *statement) {
	for i, t := range st.tokens {
		if !(i+1 < len(st.tokens) && st.tokens[i+1].is("=")) {
			continue
		}
		v := w.lookup(t.text)
		if name, is := t.userVariable(); is {
			v = w.user("@" + name)
		}
		if v != "" {
			w.add(&client.Havoc{At: w.at(st), Var: v})
		}
	}
}

// maxCalls bounds how deep procedures call each other.
const maxCalls = 8

// call writes the body of a procedure in the place of its call.
func (w *bodyWriter) call(st *statement) {
	c := &cursor{st, 1}
	name := c.tableName()
	args := commaParts(c.parens())
	p := w.of.routines[strings.ToLower(name)]
	switch {
	case p == nil:
		w.unknown(st, "CALL of "+name+", which is not declared")
		return
	case len(w.calls) >= maxCalls:
		w.unknown(st, "CALL of "+name+", which calls itself")
		return
	case len(args) != len(p.params):
		panic(ir.Errorf(st.pos(), "%s has %d parameters, but is called with %d arguments; mend the call", p.name, len(p.params), len(args)))
	}
	backs := make([]string, len(args)) // variables of the caller that get a value back
	s := &scope{routine: true}
	values := make([]string, len(args))
	for i, q := range p.params {
		values[i] = w.inScope(s, func() string { return w.declare(q.name, q.typ, false) })
		if q.in {
			w.set(st, values[i], args[i])
		} else {
			w.add(&client.Assign{At: w.at(st), Var: values[i], Expr: client.C(ir.Null)})
		}
		if q.out && len(args[i]) == 1 {
			backs[i] = w.lookup(args[i][0].text)
			if n, is := args[i][0].userVariable(); is {
				backs[i] = w.user("@" + n)
			}
		}
	}
	w.calls = append(w.calls, p)
	w.scopes = append(w.scopes, s)
	w.action(p.body)
	w.scopes = w.scopes[:len(w.scopes)-1]
	w.calls = w.calls[:len(w.calls)-1]
	w.counted(st, 0)
	for i, v := range backs {
		if v != "" {
			w.copy(st, v, values[i])
		}
	}
}

// inScope runs f as if s was the innermost block.
func (w *bodyWriter) inScope(s *scope, f func() string) string {
	w.scopes = append(w.scopes, s)
	defer func() { w.scopes = w.scopes[:len(w.scopes)-1] }()
	return f()
}

// copy writes the assignment of one variable to another.
func (w *bodyWriter) copy(st *statement, to, from string) {
	if w.typeOf(to) == w.typeOf(from) || w.typeOf(to) == "" {
		w.add(&client.Assign{At: w.at(st), Var: to, Expr: client.V(from)})
		return
	}
	w.add(&client.Query{At: w.at(st), SQL: "SELECT :" + from, Named: []client.Arg{{Name: from, Expr: client.V(from)}}, Into: []string{to}, Inner: true})
}
