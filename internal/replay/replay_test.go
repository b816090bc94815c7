package replay_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/dbserver"
	"github.com/txrobust/robust/internal/pgtest"
	"github.com/txrobust/robust/internal/replay"
	"github.com/txrobust/robust/internal/replaytest"
	"github.com/txrobust/robust/internal/testprog"
	"github.com/txrobust/robust/internal/witness"
	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/ir/irtext"
	"github.com/txrobust/robust/sqlmodel"
)

// planOf gives the plan of the first finding in a program.
func planOf(t *testing.T, p *ir.Program, opt robust.Options) *witness.Plan {
	t.Helper()
	opt.Engine = engine.Postgres()
	rep, err := robust.Check(t.Context(), p, opt)
	if err != nil || len(rep.Findings) == 0 {
		t.Fatalf("%v: %s has no finding", err, p.Name)
	}
	return rep.Findings[0].Witness.Plan
}

// oncall is a write skew of a script.
func oncall(t *testing.T) *witness.Plan {
	return planOf(t, testprog.Load(t, testprog.Path(t, "scripts", "oncall")), robust.Options{})
}

// doctored is a copy of a plan that was changed.
func doctored(t *testing.T, p *witness.Plan, change func(p *witness.Plan)) *witness.Plan {
	t.Helper()
	text, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	out := &witness.Plan{}
	if err := json.Unmarshal(text, out); err != nil {
		t.Fatal(err)
	}
	change(out)
	return out
}

// command gives the n-th command of a transaction.
func command(p *witness.Plan, label string, n int) *witness.Command {
	for _, s := range p.Execution.Steps {
		if s.Transaction == label && s.Kind == witness.StepCommand {
			if n--; n < 0 {
				return s.Command
			}
		}
	}
	panic("there is no such command")
}

// TestDoctored changes a plan in every way in which a witness may be wrong. None of
// them is what the server does.
func TestDoctored(t *testing.T) {
	plan := oncall(t)
	for _, tc := range []struct {
		name    string
		change  func(p *witness.Plan)
		outcome witness.Outcome
		text    string
	}{
		{"as it is", func(p *witness.Plan) {}, witness.AsShown, ""},
		{"a value that is read", func(p *witness.Plan) {
			command(p, "A", 0).Want.Rows[0][0].Text = "false"
		}, witness.OtherOutcome, "(t), not (false)"},
		{"a row that is not read", func(p *witness.Plan) {
			c := command(p, "A", 0)
			c.Want.Rows, c.Want.Exact = append(c.Want.Rows, c.Want.Rows[0]), true
		}, witness.OtherOutcome, "not (true) (true)"},
		{"a number of rows", func(p *witness.Plan) { *command(p, "B", 1).Want.Count = 2 }, witness.OtherOutcome, "1 rows, not 2"},
		{"a parameter", func(p *witness.Plan) {
			for _, s := range p.Execution.Steps {
				if s.Command != nil && len(s.Command.Args) > 0 && s.Transaction == "A" {
					s.Command.Args[0].SQL = "77"
				}
			}
		}, witness.OtherOutcome, ""},
		{"a row at the end", func(p *witness.Plan) { p.Execution.Final[1][0][0].Text = "99" }, witness.OtherOutcome, "doctor ends as "},
		{"another row at the end", func(p *witness.Plan) {
			p.Execution.Final[0] = append(p.Execution.Final[0], p.Execution.Final[1][0])
		}, witness.OtherOutcome, " ends as "},
		{"no row at the end", func(p *witness.Plan) { p.Execution.Final[1] = p.Execution.Final[1][1:] }, witness.OtherOutcome, "doctor ends as "},
		{"the order", func(p *witness.Plan) { // A waits for B, which does not commit in between
			var first, rest []witness.Step
			for _, s := range p.Execution.Steps {
				if s.Transaction == "B" && s.Kind == witness.StepCommit {
					rest = append(rest, s)
				} else if s.Transaction == "A" && s.Kind == witness.StepCommit {
					rest = append([]witness.Step{s}, rest...)
				} else {
					first = append(first, s)
				}
			}
			p.Execution.Steps = append(first, rest...)
			for _, s := range p.Execution.Steps {
				if s.Kind == witness.StepCommand && strings.HasPrefix(s.Command.Text[0], "UPDATE") { // the same row
					s.Command.Text, s.Command.Args = []string{"UPDATE doctor SET on_call = false WHERE id = 1"}, nil
				}
			}
		}, witness.Refused, "it waits for another transaction at A: UPDATE"},
		{"a wait that is none", func(p *witness.Plan) {
			for i := range p.Execution.Steps {
				s := &p.Execution.Steps[i]
				s.Waits = s.Kind == witness.StepCommand && s.Transaction == "A"
			}
		}, witness.OtherOutcome, "it does not wait for the other transaction at A: SELECT"},
		{"a serial order", func(p *witness.Plan) { // A after B
			slices.SortStableFunc(p.Execution.Steps, func(a, b witness.Step) int { return strings.Compare(b.Transaction, a.Transaction) })
		}, witness.OtherOutcome, "(f), not (true)"},
		{"the level", func(p *witness.Plan) { p.Level = "SERIALIZABLE" }, witness.Refused, "40001"},
		{"a serial order with the same outcome", func(p *witness.Plan) { // each leaves, whatever is read
			for _, s := range p.Execution.Steps {
				if s.Kind == witness.StepCommand && s.Command.Want.Rows != nil {
					s.Command.Want = witness.Want{}
				}
			}
			r := p.Execution
			r.Order = []string{"A", "B"}
			r.Steps = slices.Clone(r.Steps)
			slices.SortStableFunc(r.Steps, func(a, b witness.Step) int { return strings.Compare(a.Transaction, b.Transaction) })
			p.Serial = []witness.Run{r}
		}, witness.OtherOutcome, "the serial order A, B has the same outcome"},
		{"a transaction that should fail", func(p *witness.Plan) {
			r := p.Execution
			r.Stops, r.Final = "it should", nil
			r.Steps = r.Steps[:0:0]
			for _, s := range p.Execution.Steps {
				if s.Transaction == "B" {
					r.Steps = append(r.Steps, s)
				}
			}
			r.Order = []string{"B"}
			p.Serial = []witness.Run{r}
		}, witness.OtherOutcome, "B commits, which should not be possible: it should"},
		{"rows that break a constraint", func(p *witness.Plan) { p.Setup = append(p.Setup, "INSERT INTO doctor VALUES (1, 1, true)") }, witness.Refused, "23505"},
		{"rows that are none", func(p *witness.Plan) { p.Setup = append(p.Setup, "INSERT INTO nothing VALUES (1)") }, witness.NotRun, "42P01"},
		{"the schema", func(p *witness.Plan) { p.Schema = p.Schema[:1] }, witness.NotRun, "42P01"},
		{"a part of the schema on which nothing depends", func(p *witness.Plan) {
			p.Schema = append(p.Schema, witness.Declaration{SQL: "CREATE EXTENSION nothing_of_the_kind", Optional: true})
		}, witness.AsShown, ""},
		{"no syntax", func(p *witness.Plan) { command(p, "B", 1).Text[0] = "UPDATE UPDATE " }, witness.Refused, "42601"},
		{"what the server decides", func(p *witness.Plan) {
			command(p, "A", 0).Want.Rows[0][0].Text = "false"
			p.Depends = []string{"random()"}
		}, witness.NotRun, "it depends on random()"},
		{"a refusal that the server may decide", func(p *witness.Plan) {
			p.Level, p.Depends = "SERIALIZABLE", []string{"random()"}
		}, witness.NotRun, "40001"},
		{"rows that break a constraint, whatever the server decides", func(p *witness.Plan) {
			p.Setup, p.Depends = append(p.Setup, "INSERT INTO doctor VALUES (1, 1, true)"), []string{"random()"}
		}, witness.Refused, "23505"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := doctored(t, plan, tc.change)
			r, err := replaytest.Open(t, witness.Postgres).Replay(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			if r.Outcome != tc.outcome || !strings.Contains(r.Difference, tc.text) {
				t.Errorf("%s\n%s", r, strings.Join(r.Log, "\n"))
			}
		})
	}
}

// TestBroken: a plan that does not hold together is an error.
func TestBroken(t *testing.T) {
	plan := oncall(t)
	for text, change := range map[string]func(p *witness.Plan){
		"one after the other": func(p *witness.Plan) { p.Serial[0] = p.Execution },
		"rows of 1 tables":    func(p *witness.Plan) { p.Execution.Final = p.Execution.Final[:1] },
		"dialect must be":     func(p *witness.Plan) { p.Dialect = "other" },
		"2 parts for 0 values": func(p *witness.Plan) {
			c := command(p, "B", 1)
			c.Text, c.Args = []string{"", ""}, nil
		},
		"must have a command": func(p *witness.Plan) {
			p.Execution.Steps[1].Command = nil
			p.Execution.Steps[1].Kind = witness.StepCommand
		},
	} {
		r, err := replaytest.Open(t, witness.Postgres).Replay(t.Context(), doctored(t, plan, change))
		if err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: %v, %v", text, r, err)
		}
	}
}

// databases lists the databases of a server.
func databases(t *testing.T, dsn string) []string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	rows, err := conn.Query(t.Context(), "SELECT datname::text FROM pg_database ORDER BY 1")
	if err != nil {
		t.Fatal(err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestDSN: on a server of somebody else a database is made and dropped, and nothing
// else is touched, also with two replays at once.
func TestDSN(t *testing.T) {
	plan := oncall(t)
	dsn := pgtest.Open(t).DSN("postgres")
	before := databases(t, dsn)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			s, err := replay.Open(t.Context(), replay.Options{Dialect: witness.Postgres, DSN: dsn})
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			for range 2 {
				if r, err := s.Replay(t.Context(), plan); err != nil || r.Outcome != witness.AsShown {
					t.Errorf("%v, %v", r, err)
				}
			}
		})
	}
	wg.Wait()
	if after := databases(t, dsn); !slices.Equal(before, after) {
		t.Errorf("there were the databases %v, and are %v", before, after)
	}
}

// TestNoDatabase: a server that does not let the user create databases says so, and
// one that does not answer.
func TestNoDatabase(t *testing.T) {
	srv := pgtest.Open(t)
	srv.Exec(t, srv.DSN("postgres"), "CREATE ROLE humble LOGIN PASSWORD 'secret'")
	t.Cleanup(func() { srv.Exec(t, srv.DSN("postgres"), "DROP ROLE humble") })
	u, err := url.Parse(srv.DSN("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword("humble", "secret")
	s, err := replay.Open(t.Context(), replay.Options{Dialect: witness.Postgres, DSN: u.String()})
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{s.Check(t.Context()), func() error { _, err := s.Replay(t.Context(), oncall(t)); return err }()} {
		if err == nil || !strings.Contains(err.Error(), "refuses CREATE DATABASE") || !strings.Contains(err.Error(), "42501") {
			t.Errorf("%v", err)
		}
	}
	u.User = url.UserPassword("humble", "wrong-password")
	for _, dsn := range []string{u.String(), "postgres://nobody@127.0.0.1:1/none", "host=127.0.0.1 port=1"} {
		_, err := replay.Open(t.Context(), replay.Options{Dialect: witness.Postgres, DSN: dsn})
		if err == nil || !strings.Contains(err.Error(), "does not answer") || strings.Contains(err.Error(), "wrong-password") {
			t.Errorf("%s: %v", dsn, err)
		}
	}
	if _, err := replay.Open(t.Context(), replay.Options{Dialect: witness.MySQL, DSN: u.String()}); err == nil || !strings.Contains(err.Error(), "dialect") {
		t.Errorf("%v", err)
	}
}

// slow is a plan whose second transaction sleeps.
func slow(t *testing.T) *witness.Plan {
	return doctored(t, oncall(t), func(p *witness.Plan) {
		c := command(p, "B", 0)
		c.Text, c.Args, c.Want = []string{"SELECT pg_sleep(30)"}, nil, witness.Want{}
	})
}

// TestServerDies: where the server ends in the middle of a replay, that is an error.
func TestServerDies(t *testing.T) {
	plan := slow(t)
	private, err := dbserver.Postgres.Start(t.Context())
	pgtest.SkipMissing(t, err)
	defer private.Close()
	s, err := replay.Open(t.Context(), replay.Options{Dialect: witness.Postgres, DSN: private.DSN("postgres")})
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(time.Second, func() { private.Close() })
	r, err := s.Replay(t.Context(), plan)
	if err == nil || !strings.Contains(err.Error(), "ended the connection") && !strings.Contains(err.Error(), "connect") {
		t.Errorf("%v, %v", r, err)
	}
}

// TestCancelled: a replay that is given up leaves no database.
func TestCancelled(t *testing.T) {
	plan := slow(t)
	dsn := pgtest.Open(t).DSN("postgres")
	before := databases(t, dsn)
	s, err := replay.Open(t.Context(), replay.Options{Dialect: witness.Postgres, DSN: dsn})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	began := time.Now()
	if r, err := s.Replay(ctx, plan); err == nil {
		t.Errorf("it was not given up: %v", r)
	}
	if time.Since(began) > 20*time.Second {
		t.Errorf("it took %v to give up", time.Since(began))
	}
	if after := databases(t, dsn); !slices.Equal(before, after) {
		t.Errorf("there were the databases %v, and are %v", before, after)
	}
}

// TestEndsItself: a client cannot keep the transaction of a procedure open that ends it, so that the finding stands.
func TestEndsItself(t *testing.T) {
	p := source(t, `CREATE TABLE doctor (id int PRIMARY KEY, on_call boolean NOT NULL);
CREATE PROCEDURE leave(p int) LANGUAGE plpgsql AS $$ BEGIN
  IF (SELECT count(*) FROM doctor WHERE on_call) < 2 THEN ROLLBACK; RETURN; END IF;
  UPDATE doctor SET on_call = false WHERE id = p;
  COMMIT;
END $$;`)
	r, err := replaytest.Open(t, witness.Postgres).Replay(t.Context(), planOf(t, p, robust.Options{Question: robust.Question{Engine: engine.Postgres()}}))
	if err != nil || r.Outcome != witness.NotRun || !strings.Contains(r.Difference, "ends its transaction itself") {
		t.Errorf("%v, %v", r, err)
	}
}

// TestNotRun: what clients cannot run is said without a server.
func TestNotRun(t *testing.T) {
	p, err := irtext.Parse("skew", "program p\nvar x = 0, y = 0\nprocess p1 { txn t { r := x; y := r + 1 } }\nprocess p2 { txn u { r := y; x := r + 1 } }")
	if err != nil {
		t.Fatal(err)
	}
	r, err := replaytest.Open(t, witness.Postgres).Replay(t.Context(), planOf(t, p, robust.Options{}))
	if err != nil || r.Outcome != witness.NotRun || !strings.Contains(r.Difference, "told in SQL") {
		t.Errorf("%v, %v", r, err)
	}
}

// source makes a program of SQL text.
func source(t *testing.T, text string) *ir.Program {
	t.Helper()
	p, err := sqlmodel.Parse([]sqlmodel.File{{Name: "case.sql", Text: text}}, sqlmodel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// found checks a program and replays its findings, of which there must be some.
func found(t *testing.T, tally *replaytest.Tally, text string, opt robust.Options) {
	t.Helper()
	opt.Engine = engine.Postgres()
	rep, err := robust.Check(t.Context(), source(t, text), opt)
	if err != nil {
		t.Fatal(err)
	}
	if len(rep.Findings) == 0 {
		t.Fatalf("nothing was found: %+v\n%s", rep.Open, fmt.Sprint(rep.Havocs, rep.Notes))
	}
	tally.Report(t, rep, "")
	for _, f := range rep.Findings {
		pasted(t, f.Witness)
	}
}
