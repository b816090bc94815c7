package stock

import (
	"errors"
	"strings"

	"github.com/jmoiron/sqlx"
)

type Item struct {
	ID    int64  `db:"id"`
	Code  string `db:"code"`
	Count int    `db:"count"`
}

// Take reads by name and writes by name.
func Take(db *sqlx.DB, item Item, n int) error {
	tx, err := db.Beginx()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	get, err := tx.PrepareNamed("SELECT id, code, count FROM items WHERE id = :id AND code = :code")
	if err != nil {
		return err
	}
	var have Item
	if err := get.Get(&have, item); err != nil {
		return err
	}
	if have.Count < n {
		return errors.New("too few")
	}
	have.Count -= n
	if _, err := tx.NamedExec("UPDATE items SET count = :count WHERE id = :id", have); err != nil {
		return err
	}
	if _, err := tx.NamedExec("INSERT INTO log (item, n) VALUES (:item, :n)", map[string]interface{}{"item": have.ID, "n": n}); err != nil {
		return err
	}
	return tx.Commit()
}

// Bulk uses Named and In, with lists that are known and not known.
func Bulk(db *sqlx.DB, ids []int64) error {
	tx, err := db.Beginx()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	query, args, err := sqlx.In("UPDATE items SET count = 0 WHERE id IN (?) AND code <> ?", ids, "keep")
	if err != nil {
		return err
	}
	if _, err := tx.Exec(tx.Rebind(query), args...); err != nil {
		return err
	}
	query, args, err = sqlx.In("DELETE FROM items WHERE code IN (?)", []string{"a", "b"})
	if err != nil {
		return err
	}
	if _, err := tx.Exec(tx.Rebind(query), args...); err != nil {
		return err
	}
	query, args, err = sqlx.Named("SELECT count FROM items WHERE code = :code AND note <> ':x' AND id::::text = :code", map[string]interface{}{"code": "c"})
	if err != nil {
		return err
	}
	stmt, err := tx.Preparex("SELECT count FROM items WHERE id = $1")
	if err != nil {
		return err
	}
	var a, b int
	if err := tx.Get(&a, tx.Rebind(query), args...); err != nil {
		return err
	}
	if err := stmt.Get(&b, 7); err != nil {
		return err
	}
	rows, err := tx.NamedQuery("SELECT id, code, count FROM items WHERE count > :count", Item{Count: a + b})
	if err != nil {
		return err
	}
	for rows.Next() {
		var it Item
		if err := rows.StructScan(&it); err != nil {
			return err
		}
		if _, err := tx.Exec("UPDATE items SET count = $1 WHERE id = $2", it.Count-1, it.ID); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// Move binds names before it sends: those of a struct, and of a map.
func Move(db *sqlx.DB, item Item) error {
	query, args, err := db.BindNamed("SELECT count FROM items WHERE id = :id AND code = :code", item)
	if err != nil {
		return err
	}
	tx, err := db.Beginx()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var n int
	if err := tx.Get(&n, query, args...); err != nil {
		return err
	}
	query, args, err = tx.BindNamed("UPDATE items SET count = :n WHERE id = :id", map[string]interface{}{"n": n + 1, "id": item.ID})
	if err != nil {
		return err
	}
	if _, err := tx.Exec(query, args...); err != nil {
		return err
	}
	return tx.Commit()
}

// Fill binds the rows of a slice, of which there may be any number.
func Fill(db *sqlx.DB, items []Item) error {
	tx, err := db.Beginx()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	query, args, err := tx.BindNamed("INSERT INTO items (id, code, count) VALUES (:id, :code, :count)", items)
	if err != nil {
		return err
	}
	if _, err := tx.Exec(query, args...); err != nil {
		return err
	}
	return tx.Commit()
}

// Loose reads into a map and a slice: nothing is known of what they hold then.
func Loose(db *sqlx.DB, id int64) error {
	tx, err := db.Beginx()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	m := map[string]interface{}{}
	if err := tx.QueryRowx("SELECT code, count FROM items WHERE id = $1", id).MapScan(m); err != nil {
		return err
	}
	if n, ok := m["count"].(int64); !ok || n < 2 {
		return errors.New("too few")
	}
	row, err := tx.QueryRowx("SELECT note FROM items WHERE id = $1", id).SliceScan()
	if err != nil {
		return err
	}
	if _, err := tx.Exec("UPDATE items SET code = $2, note = $3 WHERE id = $1", id, m["code"], row[0]); err != nil {
		return err
	}
	return tx.Commit()
}

// Filter has conditions on items, and what a text names.
type Filter struct {
	Code  *string `db:"code"`
	Least int     `db:"least"`
	Limit int     `db:"limit"`
}

// conditions gives the conditions that are asked for.
func (f Filter) conditions() string {
	list := []string{"count >= :least"}
	if f.Code != nil {
		list = append(list, "code = :code")
	}
	return " WHERE " + strings.Join(list, " AND ")
}

// Filtered names values in a text of which a part depends on the filter.
func Filtered(db *sqlx.DB, f Filter, order string) (int, error) {
	query, args, err := sqlx.BindNamed(sqlx.DOLLAR, "SELECT sum(count) FROM items"+f.conditions()+" LIMIT :limit", f)
	if err != nil {
		return 0, err
	}
	var n int
	if err := sqlx.Get(db, &n, query, args...); err != nil {
		return 0, err
	}
	query, args, err = sqlx.Named("SELECT id FROM items WHERE count > :least ORDER BY "+order+" LIMIT :limit", f)
	if err != nil {
		return 0, err
	}
	var ids []int64
	if err := db.Select(&ids, db.Rebind(query), args...); err != nil {
		return 0, err
	}
	query, args, err = sqlx.Named("SELECT id FROM items WHERE count > :le"+order, f)
	if err != nil {
		return 0, err
	}
	return n, db.Select(&ids, query, args...)
}

// optional gives a condition if one is asked for.
func (f Filter) optional() string {
	if f.Code == nil {
		return ""
	}
	return " WHERE code = :code"
}

// Optional names values in a text that may name none.
func Optional(db *sqlx.DB, f Filter) (int, error) {
	query, args, err := sqlx.BindNamed(sqlx.DOLLAR, "SELECT count(*) FROM items"+f.optional(), f)
	if err != nil {
		return 0, err
	}
	var n int
	return n, sqlx.Get(db, &n, query, args...)
}

// flat puts the elements of lists among values.
func flat(args []interface{}) []interface{} {
	var all []interface{}
	for _, a := range args {
		if list, ok := a.([]interface{}); ok {
			all = append(all, list...)
		} else {
			all = append(all, a)
		}
	}
	return all
}

// expand puts values that are not known into a text.
func expand(query string, args ...interface{}) (string, []interface{}) {
	query, all, _ := sqlx.In(query, flat(args)...)
	return sqlx.Rebind(sqlx.DOLLAR, query), all
}

// Expanded sends texts with lists whose values are not known; of the last one the text is not known either.
func Expanded(db *sqlx.DB, list []interface{}, code, whole string) error {
	tx, err := db.Beginx()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	q, args := expand("DELETE FROM items WHERE id IN (?) AND code = ?", list, code)
	if _, err := tx.Exec(q, args...); err != nil {
		return err
	}
	q, args = expand(whole, list)
	if _, err := tx.Exec(q, args...); err != nil {
		return err
	}
	return tx.Commit()
}
