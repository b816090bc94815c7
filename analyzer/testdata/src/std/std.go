// Package std uses functions of the standard library around statements.
package std

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log"
	"math"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

type key struct{}

var errNone = errors.New("none")

// Texts are put together in all ways.
func Texts(db *sql.DB, table string, n int) error {
	var b strings.Builder
	b.Grow(10)
	b.WriteString("SELECT ")
	b.WriteByte('1')
	b.WriteRune('2')
	if _, err := db.Exec(b.String()); err != nil { // want `SELECT 12`
		return err
	}
	b.Reset()
	fmt.Fprintf(&b, "DELETE FROM %s WHERE n = %d", "logs", 5)
	if _, err := db.Exec(b.String()); err != nil { // want `DELETE FROM logs WHERE n = 5`
		return err
	}
	var buf bytes.Buffer
	buf.WriteString("UPDATE ")
	buf.WriteString(table)
	buf.WriteString(" SET n = 1")
	if _, err := db.Exec(buf.String()); err != nil { // want `UPDATE … SET n = 1`
		return err
	}
	q := strings.Join([]string{"SELECT a", "FROM logs", "WHERE n = $1"}, " ")
	if _, err := db.Exec(q, b.Len()); err != nil { // want `SELECT a FROM logs WHERE n = $1 (arg1)`
		return err
	}
	if _, err := db.Exec(strings.Replace("DELETE FROM x WHERE x = 1", "x", "logs", 1)); err != nil { // want `DELETE FROM logs WHERE x = 1`
		return err
	}
	if _, err := db.Exec(strings.ReplaceAll("DELETE FROM :t WHERE :t.n = 1", ":t", table)); err != nil { // want `DELETE FROM … WHERE ….n = 1`
		return err
	}
	if _, err := db.Exec(fmt.Sprintf("UPDATE logs SET n = %v, s = '%s' WHERE %d%% = $1", 3, "x", n), strings.Repeat("a", n)); err != nil { // want `UPDATE logs SET n = 3, s = 'x' WHERE …% = $1 (arg1)`
		return err
	}
	_, err := db.Exec("INSERT INTO logs (n, s, t) VALUES ($1, $2, $3)", strconv.Itoa(n), strings.ToUpper(table), math.Abs(float64(n))) // want `INSERT INTO logs (n, s, t) VALUES ($1, $2, $3) (arg1, arg2, arg3)`
	return err
}

// Errors are made, wrapped and told apart.
func Errors(ctx context.Context, db *sql.DB, id int) (err error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer tx.Rollback()
	var n int
	err = tx.QueryRow("SELECT n FROM logs WHERE id = $1", id).Scan(&n) // want `SELECT n FROM logs WHERE id = $1 (id)`
	wrapped := fmt.Errorf("read: %w", err)
	switch {
	case err != nil && errors.Is(wrapped, sql.ErrNoRows):
		if _, err := tx.Exec("INSERT INTO logs (id) VALUES ($1)", id); err != nil { // want `INSERT INTO logs (id) VALUES ($1) (id)`
			return err
		}
	case err != nil:
		return errors.Join(wrapped, errNone)
	case n == 0:
		return errors.New("zero")
	}
	return tx.Commit()
}

var mu sync.Mutex

// Values come from clocks, contexts and functions that only compute.
func Values(ctx context.Context, db *sql.DB, id int, at time.Time) error {
	mu.Lock()
	defer mu.Unlock()
	ctx = context.WithValue(ctx, key{}, "audit")
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		log.Println("no transaction", err)
		return err
	}
	defer tx.Rollback()
	if id < 0 {
		log.Fatalf("negative %d", id)
	}
	if id == 7 {
		os.Exit(1)
	}
	start := time.Now()
	name, ok := ctx.Value(key{}).(string)
	if !ok || at.IsZero() || at.Add(time.Second).Before(start) {
		return errNone
	}
	if _, err := tx.ExecContext(ctx, "UPDATE logs SET s = $1, at = $2 WHERE id = $3", name, at.UTC(), id); err != nil { // want `UPDATE logs SET s = $1, at = $2 WHERE id = $3 ('audit', at, id)`
		return err
	}
	if strings.HasPrefix(name, "aud") && strings.Contains(name, "it") {
		if _, err := tx.Exec("DELETE FROM logs WHERE at < $1", at.Truncate(time.Hour)); err != nil { // want `DELETE FROM logs WHERE at < $1 ((time.Time).Truncate(at, 3600000000000))`
			return err
		}
	}
	if other, ok := context.Background().Value(key{}).(string); ok {
		if _, err := tx.Exec("DELETE FROM logs WHERE s = $1", other); err != nil {
			return err
		}
	}
	log.Println("took", time.Since(start))
	return tx.Commit()
}
