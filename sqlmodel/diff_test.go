package sqlmodel

import (
	"context"
	"fmt"
	"iter"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/pgtest"
	"github.com/txrobust/robust/internal/sql/schema"
)

// seed makes the rows and arguments of TestAgainstServer.
const seed = 2

// TestAgainstServer runs every function of testdata/diff on random rows and
// arguments, both on a real server and, translated, in the interpreter: what
// the client sees and the rows afterwards must be the same.
func TestAgainstServer(t *testing.T) {
	compareWithServer(t, 40, "functions.sql", "more.sql", "cursor.sql", "merge.sql", "queries.sql", "skip.sql", "triggers.sql", "references.sql",
		"exceptions.sql", "limited.sql")
}

// TestOthersAgainstServer is the same for an application that locks no tables.
func TestOthersAgainstServer(t *testing.T) {
	compareWithServer(t, 20, "others.sql", "attributes.sql", "unused.sql")
}

// compareWithServer compares at least least functions, of schema.sql and more.
func compareWithServer(t *testing.T, least int, more ...string) {
	server := pgtest.Open(t)
	files := []string{filepath.Join("testdata", "diff", "schema.sql")}
	for _, f := range more {
		files = append(files, filepath.Join("testdata", "diff", f))
	}
	d := &differ{t: t, rng: rand.New(rand.NewPCG(seed, 2))}
	dsn := server.Database(t)
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		server.Exec(t, dsn, string(text))
	}
	d.conn, d.other = server.Conn(t, dsn), server.Conn(t, dsn)
	d.exec("SET lock_timeout = '5s'")
	d.loader(files)
	rounds := 12
	if testing.Short() {
		rounds = 3
	}
	for i := 0; i < rounds; i++ {
		d.fill()
		for _, fn := range d.fns {
			for k := 0; k < 6; k++ {
				d.compare(fn)
			}
		}
	}
	t.Logf("seed %d: %d functions, %d runs, of which %d commit", seed, len(d.fns), d.runs, d.commits)
	if len(d.fns) < least {
		t.Errorf("there are only %d functions", len(d.fns))
	}
	for _, fn := range d.fns {
		if d.committed[fn.Name] == 0 && !testing.Short() {
			t.Errorf("%s never commits: its test says nothing", fn.Name)
		}
	}
}

type differ struct {
	t       *testing.T
	rng     *rand.Rand
	conn    *pgx.Conn
	other   *pgx.Conn // of another session
	l       *loader
	prog    *ir.Program
	machine *interp.Machine
	fns     []*schema.Function
	state   *interp.DB

	runs, commits int
	committed     map[string]int
}

// loader translates the files with every function as a template.
func (d *differ) loader(files []string) {
	var list []File
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			d.t.Fatal(err)
		}
		list = append(list, File{Name: f, Text: string(text)})
	}
	l, err := read(Options{}.input(list))
	if err != nil {
		d.t.Fatal(err)
	}
	d.l, d.committed = l, map[string]int{}
	var all []string
	for _, f := range l.Funcs {
		if !f.IsTrigger() && !slices.ContainsFunc(f.Inputs(), func(p schema.Param) bool { return l.IsRow(f, p) }) {
			all = append(all, f.Name)
			d.fns = append(d.fns, f)
		}
	}
	if d.prog, err = Parse(list, Options{Txns: all}); err != nil {
		d.t.Fatal(err)
	}
	for _, txn := range d.prog.Txns {
		ir.Walk(txn.Body, func(s ir.Stmt) {
			if u, ok := s.(*ir.Unmodelled); ok {
				d.t.Errorf("%s: %s is not modelled", u.Pos, u.Reason)
			}
		})
	}
	d.machine = interp.NewMachine(d.prog, engine.Postgres())
	d.machine.Trace = true
}

func (d *differ) exec(sql string) {
	d.t.Helper()
	if _, err := d.conn.Exec(context.Background(), sql); err != nil {
		d.t.Fatalf("%v\nin: %s", err, sql)
	}
}

// fill makes new random rows on the server, and reads them.
func (d *differ) fill() {
	var all []string
	for _, tab := range d.l.Order {
		all = append(all, tab.Name)
	}
	d.exec("TRUNCATE " + strings.Join(all, ", "))
	d.exec("ALTER TABLE c ALTER COLUMN id RESTART WITH 1099511627776")
	for _, tab := range d.l.Order {
		for n := d.rng.IntN(4); n >= 0; n-- {
			var cols, vals []string
			for _, c := range tab.Columns {
				if c.Generated == nil && !c.Fresh {
					cols, vals = append(cols, c.Name), append(vals, d.literal(c.T, !c.NotNull))
				}
			}
			sql := fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)", tab.Name, strings.Join(cols, ", "), strings.Join(vals, ", "))
			d.conn.Exec(context.Background(), sql) // it may break a constraint
		}
	}
	d.exec("UPDATE d SET c_id = (SELECT min(id) FROM c) WHERE id <= 1")
	d.state = d.database()
}

// fillPair empties tables a and b, and gives them up to n and n rows: those of b
// point to rows of a, whose column b may be NULL or not.
func (d *differ) fillPair(n int, null bool) {
	d.exec("TRUNCATE a, b")
	for i := range n {
		if d.rng.IntN(4) > 0 {
			d.exec(fmt.Sprintf("INSERT INTO a VALUES (%d, %s, %d, %s, %s)", i, d.literal(schema.TInt, true), d.rng.IntN(4), d.literal(schema.TText, true), d.literal(schema.TBool, null)))
		}
		k := "NULL"
		if keys := d.query("SELECT k FROM a"); len(keys) > 0 {
			k = *keys[d.rng.IntN(len(keys))][0]
		}
		d.exec(fmt.Sprintf("INSERT INTO b VALUES (%d, %s, %s)", i, k, d.literal(schema.TText, true)))
	}
	d.state = d.database()
}

// database reads all tables of the server.
func (d *differ) database() *interp.DB {
	rows := make([][][]ir.Value, len(d.prog.Tables))
	for i, tab := range d.l.Order {
		rows[i] = d.read(tab)
	}
	return interp.NewDB(d.prog, rows)
}

// literal is a random SQL literal.
func (d *differ) literal(t schema.Type, null bool) string {
	if null && d.rng.IntN(6) == 0 {
		return "NULL"
	}
	switch t.Name {
	case schema.NInt:
		return strconv.Itoa(d.rng.IntN(5))
	case schema.NNumeric:
		return []string{"0", "1.5", "2.25"}[d.rng.IntN(3)]
	case schema.NText:
		return []string{"''", "'a'", "'B'", "'abc'"}[d.rng.IntN(4)]
	case schema.NBool:
		return []string{"true", "false"}[d.rng.IntN(2)]
	case schema.NArray:
		var elems []string
		for n := d.rng.IntN(4); n > 0; n-- {
			elems = append(elems, strconv.Itoa(d.rng.IntN(4)))
		}
		return "'{" + strings.Join(elems, ",") + "}'::int[]"
	}
	d.t.Fatalf("no literal of type %s", t)
	return ""
}

// read gives the rows of a table on the server.
func (d *differ) read(tab *schema.Table) [][]ir.Value {
	var names []string
	for _, c := range tab.Columns {
		names = append(names, c.Name)
	}
	var out [][]ir.Value
	for i, row := range d.query("SELECT " + strings.Join(names, ", ") + " FROM " + tab.Name) {
		vals := make([]ir.Value, 0, len(row)+1)
		if tab.IR.Rowid {
			vals = append(vals, ir.Int(int64(i)))
		}
		for k, text := range row {
			vals = append(vals, d.value(text, tab.Columns[k].T.Domain()))
		}
		for _, c := range tab.IR.Columns[len(vals):] { // what indexes are over
			vals = append(vals, ir.Null)
			v, ok := interp.NewMachine(&ir.Program{}, nil).RowValue(tab.IR, c.Generated)(vals)
			if !ok {
				d.t.Fatalf("%s.%s has no value", tab.Name, c.Name)
			}
			vals[len(vals)-1] = v
		}
		out = append(out, vals)
	}
	return out
}

// query gives the rows of a query as text.
func (d *differ) query(sql string) [][]*string {
	d.t.Helper()
	rows, err := d.rows(sql)
	if err != nil {
		d.t.Fatalf("%v\nin: %s", err, sql)
	}
	return rows
}

func (d *differ) rows(sql string) ([][]*string, error) {
	results, err := d.conn.PgConn().Exec(context.Background(), sql).ReadAll()
	if err != nil {
		return nil, err
	}
	var out [][]*string
	for _, row := range results[len(results)-1].Rows {
		var vals []*string
		for _, v := range row {
			if v == nil {
				vals = append(vals, nil)
				continue
			}
			s := string(v)
			vals = append(vals, &s)
		}
		out = append(out, vals)
	}
	return out, nil
}

// value reads a value of a type as the server prints it.
func (d *differ) value(text *string, t ir.Domain) ir.Value {
	if text == nil {
		return ir.Null
	}
	v, ok := t.Read(*text)
	if !ok {
		d.t.Fatalf("%s is no value of type %s", *text, t)
	}
	return v
}

// compare runs fn once with random arguments.
func (d *differ) compare(fn *schema.Function) {
	var literals []string
	for _, p := range fn.Inputs() {
		literals = append(literals, d.literal(d.l.TypeOf(p.T, fn.Text), !fn.Strict)) // a STRICT function does nothing for NULL
	}
	d.compareCall(fn, literals...)
}

// compareCall runs fn once with some arguments.
func (d *differ) compareCall(fn *schema.Function, literals ...string) {
	txn := d.prog.Txn(fn.Name)
	in := &interp.Instance{Txn: txn, ID: 1}
	for i, lit := range literals {
		in.Params = append(in.Params, d.argument(lit, txn.Params[i].Domain))
	}
	call := fmt.Sprintf("SELECT * FROM %s(%s)", fn.Name, strings.Join(literals, ", "))
	if fn.Procedure {
		call = fmt.Sprintf("CALL %s(%s)", fn.Name, strings.Join(literals, ", "))
	}
	d.exec("BEGIN")
	now := d.query("SELECT now()")[0][0]
	in.Havoc = func(site *ir.Havoc, n int) (ir.Value, bool) {
		if t, _ := txn.LocalType(site.Var); t == ir.TimeType {
			return d.value(now, schema.TStamp.SQL), true
		}
		return anyOrderOnly(site, n)
	}
	free := d.lockSome(fn)
	rows, err := d.rows(call)
	if err == nil { // as at a commit
		_, err = d.conn.Exec(context.Background(), "SET CONSTRAINTS ALL IMMEDIATE")
	}
	want := "error"
	if err == nil {
		want = d.serverOutcome(fn, rows)
	}
	d.exec("ROLLBACK")
	free()
	d.runs++
	var got []string
	for run := range d.choices(in, d.state, true) {
		why := run.Blocked
		if why == "" { // constraints are checked against what is committed
			_, why = d.machine.Commit(run, d.state, nil)
		}
		if why != "" {
			if err != nil {
				return
			}
			got = append(got, "blocked: "+why)
			continue
		}
		outcome := d.outcome(run)
		if outcome == want {
			d.commits++
			d.committed[fn.Name]++
			return
		}
		got = append(got, outcome)
	}
	d.t.Errorf("%s: %s\nserver (%v):\n%s\ninterpreter:\n%s\nrows:\n%s\n%s", fn.Pos, call, err, want,
		strings.Join(got, "\n--- or\n"), d.dump(d.state), txn)
}

// lockSome locks some rows in another session, if the function skips those.
func (d *differ) lockSome(fn *schema.Function) (free func()) {
	if !strings.HasPrefix(fn.Name, "skip_") {
		return func() {}
	}
	ctx := context.Background()
	for _, sql := range []string{"BEGIN", fmt.Sprintf("SELECT 1 FROM a WHERE (k + y) %% 3 = %d FOR UPDATE", d.rng.IntN(4)),
		fmt.Sprintf("SELECT 1 FROM b WHERE (k + j) %% 3 = %d FOR SHARE", d.rng.IntN(4))} {
		if _, err := d.other.Exec(ctx, sql); err != nil {
			d.t.Fatal(err)
		}
	}
	return func() {
		if _, err := d.other.Exec(ctx, "ROLLBACK"); err != nil {
			d.t.Fatal(err)
		}
	}
}

// choices gives the runs of an instance, for all choices of the rows that SKIP
// LOCKED and LIMIT leave.
func (d *differ) choices(in *interp.Instance, db *interp.DB, latest bool) iter.Seq[*interp.Run] {
	var sites []*ir.Havoc
	from := map[*ir.Havoc][]ir.Source{}
	ir.Walk(in.Txn.Body, func(s ir.Stmt) {
		if h, ok := s.(*ir.Havoc); ok {
			if t, _ := in.Txn.LocalType(h.Var); t.Kind == ir.KindArray {
				sites = append(sites, h)
			}
		}
		if c, ok := s.(*ir.Select); ok && len(sites) > 0 && len(c.Aggs) > 0 && from[sites[len(sites)-1]] == nil {
			from[sites[len(sites)-1]] = c.Query.From
		}
	})
	if len(sites) == 0 {
		return slices.Values(d.machine.Runs(in, db, nil, latest))
	}
	kept := map[*ir.Havoc][]ir.Value{}
	var choose func(i int, yield func(*interp.Run) bool) bool
	choose = func(i int, yield func(*interp.Run) bool) bool {
		if i < len(sites) {
			return d.eachChoice(d.keys(from[sites[i]], db), func(list []ir.Value) bool {
				kept[sites[i]] = list
				return choose(i+1, yield)
			})
		}
		one := *in
		one.Havoc = func(h *ir.Havoc, n int) (ir.Value, bool) {
			if list, ok := kept[h]; ok {
				return ir.Array(list), true
			}
			if in.Havoc != nil {
				return in.Havoc(h, n)
			}
			return ir.Null, false
		}
		for _, run := range d.machine.Runs(&one, db, nil, latest) {
			if !yield(run) {
				return false
			}
		}
		return true
	}
	return func(yield func(*interp.Run) bool) { choose(0, yield) }
}

// keys gives the keys of the rows of some sources together.
func (d *differ) keys(from []ir.Source, db *interp.DB) [][]ir.Value {
	keys := [][]ir.Value{nil}
	for _, src := range from {
		var longer [][]ir.Value
		for _, row := range db.Rows(d.prog.TableIndex(src.Table)) {
			for _, key := range keys {
				key = slices.Clone(key)
				for _, k := range src.Table.Key {
					key = append(key, row[k])
				}
				longer = append(longer, key)
			}
		}
		keys = longer
	}
	return keys
}

// eachChoice calls f with each set of keys, until it gives false.
func (d *differ) eachChoice(keys [][]ir.Value, f func([]ir.Value) bool) bool {
	for set := uint(0); set < 1<<len(keys); set++ {
		if len(keys) > 8 && bits.OnesCount(set) > 2 {
			continue // too many: only few rows may come
		}
		var kept []ir.Value
		for i, key := range keys {
			v := key[0]
			if len(key) > 1 {
				v = ir.Row(key)
			}
			if set>>i&1 == 1 {
				kept = append(kept, v)
			}
		}
		if !f(kept) {
			return false
		}
	}
	return true
}

// argument reads a literal of literal().
func (d *differ) argument(lit string, t ir.Domain) ir.Value {
	if lit == "NULL" {
		return ir.Null
	}
	text, _, _ := strings.Cut(lit, "::")
	text = strings.Trim(text, "'")
	return d.value(&text, t)
}

// serverOutcome is what a call returned and the rows afterwards.
func (d *differ) serverOutcome(fn *schema.Function, rows [][]*string) string {
	var out []string
	for _, row := range rows {
		if fn.Void() {
			break
		}
		var vals []string
		for _, v := range row {
			if v == nil {
				vals = append(vals, "null")
			} else {
				vals = append(vals, d.plain(*v))
			}
		}
		out = append(out, strings.Join(vals, ", "))
	}
	return d.normal(fn.Name, out, d.database())
}

// plain spells a value of the server as the interpreter's values are spelt.
func (d *differ) plain(s string) string {
	if r, ok := new(big.Rat).SetString(s); ok {
		return r.RatString()
	}
	switch s {
	case "t":
		return "true"
	case "f":
		return "false"
	}
	return s
}

// outcome is the same for a run of the interpreter.
func (d *differ) outcome(run *interp.Run) string {
	var out []string
	for _, step := range run.Steps {
		for _, row := range step.Emitted {
			var vals []string
			for _, v := range row {
				switch v.Kind {
				case ir.KindNull, ir.KindBool:
					vals = append(vals, v.String())
				case ir.KindInt:
					vals = append(vals, strconv.FormatInt(v.I, 10))
				default:
					vals = append(vals, v.S)
				}
			}
			out = append(out, strings.Join(vals, ", "))
		}
	}
	return d.normal(run.Inst.Txn.Name, out, run.After)
}

// normal is a canonical form. FRESH values and the server's sequences draw
// different numbers: they are numbered in the order in which they occur.
// Rows without ORDER BY are sorted.
func (d *differ) normal(txn string, outputs []string, db *interp.DB) string {
	ir.Walk(d.prog.Txn(txn).Body, func(s ir.Stmt) {
		if e, ok := s.(*ir.EmitRows); ok && len(e.Order) == 0 {
			sort.Strings(outputs)
		}
		if e, ok := s.(*ir.Emit); ok && unordered(e.Exprs) {
			sort.Strings(outputs)
		}
	})
	text := strings.Join(outputs, "\n") + "\n" + d.dump(db)
	fresh := map[string]string{}
	fields := strings.FieldsFunc(text, func(r rune) bool { return r < '0' || r > '9' })
	var big []string
	for _, f := range fields {
		if n, err := strconv.ParseInt(f, 10, 64); err == nil && n >= 1<<39 && fresh[f] == "" {
			fresh[f] = "?"
			big = append(big, f)
		}
	}
	sort.Strings(big)
	pairs := []string{}
	for i, f := range big {
		pairs = append(pairs, f, "fresh"+strconv.Itoa(i))
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// unordered reports whether an Emit gives the rows of a derivation that has no
// ORDER BY.
func unordered(es []ir.Expr) bool {
	c, ok := es[0].(*ir.Call)
	if !ok || c.Def == nil {
		return false
	}
	p, ok := c.Def.Rel.(*ir.Project)
	return !ok || len(p.Order) == 0
}

// dump prints the rows of all tables, without hidden keys.
func (d *differ) dump(db *interp.DB) string {
	var b strings.Builder
	for i, tab := range d.prog.Tables {
		var lines []string
		for _, row := range db.Rows(i) {
			if tab.Rowid {
				row = row[1:]
			}
			var vals []string
			for _, v := range row {
				vals = append(vals, v.String())
			}
			lines = append(lines, tab.Name+" ("+strings.Join(vals, ", ")+")")
		}
		sort.Strings(lines)
		b.WriteString(strings.Join(append(lines, ""), "\n"))
	}
	return b.String()
}
