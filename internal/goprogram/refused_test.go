package goprogram

import (
	"context"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/txrobust/robust/analyzer"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/pgtest"
)

// texts are statements, with whether PostgreSQL reads them. Those that it reads need not be about tables that exist.
var texts = []struct {
	sql     string
	refused bool
}{
	{"INSERT IGNORE INTO t (a) VALUES (1)", true},
	{"insert or ignore\ninto t (a) values (1)", true},
	{"-- of SQLite\nINSERT OR REPLACE INTO t (a) VALUES (1)", true},
	{"REPLACE INTO t (a) VALUES (1)", true},
	{"INSERT INTO t (a) VALUES ($1) ON DUPLICATE KEY UPDATE a = 2", true},
	{"UDPATE t SET a = 1", true},
	{"PRAGMA foreign_keys = 1", true},
	{"INSERT INTO t (a) VALUES (1) ON CONFLICT DO NOTHING", false},
	{"INSERT INTO t (a) VALUES ('REPLACE INTO t ON DUPLICATE KEY UPDATE')", false},
	{"/* REPLACE INTO t */ UPDATE t SET a = 1", false},
	{"INSERT INTO ignore (a) VALUES (1)", false},
	{"INSERT INTO t (a) VALUES ($$ ON DUPLICATE KEY UPDATE $$)", false},
	{"Update t SET a = 1", false},
}

// TestRefused compares what is taken to be refused with a server.
func TestRefused(t *testing.T) {
	server := pgtest.Open(t)
	conn := server.Conn(t, server.Database(t))
	for _, x := range texts {
		_, err := conn.Exec(context.Background(), x.sql, pgx.QueryExecModeDescribeExec)
		var e *pgconn.PgError
		syntax := errors.As(err, &e) && e.Code == "42601"
		if syntax != x.refused {
			t.Errorf("%s: the server says %v", x.sql, err)
		}
		if got := refused(x.sql); got != x.refused {
			t.Errorf("%s: refused is %v", x.sql, got)
		}
	}
	if refused("REPLACE INTO " + client.Hole) {
		t.Error("a text of which a part is not known is refused")
	}
}

// TestDropRefused looks at what becomes of transactions that send a statement of another dialect: only a driver of PostgreSQL
// makes it one that is refused, and not behind a savepoint.
func TestDropRefused(t *testing.T) {
	body := func(first ...client.Stmt) []client.Stmt {
		return append(first, &client.If{Cond: client.V("other"), Then: []client.Stmt{&client.Query{SQL: "REPLACE INTO t (a) VALUES (1)"}},
			Else: []client.Stmt{&client.Query{SQL: "UPDATE t SET a = 1"}}}, &client.Commit{})
	}
	for _, x := range []struct {
		drivers []analyzer.Database
		body    []client.Stmt
		mysql   bool
		dropped bool
	}{
		{[]analyzer.Database{analyzer.MySQL, analyzer.PostgreSQL}, body(), false, true},
		{[]analyzer.Database{analyzer.MySQL, analyzer.PostgreSQL}, body(), true, false},
		{[]analyzer.Database{analyzer.MySQL}, body(), false, false},
		{nil, body(), false, false},
		{[]analyzer.Database{analyzer.PostgreSQL}, body(&client.Savepoint{Name: "s"}), false, false},
	} {
		s := &Source{mysql: x.mysql, found: &analyzer.Result{Drivers: x.drivers, Txns: []*client.Txn{{Name: "put", Body: x.body}}}}
		s.dropRefused()
		queries, rolled := 0, 0
		client.Walk(s.found.Txns[0].Body, func(st client.Stmt) {
			switch st.(type) {
			case *client.Query:
				queries++
			case *client.Rollback:
				rolled++
			}
		})
		if wanted := [2]int{2, 0}; x.dropped {
			wanted = [2]int{1, 1}
			if [2]int{queries, rolled} != wanted || len(s.notes) != 1 {
				t.Errorf("drivers %v: %d statements, %d rollbacks, %d notes", x.drivers, queries, rolled, len(s.notes))
			}
		} else if [2]int{queries, rolled} != wanted {
			t.Errorf("drivers %v: %d statements, %d rollbacks", x.drivers, queries, rolled)
		}
	}
}
