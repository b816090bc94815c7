package seats

import (
	"context"
	"database/sql"
	"errors"

	sq "github.com/Masterminds/squirrel"
)

var psql = sq.StatementBuilder.PlaceholderFormat(sq.Dollar)

var errFull = errors.New("full")

// Reserve counts and inserts: write skew.
func Reserve(db *sql.DB, show int, seat string) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var n, size int
	if err := psql.Select("count(*)").From("seats").Where(sq.Eq{"show": show}).RunWith(tx).QueryRow().Scan(&n); err != nil {
		return err
	}
	if err := sq.Select("size").From("shows").Where("id = ?", show).RunWith(tx).Scan(&size); err != nil {
		return err
	}
	if n >= size {
		return errFull
	}
	if _, err := psql.Insert("seats").Columns("show", "seat").Values(show, seat).RunWith(tx).Exec(); err != nil {
		return err
	}
	return tx.Commit()
}

// ReserveLocked is Reserve repaired: it locks the show first.
func ReserveLocked(ctx context.Context, db *sql.DB, show int, seat string) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var n, size int
	b := psql.RunWith(tx)
	if err := b.Select("size").From("shows").Where("id = ?", show).Suffix("FOR UPDATE").QueryRowContext(ctx).Scan(&size); err != nil {
		return err
	}
	query, args, err := psql.Select("count(*)").From("seats").Where(sq.And{sq.Eq{"show": show}, sq.NotEq{"seat": nil}}).ToSql()
	if err != nil {
		return err
	}
	if err := tx.QueryRow(query, args...).Scan(&n); err != nil {
		return err
	}
	if n >= size {
		return errFull
	}
	if _, err := b.Insert("seats").SetMap(map[string]interface{}{"show": show, "seat": seat}).Suffix("ON CONFLICT DO NOTHING").Exec(); err != nil {
		return err
	}
	return tx.Commit()
}

// Search has conditions on some paths; Change sets columns of a map.
func Search(db *sql.DB, show int, names []string, limit uint64) error {
	q := psql.Select("s.seat").From("seats s").Join("shows w ON w.id = s.show")
	if show > 0 {
		q = q.Where(sq.Eq{"s.show": show})
	}
	if len(names) > 0 {
		q = q.Where(sq.Or{sq.Eq{"s.seat": names}, sq.Gt{"w.size": 100}})
	}
	rows, err := q.OrderBy("s.seat").Limit(limit).RunWith(db).Query()
	if err != nil {
		return err
	}
	return rows.Close()
}

func Change(ctx context.Context, db *sql.DB, show int, values map[string]interface{}) error {
	if _, err := sq.Update("shows").Set("size", sq.Expr("size + ?", 1)).Where(sq.Eq{"id": show}).RunWith(db).ExecContext(ctx); err != nil {
		return err
	}
	if _, err := sq.Update("shows").SetMap(values).Where(sq.Eq{"id": show}).RunWith(db).Exec(); err != nil {
		return err
	}
	_, err := sq.Delete("seats").Where("show = ? AND seat <> ?", show, "A1").RunWith(db).Exec()
	return err
}
