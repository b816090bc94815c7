package compare

import (
	"context"
	"database/sql"
	"strconv"
	"strings"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sqlgen"
	"github.com/txrobust/robust/sqlmodel"
)

// MariaDB takes a connection to a MariaDB on which nothing else runs: waits are those of
// the whole server.
func MariaDB(conn *sql.Conn) Link { return &mariadb{conn: conn} }

type mariadb struct {
	conn *sql.Conn
	name string
}

func (m *mariadb) run(ctx context.Context, text string) ([][]record, error) {
	rows, err := m.conn.QueryContext(ctx, text)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out [][]record
	for more := true; more; more = rows.NextResultSet() {
		cols, err := rows.Columns()
		if err != nil {
			return nil, err
		}
		if len(cols) == 0 {
			continue
		}
		result := []record{}
		for rows.Next() {
			vals := make([]sql.NullString, len(cols))
			ptrs := make([]any, len(cols))
			r := record{make([]*string, len(cols)), make([]ir.Domain, len(cols))}
			for i := range vals {
				ptrs[i] = &vals[i]
			}
			if err := rows.Scan(ptrs...); err != nil {
				return nil, err
			}
			for i, v := range vals {
				if v.Valid {
					r.texts[i] = &v.String
				}
			}
			result = append(result, r)
		}
		out = append(out, result)
	}
	return out, rows.Err()
}

func (m *mariadb) do(ctx context.Context, c command) ([]record, error) {
	results, err := m.run(ctx, c.sql)
	if err != nil || len(results) == 0 {
		return nil, err
	}
	return results[len(results)-1], nil
}

// cancel does nothing: waits end soon (prepare).
func (m *mariadb) cancel(context.Context) {}

func (m *mariadb) id() string { return m.name }

// allWait looks at the whole server, since the table of waits is a tenth of a second old.
func (m *mariadb) allWait(ctx context.Context, ids []string) (bool, error) {
	rows, err := m.run(ctx, "SHOW GLOBAL STATUS LIKE 'Innodb_row_lock_current_waits'")
	if err != nil {
		return false, err
	}
	return *rows[0][0].texts[1] == strconv.Itoa(len(ids)), nil
}

// mariaClock is the time that all transactions see.
const mariaClock = "2024-03-01 10:00:00"

func (m *mariadb) prepare(ctx context.Context) error {
	_, err := m.run(ctx, "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ; SET innodb_snapshot_isolation = ON; SET innodb_lock_wait_timeout = 1; "+
		"SET time_zone = '+00:00'; SET timestamp = UNIX_TIMESTAMP('"+mariaClock+"'); CREATE DATABASE IF NOT EXISTS app; USE app")
	return err
}

func (m *mariadb) profile() *engine.Profile { return engine.MariaDB() }

func (m *mariadb) parse(text string, names []string) (*ir.Program, error) {
	return sqlmodel.Parse([]sqlmodel.File{{Name: fileName, Text: text}}, sqlmodel.Options{MySQL: true, Txns: names})
}

func (m *mariadb) reset() []string {
	return []string{"ROLLBACK; DROP DATABASE IF EXISTS app; CREATE DATABASE app; USE app"}
}

func (m *mariadb) sequences() string {
	return `BEGIN NOT ATOMIC
		DECLARE n INT DEFAULT 0;
		FOR t IN (SELECT table_name AS name FROM information_schema.columns WHERE table_schema = 'app' AND extra LIKE '%auto_increment%' ORDER BY table_name) DO
			SET n = n + 1;
			EXECUTE IMMEDIATE CONCAT('ALTER TABLE ', t.name, ' AUTO_INCREMENT = ', n * 1000000);
		END FOR;
	END`
}

func (m *mariadb) empty(tables []string) string {
	var list []refilled
	for _, t := range tables {
		list = append(list, refilled{table: t})
	}
	return m.refill(list)
}

func (m *mariadb) refill(tables []refilled) string {
	var b strings.Builder
	b.WriteString("SET foreign_key_checks = 0;")
	for _, t := range tables {
		b.WriteString("DELETE FROM " + t.table + ";" + t.values(""))
	}
	b.WriteString("SET foreign_key_checks = 1")
	return b.String()
}

func (m *mariadb) canon(*sqlgen.Type, string) string { return "" }

func (m *mariadb) serve(s *Server, t *sqlgen.Txn, args []*string, looks string) served {
	now := m.clock()
	out := served{now: now}
	defer s.exec("ROLLBACK")
	if out.err = s.exec("DO LAST_INSERT_ID(0)"); out.err != nil { // of the call before
		return out
	}
	begin := commands(t, args)[0].sql
	if out.err = s.exec(begin); out.err != nil {
		return out
	}
	for _, sql := range statements(t, args) {
		rows, err := m.do(s.ctx, command{sql: sql})
		if err != nil {
			return served{err: err, now: now}
		}
		out.byStatement = append(out.byStatement, rows)
		out.out = append(out.out, rows...)
	}
	out.after, out.err = s.run(looks)
	return out
}

func (m *mariadb) late() bool { return true }

func (m *mariadb) clock() *string {
	now := mariaClock
	return &now
}
