package sql

import (
	"context"
	"database/sql"
)

// optional joins the transaction of its caller, if there is one.
func (s *Service) optional(ctx context.Context, tx *sql.Tx, id int) error {
	if tx == nil {
		_, err := s.db.ExecContext(ctx, "UPDATE items SET n = 1 WHERE id = $1", id)
		return err
	}
	_, err := tx.ExecContext(ctx, "UPDATE items SET n = 2 WHERE id = $1", id)
	return err
}

func (s *Service) Alone(ctx context.Context, id int) error { return s.optional(ctx, nil, id) }

// Perhaps sends a statement in the transaction on one path only: which one is
// told by something that is not known.
func (s *Service) Perhaps(ctx context.Context, id int, apart bool) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var q querier = tx
	if apart {
		q = s.db
	}
	if _, err := q.ExecContext(ctx, "UPDATE items SET n = 3 WHERE id = $1", id); err != nil {
		return err
	}
	return tx.Commit()
}

type prepared struct {
	set *sql.Stmt
	all map[string]*sql.Stmt
}

// Stored sends statements that were prepared elsewhere.
func (s *Service) Stored(ctx context.Context, p *prepared, id int) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.StmtContext(ctx, p.set).ExecContext(ctx, id); err != nil {
		return err
	}
	if _, err := p.all["get"].ExecContext(ctx, id); err != nil {
		return err
	}
	return tx.Commit()
}

// Late looks at the rows of a query after another statement, and at those of the
// other one not at all.
func (s *Service) Late(ctx context.Context, id int, some bool) (n int, err error) {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return 0, err
	}
	defer tx.Rollback()
	rows, err := tx.QueryContext(ctx, "SELECT n FROM items WHERE id = $1", id)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	if _, err := tx.QueryContext(ctx, "UPDATE items SET n = 0 WHERE id = $1 RETURNING n", id); err != nil {
		return 0, err
	}
	if some && rows.Next() {
		if err := rows.Scan(&n); err != nil {
			return 0, err
		}
	}
	return n, tx.Commit()
}
