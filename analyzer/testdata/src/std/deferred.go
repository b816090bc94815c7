package std

import (
	"context"
	"database/sql"
)

// EachLater defers a write for each round of a loop.
func EachLater(db *sql.DB, ids []int64) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Commit()
	for _, id := range ids {
		defer func() {
			tx.Exec("UPDATE later SET n = 1 WHERE id = $1", id) // want `UPDATE later SET n = 1 WHERE id = $1 (earlier)`
		}()
	}
	return nil
}

// LeftInRound leaves in a round: that round has deferred a call, too.
func LeftInRound(db *sql.DB, ids []int64) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Commit()
	for _, id := range ids {
		defer mark(tx, id)
		if id == 7 {
			return nil
		}
	}
	return nil
}

func mark(tx *sql.Tx, id int64) {
	tx.Exec("UPDATE marked SET n = 1 WHERE id = $1", id) // want `UPDATE marked SET n = 1 WHERE id = $1 (earlier)` `UPDATE marked SET n = 1 WHERE id = $1 (earlier_1)` `UPDATE marked SET n = 1 WHERE id = $1 (element)`
}

// EitherLater defers one of two calls.
func EitherLater(db *sql.DB, first bool) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Commit()
	if first {
		defer tx.Exec("UPDATE ones SET n = 1") // want `UPDATE ones SET n = 1`
	} else {
		defer tx.Exec("UPDATE twos SET n = 1") // want `UPDATE twos SET n = 1`
	}
	return nil
}

// TriedLater defers the end of each attempt.
func TriedLater(ctx context.Context, db *sql.DB, id int64) error {
	for range 3 {
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			continue
		}
		defer tx.Rollback()
		if _, err := tx.Exec("UPDATE tried SET n = n + 1 WHERE id = $1", id); err != nil { // want `UPDATE tried SET n = n + 1 WHERE id = $1 (id)`
			continue
		}
		if tx.Commit() == nil {
			return nil
		}
	}
	return sql.ErrTxDone
}

// RowsLater defers the end of what a round reads.
func RowsLater(db *sql.DB, ids []int64) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for _, id := range ids {
		rows, err := tx.Query("SELECT n FROM closed WHERE id = $1", id)
		if err != nil {
			return err
		}
		defer rows.Close()
	}
	return tx.Commit()
}
