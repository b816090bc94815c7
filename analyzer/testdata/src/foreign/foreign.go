// Package foreign gives its database to libraries that are not known, and its transactions to handlers.
package foreign

import (
	"context"
	"database/sql"
	"net/http"

	"example.org/scan"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// Get has the text of its statement among the arguments of the library.
func Get(ctx context.Context, db *sql.DB, id int) (n int, err error) {
	err = scan.Get(ctx, db, &n, "SELECT n FROM t WHERE id = $1", id) // want `SELECT n FROM t WHERE id = $1 (id)`
	return n, err
}

// Within is the same in a transaction.
func Within(ctx context.Context, db *sql.DB, id int) (n int, err error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return 0, err
	}
	defer tx.Rollback()
	if err := scan.Get(ctx, tx, &n, "UPDATE t SET n = n + 1 WHERE id = $1 RETURNING n", id); err != nil { // want `UPDATE t SET n = n + 1 WHERE id = $1 RETURNING n (id)`
		return 0, err
	}
	return n, tx.Commit()
}

// Query has a text that is not known.
func Query(ctx context.Context, db *sql.DB, text string) (n int, err error) {
	err = scan.Get(ctx, db, &n, text) // want `…`
	return n, err
}

// Clean gives the database away without a text.
func Clean(db *sql.DB) error {
	return scan.Cleanup(db) // want `…`
}

// CleanAll gives several away.
func CleanAll(a, b *sql.DB) error {
	return scan.CleanAll(a, b) // want `…`
}

// Each has a function that the library calls, in the transaction.
func Each(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	err = scan.Each(ctx, tx, "SELECT n FROM t", func() error { // want `unknown *: a call of Each`
		_, err := tx.ExecContext(ctx, "DELETE FROM t")
		return err
	})
	if err != nil {
		return err
	}
	return tx.Commit()
}

// Session uses a value of the library that holds the database.
func Session(db *sql.DB) error {
	c := &scan.Conn{DB: db}
	s := c.NewSession()  // want `…`
	return s.Remove("t") // want `…`
}

// Chosen sends what the library may put into a transaction of its own.
func Chosen(ctx context.Context, db *sql.DB) error {
	rows, err := scan.Getter(ctx, db).QueryContext(ctx, "SELECT n FROM t") // want `SELECT n FROM t` `…`
	if err != nil {
		return err
	}
	return rows.Close()
}

// Wrapped sends it through a database that the library has wrapped.
func Wrapped(ctx context.Context, db *sql.DB) error {
	rows, err := scan.Wrap(db).QueryContext(ctx, "SELECT n FROM t") // want `SELECT n FROM t`
	if err != nil {
		return err
	}
	return rows.Close()
}

// Watch gives the database to what only looks at its figures.
func Watch(ctx context.Context, db *sql.DB) error {
	collectors.NewDBStatsCollector(db, "main")
	return db.PingContext(ctx)
}

type service struct{ db *sql.DB }

// Serve gives a library a value with methods of the program, which are read.
func Serve(db *sql.DB) error { return scan.Serve(&service{db}) }

type key struct{}

// middleware runs a handler with a transaction in the context of its request.
func middleware(db *sql.DB, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tx, err := db.BeginTx(r.Context(), nil)
		if err != nil {
			return
		}
		defer tx.Rollback()
		inner := r.WithContext(context.WithValue(r.Context(), key{}, tx))
		if inner.FormValue("id") == "" {
			return
		}
		next.ServeHTTP(w, inner) // want `unknown *: a call of ServeHTTP through an interface`
		tx.Commit()
	})
}

// outer runs a handler after its transaction.
func outer(db *sql.DB, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tx, err := db.BeginTx(r.Context(), nil)
		if err != nil {
			return
		}
		defer tx.Rollback()
		if _, err := tx.Exec("UPDATE visits SET n = n + 1"); err != nil { // want `UPDATE visits SET n = n + 1`
			return
		}
		if tx.Commit() == nil {
			next.ServeHTTP(w, r)
		}
	})
}

// direct calls a function with the request whose context it made.
func direct(db *sql.DB) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		tx, err := db.BeginTx(r.Context(), nil)
		if err != nil {
			return
		}
		defer tx.Rollback()
		add(w, r.WithContext(context.WithValue(r.Context(), key{}, tx)))
		tx.Commit()
	}
}

func add(w http.ResponseWriter, r *http.Request) {
	tx := r.Context().Value(key{}).(*sql.Tx)
	if _, err := tx.Exec("UPDATE t SET n = n + 1 WHERE id = $1", r.FormValue("id")); err != nil { // want `UPDATE t SET n = n + 1 WHERE id = $1 (result_1)` `UPDATE t SET n = n + 1 WHERE id = $1 (result_2)`
		http.Error(w, err.Error(), 500)
	}
}

// Routes registers the handlers.
func Routes(db *sql.DB) {
	http.Handle("/add", middleware(db, http.HandlerFunc(add)))
	http.Handle("/visit", outer(db, http.HandlerFunc(add)))
	http.Handle("/direct", direct(db))
}
