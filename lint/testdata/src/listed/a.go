// want package:"transactions: 1"

// Package listed has its prepared statements in a slice, by the numbers of their
// texts.
package listed

import (
	"context"
	"database/sql"
	"errors"
)

var errAlone = errors.New("nobody else is on call")

const (
	count = iota
	leave
)

var texts = []string{
	count: "SELECT count(*) FROM doctor WHERE shift = $1 AND on_call",
	leave: "UPDATE doctor SET on_call = false WHERE id = $1 AND shift = $2",
}

type roster struct {
	db    *sql.DB
	stmts []*sql.Stmt
}

func open(db *sql.DB) (*roster, error) {
	r := &roster{db: db, stmts: make([]*sql.Stmt, len(texts))}
	for i, text := range texts {
		s, err := db.Prepare(text)
		if err != nil {
			return nil, err
		}
		r.stmts[i] = s
	}
	return r, nil
}

func (r *roster) close() {
	for _, s := range r.stmts {
		s.Close()
	}
}

func (r *roster) leave(ctx context.Context, id, shift int64) error {
	tx, err := r.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var n int
	if err := tx.StmtContext(ctx, r.stmts[count]).QueryRowContext(ctx, shift).Scan(&n); err != nil { // want `write-skew .*: roster.leave -> roster.leave`
		return err
	}
	if n < 2 {
		return errAlone
	}
	if _, err := tx.StmtContext(ctx, r.stmts[leave]).ExecContext(ctx, id, shift); err != nil {
		return err
	}
	return tx.Commit()
}
