package untraced

import (
	"context"
	"database/sql"
)

var shared *sql.Tx

// Share lets others send in its transaction, by a package variable.
func Share(ctx context.Context, db *sql.DB, wait func() error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	shared = tx
	if err := wait(); err != nil {
		return err
	}
	return tx.Commit()
}

// Shared sends in the transaction of Share.
func Shared(id int64) error { return add(shared, id) }

var own *sql.Tx

// Own has a package variable that only its own parts look at.
func Own(ctx context.Context, db *sql.DB, id int64) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	own = tx
	if err := addOwn(id); err != nil {
		return err
	}
	return tx.Commit()
}

func addOwn(id int64) error { return add(own, id) }

// Send puts its transaction into a channel.
func Send(ctx context.Context, db *sql.DB, c chan<- *sql.Tx, done <-chan error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	c <- tx
	if err := <-done; err != nil {
		return err
	}
	return tx.Commit()
}

// Unit keeps its transaction from one call to the next.
type Unit struct {
	db *sql.DB
	tx *sql.Tx
}

// Begin begins it.
func (u *Unit) Begin(ctx context.Context) (err error) {
	u.tx, err = u.db.BeginTx(ctx, nil)
	return err
}

// Commit ends it.
func (u *Unit) Commit() error { return u.tx.Commit() }

// Open has its transaction from other packages: nobody here sets the field.
type Open struct{ Tx *sql.Tx }

// Add sends in it.
func (o Open) Add(id int64) error { return add(o.Tx, id) }

// Provider is implemented elsewhere.
type Provider interface {
	Tx(ctx context.Context) *sql.Tx
	Conn(ctx context.Context) sender
}

// Provided takes its transaction from a provider, twice.
func Provided(ctx context.Context, p Provider, id int64) error {
	var n int64
	if err := p.Tx(ctx).QueryRowContext(ctx, "SELECT n FROM accounts WHERE id = $1", id).Scan(&n); err != nil {
		return err
	}
	_, err := p.Tx(ctx).ExecContext(ctx, "UPDATE accounts SET n = $2 WHERE id = $1", id, n+1)
	return err
}

// Perhaps takes what may be a transaction.
func Perhaps(ctx context.Context, p Provider, id int64) error {
	_, err := p.Conn(ctx).ExecContext(ctx, "DELETE FROM accounts WHERE id = $1", id)
	return err
}
