package schedules

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/pgtest"
	"github.com/txrobust/robust/internal/testprog"
)

// literal writes a value as an SQL literal without a type.
func literal(v ir.Value) string {
	switch v.Kind {
	case ir.KindNull:
		return "NULL"
	case ir.KindInt, ir.KindNum, ir.KindBool:
		return v.String()
	case ir.KindTime:
		return "'" + time.UnixMicro(v.I).UTC().Format("2006-01-02 15:04:05.999999") + "'"
	}
	return "'" + strings.ReplaceAll(v.S, "'", "''") + "'"
}

// timeOfDay matches the values that differ from one run to the next.
var timeOfDay = regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?(\+\d\d)?`)

// onServer runs an anomaly on a real server.
type onServer struct {
	*pgtest.Server
	dsn string
	p   *ir.Program
	a   *Anomaly
}

func (s *onServer) call(i int) string {
	args := make([]string, len(s.a.Calls[i].Params))
	for k, v := range s.a.Calls[i].Params {
		args[k] = literal(v)
	}
	return fmt.Sprintf("SELECT * FROM %s(%s)", s.a.Calls[i].Txn.Name, strings.Join(args, ", "))
}

// rows replaces what is in the tables by the anomaly's initial rows.
func (s *onServer) rows() []string {
	var names, sql []string
	for _, t := range s.p.Tables {
		names = append(names, t.Name)
	}
	sql = append(sql, "TRUNCATE "+strings.Join(names, ", "))
	for _, i := range parentsFirst(s.p) {
		for _, r := range s.a.Rows[i] {
			vals := make([]string, len(r))
			cols := make([]string, len(r))
			for c, v := range r {
				vals[c], cols[c] = literal(v), s.p.Tables[i].Columns[c].Name
			}
			sql = append(sql, fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)", s.p.Tables[i].Name, strings.Join(cols, ", "), strings.Join(vals, ", ")))
		}
	}
	return sql
}

// schedule has two events for each transaction: BEGIN with a query that takes
// the snapshot, and its function with COMMIT.
func (s *onServer) schedule(level string) pgtest.Schedule {
	out := pgtest.Schedule{Level: level}
	add := func(i int, sql ...string) {
		for _, q := range sql {
			out.Steps = append(out.Steps, pgtest.Step{Session: fmt.Sprint("S", i), SQL: q})
		}
	}
	snaps := s.a.Snapshots()
	for now := range snaps {
		for i, snap := range snaps {
			if snap == now {
				add(i, "BEGIN", "SELECT 1")
			}
		}
		add(now, s.call(now), "COMMIT")
	}
	return out
}

func (s *onServer) contents(t *testing.T, conn *pgx.Conn) string {
	var b strings.Builder
	for _, table := range s.p.Tables {
		res, err := conn.PgConn().Exec(t.Context(), "SELECT * FROM "+table.Name).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		var rows []string
		for _, r := range pgtest.TextRows(res[0].Rows) {
			rows = append(rows, timeOfDay.ReplaceAllString(strings.Join(r, ", "), "now"))
		}
		slices.Sort(rows)
		fmt.Fprintln(&b, table.Name, rows)
	}
	return b.String()
}

// play runs the schedule, which must commit, and gives what was observed.
func (s *onServer) play(t *testing.T) (results []string, contents string) {
	s.Exec(t, s.dsn, s.rows()...)
	ctx, cancel := context.WithTimeout(t.Context(), pgtest.Deadline)
	defer cancel()
	out, err := pgtest.Run(ctx, s.dsn, s.schedule(pgtest.RepeatableRead))
	if err != nil {
		t.Fatal(err)
	}
	if !out.All() {
		for _, r := range out.Results {
			t.Logf("%s: %s: %s %s", r.Session, r.SQL, r, r.Message)
		}
		t.Fatal("the schedule does not commit")
	}
	for _, r := range out.Results {
		if strings.HasPrefix(r.SQL, "SELECT * FROM") {
			var i int
			fmt.Sscanf(r.Session, "S%d", &i)
			for len(results) <= i {
				results = append(results, "")
			}
			results[i] = timeOfDay.ReplaceAllString(fmt.Sprint(r.Rows), "now")
		}
	}
	return results, s.contents(t, s.Conn(t, s.dsn))
}

// serial looks for a serial order with the same results and contents.
func (s *onServer) serial(t *testing.T, results []string, contents string) []int {
	s.Exec(t, s.dsn, s.rows()...)
	conn := s.Conn(t, s.dsn)
	attempt := func(order []int) bool {
		if _, err := conn.Exec(t.Context(), "BEGIN"); err != nil {
			t.Fatal(err)
		}
		defer conn.Exec(t.Context(), "ROLLBACK")
		for _, i := range order {
			got, err := conn.PgConn().Exec(t.Context(), s.call(i)).ReadAll()
			if err != nil || timeOfDay.ReplaceAllString(fmt.Sprint(pgtest.TextRows(got[0].Rows)), "now") != results[i] {
				return false
			}
		}
		return s.contents(t, conn) == contents
	}
	var try func(order []int) []int
	try = func(order []int) []int {
		if len(order) == len(results) {
			if attempt(order) {
				return order
			}
			return nil
		}
		for i := range results {
			if !slices.Contains(order, i) {
				if found := try(append(slices.Clone(order), i)); found != nil {
					return found
				}
			}
		}
		return nil
	}
	return try(nil)
}

// TestOnServer runs the anomaly that is found for every cycle on a real
// PostgreSQL at REPEATABLE READ: it commits, and no serial order there has the
// same results and rows.
func TestOnServer(t *testing.T) {
	server := pgtest.Open(t)
	dsn := server.Database(t)
	for _, l := range testprog.Apps(t) {
		if l.Robust() || !l.Whole() {
			continue
		}
		t.Run(l.Kind+"/"+l.Folder, func(t *testing.T) {
			p := l.Load(t)
			a, stats := mustFind(t, query(t, l, p))
			if a == nil {
				t.Skipf("no anomaly is found (%s)", stats.Bounded)
			}
			server.Exec(t, dsn, append([]string{"DROP SCHEMA public CASCADE; CREATE SCHEMA public"}, testprog.SQL(t, l.Dir(t))...)...)
			s := &onServer{server, dsn, p, a}
			results, contents := s.play(t)
			if order := s.serial(t, results, contents); order != nil {
				t.Errorf("the serial order %v has the same outcome:\n%s%s", order, describe(p, a), contents)
			}
		})
	}
}
