package mysql_test

import (
	"context"
	"database/sql"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/mariatest"
	"github.com/txrobust/robust/sqlmodel"
)

// seed makes the rows and arguments of TestAgainstServer.
const seed = 3

// TestAgainstServer runs every transaction of testdata/diff on random rows and
// arguments, both on a real server and, translated, in the interpreter: the
// rows that come back and those afterwards must be the same.
func TestAgainstServer(t *testing.T) {
	againstServer(t, "schema.sql", "txns.sql")
}

// TestTriggers is TestAgainstServer for tables with triggers.
func TestTriggers(t *testing.T) {
	againstServer(t, "triggers_schema.sql", "triggers_txns.sql")
}

// againstServer compares transactions of testdata/diff.
func againstServer(t *testing.T, names ...string) {
	server := mariatest.Open(t)
	d := &differ{T: t, rng: rand.New(rand.NewPCG(seed, 1)), conn: server.Conn(t), commits: map[string]int{}}
	var files []sqlmodel.File
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join("testdata", "diff", name))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, sqlmodel.File{Name: name, Text: string(text)})
	}
	d.exec(files[0].Text)
	prog, err := sqlmodel.Parse(files, sqlmodel.Options{MySQL: true})
	if err != nil {
		t.Fatal(err)
	}
	d.prog, d.machine = prog, interp.NewMachine(prog, engine.MariaDB())
	d.machine.Trace = true
	d.blocks = map[string][]string{}
	name := ""
	for _, line := range strings.Split(files[1].Text, "\n") {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "-- name: "):
			name = strings.TrimPrefix(line, "-- name: ")
		case line == "" || strings.HasPrefix(line, "--"):
		default:
			for st := range strings.SplitSeq(line, ";") {
				if st = strings.TrimSpace(st); st != "" && st != "BEGIN" && st != "COMMIT" && st != "START TRANSACTION" {
					d.blocks[name] = append(d.blocks[name], st)
				}
			}
		}
	}
	rounds := 40
	if testing.Short() {
		rounds = 5
	}
	runs := 0
	for range rounds {
		d.fill()
		for _, txn := range prog.Txns {
			for range 3 {
				runs++
				d.compare(txn)
			}
		}
	}
	t.Logf("seed %d: %d transactions, %d runs", seed, len(prog.Txns), runs)
	for _, txn := range prog.Txns {
		ir.Walk(txn.Body, func(s ir.Stmt) {
			if u, ok := s.(*ir.Unmodelled); ok {
				t.Errorf("%s: %s is not modelled", u.Pos, u.Reason)
			}
		})
		if d.commits[txn.Name] == 0 && !testing.Short() {
			t.Errorf("%s never commits: its test says nothing", txn.Name)
		}
	}
}

// parameter is a parameter, or a text, which may have one in it.
var parameter = regexp.MustCompile(`'[^']*'|\?|:\w+`)

// into is a SELECT that sets variables.
var into = regexp.MustCompile(`^SELECT .*\bINTO\b`)

type differ struct {
	*testing.T
	rng     *rand.Rand
	conn    *sql.Conn
	prog    *ir.Program
	machine *interp.Machine
	blocks  map[string][]string
	state   *interp.DB
	commits map[string]int
}

func (d *differ) exec(text string) {
	d.Helper()
	if _, err := d.conn.ExecContext(context.Background(), text); err != nil {
		d.Fatalf("%v\nin: %s", err, text)
	}
}

// literal is a random constant of a type.
func (d *differ) literal(t ir.Type, null bool) string {
	if null && d.rng.IntN(6) == 0 {
		return "NULL"
	}
	switch t.Kind {
	case ir.KindInt:
		return strconv.Itoa(d.rng.IntN(5))
	case ir.KindNum:
		return []string{"0", "1.50", "2.25"}[d.rng.IntN(3)]
	case ir.KindTime:
		return []string{"'2024-01-01'", "'2024-02-29'"}[d.rng.IntN(2)]
	}
	return []string{"''", "'a'", "'A'", "'abc'", "'Abc'", "'b'"}[d.rng.IntN(6)]
}

// fill makes new rows on the server and reads them.
func (d *differ) fill() {
	d.exec("SET foreign_key_checks=0")
	for _, t := range d.prog.Tables {
		d.exec("TRUNCATE TABLE " + t.Name)
	}
	d.exec("SET foreign_key_checks=1")
	for _, t := range d.prog.Tables {
		for n := d.rng.IntN(5); n > 0; n-- {
			var cols, vals []string
			for _, c := range t.Columns {
				switch {
				case c.Hidden || c.Name == "rowid":
					continue
				case c.Name == "up":
					vals = append(vals, []string{"NULL", "NULL", "0", "1"}[d.rng.IntN(4)])
				case c.Name == "e":
					vals = append(vals, []string{"'red'", "'green'", "NULL"}[d.rng.IntN(3)])
				default:
					vals = append(vals, d.literal(c.Type, !c.NotNull))
				}
				cols = append(cols, c.Name)
			}
			// It may break a constraint.
			d.conn.ExecContext(context.Background(), fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)", t.Name, strings.Join(cols, ", "), strings.Join(vals, ", ")))
		}
	}
	// AUTO_INCREMENT gives greater keys than any row has, and a trigger greater ones than what fires it.
	for _, t := range d.prog.Tables {
		if key, has := map[string]int64{"c": 1 << 40, "z": 1 << 40, "log": 1 << 41}[t.Name]; has {
			d.exec(fmt.Sprintf("DELETE FROM %s WHERE id > 1000; ALTER TABLE %s AUTO_INCREMENT=%d", t.Name, t.Name, key))
		}
	}
	d.exec("COMMIT")
	d.state = interp.NewDB(d.prog, d.read())
}

// read gives the rows of all tables.
func (d *differ) read() [][][]ir.Value {
	out := make([][][]ir.Value, len(d.prog.Tables))
	for i, t := range d.prog.Tables {
		var names []string
		for _, c := range t.Columns {
			if !c.Hidden && c.Name != "rowid" {
				names = append(names, c.Name)
			}
		}
		rows, err := d.query("SELECT " + strings.Join(names, ", ") + " FROM " + t.Name)
		if err != nil {
			d.Fatal(err)
		}
		for n, row := range rows {
			var vals []ir.Value
			if t.Rowid {
				vals = append(vals, ir.Int(int64(n+1)))
			}
			for _, s := range row {
				vals = append(vals, value1(s, t.Columns[len(vals)].Type))
			}
			for _, c := range t.Columns[len(vals):] {
				vals = append(vals, ir.Null)
				v, ok := interp.NewMachine(&ir.Program{}, nil).RowValue(t, c.Generated)(vals)
				if !ok {
					d.Fatalf("%s.%s has no value", t.Name, c.Name)
				}
				vals[len(vals)-1] = v
			}
			out[i] = append(out[i], vals)
		}
	}
	return out
}

// value1 reads a value as the server prints it.
func value1(s sql.NullString, t ir.Type) ir.Value {
	if !s.Valid {
		return ir.Null
	}
	switch t.Kind {
	case ir.KindInt:
		i, _ := strconv.ParseInt(s.String, 10, 64)
		return ir.Int(i)
	case ir.KindNum:
		r, _ := new(big.Rat).SetString(s.String)
		return ir.Num(r)
	case ir.KindTime:
		day, _ := time.Parse(time.DateOnly, s.String)
		return ir.Time(day.UnixMicro())
	}
	return ir.Text(s.String)
}

func (d *differ) query(text string) ([][]sql.NullString, error) {
	rows, err := d.conn.QueryContext(context.Background(), text)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	return scanned(rows)
}

// scanned gives the rows of a result.
func scanned(rows *sql.Rows) ([][]sql.NullString, error) {
	var out [][]sql.NullString
	cols, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	for rows.Next() {
		row := make([]sql.NullString, len(cols))
		ptrs := make([]any, len(cols))
		for i := range row {
			ptrs[i] = &row[i]
		}
		if err := rows.Scan(ptrs...); err != nil {
			return nil, err
		}
		out = append(out, row)
	}
	return out, rows.Err()
}

// compare runs a transaction once with random arguments.
func (d *differ) compare(txn *ir.Txn) {
	args := map[string]string{}
	in := &interp.Instance{Txn: txn, ID: 1}
	for _, p := range txn.Params {
		lit := d.literal(p.Type, true)
		if s := d.blocks[txn.Name]; into.MatchString(s[0]) && (p.Name == "m" || p.Name == "s") {
			lit = "NULL" // variables that nothing has set
		}
		args[p.Name] = lit
		v := value1(sql.NullString{String: strings.Trim(lit, "'"), Valid: lit != "NULL"}, p.Type)
		in.Params = append(in.Params, v)
	}
	var lines, sent []string
	var failed error
	d.exec("SET @m = NULL, @s = NULL; START TRANSACTION")
	marks := 0
	for _, st := range d.blocks[txn.Name] {
		text := parameter.ReplaceAllStringFunc(st, func(p string) string {
			switch p[0] {
			case '?':
				marks++
				return args["p"+strconv.Itoa(marks)]
			case ':':
				return args[p[1:]]
			}
			return p
		})
		sent = append(sent, text)
		var rows [][]sql.NullString
		if strings.HasPrefix(st, "SELECT") && !into.MatchString(st) {
			rows, failed = d.query(text)
		} else {
			_, failed = d.conn.ExecContext(context.Background(), text)
		}
		if failed != nil {
			break
		}
		for _, row := range rows {
			lines = append(lines, line(row))
		}
	}
	want := "error"
	if failed == nil {
		want = d.normal(lines, interp.NewDB(d.prog, d.read()))
	}
	d.exec("ROLLBACK")
	var got []string
	for _, run := range d.machine.Runs(in, d.state, nil, true) {
		why := run.Blocked
		if why == "" {
			_, why = d.machine.Commit(run, d.state, nil)
		}
		if why != "" {
			if failed != nil {
				return
			}
			got = append(got, "blocked: "+why)
			continue
		}
		var out []string
		for _, step := range run.Steps {
			for _, row := range step.Emitted {
				var vals []sql.NullString
				for _, v := range row {
					s := v.S
					if v.Kind == ir.KindInt {
						s = strconv.FormatInt(v.I, 10)
					}
					vals = append(vals, sql.NullString{String: s, Valid: !v.IsNull()})
				}
				out = append(out, line(vals))
			}
		}
		outcome := d.normal(out, run.After)
		if outcome == want {
			d.commits[txn.Name]++
			return
		}
		got = append(got, outcome)
	}
	d.Errorf("%s: %s\nserver (%v):\n%s\ninterpreter:\n%s\nrows:\n%s\n%s", txn.Name, strings.Join(sent, "; "), failed, want,
		strings.Join(got, "\n--- or\n"), d.normal(nil, d.state), txn)
}

func line(row []sql.NullString) string {
	var out []string
	for _, v := range row {
		s := "null"
		if v.Valid {
			s = v.String
			if r, ok := new(big.Rat).SetString(s); ok {
				s = r.RatString()
			}
		}
		out = append(out, s)
	}
	return strings.Join(out, ", ")
}

// normal is a canonical form: new keys are numbered, hidden keys left out.
func (d *differ) normal(lines []string, db *interp.DB) string {
	if len(lines) > 0 && !slices.IsSorted(lines) && strings.Count(lines[0], ",") == 4 {
		sort.Strings(lines) // SELECT * without an order
	}
	shown := len(lines)
	for i, t := range d.prog.Tables {
		for _, row := range db.Rows(i) {
			var vals []string
			for c, v := range row {
				if t.Columns[c].Name == "rowid" {
					continue
				}
				vals = append(vals, v.String())
			}
			lines = append(lines, t.Name+" ("+strings.Join(vals, ", ")+")")
		}
	}
	text := strings.Join(lines, "\n")
	var big []string
	for _, f := range strings.FieldsFunc(text, func(r rune) bool { return r < '0' || r > '9' }) {
		if n, err := strconv.ParseInt(f, 10, 64); err == nil && n >= 1<<39 && !slices.Contains(big, f) {
			big = append(big, f)
		}
	}
	sort.Strings(big)
	for i, f := range big {
		text = strings.ReplaceAll(text, f, "new"+strconv.Itoa(i))
	}
	lines = strings.Split(text, "\n")
	sort.Strings(lines[min(shown, len(lines)):])
	return strings.Join(lines, "\n")
}
