package compare

import (
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sqlgen"
)

// Result says what a comparison found.
type Result uint8

const (
	// Commits and Aborts: server and model agree that the transaction does so.
	Commits Result = iota
	Aborts
	// Invalid: the server refuses the text itself.
	Invalid
	// Unmodelled: the model comes to a statement that it does not have.
	Unmodelled
	// Open: they differ, but the model used functions that it does not know.
	Open
	// TooLong: a bound ran out.
	TooLong
	// LeftOut: the server fails in a way that the model leaves out (leftOut).
	LeftOut
	// Undecided: they differ by an error that depends on the order in which the server
	// evaluates, or on what it computes when it plans (undecided).
	Undecided
	// Wrong: they differ.
	Wrong
)

func (r Result) String() string {
	return [...]string{"commits", "aborts", "invalid", "unmodelled", "open", "too long", "left out", "an error of evaluation, undecided", "wrong"}[r]
}

// Finding is what a comparison found, with words.
type Finding struct {
	Result Result
	// Class is the same for findings that may have one cause.
	Class string
	// Details are for a reader.
	Details string
	// Several says that the model has several outcomes; Opaque that it used
	// functions that it does not know.
	Several, Opaque bool
}

// app is an application on the server and in the model.
type app struct {
	server *Server
	model  *Model
	rows   string // the queries of all tables
	before [][]record
	state  *interp.DB
}

// load makes the state from INSERT statements, of which some may fail.
func (a *app) load(rows *sqlgen.Node) error {
	var names []string
	for _, t := range a.model.prog.Tables {
		names = append(names, t.Name)
	}
	if len(names) > 0 {
		if err := a.server.exec(a.server.empty(names)); err != nil {
			return err
		}
	}
	for _, r := range rows.Kids {
		a.server.exec(r.String())
	}
	return a.look()
}

// look reads the rows of the server.
func (a *app) look() error {
	var err error
	if a.before, err = a.server.run(a.rows); err != nil {
		return err
	}
	a.state, err = a.model.state(a.before)
	return err
}

// Call is what a client asks for.
func call(t *sqlgen.Txn, args []*string) string {
	var list []string
	for i, p := range t.Params {
		if args[i] == nil {
			list = append(list, "NULL::"+p.Type.Name)
			continue
		}
		list = append(list, p.Type.Literal(*args[i]))
	}
	if t.Kind == sqlgen.Procedure {
		return "CALL " + t.Name + "(" + strings.Join(list, ", ") + ")"
	}
	return "SELECT * FROM " + t.Name + "(" + strings.Join(list, ", ") + ")"
}

// errArgument is: the place of a parameter tells another type than the client gives.
var errArgument = errors.New("an argument of another type than its place")

// instance is the same for the model.
func (a *app) instance(t *sqlgen.Txn, args []*string, now *string) (*interp.Instance, error) {
	txn := a.model.prog.Txn(t.Name)
	if txn == nil {
		return nil, fmt.Errorf("there is no template %s", t.Name)
	}
	in := &interp.Instance{Txn: txn, ID: 1}
	if len(txn.Params) != len(args) && t.Kind != sqlgen.Script {
		return nil, fmt.Errorf("the template %s has %d parameters", t.Name, len(txn.Params))
	}
	for i, p := range txn.Params {
		if variable.MatchString("@" + p.Name) { // of the user (forgetting)
			in.Params = append(in.Params, ir.Null)
			continue
		}
		if t.Kind == sqlgen.Script { // it has those that are used, by number
			n, err := strconv.Atoi(strings.TrimLeft(p.Name, "$p_"))
			if err != nil || n < 1 || n > len(args) {
				return nil, fmt.Errorf("the parameter %s of %s is not one of %d", p.Name, t.Name, len(args))
			}
			i = n - 1
		}
		text := args[i]
		if text != nil && p.Type == ir.TextType && t.Params[i].Type.Sums && a.server.late() { // it stands in the text without quotes
			return nil, fmt.Errorf("%w: parameter %s is a text and not %s", errArgument, p.Name, *text)
		}
		if text != nil {
			c, err := a.server.canon(t.Params[i].Type, *text)
			switch {
			case err == nil:
				text = &c
			case code(err) != "23514": // what breaks the check of a domain stays as it is
				return nil, err
			}
		}
		v, ok := readAs(text, p.Type, p.Domain)
		if !ok {
			return nil, fmt.Errorf("%w: parameter %s cannot be %s", errArgument, p.Name, show(text))
		}
		in.Params = append(in.Params, v)
	}
	in.Havoc = func(site *ir.Havoc, n int) (ir.Value, bool) {
		if lt, _ := txn.LocalType(site.Var); lt == ir.TimeType && now != nil {
			return read(now, lt)
		}
		return ir.Null, false
	}
	return in, nil
}

// served is what the server did for a call.
type served struct {
	err error
	now *string
	out []record
	// byStatement has, for a script, the rows of each statement; they are in out, too.
	byStatement [][]record
	after       [][]record
}

// restore is SQL that brings back the rows that were read last.
func (a *app) restore() string {
	var list []refilled
	for i, tab := range a.model.prog.Tables {
		r := refilled{table: tab.Name}
		var at []int
		for k, c := range serverColumns(tab) {
			if c.Generated == nil {
				r.columns, at = append(r.columns, c.Name), append(at, k)
			}
		}
		for _, row := range a.before[i] {
			var vals []*string
			for _, k := range at {
				vals = append(vals, row.texts[k])
			}
			r.rows = append(r.rows, vals)
		}
		list = append(list, r)
	}
	return a.server.refill(list)
}

// shown is a call for a reader.
func shown(t *sqlgen.Txn, args []*string) string {
	if t.Dialect == sqlgen.MySQL {
		return strings.Join(statements(t, args), ";\n")
	}
	return call(t, args)
}

// compare runs a transaction once on both.
func (a *app) compare(t *sqlgen.Txn, args []*string) (f Finding) {
	sql := shown(t, args)
	defer func() {
		if r := recover(); r != nil {
			f = Finding{Result: Wrong, Class: fmt.Sprint("panic: ", r), Details: fmt.Sprintf("%s\npanic: %v\n%s", sql, r, debug.Stack())}
		}
	}()
	s := a.server.serve(a.server, t, args, a.rows)
	if c := code(s.err); s.err != nil && invalid(s.err) {
		return Finding{Result: Invalid, Class: c + " " + s.err.Error(), Details: sql + "\n" + s.err.Error()}
	} else if s.err != nil && (c == "" || c == "57014") {
		return Finding{Result: TooLong, Class: s.err.Error()}
	}
	in, err := a.instance(t, args, s.now)
	if errors.Is(err, errArgument) && a.server.late() {
		return Finding{Result: Invalid, Class: errArgument.Error()}
	}
	if err != nil {
		return Finding{Result: Wrong, Class: "no instance", Details: err.Error()}
	}
	return a.judge(t, sql, in, s)
}

// maxRuns bounds the choices that are followed.
const maxRuns = 3000

// judge looks for a run of the model that does what the server did.
func (a *app) judge(t *sqlgen.Txn, sql string, in *interp.Instance, s served) Finding {
	m := a.model.machine
	a.model.marks.used = false
	var got []string
	unmodelled, tooLong := "", false
	first, left := "", ""
	several := false
	n := 0
	for run := range m.EachRun(in, a.state, nil, true) {
		n++
		if run.Unmodelled != nil {
			unmodelled = run.Unmodelled.Reason
			continue
		}
		if why := run.Undecided(); why != "" {
			tooLong = true
			continue
		}
		why := run.Blocked
		if why == overflow && s.err == nil {
			tooLong = true
			continue
		}
		var after *interp.DB
		if why == "" {
			after, why = m.Commit(run, a.state, nil)
		}
		outcome := "aborts: " + why
		if why == "" {
			outcome = a.words(run, after)
		}
		several = several || n > 1 && outcome != first
		if n == 1 {
			first = outcome
		}
		if s.err != nil && why != "" {
			return Finding{Result: Aborts, Several: several, Opaque: a.model.marks.used}
		}
		if s.err == nil && why == "" && a.same(t, run, after, s) {
			return Finding{Result: Commits, Several: several, Opaque: a.model.marks.used}
		}
		if len(got) < 5 {
			got = append(got, outcome)
		}
		if s.err != nil && left == "" {
			left = leftOut(s.err, run)
		}
	}
	f := Finding{Result: Wrong, Several: several, Opaque: a.model.marks.used}
	switch {
	case left != "":
		f.Result, f.Class = LeftOut, left
		return f
	case unmodelled != "":
		f.Result, f.Class = Unmodelled, unmodelled
		return f
	case tooLong:
		f.Result = TooLong
		return f
	case !a.model.marks.used && a.undecided(t, in, s):
		f.Result, f.Class = Undecided, class(s, got)+planned(in.Txn)
		f.Details = fmt.Sprintf("%s\n-- the server:\n%s-- the model:\n%s", sql, a.said(s), strings.Join(got, "-- or\n"))
		return f
	case a.model.marks.used:
		f.Result = Open
	}
	f.Class = class(s, got)
	f.Details = fmt.Sprintf("%s\n-- rows before:\n%s-- the server:\n%s-- the model:\n%s", sql, a.texts(a.before), a.said(s), strings.Join(got, "-- or\n"))
	return f
}

// leftOut says which failure of the server a run of the model leaves out, and where
// that is written; "" is none.
func leftOut(err error, run *interp.Run) string {
	k := code(err)
	switch {
	case strings.Contains(err.Error(), "ON CONFLICT DO UPDATE command cannot affect row a second time"):
		return "a row is met twice (sqlmodel, What it does not model)"
	case k == "23514" && strings.Contains(err.Error(), "value for domain"), k == "23502" && strings.Contains(err.Error(), "domain"):
		return "the check of a domain outside of columns (sqlmodel, What it does not model)"
	case (k == "23505" || k == "23P01") && passes(run):
		return "a key is checked row by row (sqlmodel, What it does not model)"
	}
	kind := ir.ByError
	if k == "40001" {
		kind = ir.ByRowLock
	}
	if i := slices.IndexFunc(run.Dropped, func(d interp.DroppedAt) bool { return d.Stmt.Kind == kind }); i >= 0 {
		return run.Dropped[i].Stmt.What + " (ir.Dropped)"
	}
	return ""
}

// passes reports whether a statement of a run updates several rows.
func passes(run *interp.Run) bool {
	for i, op := range run.Ops {
		if i > 0 && op.Kind == interp.OpUpdate && run.Ops[i-1].Kind == interp.OpUpdate && op.Stmt == run.Ops[i-1].Stmt {
			return true
		}
	}
	return false
}

// class names a disagreement.
func class(s served, got []string) string {
	model := "commits"
	if len(got) > 0 && strings.HasPrefix(got[0], "aborts") {
		model = plainWords(got[0])
	}
	switch {
	case s.err != nil:
		return "server " + code(s.err) + ", model " + model
	case model != "commits":
		return "server commits, model " + model
	}
	return "both commit and differ"
}

// plainWords leaves names and numbers out of a message.
func plainWords(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, strings.TrimSpace(s))
}

// same reports whether a run has the results and rows of the server.
func (a *app) same(t *sqlgen.Txn, run *interp.Run, after *interp.DB, s served) bool {
	budget := 100000
	var bags []bag
	if s.byStatement != nil {
		var ok bool
		if bags, ok = a.emittedBy(t, run, s.byStatement); !ok {
			return false
		}
	} else if !t.Void {
		model := emitted(run)
		if counted(run) {
			if len(model) != 1 || model[0][0] != ir.Int(int64(len(s.out))) {
				return false
			}
		} else {
			bags = append(bags, bag{model: model, server: s.out})
		}
	}
	return newBindings().match(append(bags, a.bags(after, s.after)...), &budget)
}

// emittedBy are the rows that the first statements of a script give: out has those of
// the server for each. It is false where the number of some differs.
func (a *app) emittedBy(t *sqlgen.Txn, run *interp.Run, out [][]record) ([]bag, bool) {
	byStatement := make([][]interp.Step, len(t.Node.Kids))
	for _, step := range run.Steps {
		if step.Emitted == nil {
			continue
		}
		k := a.model.kidOf(t.Node, run.Inst.Txn, step.Stmt)
		if k < 0 {
			panic("a row of no statement")
		}
		byStatement[k] = append(byStatement[k], step)
	}
	var bags []bag
	for k, steps := range byStatement {
		if k >= len(out) {
			break
		}
		b := bag{server: out[k]}
		for _, s := range steps {
			if s.Counted {
				if s.Emitted[0][0] != ir.Int(int64(len(b.server))) {
					return nil, false
				}
				b.server = nil
				continue
			}
			b.model = append(b.model, s.Emitted...)
		}
		bags = append(bags, b)
	}
	return bags, true
}

// bags are the rows of all tables, which must be the same.
func (a *app) bags(db *interp.DB, rows [][]record) []bag {
	var out []bag
	for i, tab := range a.model.prog.Tables {
		b := bag{server: rows[i]}
		for _, row := range db.Rows(i) {
			b.model = append(b.model, real(tab, row))
		}
		out = append(out, b)
	}
	return out
}

// counted reports whether a run shows only how many rows it gives, since LIMIT does
// not tell which.
func counted(run *interp.Run) bool {
	return slices.ContainsFunc(run.Steps, func(s interp.Step) bool { return s.Counted })
}

// words shows an outcome of the model.
func (a *app) words(run *interp.Run, db *interp.DB) string {
	var b strings.Builder
	for _, row := range emitted(run) {
		b.WriteString("gives " + rowText(row) + "\n")
	}
	return b.String() + a.dump(db)
}

// dump shows a state of the model.
func (a *app) dump(db *interp.DB) string {
	var b strings.Builder
	for i, tab := range a.model.prog.Tables {
		for _, row := range db.Rows(i) {
			b.WriteString("  " + tab.Name + rowText(real(tab, row)) + "\n")
		}
	}
	return b.String()
}

func rowText(row []ir.Value) string {
	var list []string
	for _, v := range row {
		list = append(list, v.String())
	}
	return "(" + strings.Join(list, ", ") + ")"
}

// said shows what the server did.
func (a *app) said(s served) string {
	if s.err != nil {
		return s.err.Error() + "\n"
	}
	var b strings.Builder
	for _, row := range s.out {
		b.WriteString("gives " + textRow(row) + "\n")
	}
	return b.String() + a.texts(s.after)
}

func (a *app) texts(rows [][]record) string {
	var b strings.Builder
	for i, tab := range a.model.prog.Tables {
		for _, row := range rows[i] {
			b.WriteString("  " + tab.Name + textRow(row) + "\n")
		}
	}
	return b.String()
}

func textRow(row record) string {
	var list []string
	for _, v := range row.texts {
		list = append(list, show(v))
	}
	return "(" + strings.Join(list, ", ") + ")"
}
