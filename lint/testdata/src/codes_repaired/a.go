// want package:"transactions: 1"

// Package codes_repaired tells errors of the server apart by their code.
package codes_repaired

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

var errTaken = errors.New("the name is taken")

func register(ctx context.Context, pool *pgxpool.Pool, id int64, name, email string) error {
	tx, err := pool.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx)
	var taken bool
	if err := tx.QueryRow(ctx, "SELECT EXISTS (SELECT FROM member WHERE name = $1)", name).Scan(&taken); err != nil {
		return err
	}
	if taken {
		return errTaken
	}
	if err := insert(ctx, tx, id, name, email); err != nil {
		return err
	}
	return tx.Commit(ctx)
}

func insert(ctx context.Context, tx pgx.Tx, id int64, name, email string) error {
	_, err := tx.Exec(ctx, "INSERT INTO member (id, name, email) VALUES ($1, $2, $3)", id, name, email)
	var e *pgconn.PgError
	if errors.As(err, &e) {
		switch e.Code {
		case "23505":
			return errTaken
		case "23514":
			return fmt.Errorf("not a name: %w", err)
		}
	}
	return err
}
