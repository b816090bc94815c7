// Package stmts keeps prepared statements in memory, and computes texts.
package stmts

import (
	"context"
	"database/sql"
)

const (
	getStock = "SELECT n FROM stock WHERE id = ?"
	setStock = "UPDATE stock SET n = ? WHERE id = ?"
	addSale  = "INSERT INTO sales (item, n) VALUES (?, ?)"
)

// Shop has one statement in a field, others in a map by their texts, and some by
// names.
type Shop struct {
	db     *sql.DB
	driver string
	get    *sql.Stmt
	byText map[string]*sql.Stmt
	byName map[string]*sql.Stmt
}

func New(db *sql.DB, driver string) (*Shop, error) {
	s := &Shop{db: db, driver: driver, byName: map[string]*sql.Stmt{}}
	var err error
	if s.get, err = db.Prepare(marks(getStock, driver)); err != nil {
		return nil, err
	}
	s.byText = map[string]*sql.Stmt{
		setStock: must(db, driver, setStock),
		addSale:  must(db, driver, addSale),
	}
	if err := s.prepare("count", "SELECT count(*) FROM sales WHERE item = ?"); err != nil {
		return nil, err
	}
	return s, s.prepare("clear", "DELETE FROM sales WHERE item = ?")
}

func must(db *sql.DB, driver, text string) *sql.Stmt {
	s, err := db.Prepare(marks(text, driver))
	if err != nil {
		panic(err)
	}
	return s
}

// prepare keeps a statement of its caller.
func (s *Shop) prepare(name, text string) error {
	p, err := s.db.Prepare(marks(text, s.driver))
	if err != nil {
		return err
	}
	s.byName[name] = p
	return nil
}

// Close goes through them.
func (s *Shop) Close() {
	closeAll(s.byText)
	closeAll(s.byName)
	s.get.Close()
}

func closeAll(list map[string]*sql.Stmt) {
	for _, s := range list {
		s.Close()
	}
}

// Sell sends them in a transaction.
func (s *Shop) Sell(ctx context.Context, id, n int) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var have int
	if err := tx.StmtContext(ctx, s.get).QueryRowContext(ctx, id).Scan(&have); err != nil {
		return err
	}
	if have < n {
		return nil
	}
	if _, err := tx.Stmt(s.byText[setStock]).Exec(have-n, id); err != nil {
		return err
	}
	if _, err := tx.Stmt(s.byText[addSale]).Exec(id, n); err != nil {
		return err
	}
	return tx.Commit()
}

// Clear sends one of them in the transaction, and one outside of it.
func (s *Shop) Clear(ctx context.Context, id int) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var n int
	if err := s.byName["count"].QueryRowContext(ctx, id).Scan(&n); err != nil {
		return err
	}
	if _, err := tx.StmtContext(ctx, s.byName["clear"]).ExecContext(ctx, id); err != nil {
		return err
	}
	return tx.Commit()
}

// Any sends one whose name is not known.
func (s *Shop) Any(name string, id int) error {
	_, err := s.byName[name].Exec(id)
	return err
}

// Leaky has statements that others may change: Shared gives them away, and lent is
// put in by who calls.
type Leaky struct {
	db     *sql.DB
	shared map[string]*sql.Stmt
	lent   *sql.Stmt
}

func NewLeaky(db *sql.DB) *Leaky {
	l := &Leaky{db: db, shared: map[string]*sql.Stmt{}}
	l.shared["get"], _ = db.Prepare(getStock)
	l.lent, _ = db.Prepare(getStock)
	return l
}

func (l *Leaky) Shared() map[string]*sql.Stmt { return l.shared }

func (l *Leaky) Lend(s *sql.Stmt) { l.lent = s }

// Get knows neither of them.
func (l *Leaky) Get(id int) {
	l.shared["get"].Exec(id)
	l.lent.Exec(id)
}

// Session has a connection: what was prepared on it belongs to its transaction, or
// not, if it is another one.
type Session struct {
	conn *sql.Conn
	add  *sql.Stmt
}

func Open(ctx context.Context, db *sql.DB) (*Session, error) {
	c, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	s := &Session{conn: c}
	s.add, err = c.PrepareContext(ctx, addSale)
	return s, err
}

func (s *Session) Add(ctx context.Context, id, n int) error {
	tx, err := s.conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := s.add.ExecContext(ctx, id, n); err != nil {
		return err
	}
	return tx.Commit()
}
