package mysqlscript

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/mysql"
)

// simple writes a statement that contains no others.
func (w *bodyWriter) simple(a *action) {
	st := a.st
	at := w.at(st)
	switch {
	case a.begins():
		w.begin(a)
	case st.First("COMMIT"), st.First("ROLLBACK") && !st.Has("TO"):
		w.finish(st)
	case st.First("SET") && st.Has("ISOLATION"):
		w.setLevel(st)
	case setsAutocommit.MatchString(st.Text()):
		w.autocommit(st)
	case st.First("SET"):
		w.assignments(st)
	case st.First("LEAVE"), st.First("ITERATE"):
		w.jumpTo(st)
	case st.First("SIGNAL"), st.First("RESIGNAL"):
		w.raise(st)
	case st.First("CALL"):
		w.call(a)
	case st.First("RETURN") && len(w.results) > 0:
		w.giveBack(st)
	case st.First("OPEN"), st.First("CLOSE"), st.First("FETCH"):
		w.onCursor(st)
	case st.First("GET"):
		w.diagnostics(st)
	case st.First("DO"):
		for _, part := range mysql.CommaParts(st.Tokens[1:]) {
			if len(part) > 0 && part[0].Is("SLEEP", "RELEASE_LOCK") {
				continue
			}
			w.send(st, w.query(st, w.text(st, part), true), w.of.onTables(part))
		}
		w.counted(st, 0)
	case st.First("RELEASE", "SAVEPOINT"), st.First("ANALYZE"), st.First("SHOW"):
	case st.First("SAVEPOINT") && len(st.Tokens) == 2:
		if w.inside {
			w.add(&client.Savepoint{At: at, Name: strings.ToLower(st.Tokens[1].Text)})
		}
		w.counted(st, 0)
	case st.First("ROLLBACK"):
		if w.inside {
			w.add(&client.RollbackTo{At: at, Name: strings.ToLower(st.Tokens[len(st.Tokens)-1].Text)})
		}
		w.counted(st, 0)
	case w.onTemporary(st):
		w.unknown(st, "a temporary table")
	case !st.Readable():
		w.unknown(st, "a statement that is too large or nests too deep")
	case st.First("PREPARE"), st.First("DEALLOCATE", "PREPARE"), st.First("DROP", "PREPARE"): // EXECUTE looks the text up
	case st.First("EXECUTE"):
		w.execute(st)
	case mysql.DML(st) && !st.Tokens[0].Is("LOAD", "HANDLER", "EXECUTE", "PREPARE", "TABLE"):
		w.command(st)
	case st.Tokens[0].Is(unmodelled...):
		w.unknown(st, strings.ToUpper(st.Tokens[0].Text)+" in a procedure")
	default:
		panic(ir.Errorf(st.Pos(), "%s is not a statement that is read in a procedure; check the spelling", st.Src.Text[st.Tokens[0].From:st.Tokens[0].To]))
	}
}

// unmodelled are the words that other statements begin with, which a body may have and nothing is known of.
var unmodelled = strings.Fields("LOAD HANDLER EXECUTE PREPARE DEALLOCATE TABLE LOCK UNLOCK CREATE DROP ALTER TRUNCATE RENAME FOR RETURN XA START STOP KILL FLUSH GRANT REVOKE BINLOG CACHE CHANGE " +
	"CHECK CHECKSUM CLONE DESC DESCRIBE EXPLAIN HELP IMPORT INSTALL OPTIMIZE PURGE REPAIR RESET RESTART SHUTDOWN UNINSTALL USE BACKUP")

// temporaries are the tables that a procedure makes for itself, in lower case.
func temporaries(p *routine) []string {
	var out []string
	p.body.each(func(a *action) {
		if a.kind == simple && a.st.First("CREATE", "TEMPORARY", "TABLE") {
			c := &mysql.Cursor{St: a.st, I: 3}
			c.Accept("IF", "NOT", "EXISTS")
			out = append(out, strings.ToLower(c.TableName()))
		}
	})
	return out
}

// onTemporary reports whether a statement names a table that the procedure makes for itself.
func (w *bodyWriter) onTemporary(st *mysql.Statement) bool {
	return slices.ContainsFunc(st.Tokens, func(t mysql.Token) bool { return t.IsName() && slices.Contains(w.temporaries, strings.ToLower(t.Text)) })
}

// begin writes START TRANSACTION. It ends the transaction that is open.
func (w *bodyWriter) begin(a *action) {
	if w.session != nil {
		w.units = []string{a.st.Pos().String()}
		w.counted(a.st, 0)
		return
	}
	if w.inside { // what it begins is another transaction, that of the procedure with this statement
		w.end(a.st)
		return
	}
	w.counted(a.st, 0)
	if w.inside = a == w.start && len(w.calls) == 0; !w.inside {
		w.other = true
		return
	}
	if a.st.Has("CONSISTENT") { // a plain SELECT takes the snapshot later
		w.unknown(a.st, "WITH CONSISTENT SNAPSHOT, which takes the snapshot before anything is locked")
	}
}

// finish writes COMMIT and ROLLBACK.
func (w *bodyWriter) finish(st *mysql.Statement) {
	switch {
	case w.session != nil:
		w.units = nil
	case st.Has("CHAIN") && !st.Has("NO"):
		w.unknown(st, "AND CHAIN")
	case w.inside && st.First("COMMIT"):
		w.end(st)
	case w.inside:
		w.add(&client.Rollback{At: w.at(st)})
		w.gone, w.rolled = true, true
	}
	w.other = false
	w.counted(st, 0)
}

// counted sets what ROW_COUNT() gives, if the procedure asks.
func (w *bodyWriter) counted(st *mysql.Statement, n int64) {
	if w.rows != "" {
		w.add(&client.Assign{At: w.at(st), Var: w.rows, Expr: client.C(ir.Int(n))})
	}
}

// end ends the transaction that is written with a commit.
func (w *bodyWriter) end(st *mysql.Statement) {
	if !w.gone {
		show := &client.Emit{At: w.at(st)}
		w.ends = append(w.ends, show)
		w.add(show)
		w.add(&client.Commit{At: w.at(st)})
	}
	w.gone, w.ended = true, true
}

// setLevel writes SET TRANSACTION ISOLATION LEVEL.
func (w *bodyWriter) setLevel(st *mysql.Statement) {
	if w.inside && w.start != nil {
		w.unknown(st, "SET TRANSACTION inside of a transaction")
		return
	}
	w.level = mysql.LevelOf(st)
}

// autocommit writes SET autocommit: on commits, off lets the next statement begin a transaction.
func (w *bodyWriter) autocommit(st *mysql.Statement) {
	switch off := turnsOff(st); {
	case len(mysql.CommaParts(st.Tokens)) > 1:
		w.unknown(st, "SET of autocommit and something else")
	case !off:
		w.manual = false
		w.finish(&mysql.Statement{Src: st.Src, Tokens: []mysql.Token{{Kind: mysql.Word, Text: "COMMIT", From: st.Tokens[0].From, To: st.Tokens[0].To}}})
	case w.inside && (w.start != nil || w.commands > 0):
		w.unknown(st, "SET autocommit inside of a transaction")
	default: // a procedure that begins no transaction is one already
		w.manual = true
	}
}

// assignments writes SET a = …, @b = …
func (w *bodyWriter) assignments(st *mysql.Statement) {
	for _, part := range mysql.CommaParts(st.Tokens[1:]) {
		from := 2
		if len(part) > 1 && part[1].Is(":") {
			from = 3
		}
		target := ""
		if len(part) > from && part[from-1].Is("=") {
			target = w.named(part[0])
		}
		switch {
		case target != "":
			w.set(st, target, part[from:])
			if part[0].Kind == mysql.Named {
				w.counted(st, 0)
			}
		case st.Has("autocommit", "foreign_key_checks", "unique_checks"):
			w.unknown(st, "SET of something that is no variable of the procedure")
		}
	}
}

// jumpTo writes LEAVE and ITERATE.
func (w *bodyWriter) jumpTo(st *mysql.Statement) {
	if len(st.Tokens) != 2 {
		panic(ir.Errorf(st.Pos(), "%s must name a label, and nothing else; mend it", strings.ToUpper(st.Tokens[0].Text)))
	}
	name := strings.ToLower(st.Tokens[1].Text)
	for i := len(w.jumps) - 1; i >= 0 && w.jumps[i].calls == len(w.calls); i-- {
		j := w.jumps[i]
		switch {
		case j.name != name:
		case st.First("LEAVE"):
			w.leave(j, st)
			return
		case j.loop:
			w.add(&client.Continue{At: w.at(st), Label: j.again})
			w.gone = true
			return
		}
	}
	panic(ir.Errorf(st.Pos(), "there is no label %s around this statement; check the spelling", st.Tokens[1].Text))
}

// command writes a statement that reads or writes rows.
func (w *bodyWriter) command(st *mysql.Statement) {
	if fault := st.Refused(); fault != nil {
		panic(fault)
	}
	if (assigns(st) >= 0 || countsUp(st.Tokens) >= 0) && w.setting(st) {
		return
	}
	tokens, into, ok := w.withoutInto(st)
	if !ok {
		w.unknown(st, "SELECT … INTO in another place than a SELECT has it, or a file")
		return
	}
	text := w.text(st, tokens)
	meets := w.meets(st)
	if meets {
		text = text.plus(literally(mysql.OnDuplicate))
	}
	q := w.query(st, text, false)
	isQuery := st.Tokens[0].Is("SELECT", "WITH", "(", "VALUES") && !st.Has("INSERT", "DELETE") && !(st.Has("SET") && st.Has("UPDATE"))
	q.Into, q.OneRow, q.Returned = into, into != nil, into == nil && (isQuery || st.Has("RETURNING"))
	q.Clears = into != nil && (w.session != nil || !slices.ContainsFunc(into, func(v string) bool { return !w.unset[v] })) // in a session, what was read before is not what is read again
	if into != nil && w.handlerOf(noRow...) != nil {
		q.Found = w.temporary("is_row", client.Bool)
	}
	counter := w.rows
	if meets && counter == "" {
		counter = w.temporary("inserted", client.Int)
	}
	if isQuery && into == nil || isQuery && counter == "" {
		counter = w.found
	}
	if counter != "" {
		q.Count = counter
	}
	w.risk(st)
	w.send(st, q, !isQuery || w.of.onTables(tokens))
	w.inserted(st)
	if meets {
		w.met(st, q)
	}
	if isQuery && into == nil {
		w.counted(st, -1)
	}
	if counter == w.rows && counter != "" && w.found != "" && isQuery {
		w.add(&client.Assign{At: w.at(st), Var: w.found, Expr: client.V(counter)})
	}
	if q.Found != "" {
		w.choose(st, client.V(q.Found), func() {}, func() { w.raised(st, noRow...) })
	}
}

// withoutInto takes the INTO of a SELECT away, whose variables it gives.
func (w *bodyWriter) withoutInto(st *mysql.Statement) (tokens []mysql.Token, into []string, ok bool) {
	if !st.Tokens[0].Is("SELECT", "WITH") {
		return st.Tokens, nil, true
	}
	depth := 0
	for i, t := range st.Tokens {
		switch {
		case t.Is("("):
			depth++
		case t.Is(")"):
			depth--
		case t.Is("INTO") && (depth > 0 || st.Has("INSERT")):
			return nil, nil, false
		case t.Is("INTO"):
			k := i + 1
			for k < len(st.Tokens) {
				v := w.named(st.Tokens[k])
				if v == "" {
					return nil, nil, false
				}
				into = append(into, v)
				if k++; k >= len(st.Tokens) || !st.Tokens[k].Is(",") {
					break
				}
				k++
			}
			return slices.Concat(st.Tokens[:i], st.Tokens[k:]), into, len(into) > 0
		}
	}
	return st.Tokens, nil, true
}

// diagnostics writes GET DIAGNOSTICS, whose values are any but ROW_COUNT.
func (w *bodyWriter) diagnostics(st *mysql.Statement) {
	for i, t := range st.Tokens {
		if !(i+1 < len(st.Tokens) && st.Tokens[i+1].Is("=")) {
			continue
		}
		if v := w.named(t); v != "" {
			w.add(&client.Havoc{At: w.at(st), Var: v})
		}
	}
}

// maxCalls bounds how deep procedures call each other.
const maxCalls = 8

// call writes the body of a procedure in the place of its call.
func (w *bodyWriter) call(a *action) {
	st := a.st
	c := &mysql.Cursor{St: st, I: 1}
	name := c.TableName()
	args := mysql.CommaParts(c.Parens())
	p := w.of.routines[strings.ToLower(name)]
	switch {
	case p == nil:
		w.unknown(st, "CALL of "+name+", which is not declared")
		return
	case len(w.calls) >= maxCalls:
		w.unknown(st, "CALL of "+name+", which calls itself")
		return
	case len(args) != len(p.params):
		panic(ir.Errorf(st.Pos(), "%s has %d parameters, but is called with %d arguments; mend the call", p.name, len(p.params), len(args)))
	}
	backs := make([]string, len(args)) // variables of the caller that get a value back
	s, values := w.arguments(st, p, args)
	for i, q := range p.params {
		if q.out && len(args[i]) == 1 {
			backs[i] = w.named(args[i][0])
		}
	}
	w.calls, w.sites = append(w.calls, p), append(w.sites, a)
	w.scopes = append(w.scopes, s)
	began := w.other
	w.action(p.body)
	if w.other && !began {
		w.other = false
		w.unknown(st, "a transaction that begins in a procedure that is called, and does not end there")
	}
	w.scopes = w.scopes[:len(w.scopes)-1]
	w.calls, w.sites = w.calls[:len(w.calls)-1], w.sites[:len(w.sites)-1]
	w.counted(st, 0)
	for i, v := range backs {
		if v != "" {
			w.give(st, v, values[i])
		}
	}
}

// arguments declares the parameters of a routine that a statement calls, in a scope of their own. It gives their variables, too.
func (w *bodyWriter) arguments(st *mysql.Statement, p *routine, args [][]mysql.Token) (*scope, []string) {
	s := &scope{routine: true}
	values := make([]string, len(args))
	for i, q := range p.params {
		values[i] = w.declare(s, q.name, q.typ, false)
		if q.in {
			w.set(st, values[i], args[i])
		} else {
			w.add(&client.Assign{At: w.at(st), Var: values[i], Expr: client.C(ir.Null)})
		}
	}
	return s, values
}

// give writes the assignment of one variable to another.
func (w *bodyWriter) give(st *mysql.Statement, to, from string) {
	if w.types[to] == w.types[from] || w.types[to] == "" {
		w.add(&client.Assign{At: w.at(st), Var: to, Expr: client.V(from)})
		return
	}
	q := w.query(st, filled{[]string{"", ""}, []string{from}}, true)
	q.Into = []string{to}
	w.add(q)
}
