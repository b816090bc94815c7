package sql

import (
	"context"
	"database/sql"
)

type beginner interface {
	BeginTx(ctx context.Context, opts *sql.TxOptions) (*sql.Tx, error)
}

// EnterAny may do so, too: what begins its transaction may be a connection.
func EnterAny(ctx context.Context, db beginner, tickets Tickets, id int) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := tickets.SaveTicket(ctx, id); err != nil {
		return err
	}
	return tx.Commit()
}

type opener interface {
	BeginTx(ctx context.Context, opts *sql.TxOptions) (*sql.Tx, error)
	Ping() error
}

type quickOpener struct{ db *sql.DB }

func (o *quickOpener) Ping() error { return nil }

func (o *quickOpener) BeginTx(ctx context.Context, opts *sql.TxOptions) (*sql.Tx, error) {
	return o.db.BeginTx(ctx, nil)
}

type strictOpener struct{ db *sql.DB }

func (o *strictOpener) Ping() error { return nil }

func (o *strictOpener) BeginTx(ctx context.Context, opts *sql.TxOptions) (*sql.Tx, error) {
	return o.db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelSerializable})
}

// Open begins its transaction in one of two ways.
func Open(ctx context.Context, db opener, id int) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, "UPDATE items SET n = 4 WHERE id = $1", id); err != nil {
		return err
	}
	return tx.Commit()
}

// Pages are kept in one of two ways, in a transaction that the caller gives.
type Pages interface {
	SavePage(ctx context.Context, tx *sql.Tx, id int) error
}

type storedPages struct{ db *sql.DB }

func (storedPages) SavePage(ctx context.Context, tx *sql.Tx, id int) error {
	_, err := tx.ExecContext(ctx, "INSERT INTO pages (id) VALUES ($1)", id)
	return err
}

type noPages struct{ saved []*sql.Tx }

func (p *noPages) SavePage(ctx context.Context, tx *sql.Tx, id int) error {
	p.saved = append(p.saved, tx)
	return nil
}

// Print saves the page in its transaction, if at all.
func (s *Service) Print(ctx context.Context, pages Pages, id int) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := pages.SavePage(ctx, tx, id); err != nil {
		return err
	}
	return tx.Commit()
}
