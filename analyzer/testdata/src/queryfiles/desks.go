// Command desks has its statements in files: they stand in a struct by their names, or are asked for by name.
package main

import (
	"context"
	"database/sql"
	"fmt"
	"os"

	"github.com/jmoiron/sqlx"
	"github.com/knadh/goyesql/v2"
	goyesqlx "github.com/knadh/goyesql/v2/sqlx"
	"github.com/qustavo/dotsql"
)

// Queries are the statements.
type Queries struct {
	Get    *sqlx.Stmt `query:"get-desk"`
	Move   *sqlx.Stmt `query:"move-desk"`
	Count  *sqlx.Stmt `query:"count-desks,raw"`
	Remove *sqlx.Stmt `query:"remove-desk"`
	Gone   *sqlx.Stmt `query:"no-such-name"`
	List   string     `query:"list-desks"`
	Other  *sqlx.Stmt
}

func prepare(db *sqlx.DB) *Queries {
	list := goyesql.MustParseFile("sql/desks.sql")
	list["count-desks"].Query = fmt.Sprintf("%s WHERE true", list["count-desks"].Query)
	var q Queries
	if err := goyesqlx.ScanToStruct(&q, list, db); err != nil {
		panic(err)
	}
	return &q
}

type store struct {
	db  *sqlx.DB
	q   *Queries
	dot *dotsql.DotSql
}

// move reads a desk, and moves it, in a transaction.
func (s *store) move(ctx context.Context, id int, room string) error {
	tx, err := s.db.BeginTxx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var old string
	if err := tx.Stmtx(s.q.Get).Get(&old, id); err != nil { // want `SELECT room FROM desks WHERE id = $1; (id)`
		return err
	}
	if old == room {
		return nil
	}
	if _, err := tx.Stmt(s.q.Move.Stmt).Exec(id, room); err != nil { // want `UPDATE desks SET room = $2 WHERE id = $1; (id, room)`
		return err
	}
	return tx.Commit()
}

// outside sends statements by themselves.
func (s *store) outside(id int, room string) error {
	if _, err := s.q.Move.Exec(id, room); err != nil { // want `UPDATE desks SET room = $2 WHERE id = $1; (id, room)`
		return err
	}
	if _, err := s.q.Remove.Exec(id); err != nil { // want `DELETE FROM desks WHERE id = $1; (id)` `DELETE FROM desks WHERE room = $1; (id)`
		return err
	}
	if _, err := s.q.Count.Exec(); err != nil { // want `…`
		return err
	}
	if _, err := s.q.Gone.Exec(id); err != nil { // want `… (id)`
		return err
	}
	if _, err := s.q.Other.Exec(id); err != nil { // want `… (id)`
		return err
	}
	var ids []int
	return s.db.Select(&ids, fmt.Sprintf(s.q.List, "id")) // want `SELECT id, room FROM desks ORDER BY id;`
}

// dots asks for the statements by name.
func (s *store) dots(ctx context.Context, tx *sql.Tx, id int, name string) error {
	if _, err := s.dot.Exec(s.db, "move-desk", id, "b"); err != nil { // want `UPDATE desks SET room = $2 WHERE id = $1; (id, 'b')`
		return err
	}
	row, err := s.dot.QueryRow(s.db, "get-desk", id) // want `SELECT room FROM desks WHERE id = $1; (id)`
	if err != nil {
		return err
	}
	var room string
	if err := row.Scan(&room); err != nil {
		return err
	}
	if _, err := s.dot.Exec(s.db, name, id); err != nil { // want `… (id)`
		return err
	}
	text, err := s.dot.Raw("get-desk")
	if err != nil {
		return err
	}
	_, err = s.db.Exec(text, id) // want `SELECT room FROM desks WHERE id = $1; (id)`
	return err
}

func main() {
	db := sqlx.MustConnect("postgres", "")
	dot, err := dotsql.LoadFromFile("sql/desks.sql")
	if err != nil {
		panic(err)
	}
	s := &store{db, prepare(db), dot}
	if err := copies(db.DB, []string{"a", "b"}, os.Args[1]); err != nil {
		panic(err)
	}
	fmt.Println(s.move(context.Background(), 1, "a"), s.outside(1, "a"), s.dots(context.Background(), nil, 1, "get-desk"))
}
