package sql

import (
	"context"
	"database/sql"
)

type sender interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// Users is kept in the database in one of two ways, through what may be a
// transaction.
type Users interface {
	SaveUser(ctx context.Context, id int) error
}

type plainUsers struct{ q sender }

func (u *plainUsers) SaveUser(ctx context.Context, id int) error {
	_, err := u.q.ExecContext(ctx, "INSERT INTO users (id) VALUES ($1)", id)
	return err
}

type loggedUsers struct{ inner *plainUsers }

func (u *loggedUsers) SaveUser(ctx context.Context, id int) error {
	_, err := u.inner.q.ExecContext(ctx, "INSERT INTO users (id, logged) VALUES ($1, true)", id)
	return err
}

// Register may save the user in its transaction.
func (s *Service) Register(ctx context.Context, users Users, id int) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := users.SaveUser(ctx, id); err != nil {
		return err
	}
	return tx.Commit()
}

// Audits is kept through the database itself.
type Audits interface {
	SaveAudit(ctx context.Context, id int) error
}

type firstAudits struct{ db *sql.DB }

func (a *firstAudits) SaveAudit(ctx context.Context, id int) error {
	_, err := a.db.ExecContext(ctx, "INSERT INTO audits (id) VALUES ($1)", id)
	return err
}

type secondAudits struct{ db *sql.DB }

func (a *secondAudits) SaveAudit(ctx context.Context, id int) error {
	_, err := a.db.ExecContext(ctx, "INSERT INTO audits (id, second) VALUES ($1, true)", id)
	return err
}

// Audit cannot save the audit in its transaction.
func (s *Service) Audit(ctx context.Context, audits Audits, id int) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, "UPDATE items SET n = 0 WHERE id = $1", id); err != nil {
		return err
	}
	if err := audits.SaveAudit(ctx, id); err != nil {
		return err
	}
	return tx.Commit()
}
