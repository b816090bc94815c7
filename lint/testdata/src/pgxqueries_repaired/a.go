// want package:"transactions: 1"

// Package pgxqueries_repaired has queries as sqlc writes them for pgx, one of them for a batch.
package pgxqueries_repaired

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

var errFull = errors.New("the class is full")

type DBTX interface {
	Exec(context.Context, string, ...interface{}) (pgconn.CommandTag, error)
	Query(context.Context, string, ...interface{}) (pgx.Rows, error)
	QueryRow(context.Context, string, ...interface{}) pgx.Row
	SendBatch(context.Context, *pgx.Batch) pgx.BatchResults
}

func New(db DBTX) *Queries { return &Queries{db: db} }

type Queries struct{ db DBTX }

func (q *Queries) WithTx(tx pgx.Tx) *Queries { return &Queries{db: tx} }

const places = `-- name: Places :one
UPDATE class SET changes = changes + 1 WHERE id = $1 RETURNING id, places
`

type Class struct {
	ID     int64
	Places int64
}

func (q *Queries) Places(ctx context.Context, id int64) (Class, error) {
	row := q.db.QueryRow(ctx, places, id)
	var i Class
	err := row.Scan(&i.ID, &i.Places)
	return i, err
}

const pupils = `-- name: Pupils :one
SELECT count(*) FROM pupil WHERE class = $1
`

func (q *Queries) Pupils(ctx context.Context, class int64) (int64, error) {
	row := q.db.QueryRow(ctx, pupils, class)
	var count int64
	err := row.Scan(&count)
	return count, err
}

const addPupils = `-- name: AddPupils :batchexec
INSERT INTO pupil (id, class, name) VALUES ($1, $2, $3)
`

type AddPupilsBatchResults struct {
	br     pgx.BatchResults
	tot    int
	closed bool
}

type AddPupilsParams struct {
	ID    int64
	Class int64
	Name  string
}

func (q *Queries) AddPupils(ctx context.Context, arg []AddPupilsParams) *AddPupilsBatchResults {
	batch := &pgx.Batch{}
	for _, a := range arg {
		vals := []interface{}{a.ID, a.Class, a.Name}
		batch.Queue(addPupils, vals...)
	}
	br := q.db.SendBatch(ctx, batch)
	return &AddPupilsBatchResults{br, len(arg), false}
}

func (b *AddPupilsBatchResults) Exec(f func(int, error)) {
	defer b.br.Close()
	for t := 0; t < b.tot; t++ {
		_, err := b.br.Exec()
		if f != nil {
			f(t, err)
		}
	}
}

type school struct{ pool *pgxpool.Pool }

func (s *school) enrol(ctx context.Context, id, class int64, name string) error {
	tx, err := s.pool.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx)
	q := New(s.pool).WithTx(tx)
	c, err := q.Places(ctx, class)
	if err != nil {
		return err
	}
	n, err := q.Pupils(ctx, class)
	if err != nil {
		return err
	}
	if n >= c.Places {
		return errFull
	}
	var failed error
	q.AddPupils(ctx, []AddPupilsParams{{id, class, name}}).Exec(func(_ int, err error) {
		failed = errors.Join(failed, err)
	})
	if failed != nil {
		return failed
	}
	return tx.Commit(ctx)
}
