package repair

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/txrobust/robust/internal/levels"
	"github.com/txrobust/robust/internal/pgtest"
	"github.com/txrobust/robust/internal/replaytest"
	"github.com/txrobust/robust/internal/sql/input"
	"github.com/txrobust/robust/internal/witness"
)

var (
	calls = flag.Int("repair.calls", 30, "random calls of each application, original and repaired")
	seed  = flag.Uint64("repair.seed", 1, "seed of random calls")
	every = flag.Int("repair.every", 5, "which applications: every one of this number, 1 for all")
	many  = flag.Int("repair.repairs", 3, "repairs of each application")
)

// header matches the lines that say what is expected of an application.
var header = regexp.MustCompile(`(?m)^(?:--|//)\s(isolation|want): (.*)$`)

// expected gives the level that is asked about and the kinds of repairs that are among those found.
func expected(t *testing.T, text string) (isolation string, want []string) {
	t.Helper()
	for _, m := range header.FindAllStringSubmatch(text, -1) {
		if m[1] == "isolation" {
			isolation = m[2]
		} else {
			want = append(want, m[2])
		}
	}
	if len(want) == 0 {
		t.Fatal("nothing is expected")
	}
	return isolation, want
}

// has checks that repairs of these kinds are among those found.
func has(t *testing.T, res *Result, want []string) {
	t.Helper()
	var got []string
	for i := range res.Repairs {
		got = append(got, kinds(&res.Repairs[i]))
	}
	for _, w := range want {
		if !slices.Contains(got, w) {
			t.Errorf("the repairs are %q, want %q among them", got, w)
		}
	}
}

// TestApplications repairs applications in SQL. A server shows each finding, and not with a repair. Calls one after
// the other have the same results and rows with a repair as without.
func TestApplications(t *testing.T) {
	list, err := filepath.Glob("testdata/sql/*.sql")
	if err != nil || len(list) < 15 {
		t.Fatal(len(list), err)
	}
	for i, path := range list {
		if i%*every != 0 {
			continue
		}
		t.Run(strings.TrimSuffix(filepath.Base(path), ".sql"), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			isolation, want := expected(t, string(text))
			p := programAt(isolation, []input.File{{Name: "a.sql", Text: string(text)}})
			res, err := Propose(t.Context(), p, Limits{Want: *many, Checks: 40, Each: 5 * time.Second})
			if err != nil {
				t.Fatal(err)
			}
			has(t, res, want)
			if isolation == levels.AtReadCommitted {
				open(t, paused(p.Files), nil).inPairs(res, func(r *Repair) *application {
					return open(t, paused(edited(p.Files, r.Changes).files()), levelsOf(r))
				})
			} else {
				onServer(t, p, res)
			}
			before := open(t, p.Files, nil).serially()
			for i := range res.Repairs {
				r := &res.Repairs[i]
				if diff := differ(before, open(t, edited(p.Files, r.Changes).files(), nil).serially()); diff != "" {
					t.Errorf("with %s, seed %d: %s", kinds(r), *seed, diff)
				}
			}
		})
	}
}

// outcome is what calls give, in order, and the rows at the end of each table.
type outcome struct {
	results []string
	rows    map[string]string
}

// differ says in what a repaired program differs from the original. New tables do not count.
func differ(a, b outcome) string {
	if len(a.results) == 0 || len(a.rows) == 0 {
		return "nothing was compared"
	}
	for i := range a.results {
		if a.results[i] != b.results[i] {
			return fmt.Sprintf("call %d is %s, but was %s", i+1, b.results[i], a.results[i])
		}
	}
	for _, t := range slices.Sorted(maps.Keys(a.rows)) {
		if a.rows[t] != b.rows[t] {
			return fmt.Sprintf("%s has the rows %s, but had %s", t, b.rows[t], a.rows[t])
		}
	}
	return ""
}

// application is one on a server. one makes a call and gives its result, two makes two at the same time.
type application struct {
	*testing.T
	one func(call string) string
	two func(calls [2]string) [2]string
	// random gives a random call, with numbers in a range.
	random func(rnd *rand.Rand, from, to int) string

	server    *pgtest.Server
	dsn       string
	conn      *pgx.Conn
	functions []string // each with the types of its parameters
	rows      []string // the INSERTs that make those to start with
}

// topInsert matches an INSERT that makes rows to start with.
var topInsert = regexp.MustCompile(`(?m)^INSERT INTO .*;$`)

// database makes one with the schema in the files.
func database(t *testing.T, files []input.File) *application {
	t.Helper()
	a := &application{T: t, server: pgtest.Open(t)}
	a.dsn = a.server.Database(t)
	for _, f := range files {
		a.server.Exec(t, a.dsn, f.Text)
		a.rows = append(a.rows, topInsert.FindAllString(f.Text, -1)...)
	}
	a.conn = a.server.Conn(t, a.dsn)
	return a
}

// open makes an application in SQL, whose functions run at these levels or, without one, READ COMMITTED.
func open(t *testing.T, files []input.File, levels map[string]string) *application {
	t.Helper()
	a := database(t, files)
	run := func(conn *pgx.Conn, call string) string {
		name, _, _ := strings.Cut(strings.TrimPrefix(call, "SELECT "), "(")
		return result(t.Context(), conn, levels[name], call)
	}
	other := a.server.Conn(t, a.dsn)
	a.one = func(call string) string { return run(a.conn, call) }
	a.two = func(calls [2]string) (r [2]string) {
		done := make(chan struct{})
		go func() {
			defer close(done)
			r[1] = run(other, calls[1])
		}()
		r[0] = run(a.conn, calls[0])
		<-done
		return r
	}
	a.random = a.call
	a.functions = a.strs("SELECT proname || ' ' || oidvectortypes(proargtypes) FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY 1")
	return a
}

// call is a random call of a function in SQL, with NULL at times.
func (a *application) call(rnd *rand.Rand, from, to int) string {
	name, types, _ := strings.Cut(a.functions[rnd.IntN(len(a.functions))], " ")
	var args []string
	for _, typ := range strings.Split(types, ", ") {
		arg := map[string]string{"integer": fmt.Sprint(from + rnd.IntN(to-from)), "text": fmt.Sprintf("'%c'", 'a'+rnd.IntN(3)), "boolean": fmt.Sprint(rnd.IntN(2) == 0)}[typ]
		if arg == "" {
			a.Fatalf("%s has a parameter of type %s", name, typ)
		}
		if rnd.IntN(20) == 0 {
			arg = "NULL"
		}
		args = append(args, arg)
	}
	return fmt.Sprintf("SELECT %s(%s)::text", name, strings.Join(args, ", "))
}

// tables are the rows of each table, without the columns of sequences, whose values nobody relies on, and without the
// tables that a repair adds.
func (a *application) tables() map[string]string {
	out := map[string]string{}
	for _, table := range a.strs("SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname NOT LIKE '%\\_guard'") {
		columns := a.strs("SELECT quote_ident(column_name) FROM information_schema.columns WHERE table_name = '" + table + "' AND column_default IS NULL")
		out[table] = strings.Join(a.strs("SELECT ROW("+strings.Join(columns, ", ")+")::text FROM "+pgx.Identifier{table}.Sanitize()+" AS r ORDER BY 1"), " ")
	}
	return out
}

func (a *application) strs(sql string) []string {
	a.Helper()
	rows, err := a.conn.Query(a.Context(), sql)
	if err != nil {
		a.Fatal(err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		a.Fatal(err)
	}
	return out
}

// serially makes random calls, and gives what comes of them.
func (a *application) serially() outcome {
	a.Helper()
	rnd := rand.New(rand.NewPCG(*seed, 0))
	var out outcome
	for range *calls {
		call := a.random(rnd, 0, 5)
		out.results = append(out.results, call+": "+a.one(call))
	}
	out.rows = a.tables()
	return out
}

// pauses matches the places in functions before which there is a pause when two calls run at the same time.
var pauses = regexp.MustCompile(`((?:\bTHEN|\bELSE|\bBEGIN|;)\s+)((?:UPDATE|INSERT|DELETE)\b)`)

// paused gives the files with pauses before what functions write.
func paused(files []input.File) []input.File {
	out := slices.Clone(files)
	for i, f := range out {
		if at := strings.Index(f.Text, "CREATE FUNCTION"); at >= 0 {
			out[i].Text = f.Text[:at] + pauses.ReplaceAllString(f.Text[at:], "${1}PERFORM pg_sleep(0.03); $2")
		}
	}
	return out
}

// reset makes the rows to start with the only ones.
func (a *application) reset() {
	a.Helper()
	a.server.Exec(a.T, a.dsn, "TRUNCATE "+strings.Join(a.strs("SELECT quote_ident(relname) FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"), ", "))
	a.server.Exec(a.T, a.dsn, a.rows...)
}

// together runs two calls at the same time, and says how that ended. ok says that some order of the two ends so, or that
// the server has refused one.
func (a *application) together(calls [2]string) (how string, ok bool) {
	a.Helper()
	shown := func(results [2]string) string { return fmt.Sprint(calls, results, a.tables()) }
	var serial []string
	for _, first := range []int{0, 1} {
		a.reset()
		var r [2]string
		for _, k := range []int{first, 1 - first} {
			r[k] = a.one(calls[k])
		}
		serial = append(serial, shown(r))
	}
	a.reset()
	r := a.two(calls)
	for _, one := range r {
		ok = ok || strings.HasPrefix(one, "40001") || strings.HasPrefix(one, "40P01") || strings.HasPrefix(one, "23505")
	}
	how = shown(r)
	return how, ok || slices.Contains(serial, how)
}

// inPairs makes calls at the same time: an application must do what no serial order does, and not as it is with each
// repair.
func (a *application) inPairs(res *Result, with func(r *Repair) *application) {
	a.Helper()
	rnd := rand.New(rand.NewPCG(*seed, 1))
	var wrong [][2]string
	for range 80 {
		pair := [2]string{a.random(rnd, 1, 4), a.random(rnd, 1, 4)}
		if _, ok := a.together(pair); !ok {
			if wrong = append(wrong, pair); len(wrong) == 3 {
				break
			}
		}
	}
	if len(wrong) == 0 {
		a.Errorf("seed %d: no two calls do what no serial order does", *seed)
	}
	for i := range res.Repairs {
		b := with(&res.Repairs[i])
		for _, pair := range wrong {
			if how, ok := b.together(pair); !ok {
				a.Errorf("with %s: %s", kinds(&res.Repairs[i]), how)
			}
		}
	}
}

// levelsOf are those of a repair, in the words of SQL.
func levelsOf(r *Repair) map[string]string {
	out := map[string]string{}
	for _, c := range r.Changes {
		for name, l := range c.Levels {
			out[name] = levelNames[l].sql
		}
	}
	return out
}

// result is what a call gives: a text, or the code of an error.
func result(ctx context.Context, conn *pgx.Conn, level, sql string) string {
	var out *string
	err := pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{IsoLevel: pgx.TxIsoLevel(strings.ToLower(level))}, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, sql).Scan(&out)
	})
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok {
		return refused.Code + " " + refused.Message
	}
	if err != nil {
		return err.Error()
	}
	if out == nil {
		return "NULL"
	}
	return *out
}

// onServer runs the schedule of the finding on a server with the functions and levels of each repair:
// the server must not do what it does with those of the program as it was.
func onServer(t *testing.T, p Program, res *Result) {
	t.Helper()
	plan := res.Before.Findings[0].Witness.Plan
	if r := replayed(t, plan); r.Outcome != witness.AsShown {
		t.Errorf("before: %s", r)
	}
	for i := range res.Repairs {
		r := &res.Repairs[i]
		changed := *plan
		changed.Schema = nil
		for _, f := range edited(p.Files, r.Changes).files() {
			changed.Schema = append(changed.Schema, witness.Declaration{Position: witness.Position{File: f.Name, Line: 1, Col: 1}, SQL: f.Text})
		}
		slices.SortStableFunc(changed.Schema, func(a, b witness.Declaration) int { // the schema first
			return strings.Compare(b.Position.File, a.Position.File)
		})
		raiseIn(&changed, res.Before.Findings[0].Witness, r)
		if got := replayed(t, &changed); got.Outcome == witness.AsShown || got.Outcome == witness.NotRun {
			t.Errorf("with %s: %s\n%s", kinds(r), got, strings.Join(got.Log, "\n"))
		}
	}
}

// raiseIn gives the transactions of a schedule the levels of a repair.
func raiseIn(plan *witness.Plan, w *witness.Witness, r *Repair) {
	plan.Levels = maps.Collect(maps.All(plan.Levels))
	for _, x := range w.Transactions {
		if l := levelsOf(r)[x.Name]; l != "" {
			plan.Levels[x.Label] = l
		}
	}
}

func replayed(t *testing.T, plan *witness.Plan) *witness.Replay {
	t.Helper()
	r, err := replaytest.Open(t, witness.Postgres).Replay(t.Context(), plan)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
