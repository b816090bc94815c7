// Package rooms books rooms, at most two times each, at REPEATABLE READ.
//
//	want: guard-row Book
//	want: level Book
package rooms

import (
	"context"
	"database/sql"
)

// Book books a room.
func Book(ctx context.Context, db *sql.DB, room, guest int) (int, error) {
	tx, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead})
	if err != nil {
		return 0, err
	}
	defer tx.Rollback()
	var n int
	if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM booking WHERE room = $1", room).Scan(&n); err != nil {
		return 0, err
	}
	if n >= 2 {
		return n, nil
	}
	if _, err := tx.ExecContext(ctx, "INSERT INTO booking (room, guest) VALUES ($1, $2)", room, guest); err != nil {
		return 0, err
	}
	return n, tx.Commit()
}
