package std

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
)

// wallet asks the database for its text.
type wallet struct {
	tx *sql.Tx
	id int64
}

func (p wallet) String() string {
	var n int64
	p.tx.QueryRow("SELECT n FROM purses WHERE id = $1", p.id).Scan(&n)
	return fmt.Sprint(n)
}

// tallied asks the database for what is stored of it.
type tallied struct {
	tx *sql.Tx
	n  int64
}

func (c tallied) Value() (driver.Value, error) {
	err := c.tx.QueryRow("SELECT count(*) FROM purses").Scan(&c.n)
	return c.n, err
}

// Shown gives values with such methods to others.
func Shown(db *sql.DB, id int64) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	text := fmt.Sprintf("%v", wallet{tx, id})                                                // want `unknown *: a call of fmt.Sprintf, which may call wallet.String with the transaction`
	if _, err := tx.Exec("UPDATE notes SET body = $1 WHERE id = $2", text, id); err != nil { // want `UPDATE notes SET body = $1 WHERE id = $2 (('' + format %v(struct(null, id))) + '', id)`
		return err
	}
	if _, err := tx.Exec("UPDATE notes SET n = $1", tallied{tx: tx}); err != nil { // want `UPDATE notes SET n = $1 (stored)` `unknown *: a call of (*database/sql.Tx).Exec, which may call tallied.Value with the transaction`
		return err
	}
	return tx.Commit()
}

// cents say themselves how they are stored.
type cents struct {
	n   int64
	cur string
}

func (c cents) Value() (driver.Value, error) { return c.n, nil }

// SetCents stores a struct whose fields were set.
func SetCents(db *sql.DB, id, n int64) error {
	c := cents{n, "EUR"}
	if _, err := db.Exec("UPDATE prices SET n = $1 WHERE id = $2", c, id); err != nil { // want `UPDATE prices SET n = $1 WHERE id = $2 (arg1, id)`
		return err
	}
	at := &c.n
	*at++
	_, err := db.Exec("UPDATE prices SET m = $1", c) // want `UPDATE prices SET m = $1 (arg1)`
	return err
}

// batch keeps what it does for later.
type batch struct {
	tx   *sql.Tx
	todo []func() error
}

func (b *batch) add(id int64) error {
	var n int64
	if err := b.tx.QueryRow("SELECT n FROM kept WHERE id = $1", id).Scan(&n); err != nil { // want `SELECT n FROM kept WHERE id = $1 (1)` `SELECT n FROM kept WHERE id = $1 (2)`
		return err
	}
	b.todo = append(b.todo, func() error { // want `unknown *: a list that is not known, which gets the transaction`
		_, err := b.tx.Exec("UPDATE kept SET n = $2 WHERE id = $1", id, n+1)
		return err
	})
	return nil
}

// Kept calls functions that a list has, which is not known.
func Kept(db *sql.DB) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	b := &batch{tx: tx}
	if err := b.add(1); err != nil {
		return err
	}
	if err := b.add(2); err != nil {
		return err
	}
	for _, f := range b.todo {
		if err := f(); err != nil { // want `unknown *: a call of a function that is not known, which may use the transaction`
			return err
		}
	}
	return tx.Commit()
}

// KeptLater puts a function that has the transaction into a list which is not known.
func KeptLater(db *sql.DB, more []func() error) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	more = append(more, func() error { // want `unknown *: a list that is not known, which gets the transaction`
		_, err := tx.Exec("UPDATE kept SET n = 2")
		return err
	})
	for _, f := range more {
		if err := f(); err != nil { // want `unknown *: a call of a function that is not known, which may use the transaction`
			return err
		}
	}
	return tx.Commit()
}

// Raw reads through the connection of the transaction.
func Raw(ctx context.Context, db *sql.DB, read func(any) error) error {
	c, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	tx, err := c.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := c.Raw(read); err != nil { // want `unknown *: a call of Raw, which gives the connection of the transaction away`
		return err
	}
	if _, err := tx.Exec("UPDATE kept SET n = 3"); err != nil { // want `UPDATE kept SET n = 3`
		return err
	}
	return tx.Commit()
}

type keyOfTx struct{}

// handlers are called with a context that has the transaction.
type handlers map[string][]func(context.Context, int64) error

func (h handlers) emit(ctx context.Context, name string, id int64) error {
	for _, f := range h[name] {
		if err := f(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

func onPaid(ctx context.Context, id int64) error {
	_, err := ctx.Value(keyOfTx{}).(*sql.Tx).Exec("UPDATE kept SET n = 4 WHERE id = $1", id) // want `UPDATE kept SET n = 4 WHERE id = $1 (id)`
	return err
}

// Pay calls them.
func Pay(ctx context.Context, db *sql.DB, h handlers, id int64) error {
	h["paid"] = append(h["paid"], onPaid)
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := h.emit(context.WithValue(ctx, keyOfTx{}, tx), "paid", id); err != nil {
		return err
	}
	return tx.Commit()
}
