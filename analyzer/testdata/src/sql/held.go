package sql

import (
	"context"
	"database/sql"
)

// Letters are kept in a store of letters, which may be one in a transaction.
type Letters interface {
	SaveLetter(ctx context.Context, id int) error
}

type letterStore interface {
	InsertLetter(ctx context.Context, id int) error
}

type senderLetters struct{ q sender }

func (l *senderLetters) InsertLetter(ctx context.Context, id int) error {
	_, err := l.q.ExecContext(ctx, "INSERT INTO letters (id) VALUES ($1)", id)
	return err
}

type firstLetters struct{ stores []letterStore }

func (l *firstLetters) SaveLetter(ctx context.Context, id int) error {
	return l.stores[0].InsertLetter(ctx, id)
}

type countedLetters struct {
	store letterStore
	n     int
}

func (l *countedLetters) SaveLetter(ctx context.Context, id int) error {
	l.n++
	return l.store.InsertLetter(ctx, id)
}

var _ letterStore = &senderLetters{}

// Deliver may save the letter in its transaction: the store of letters is behind
// another interface.
func (s *Service) Deliver(ctx context.Context, letters Letters, id int) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := letters.SaveLetter(ctx, id); err != nil {
		return err
	}
	return tx.Commit()
}

// Parcels are kept in a store that uses the database itself.
type Parcels interface {
	SaveParcel(ctx context.Context, id int) error
}

type parcelStore interface {
	InsertParcel(ctx context.Context, id int) error
}

type dbParcels struct{ db *sql.DB }

func (p *dbParcels) InsertParcel(ctx context.Context, id int) error {
	_, err := p.db.ExecContext(ctx, "INSERT INTO parcels (id) VALUES ($1)", id)
	return err
}

type firstParcels struct{ stores []parcelStore }

func (p *firstParcels) SaveParcel(ctx context.Context, id int) error {
	return p.stores[0].InsertParcel(ctx, id)
}

type countedParcels struct {
	store parcelStore
	n     int
}

func (p *countedParcels) SaveParcel(ctx context.Context, id int) error {
	p.n++
	return p.store.InsertParcel(ctx, id)
}

var _ parcelStore = &dbParcels{}

// Ship cannot save the parcel in its transaction.
func (s *Service) Ship(ctx context.Context, parcels Parcels, id int) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, "UPDATE items SET n = 1 WHERE id = $1", id); err != nil {
		return err
	}
	if err := parcels.SaveParcel(ctx, id); err != nil {
		return err
	}
	return tx.Commit()
}

// Tickets are kept through one connection.
type Tickets interface {
	SaveTicket(ctx context.Context, id int) error
}

type paperTickets struct{ conn *sql.Conn }

func (t *paperTickets) SaveTicket(ctx context.Context, id int) error {
	_, err := t.conn.ExecContext(ctx, "INSERT INTO tickets (id) VALUES ($1)", id)
	return err
}

type cardTickets struct{ conn *sql.Conn }

func (t *cardTickets) SaveTicket(ctx context.Context, id int) error {
	_, err := t.conn.ExecContext(ctx, "INSERT INTO tickets (id, card) VALUES ($1, true)", id)
	return err
}

// Enter may save the ticket in its transaction: that is one of the connection.
func Enter(ctx context.Context, conn *sql.Conn, tickets Tickets, id int) error {
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := tickets.SaveTicket(ctx, id); err != nil {
		return err
	}
	return tx.Commit()
}

// Leave cannot: its transaction has a connection of its own.
func (s *Service) Leave(ctx context.Context, tickets Tickets, id int) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, "UPDATE items SET n = 2 WHERE id = $1", id); err != nil {
		return err
	}
	if err := tickets.SaveTicket(ctx, id); err != nil {
		return err
	}
	return tx.Commit()
}
