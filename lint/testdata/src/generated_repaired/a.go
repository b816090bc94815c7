// want package:"transactions: 2"

// Package generated_repaired writes the row of the shift, too.
package generated_repaired

import (
	"context"
	"database/sql"
	"errors"
)

var errAlone = errors.New("nobody else is on call")

type DBTX interface {
	ExecContext(context.Context, string, ...interface{}) (sql.Result, error)
	PrepareContext(context.Context, string) (*sql.Stmt, error)
	QueryContext(context.Context, string, ...interface{}) (*sql.Rows, error)
	QueryRowContext(context.Context, string, ...interface{}) *sql.Row
}

func New(db DBTX) *Queries { return &Queries{db: db} }

type Queries struct{ db DBTX }

func (q *Queries) WithTx(tx *sql.Tx) *Queries { return &Queries{db: tx} }

const onCall = `-- name: OnCall :many
SELECT id, shift, on_call FROM doctor
WHERE shift = $1 AND on_call
`

type Doctor struct {
	ID     int64
	Shift  int64
	OnCall bool
}

func (q *Queries) OnCall(ctx context.Context, shift int64) ([]Doctor, error) {
	rows, err := q.db.QueryContext(ctx, onCall, shift)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var items []Doctor
	for rows.Next() {
		var i Doctor
		if err := rows.Scan(&i.ID, &i.Shift, &i.OnCall); err != nil {
			return nil, err
		}
		items = append(items, i)
	}
	if err := rows.Close(); err != nil {
		return nil, err
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	return items, nil
}

const sendHome = `-- name: SendHome :exec
UPDATE doctor SET on_call = false WHERE id = $1 AND shift = $2
`

type SendHomeParams struct {
	ID    int64
	Shift int64
}

func (q *Queries) SendHome(ctx context.Context, arg SendHomeParams) error {
	_, err := q.db.ExecContext(ctx, sendHome, arg.ID, arg.Shift)
	return err
}

const shiftChanges = `-- name: ShiftChanges :one
SELECT changes FROM shift WHERE id = $1
`

func (q *Queries) ShiftChanges(ctx context.Context, id int64) (int64, error) {
	row := q.db.QueryRowContext(ctx, shiftChanges, id)
	var changes int64
	err := row.Scan(&changes)
	return changes, err
}

type service struct {
	db *sql.DB
	*Queries
}

func (s *service) leave(ctx context.Context, id, shift int64) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	res, err := tx.ExecContext(ctx, "UPDATE shift SET changes = changes + 1 WHERE id = $1", shift)
	if err != nil {
		return err
	}
	if changed, err := res.RowsAffected(); err != nil || changed == 0 {
		return errAlone
	}
	q := s.WithTx(tx)
	list, err := q.OnCall(ctx, shift)
	if err != nil {
		return err
	}
	if len(list) < 2 {
		return errAlone
	}
	if err := q.SendHome(ctx, SendHomeParams{ID: id, Shift: shift}); err != nil {
		return err
	}
	return tx.Commit()
}

func (s *service) changes(ctx context.Context, shift int64) (int64, error) {
	return s.ShiftChanges(ctx, shift)
}
