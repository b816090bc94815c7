package apart

import (
	"context"
	"database/sql"
	"errors"
)

// change reads, and writes what a function makes of it.
func change(ctx context.Context, db *sql.DB, id int64, f func(int) int) error {
	var n int
	if err := db.QueryRowContext(ctx, "SELECT balance FROM accounts WHERE id = $1", id).Scan(&n); err != nil {
		return err
	}
	_, err := db.ExecContext(ctx, "UPDATE accounts SET balance = $1 WHERE id = $2", f(n), id) // RB4001 balance
	return err
}

// Increase says what the helper makes of it.
func Increase(ctx context.Context, db *sql.DB, id int64) error {
	return change(ctx, db, id, func(n int) int { return n + 1 })
}

// changeTogether does so in one transaction.
func changeTogether(ctx context.Context, db *sql.DB, id int64, f func(int) int) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var n int
	if err := tx.QueryRowContext(ctx, "SELECT balance FROM accounts WHERE id = $1 FOR UPDATE", id).Scan(&n); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE accounts SET balance = $1 WHERE id = $2", f(n), id); err != nil {
		return err
	}
	return tx.Commit()
}

// IncreaseTogether is Increase in one transaction.
func IncreaseTogether(ctx context.Context, db *sql.DB, id int64) error {
	return changeTogether(ctx, db, id, func(n int) int { return n + 1 })
}

// Memo is a note of an account.
type Memo struct {
	ID   int64
	Text string
}

type memos[T any] interface {
	LoadMemo(ctx context.Context, id int64) (T, error)
	SaveMemo(ctx context.Context, v T) error
}

// edit changes what is in a store of any type.
func edit[T any](ctx context.Context, m memos[T], id int64, f func(*T)) error {
	v, err := m.LoadMemo(ctx, id)
	if err != nil {
		return err
	}
	f(&v)
	return m.SaveMemo(ctx, v)
}

type sqlMemos struct{ db *sql.DB }

func (m *sqlMemos) LoadMemo(ctx context.Context, id int64) (x Memo, err error) {
	err = m.db.QueryRowContext(ctx, "SELECT id, note FROM accounts WHERE id = $1", id).Scan(&x.ID, &x.Text)
	return x, err
}

func (m *sqlMemos) SaveMemo(ctx context.Context, x Memo) error {
	_, err := m.db.ExecContext(ctx, "UPDATE accounts SET note = $1 WHERE id = $2", x.Text, x.ID) // RB4001 note
	return err
}

// Append uses the helper with a store and a function.
func (m *sqlMemos) Append(ctx context.Context, id int64, line string) error {
	return edit[Memo](ctx, m, id, func(x *Memo) { x.Text += line })
}

// editBy is edit with the methods as functions.
func editBy[T any](ctx context.Context, load func(context.Context, int64) (T, error), save func(context.Context, T) error, id int64, f func(*T)) error {
	v, err := load(ctx, id)
	if err != nil {
		return err
	}
	f(&v)
	return save(ctx, v)
}

func (m *sqlMemos) keep(ctx context.Context, x Memo) error {
	_, err := m.db.ExecContext(ctx, "UPDATE accounts SET note = $1, balance = 0 WHERE id = $2", x.Text, x.ID) // RB4001 note
	return err
}

func (m *sqlMemos) keepGuarded(ctx context.Context, x Memo) error {
	_, err := m.db.ExecContext(ctx, "UPDATE accounts SET note = $1, version = version + 1 WHERE id = $2 AND note = $3", x.Text+".", x.ID, x.Text)
	return err
}

// AppendBy gives the helper methods.
func (m *sqlMemos) AppendBy(ctx context.Context, id int64, line string) error {
	return editBy(ctx, m.LoadMemo, m.keep, id, func(x *Memo) { x.Text += line })
}

// AppendGuarded gives it a method that compares.
func (m *sqlMemos) AppendGuarded(ctx context.Context, id int64) error {
	return editBy(ctx, m.LoadMemo, m.keepGuarded, id, func(*Memo) {})
}

type places interface {
	Taken(ctx context.Context, id int64) (bool, error)
	Take(ctx context.Context, id int64) error
	TakeFree(ctx context.Context, id int64) error
}

type sqlPlaces struct{ db *sql.DB }

func (p *sqlPlaces) Taken(ctx context.Context, id int64) (taken bool, err error) {
	err = p.db.QueryRowContext(ctx, "SELECT state <> 'free' FROM jobs WHERE id = $1", id).Scan(&taken)
	return taken, err
}

func (p *sqlPlaces) Take(ctx context.Context, id int64) error {
	_, err := p.db.ExecContext(ctx, "UPDATE jobs SET state = 'taken' WHERE id = $1", id) // RB4002 state
	return err
}

func (p *sqlPlaces) TakeFree(ctx context.Context, id int64) error {
	_, err := p.db.ExecContext(ctx, "UPDATE jobs SET state = 'taken' WHERE id = $1 AND state = 'free'", id)
	return err
}

// counted is a decorator: it counts, and calls what it embeds.
type counted struct {
	places
	n *int
}

func (c counted) Take(ctx context.Context, id int64) error {
	*c.n++
	return c.places.Take(ctx, id)
}

func (c counted) TakeFree(ctx context.Context, id int64) error {
	*c.n++
	return c.places.TakeFree(ctx, id)
}

// Hall takes places through an interface.
type Hall struct{ p places }

// NewHall makes one with a decorator.
func NewHall(db *sql.DB) *Hall { return &Hall{counted{&sqlPlaces{db}, new(int)}} }

// Reserve looks and takes.
func (h *Hall) Reserve(ctx context.Context, id int64) error {
	taken, err := h.p.Taken(ctx, id)
	if err != nil || taken {
		return errors.Join(err, errors.New("not free"))
	}
	return h.p.Take(ctx, id)
}

// ReserveFree takes what is free.
func (h *Hall) ReserveFree(ctx context.Context, id int64) error {
	taken, err := h.p.Taken(ctx, id)
	if err != nil || taken {
		return errors.Join(err, errors.New("not free"))
	}
	return h.p.TakeFree(ctx, id)
}
