// Package members inserts what is not there yet.
//
//	want: unique-constraint member
package members

import (
	"context"
	"database/sql"
)

// Join makes a person a member of a team.
func Join(ctx context.Context, db *sql.DB, person, team int) (int, error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return 0, err
	}
	defer tx.Rollback()
	var id int
	err = tx.QueryRowContext(ctx, "SELECT id FROM member WHERE person = $1 AND team = $2", person, team).Scan(&id)
	if err == nil {
		return 1, nil
	}
	if err != sql.ErrNoRows {
		return 0, err
	}
	if _, err := tx.ExecContext(ctx, "INSERT INTO member (person, team) VALUES ($1, $2)", person, team); err != nil {
		return 0, err
	}
	return 2, tx.Commit()
}
