package stmts

import (
	"context"
	"database/sql"
)

const (
	get = iota
	set
	sale
)

var listed = [...]string{get: getStock, set: setStock, sale: addSale}

// Board has statements in slices and arrays: by their numbers in a list of texts, one by
// one, and as a literal.
type Board struct {
	db     *sql.DB
	driver string
	byLoop []*sql.Stmt
	fixed  [2]*sql.Stmt
	given  []*sql.Stmt
	grown  []*sql.Stmt
	lent   []*sql.Stmt
	mixed  []*sql.Stmt
	chars  int
}

func NewBoard(db *sql.DB, driver string, n int) (*Board, error) {
	list := make([]*sql.Stmt, len(listed))
	b := &Board{db: db, driver: driver, byLoop: list, mixed: make([]*sql.Stmt, n)}
	for i, text := range listed {
		b.chars += len(text) // another round shows that it changes
		s, err := db.Prepare(marks(text, driver))
		if err != nil {
			return nil, err
		}
		list[i] = s
	}
	b.given = []*sql.Stmt{must(db, driver, getStock), must(db, driver, addSale)}
	b.mixed[n-1] = must(db, driver, getStock)
	b.mixed[0] = must(db, driver, setStock)
	b.lent = make([]*sql.Stmt, 1)
	b.lent[0] = must(db, driver, getStock)
	if err := b.prepare(0, getStock); err != nil {
		return nil, err
	}
	if err := b.prepare(1, setStock); err != nil {
		return nil, err
	}
	for _, text := range listed {
		b.grown = append(b.grown, must(db, driver, text))
	}
	return b, nil
}

// prepare keeps a statement of its caller, where that says.
func (b *Board) prepare(at int, text string) (err error) {
	b.fixed[at], err = b.db.Prepare(marks(text, b.driver))
	return err
}

// Close looks at them only, Lent gives a list away.
func (b *Board) Close() {
	for _, s := range b.byLoop {
		s.Close()
	}
	closeList(b.given)
	for _, s := range b.fixed {
		s.Close()
	}
}

func closeList(list []*sql.Stmt) {
	for _, s := range list {
		s.Close()
	}
}

func (b *Board) Lent() []*sql.Stmt { return b.lent }

// Sell knows each of them.
func (b *Board) Sell(ctx context.Context, id, n int) error {
	tx, err := b.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var have int
	if err := tx.Stmt(b.byLoop[get]).QueryRow(id).Scan(&have); err != nil {
		return err
	}
	if have < n {
		return nil
	}
	if _, err := tx.Stmt(b.fixed[1]).Exec(have-n, id); err != nil {
		return err
	}
	if _, err := tx.Stmt(b.given[1]).Exec(id, n); err != nil {
		return err
	}
	return tx.Commit()
}

// Unclear knows none of them: which it is depends on the caller, or on the order of
// append; others may have set it; or two have been set.
func (b *Board) Unclear(ctx context.Context, i, id int) error {
	tx, err := b.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.Stmt(b.byLoop[i]).Exec(id); err != nil {
		return err
	}
	if _, err := tx.Stmt(b.grown[get]).Exec(id); err != nil {
		return err
	}
	if _, err := tx.Stmt(b.lent[0]).Exec(id); err != nil {
		return err
	}
	if _, err := tx.Stmt(b.mixed[0]).Exec(id); err != nil {
		return err
	}
	return tx.Commit()
}
