package witness

import (
	"context"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/pgtest"
	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/internal/wellformed"
	"github.com/txrobust/robust/sqlmodel"
)

// play runs the plan of a witness on an empty database, and compares the rows at the
// end.
func play(t *testing.T, srv *pgtest.Server, w *Witness) {
	t.Helper()
	dsn := srv.Database(t)
	for _, d := range w.Plan.Schema {
		srv.Exec(t, dsn, d.SQL)
	}
	srv.Exec(t, dsn, w.Setup...)
	sch := pgtest.Schedule{Level: pgtest.RepeatableRead}
	for _, st := range w.Plan.Execution.Steps {
		sql := map[StepKind]string{StepBegin: "BEGIN", StepSnapshot: "SELECT 1", StepCommit: "COMMIT"}[st.Kind]
		if st.Command != nil {
			sql = st.Command.SQL()
		}
		sch.Steps = append(sch.Steps, pgtest.Step{Session: strconv.Itoa(st.Session), SQL: sql})
	}
	ctx, cancel := context.WithTimeout(t.Context(), pgtest.Deadline)
	defer cancel()
	if out, err := pgtest.Run(ctx, dsn, sch); err != nil || !out.All() {
		t.Errorf("%v, committed: %+v", err, out)
	}
	conn := srv.Conn(t, dsn)
	for _, table := range w.Final {
		for _, r := range table.Rows {
			where := make([]string, len(r))
			for i, v := range r {
				where[i] = quote.Ident(table.Columns[i]) + " IS NOT DISTINCT FROM " + v.String()
			}
			var n int
			err := conn.QueryRow(t.Context(), "SELECT count(*) FROM "+quote.Name(table.Table)+" WHERE "+strings.Join(where, " AND ")).Scan(&n)
			if err != nil || n != 1 {
				t.Errorf("%s%v is there %d times: %v", table.Table, r, n, err)
			}
		}
	}
}

// TestServer runs the scripts of witnesses on a real server.
func TestServer(t *testing.T) {
	srv := pgtest.Open(t)
	for _, s := range situations {
		t.Run(s.folder, func(t *testing.T) {
			play(t, srv, build(t, s.explore(t)))
		})
	}
}

// literals is a write skew over values of every type, names that need quotes,
// a table that refers to itself, and a table without a key.
const literals = `
CREATE TABLE "order" (id int PRIMARY KEY, parent int REFERENCES "order", at timestamptz, amount numeric, tags text[], open boolean, "User" text);
CREATE TABLE log (n int, note text);
CREATE PROCEDURE close_first(p_at timestamptz, p_amount numeric, p_tags text[], p_user text) LANGUAGE plpgsql AS $$
DECLARE v_open boolean;
BEGIN
  SELECT open INTO v_open FROM "order" WHERE id = 1;
  IF v_open THEN
    UPDATE "order" SET open = false, at = p_at, amount = p_amount, tags = p_tags, "User" = p_user WHERE id = 2;
    INSERT INTO log VALUES (1, NULL);
  END IF;
END
$$;
CREATE FUNCTION "Close"(p_open boolean) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE v_open boolean;
BEGIN
  SELECT open INTO v_open FROM "order" WHERE id = 2;
  IF v_open THEN
    UPDATE "order" SET open = p_open WHERE id = 1;
  END IF;
  RETURN v_open;
END
$$;`

func TestLiterals(t *testing.T) {
	p, err := sqlmodel.Parse([]sqlmodel.File{{Name: "literals.sql", Text: literals}}, sqlmodel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	wellformed.Structure(p)
	tags := ir.Array([]ir.Value{ir.Text("it's"), ir.Text(`a "b" \ c`)})
	at := ir.Time(1_600_000_000_123_456)
	third := ir.Num(big.NewRat(-5, 4))
	order := func(id, parent int64, open bool) []ir.Value {
		par := ir.Null
		if parent > 0 {
			par = ir.Int(parent)
		}
		return []ir.Value{ir.Int(id), par, at, third, tags, ir.Bool(open), ir.Text("O'Neil")}
	}
	e := Evidence{Program: p, Engine: engine.Postgres(), AnyOrder: true,
		Rows: [][][]ir.Value{{order(1, 2, true), order(2, 3, true), order(3, 0, true)}, {{ir.Int(7), ir.Int(7), ir.Text("x; y")}}},
		Sessions: []interp.Session{
			{{Txn: p.Txn("close_first"), Params: []ir.Value{at, third, tags, ir.Text("a'b")}, ID: 1}},
			{{Txn: p.Txn("Close"), Params: []ir.Value{ir.Bool(false)}, ID: 2}},
		}}
	r := interp.NewMachine(p, e.Engine).Explore(t.Context(), e.Sessions, interp.NewDB(p, e.Rows), interp.Options{AnyOrder: true})
	if r.Verdict != interp.Anomalous {
		t.Fatal(r.Verdict, r.Reason)
	}
	e.Execution = r.Anomaly
	w := build(t, e.Simplify())
	if w.Kind != WriteSkew {
		t.Errorf("%s", w.Kind)
	}
	sql := w.Transactions[0].Call + w.Transactions[1].Call
	for _, want := range []string{`CALL close_first('2020-09-13 12:26:40.123456+00', -1.25, E'{"it''s","a \\"b\\" \\\\ c"}', 'a''b');`, `SELECT * FROM "Close"(false);`} {
		if !strings.Contains(sql, want) {
			t.Errorf("there is no %s in\n%s", want, sql)
		}
	}
	play(t, pgtest.Open(t), w)
}
