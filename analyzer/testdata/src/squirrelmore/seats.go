// Package seats builds statements of all kinds with squirrel.
package seats

import (
	"database/sql"

	sq "github.com/Masterminds/squirrel"
)

var psql = sq.StatementBuilderType{}.PlaceholderFormat(sq.Dollar)

// Reads are queries with all that one may have.
func Reads(db *sql.DB, show int, name string, n uint64) error {
	var x int
	q := psql.RunWith(db).Select("a").Distinct().Columns("b", "c").Column("d + ?", show).Column(sq.Expr("e")).From("seats s")
	q = q.LeftJoin("shows w ON w.id = s.show AND w.size > ?", show).CrossJoin("halls").JoinClause("NATURAL JOIN towns")
	q = q.GroupBy("a", "b").Having("count(*) > ?", show).OrderByClause("a = ? DESC", show).Limit(n).Offset(2).Prefix("/* ? */", 1)
	if err := q.Where(sq.Like{"s.name": name}).Scan(&x); err != nil { // want `/* $1 */ SELECT DISTINCT a, b, c, d + $2, e FROM seats s LEFT JOIN shows w ON w.id = s.show AND w.size > $3 CROSS JOIN halls NATURAL JOIN towns WHERE s.name LIKE $4 GROUP BY a, b HAVING count(*) > $5 ORDER BY a = $6 DESC LIMIT $7 OFFSET 2 (1, show, showx, name, showxx, showxxx, n)`
		return err
	}
	if err := psql.RunWith(db).Select("*").RemoveColumns().Columns("x").From("seats").Limit(3).RemoveLimit().Offset(4).RemoveOffset().Where(sq.And{sq.Lt{"x": show}, sq.GtOrEq{"y": 1}, sq.NotLike{"s": name}}).Scan(&x); err != nil { // want `SELECT x FROM seats WHERE (x < $1 AND y >= $2 AND s NOT LIKE $3) (show, 1, name)`
		return err
	}
	if err := psql.RunWith(db).Select("x").From("seats").Where("show IN (?)", psql.Select("id").From("shows").Where(sq.Eq{"size": nil})).Scan(&x); err != nil { // want `SELECT x FROM seats WHERE show IN ((SELECT id FROM shows WHERE size IS NULL))`
		return err
	}
	if err := psql.RunWith(db).Select("x").From("seats").Where(sq.Eq{"x": []int{}}).Where(sq.NotEq{"y": []int{}}).Where(name).Scan(&x); err != nil { // want `SELECT x FROM seats WHERE (1=0) AND (1=1) AND …`
		return err
	}
	return psql.RunWith(db).Select("x").Options("SQL_NO_CACHE").From("seats").Where(sq.Or{}).Scan(&x) // want `SELECT … FROM seats …`
}

// Writes are the others: from queries, with expressions, and what is not modelled.
func Writes(db *sql.DB, show int, vals []interface{}, names map[string]interface{}) error {
	if _, err := sq.Insert("seats").Columns("a", "b").Values(1, sq.Expr("now()")).Values(show, nil).RunWith(db).Exec(); err != nil { // want `INSERT INTO seats (a, b) VALUES ($1, now()), ($2, $3) (1, show, null)`
		return err
	}
	if _, err := sq.Insert("x").Into("seats").Columns("a").Select(sq.Select("b").From("shows").Where(sq.Gt{"b": show})).RunWith(db).Exec(); err != nil { // want `INSERT INTO seats (a) SELECT b FROM shows WHERE b > $1 (show)`
		return err
	}
	if _, err := sq.Insert("seats").Values(vals...).RunWith(db).Exec(); err != nil { // want `INSERT INTO seats …`
		return err
	}
	if _, err := sq.Insert("seats").SetMap(names).RunWith(db).Exec(); err != nil { // want `INSERT INTO seats …`
		return err
	}
	if _, err := sq.Replace("seats").Columns("a").Values(1).RunWith(db).Exec(); err != nil { // want `INSERT INTO seats …`
		return err
	}
	if _, err := sq.Update("seats").Set("a", show).Limit(1).Where("b = 1").RunWith(db).Exec(); err != nil { // want `UPDATE seats SET a = $1 WHERE b = 1 LIMIT 1 (show)`
		return err
	}
	values := map[string]interface{}{"a": show}
	if show > 1 {
		values["b"] = 2
	}
	if _, err := sq.Update("seats").SetMap(values).Where(sq.Eq{"c": values["a"]}).RunWith(db).Exec(); err != nil { // want `UPDATE seats SET a = $1, b = CASE WHEN $2 THEN $3 ELSE b END WHERE c = $4 (show, has, 2, showx)`
		return err
	}
	for i := range show {
		if _, err := sq.Delete("seats").Where(sq.Eq{"a": i}).Where(sq.LtOrEq{"b": show}).RunWith(db).Exec(); err != nil { // want `DELETE FROM seats WHERE a = $1 AND b <= $2 (rangeint.iter, show)`
			return err
		}
	}
	return nil
}

// Paths add conditions on some paths, in a loop, and change the table.
func Paths(db *sql.DB, show int, names []string) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	d := sq.Delete("seats")
	if show > 2 {
		d = d.Where(sq.Eq{"show": show})
	}
	if _, err := d.Where("n = 0").RunWith(tx).Exec(); err != nil { // want `DELETE FROM seats WHERE (NOT $1 OR show = $2) AND n = 0 (has, show)`
		return err
	}
	q := sq.Update("seats").Set("a", 1)
	for _, n := range names {
		q = q.Where(sq.NotEq{"name": n})
	}
	if _, err := q.RunWith(tx).Exec(); err != nil { // want `UPDATE seats …`
		return err
	}
	u := sq.Update("seats").Set("a", 2)
	if show > 3 {
		u = sq.Update("shows").Set("a", 2)
	}
	if _, err := u.RunWith(tx).Exec(); err != nil { // want `…`
		return err
	}
	text, args, err := sq.Insert("log").Columns("s").Values(show).ToSql()
	if err != nil {
		return err
	}
	if _, err := tx.Exec(text, args...); err != nil { // want `INSERT INTO log (s) VALUES ($1) (show)`
		return err
	}
	return tx.Commit()
}

// office keeps a builder behind a pointer.
type office struct {
	db    *sql.DB
	build *sq.StatementBuilderType
}

// Sell uses the builder of the office.
func (o *office) Sell(show int) error {
	text, args, err := o.build.Update("seats").Set("sold", true).Where(sq.Eq{"id": show}).ToSql()
	if err != nil {
		return err
	}
	_, err = o.db.Exec(text, args...) // want `UPDATE seats SET sold = $1 WHERE id = $2 (true, show)`
	return err
}
