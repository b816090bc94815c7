package sqlmodel

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/pgtest"
	"github.com/txrobust/robust/ir"
	"golang.org/x/tools/txtar"
)

// TestScriptsOnServer runs scripts with psql on a real server and, translated,
// in the interpreter, on random rows and variables: what psql prints and the
// rows afterwards must be the same.
func TestScriptsOnServer(t *testing.T) {
	server := pgtest.Open(t)
	psql := pgtest.Program(t, "psql")
	ar, err := txtar.ParseFile(filepath.Join("testdata", "diff", "scripts.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	schemaName := string(ar.Files[0].Data)
	dsn := server.Database(t)
	server.Exec(t, dsn, schemaName)
	runs := 12
	if testing.Short() {
		runs = 3
	}
	const patience = 60 // runs until one commits
	rng := rand.New(rand.NewPCG(seed, 3))
	for _, script := range ar.Files[1:] {
		files := []File{{Name: "schema.sql", Text: schemaName}, {Name: "script.sql", Text: string(script.Data)}}
		d := &differ{t: t, rng: rng, conn: server.Conn(t, dsn)}
		if d.l, err = read(Options{}.input(files)); err != nil {
			t.Fatalf("%s: %v", script.Name, err)
		}
		if d.prog, err = Parse(files, Options{}); err != nil {
			t.Fatalf("%s: %v", script.Name, err)
		}
		d.machine = interp.NewMachine(d.prog, engine.Postgres())
		d.machine.Trace = true
		path := filepath.Join(t.TempDir(), "script.sql")
		if err := os.WriteFile(path, script.Data, 0o666); err != nil {
			t.Fatal(err)
		}
		for i := 0; i < runs || d.commits == 0 && i < patience; i++ {
			d.script(script.Name, psql, dsn, path)
		}
		if d.commits == 0 {
			t.Errorf("%s never commits: its test says nothing", script.Name)
		}
	}
}

// script runs a script once, with psql and in the interpreter.
func (d *differ) script(name, psql, dsn, path string) {
	d.fillPair(3, true)
	values := map[string]int64{"p": int64(d.rng.IntN(3)), "q": int64(d.rng.IntN(3)), "r": int64(d.rng.IntN(3))}
	args := []string{"-X", "-q", "-A", "-t", "-F", ", ", "-P", "null=null", "-f", path}
	for v, i := range values {
		args = append(args, "-v", v+"="+strconv.FormatInt(i, 10))
	}
	cmd := exec.CommandContext(context.Background(), psql, append(args, dsn)...)
	var printed, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &printed, &complaints
	cmd.Run() // the rows say whether it worked
	txn := d.prog.Txns[0]
	var out []string
	for _, line := range strings.Split(strings.TrimSuffix(printed.String(), "\n"), "\n") {
		if line == "" {
			continue
		}
		var vals []string
		for _, v := range strings.Split(line, ", ") {
			vals = append(vals, d.plain(v))
		}
		out = append(out, strings.Join(vals, ", "))
	}
	end := d.database()
	want := d.normal(txn.Name, out, end)
	in := &interp.Instance{Txn: txn, ID: 1}
	for _, p := range txn.Params {
		v := ir.Int(values[p.Name])
		if p.Type == ir.BoolType {
			v = ir.Bool(values[p.Name] == 1)
		}
		in.Params = append(in.Params, v)
	}
	var got []string
	for _, run := range d.machine.Runs(in, d.state, nil, true) {
		why := run.Blocked
		if why == "" {
			_, why = d.machine.Commit(run, d.state, nil)
		}
		if why != "" { // nothing changes, and what was printed before counts for nothing
			got = append(got, "blocked: "+why)
			if d.dump(end) == d.dump(d.state) && complaints.Len() > 0 || strings.Contains(why, "rolls back") {
				return
			}
			continue
		}
		if outcome := d.outcome(run); outcome == want {
			d.commits++
			return
		} else {
			got = append(got, outcome)
		}
	}
	d.t.Errorf("%s %v\npsql:\n%s%s\ninterpreter:\n%s\nrows:\n%s\n%s", name, values, want, complaints.String(),
		strings.Join(got, "\n--- or\n"), d.dump(d.state), txn)
}

// TestPgbenchScripts checks that pgbench itself runs the scripts of
// testdata/scripts/pgbench, and that they do what its built-in ones do.
func TestPgbenchScripts(t *testing.T) {
	server := pgtest.Open(t)
	pgbench := pgtest.Program(t, "pgbench")
	dir := filepath.Join("..", "testdata", "scripts", "pgbench")
	dsn := server.Database(t)
	schema, err := os.ReadFile(filepath.Join(dir, "schema.sql"))
	if err != nil {
		t.Fatal(err)
	}
	server.Exec(t, dsn, string(schema)+`INSERT INTO pgbench_branches VALUES (1, 0);
		INSERT INTO pgbench_tellers SELECT i, 1, 0 FROM generate_series(1, 10) i;
		INSERT INTO pgbench_accounts SELECT i, 1, 0 FROM generate_series(1, 100000) i;`)
	for _, name := range []string{"tpcb-like", "simple-update", "select-only"} {
		out, err := exec.Command(pgbench, "-n", "-t", "20", "-D", "scale=1", "-f", filepath.Join(dir, name+".sql"), dsn).CombinedOutput()
		if err != nil || !strings.Contains(string(out), "20/20") {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
	var accounts, tellers, branches, history, rows int
	err = server.Conn(t, dsn).QueryRow(t.Context(), `SELECT (SELECT sum(abalance) FROM pgbench_accounts), (SELECT sum(tbalance) FROM pgbench_tellers),
		(SELECT sum(bbalance) FROM pgbench_branches), sum(delta), count(*) FROM pgbench_history`).Scan(&accounts, &tellers, &branches, &history, &rows)
	if err != nil || accounts != history || tellers != branches || rows != 40 {
		t.Errorf("accounts %d, tellers %d, branches %d, history %d in %d rows, %v", accounts, tellers, branches, history, rows, err)
	}
}
