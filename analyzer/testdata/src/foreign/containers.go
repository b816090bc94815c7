package foreign

import (
	"context"
	"database/sql"
	"strconv"

	"example.org/scan"
)

// InMap gives the database away in a map.
func InMap(db *sql.DB) error {
	return scan.RunMap(map[string]any{"db": db}) // want `…`
}

// InGrown gives it in a slice that grows.
func InGrown(dbs []*sql.DB) error {
	var list []any
	for _, db := range dbs {
		list = append(list, db)
	}
	return scan.RunList(list) // want `…`
}

// ByFunction gives a function that gives it.
func ByFunction(db *sql.DB) error {
	return scan.RunFunc(func() *sql.DB { return db }) // want `…`
}

// ByMethod gives a method of it.
func ByMethod(db *sql.DB) error {
	return scan.RunExec(db.ExecContext) // want `…`
}

// InOptions gives it in a struct of the library.
func InOptions(db *sql.DB) error {
	return scan.RunOptions(&scan.Options{Source: db}) // want `…`
}

// InChannel gives it in a channel.
func InChannel(db *sql.DB) error {
	c := make(chan *sql.DB, 1)
	c <- db
	return scan.RunChan(c) // want `…`
}

// InAny gives it as a value of a type parameter.
func InAny(db *sql.DB) error {
	return scan.RunOf[any](db) // want `…`
}

// settings gives a map with the database.
func settings(db *sql.DB) map[string]any { return map[string]any{"db": db} }

// FromHelper gives what another function makes.
func FromHelper(db *sql.DB) error {
	return scan.RunMap(settings(db)) // want `…`
}

// Lost gives the transaction in a map whose key is not known.
func Lost(db *sql.DB, id int) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	m := map[string]any{}
	m[strconv.Itoa(id)] = tx               // want `unknown *: a transaction that is put into a map`
	if err := scan.RunMap(m); err != nil { // want `unknown *: a call of RunMap`
		return err
	}
	return tx.Commit()
}

// Plain gives what leads to no database.
func Plain(db *sql.DB, id int) error {
	if _, err := db.Exec("DELETE FROM t WHERE id = $1", id); err != nil { // want `DELETE FROM t WHERE id = $1 (id)`
		return err
	}
	if err := scan.RunMap(map[string]any{"id": id}); err != nil {
		return err
	}
	return scan.RunFunc(nil)
}

// Keep gives the context of the transaction to something that may use it later.
func Keep(ctx context.Context, db *sql.DB, job scan.Job) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	job.SetContext(context.WithValue(ctx, key{}, tx)) // want `unknown *: a call of SetContext through an interface`
	return tx.Commit()
}

// Handler is implemented elsewhere.
type Handler interface {
	Handle(ctx context.Context) error
}

// Handled calls a handler with the transaction in the context.
func Handled(ctx context.Context, db *sql.DB, next Handler) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := next.Handle(context.WithValue(ctx, key{}, tx)); err != nil { // want `unknown *: a call of Handle through an interface`
		return err
	}
	return tx.Commit()
}
