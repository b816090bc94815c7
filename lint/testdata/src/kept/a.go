// want package:"transactions: 1"

// Package kept has its statements in a map, which is filled when it begins, with
// texts that depend on the driver.
package kept

import (
	"context"
	"database/sql"
	"errors"
	"strconv"
	"strings"
)

var errAlone = errors.New("nobody else is on call")

const (
	count = "SELECT count(*) FROM doctor WHERE shift = ? AND on_call"
	leave = "UPDATE doctor SET on_call = false WHERE id = ? AND shift = ?"
)

type roster struct {
	db    *sql.DB
	stmts map[string]*sql.Stmt
}

func open(db *sql.DB, driver string) (*roster, error) {
	r := &roster{db: db, stmts: map[string]*sql.Stmt{}}
	for _, text := range []string{count, leave} {
		if err := r.prepare(text, driver); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func (r *roster) prepare(text, driver string) error {
	s, err := r.db.Prepare(numbered(text, driver))
	if err != nil {
		return err
	}
	r.stmts[text] = s
	return nil
}

// numbered writes parameters as the driver wants them.
func numbered(text, driver string) string {
	parts := strings.Split(text, "?")
	if driver == "mysql" || len(parts) == 1 {
		return text
	}
	var b strings.Builder
	b.WriteString(parts[0])
	for i := 1; i < len(parts); i++ {
		b.WriteString("$" + strconv.Itoa(i) + parts[i])
	}
	return b.String()
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
