package std

import (
	"context"
	"database/sql"
	_ "embed"
)

//go:embed spend.sql
var spend string

var (
	//go:embed find.sql
	find string
	//go:embed find.sql
	changed string
)

//go:embed *.sql
var pattern string

//go:embed find.sql
var octets []byte

func embedded(ctx context.Context, db *sql.DB, id int64) error {
	if _, err := db.ExecContext(ctx, spend, id); err != nil { // want `UPDATE purses SET n = n - 1 WHERE id = $1 AND n > 0 (id)`
		return err
	}
	var n int64
	return db.QueryRowContext(ctx, find, id).Scan(&n) // want `SELECT n FROM purses WHERE id = $1 (id)`
}

func change(text string) { changed = text }

func embeddedElse(ctx context.Context, db *sql.DB, id int64) error {
	for _, text := range []string{pattern, string(octets)} {
		if _, err := db.ExecContext(ctx, text, id); err != nil { // want `… (id)`
			return err
		}
	}
	_, err := db.ExecContext(ctx, changed, id) // want `… (id)`
	return err
}

// Embedded uses them.
func Embedded(ctx context.Context, db *sql.DB, id int64, text string) error {
	change(text)
	if err := embeddedElse(ctx, db, id); err != nil {
		return err
	}
	return embedded(ctx, db, id)
}
