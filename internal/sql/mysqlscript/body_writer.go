package mysqlscript

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/mysql"
)

// flow is where control is in the body of a procedure.
type flow struct {
	// inside says that the transaction that is written has begun, other that another one may have; gone that nothing comes here.
	inside, other, gone bool
	// units are, in a session, the transactions one of which has begun: "" stands for none, and so does nil.
	units []string
}

// jump is what LEAVE and ITERATE name.
type jump struct {
	// name is the label in the body, label what leads behind it, again what begins the next round.
	name, label, again string
	loop               bool
	// leaves are where control is when it is left.
	leaves []flow
	// calls is how many calls are around it.
	calls int
}

// bodyWriter writes one transaction of a procedure: from the statement start to its end, or all of the body if there is no start.
// What stands outside of it is other transactions: what they read into variables is any value.
type bodyWriter struct {
	of    *Scripts
	proc  *routine
	txn   *client.Txn
	start *action
	flow
	// level is what SET TRANSACTION asks for.
	level string
	out   []client.Stmt
	// scopes are the blocks around, inner ones last; calls the procedures that are called.
	scopes []*scope
	calls  []*routine
	// sites are the statements that call these.
	sites  []*action
	jumps  []*jump
	taken  map[string]bool
	labels int
	// marks are the names of the parameters ? of a script, by their offsets.
	marks map[int]string
	// rows is the variable with ROW_COUNT(), found the one with FOUND_ROWS(), "" where the procedure does not use it.
	rows, found string
	// ended says that some path has ended the transaction; late are the variables that are used then. ends are what each
	// end of the transaction shows.
	ended bool
	// rolled says that some path has rolled it back.
	rolled bool
	late   []string
	ends   []*client.Emit
	// commands counts the statements on tables, repeats says that one stands in a loop; apart are those outside of transactions, which are some of their own.
	commands int
	repeats  bool
	apart    []*client.Txn
	// outside are the variables with what statements outside of the transaction have read, with the places of these.
	outside map[string]ir.Pos
	// temporaries are the tables that the procedure makes for itself.
	temporaries []string
	// types are the types that variables are declared with.
	types map[string]string
	// manual says that autocommit is off: a statement outside of the transaction begins another one.
	manual bool
	// unset are the variables that are certainly NULL: nothing before in the text has set them.
	unset map[string]bool
	// perform writes a statement that another one leads to: the body of a function that it calls, or a handler.
	perform func(*action)
	// results are what the functions that are called give back, inner ones last.
	results []*result
	// plainly says that expressions see what a plain SELECT does; fixed that text is only laid by, and calls no functions.
	plainly, fixed bool
	// substitutions is how many formulas of functions are around.
	substitutions int
	// setsID says that LAST_INSERT_ID(…) sets the value of LAST_INSERT_ID() somewhere, keyed that an INSERT may have set it to a key.
	setsID, keyed bool
	// used counts the values that EXECUTE has been given.
	used int
	// risky says that an error of a statement leads elsewhere than out of the transaction.
	risky bool
	// session, if not nil, says that what is written is all transactions of a session one after the other.
	session *session
}

// scope is a block with what it declares.
type scope struct {
	vars     map[string]string // names in the transaction, by those in the body
	cursors  map[string]*openCursor
	rows     map[string]map[string]string // variables for the columns of the rows of FOR, by its name
	handlers []*handler
	names    map[string]string // conditions by name
	block    *jump
	// routine says that names outside of it are not seen.
	routine bool
}

// body writes a transaction of a procedure: the one that start begins, or all of it.
func (s *Scripts) body(p *routine, start *action) *bodyWriter {
	return s.bodyFrom(p, start, flow{inside: start == nil && !s.starts(p)})
}

// bodyFrom is body, where control comes in as from says.
func (s *Scripts) bodyFrom(p *routine, start *action, from flow) *bodyWriter {
	w := s.newWriter(p, start, from)
	w.whole()
	return w
}

// newWriter makes what bodyFrom writes with.
func (s *Scripts) newWriter(p *routine, start *action, from flow) *bodyWriter {
	w := &bodyWriter{of: s, proc: p, start: start, txn: &client.Txn{Pos: p.pos, Name: p.name}, taken: map[string]bool{}, types: map[string]string{}, unset: map[string]bool{}, marks: map[int]string{}, outside: map[string]ir.Pos{}}
	w.temporaries, w.perform = temporaries(p), w.action
	w.flow = from
	top := &scope{routine: true}
	w.scopes = append(w.scopes, top)
	for _, q := range p.params {
		w.unset[w.declare(top, q.name, q.typ, q.in)] = !q.in
	}
	w.rows, w.found = w.counter("ROW_COUNT"), w.counter("FOUND_ROWS")
	w.setsID = s.countsUp(p)
	return w
}

// whole writes the body.
func (w *bodyWriter) whole() {
	p := w.proc
	w.action(p.body)
	for _, q := range p.params {
		if q.out {
			w.late = append(w.late, w.lookup(q.name))
		}
	}
	if !w.gone {
		if w.inside {
			w.end(p.st)
		} else {
			w.add(&client.Rollback{At: w.at(p.st)})
		}
	}
	w.show()
	if w.start != nil {
		w.txn.Pos = w.start.st.Pos()
	}
	w.txn.Levels, w.txn.Body = []string{w.level}, w.out
}

// show fills in what the ends of the transaction show: all that is used after them and is no argument as it came.
func (w *bodyWriter) show() {
	set := client.Assigned(w.out)
	given := func(v client.Var) bool { return v.Input && !slices.Contains(set, v.Name) }
	late := slices.DeleteFunc(uniqueNames(w.late), func(name string) bool {
		return slices.ContainsFunc(w.txn.Vars, func(v client.Var) bool { return v.Name == name && given(v) })
	})
	for _, e := range w.ends {
		for _, v := range late {
			e.Exprs = append(e.Exprs, client.V(v))
		}
	}
}

// counter declares the variable for a function that counts rows, if a procedure uses it.
func (w *bodyWriter) counter(function string) string {
	used := false
	for _, p := range w.of.routines {
		used = used || p.st.Has(function)
	}
	if !used {
		return ""
	}
	return w.temporary(strings.ToLower(function), client.Int)
}

func (w *bodyWriter) at(st *mysql.Statement) client.At { return client.At{Pos: st.Pos()} }

func (w *bodyWriter) add(s client.Stmt) {
	client.EachSet([]client.Stmt{s}, func(v *string) { delete(w.unset, *v) })
	if !w.gone {
		w.out = append(w.out, s)
	}
}

// collect gives what f writes.
func (w *bodyWriter) collect(f func()) []client.Stmt {
	before := w.out
	w.out = nil
	f()
	out := w.out
	w.out = before
	return out
}

// unknown adds a statement that may do anything. Outside of the transaction it is a transaction of its own, and the variables that it may set
// have any values.
func (w *bodyWriter) unknown(st *mysql.Statement, reason string) {
	w.commands++
	s := &client.Unknown{At: w.at(st), Reason: reason}
	if w.inside {
		w.add(s)
		return
	}
	if w.separate() && !st.First("FETCH") { // FETCH reads what OPEN has found
		w.apart = append(w.apart, &client.Txn{Pos: s.Pos, Levels: []string{w.level}, Auto: true, Body: []client.Stmt{s}})
	}
	for _, v := range w.mayBeSet(&action{st: st}) {
		w.add(&client.Havoc{At: w.at(st), Var: v})
	}
}

// separate reports whether a statement outside of the transaction is written as one of its own here.
func (w *bodyWriter) separate() bool { return w.start == nil && !w.other && !w.gone }

// unique gives a name that no other variable has, and takes it.
func (w *bodyWriter) unique(base string) string {
	name := base
	for n := 2; w.taken[name]; n++ {
		name = base + "_" + strconv.Itoa(n)
	}
	w.taken[name] = true
	return name
}

// declare makes a variable of a block.
func (w *bodyWriter) declare(s *scope, name, typ string, input bool) string {
	name = strings.ToLower(name)
	base := strings.Map(func(r rune) rune {
		if r < 0x80 && !mysql.Letter(byte(r)) || r == '$' {
			return '_'
		}
		return r
	}, strings.TrimLeft(name, ":@"))
	unique := w.unique(base)
	if s.vars == nil {
		s.vars = map[string]string{}
	}
	s.vars[name], w.types[unique] = unique, typ
	w.txn.Vars = append(w.txn.Vars, client.Var{Name: unique, Declared: typ, Input: input, Nullable: true})
	return unique
}

// lookup gives the variable that a name means in a body, "" for none.
func (w *bodyWriter) lookup(name string) string {
	name = strings.ToLower(name)
	for i := len(w.scopes) - 1; i >= 0; i-- {
		if v := w.scopes[i].vars[name]; v != "" {
			return v
		}
		if w.scopes[i].routine {
			break
		}
	}
	return ""
}

// user gives the variable for one of the session: @name. It is an input unless something sets it before.
func (w *bodyWriter) user(name string) string {
	top := w.scopes[0]
	if v := top.vars[name]; v != "" {
		return v
	}
	return w.declare(top, name, "", true)
}

// named gives the variable that a token names, of the body or of the session, "" for none.
func (w *bodyWriter) named(t mysql.Token) string {
	if name, is := t.UserVariable(); is {
		return w.user("@" + name)
	}
	if !t.IsName() {
		return ""
	}
	return w.lookup(t.Text)
}

// action writes a statement.
func (w *bodyWriter) action(a *action) {
	if w.session != nil && w.session.set != nil && len(w.calls) == 0 {
		w.units = w.session.set[a]
	}
	switch a.kind {
	case compound:
		w.block(a)
	case branch:
		w.branches(a, 0)
	case endless, while, repeat:
		w.loop(a, func(j *jump) {
			if a.kind == while {
				w.choose(a.st, w.cond(a.st, nil, a.cond), func() {}, func() { w.leave(j, a.st) })
			}
		})
	case overRows:
		w.forRows(a)
	default:
		w.simple(a)
	}
}

// actions writes statements one after the other.
func (w *bodyWriter) actions(list []*action) {
	for i := 0; i < len(list); i++ {
		if n := w.opened(list[i:]); n > 0 {
			i += n - 1
			continue
		}
		w.action(list[i])
	}
}

// jump opens what LEAVE, ITERATE and handlers name.
func (w *bodyWriter) jump(a *action) *jump {
	w.labels++
	j := &jump{name: a.label, label: "l" + strconv.Itoa(w.labels), loop: a.kind != compound, calls: len(w.calls)}
	j.again = j.label
	w.jumps = append(w.jumps, j)
	return j
}

// leave goes to the end of j.
func (w *bodyWriter) leave(j *jump, st *mysql.Statement) {
	if w.gone {
		return
	}
	j.leaves = append(j.leaves, w.flow)
	w.add(&client.Break{At: w.at(st), Label: j.label})
	w.gone = true
}

// close ends j: control comes from where it is and from where it was left.
func (w *bodyWriter) close(j *jump, st *mysql.Statement) {
	w.jumps = w.jumps[:len(w.jumps)-1]
	w.meet(st, append(j.leaves, w.flow)...)
}

// meet joins paths.
func (w *bodyWriter) meet(st *mysql.Statement, paths ...flow) {
	out := flow{gone: true}
	mixed := false
	for _, f := range paths {
		switch {
		case f.gone:
		case out.gone:
			out = f
		default:
			mixed = mixed || f.inside != out.inside
			out.inside, out.other = out.inside || f.inside, out.other && f.other
			out.units = either(out.units, f.units)
		}
	}
	w.flow = out
	if mixed {
		w.unknown(st, "a transaction that begins on some paths only")
	}
}

// step records a statement on tables of a session. Outside of transactions it is one by itself.
func (w *bodyWriter) step(from, to ir.Pos) {
	if w.session == nil || w.gone {
		return
	}
	units := slices.Clone(either(w.units, w.units))
	for i, u := range units {
		if u == "" {
			units[i] = from.String()
		}
	}
	w.session.steps = append(w.session.steps, Step{from, to, units})
}

// either gives the transactions one of which has begun where paths meet.
func either(a, b []string) []string {
	if a == nil {
		a = []string{""}
	}
	if b == nil {
		b = []string{""}
	}
	return uniqueNames(slices.Concat(a, b))
}

// block writes BEGIN … END.
func (w *bodyWriter) block(a *action) {
	j := w.jump(a)
	s := &scope{block: j}
	w.scopes = append(w.scopes, s)
	body := w.collect(func() {
		for _, d := range a.declared {
			w.declaration(s, d, a)
		}
		w.actions(a.body)
	})
	w.scopes = w.scopes[:len(w.scopes)-1]
	left := len(j.leaves) > 0
	was := w.gone
	w.gone = false
	if left {
		w.add(&client.Block{At: w.at(a.st), Label: j.label, Body: body})
	} else {
		w.out = append(w.out, body...)
	}
	w.gone = was
	w.close(j, a.st)
}

// declaration writes what a block declares.
func (w *bodyWriter) declaration(s *scope, d declaration, a *action) {
	st := &mysql.Statement{Src: a.st.Src, Tokens: []mysql.Token{d.at}}
	switch d.kind {
	case cursors:
		if s.cursors == nil {
			s.cursors = map[string]*openCursor{}
		}
		q := &mysql.Statement{Src: a.st.Src, Tokens: d.value}
		fixed := w.fixed
		w.fixed = true // it runs at OPEN
		s.cursors[d.names[0]] = &openCursor{q, w.text(q, q.Tokens)}
		w.fixed = fixed
	case conditions:
		if s.names == nil {
			s.names = map[string]string{}
		}
		s.names[d.names[0]] = d.conditions[0]
	case handlers:
		s.handlers = append(s.handlers, w.handler(s, d, a))
	default:
		outer := maps.Clone(s.vars) // a default means the variables of before
		for _, n := range d.names {
			v := w.declare(s, n, d.typ, false)
			if d.value != nil {
				own := s.vars
				s.vars = outer
				w.set(st, v, d.value)
				s.vars = own
			} else {
				w.add(&client.Assign{At: w.at(st), Var: v, Expr: client.C(ir.Null)})
				w.unset[v] = !slices.ContainsFunc(w.jumps, func(j *jump) bool { return j.loop })
			}
		}
	}
}

// branches writes IF and CASE from the arm i on.
func (w *bodyWriter) branches(a *action, i int) {
	switch {
	case i >= len(a.arms):
		if a.isCase { // there is no case that fits
			w.signal(a.st, "20000")
		}
		return
	case a.arms[i].cond == nil:
		w.actions(a.arms[i].body)
		return
	}
	cond := w.cond(a.st, a.subject, a.arms[i].cond)
	w.choose(a.st, cond, func() { w.actions(a.arms[i].body) }, func() { w.branches(a, i+1) })
}

// choose writes a branch.
func (w *bodyWriter) choose(st *mysql.Statement, cond client.Expr, then, otherwise func()) {
	if w.gone {
		then()
		otherwise()
		return
	}
	before := w.flow
	s := &client.If{At: w.at(st), Cond: cond}
	s.Then = w.collect(then)
	yes := w.flow
	w.flow = before
	s.Else = w.collect(otherwise)
	no := w.flow
	w.flow = before
	w.add(s)
	w.meet(st, yes, no)
}

// loop writes LOOP, WHILE and REPEAT: first what head writes in each round, then the body.
func (w *bodyWriter) loop(a *action, head func(j *jump)) {
	j := w.jump(a)
	before, commands := w.flow, w.commands
	round := func() {
		head(j)
		w.actions(a.body)
		if a.kind == repeat && !w.gone {
			w.choose(a.st, w.cond(a.st, nil, a.cond), func() { w.leave(j, a.st) }, func() {})
		}
	}
	body := w.collect(round)
	w.repeats = w.repeats || w.commands > commands
	again := w.flow
	if before.other && w.of.finishes(a) { // rounds after the end of the transaction
		w.flow = flow{}
		w.collect(round)
	}
	w.flow = before
	if w.start != nil && !w.inside && a.holds(w.start) { // rounds before did other transactions
		for _, v := range w.mayBeSet(a) {
			w.add(&client.Havoc{At: w.at(a.st), Var: v})
		}
	}
	if !again.gone && !before.gone && again.inside != before.inside {
		w.unknown(a.st, "a transaction that begins in one round of a loop and ends in another")
	}
	w.add(&client.Loop{At: w.at(a.st), Label: j.label, Body: body})
	w.gone = true
	w.close(j, a.st)
}

// mayBeSet gives the variables that a statement may set, or one inside of it.
func (w *bodyWriter) mayBeSet(a *action) []string {
	var out []string
	a.each(func(s *action) {
		if s.kind == simple && s.st.First("EXECUTE") || s.kind == simple && countsUp(s.st.Tokens) >= 0 {
			for name, v := range w.scopes[0].vars {
				if strings.HasPrefix(name, "@") {
					out = append(out, v)
				}
			}
		}
		if s.kind != simple || !s.st.Tokens[0].Is("SET", "CALL", "GET", "FETCH") && !s.st.Has("INTO") && assigns(s.st) < 0 {
			return
		}
		for _, t := range s.st.Tokens {
			v := ""
			if name, is := t.UserVariable(); is { // one that nothing has named yet is an input, which is any value
				v = w.scopes[0].vars["@"+strings.ToLower(name)]
			} else if t.IsName() {
				v = w.lookup(t.Text)
			}
			if v != "" {
				out = append(out, v)
			}
		}
	})
	return uniqueNames(out)
}

func uniqueNames(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return slices.Compact(list)
}
