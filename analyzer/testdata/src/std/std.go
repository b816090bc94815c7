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

// Rows puts together a statement in a loop: what stands before the loop stays.
func Rows(db *sql.DB, list []int) error {
	q := bytes.NewBufferString("INSERT INTO logs (n) VALUES ")
	text, front, reset := "DELETE FROM logs WHERE n IN (", "n = 1", "SELECT n FROM logs"
	var b strings.Builder
	b.WriteString("UPDATE logs SET n = 1 WHERE ")
	for i, n := range list {
		if i > 0 {
			q.WriteString(", ")
			text += ", "
			b.WriteString(" OR ")
		}
		fmt.Fprintf(q, "(%d)", n)
		text += strconv.Itoa(n)
		front = "m = 2 AND " + front
		reset = "SELECT m FROM " + strconv.Itoa(n)
		b.WriteString("n = " + strconv.Itoa(n))
		b.Reset()
	}
	if _, err := db.Exec(q.String()); err != nil { // want `INSERT INTO logs (n) VALUES …`
		return err
	}
	if _, err := db.Exec(text + ")"); err != nil { // want `DELETE FROM logs WHERE n IN (…)`
		return err
	}
	if _, err := db.Exec("DELETE FROM logs WHERE " + front); err != nil { // want `DELETE FROM logs WHERE …`
		return err
	}
	if _, err := db.Exec(reset); err != nil { // want `…`
		return err
	}
	_, err := db.Exec(b.String()) // want `…`
	return err
}

// Joined puts together a statement in two loops, one after the other.
func Joined(db *sql.DB, list []string) error {
	var b strings.Builder
	b.WriteString("SELECT n")
	for _, c := range list {
		b.WriteString(", " + c)
	}
	b.WriteString(" FROM logs l")
	for _, c := range list {
		fmt.Fprintf(&b, " LEFT JOIN names %s ON l.n = %s.n", c, c)
	}
	b.WriteString(" WHERE l.n = 1")
	_, err := db.Exec(b.String()) // want `SELECT n… FROM logs l… WHERE l.n = 1`
	return err
}

// Attempts sends in each attempt what the failed ones before it may have made of a text.
func Attempts(db *sql.DB) error {
	text, longer := "DELETE FROM logs", "UPDATE logs SET n = 1 WHERE m = 1"
	for {
		tx, err := db.Begin()
		if err != nil {
			text = "TRUNCATE logs"
			longer += " OR m = 2"
			continue
		}
		if _, err := tx.Exec(longer); err != nil { // want `UPDATE logs SET n = 1 WHERE m = 1…`
			return err
		}
		if _, err := tx.Exec(text); err != nil { // want `…`
			return err
		}
		return tx.Commit()
	}
}

// Dozens chooses one of many texts, of which only the beginning is known.
func Dozens(db *sql.DB, on [5]bool) error {
	q := "UPDATE logs SET n = 1 WHERE m > 0"
	if on[0] {
		q += " AND a = 1"
	}
	if on[1] {
		q += " AND b = 1"
	}
	if on[2] {
		q += " AND c = 1"
	}
	if on[3] {
		q += " AND d = 1"
	}
	if on[4] {
		q += " AND e = 1"
	}
	_, err := db.Exec(q) // want `UPDATE logs SET n = 1 WHERE m > 0…`
	return err
}
