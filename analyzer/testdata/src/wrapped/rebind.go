package main

import (
	"database/sql"
	"regexp"
	"strconv"
	"strings"

	"github.com/jmoiron/sqlx"
)

// dialect is what the driver of the program wants.
var dialect = strings.NewReplacer("{user}", "a", "{lock}", "FOR UPDATE", "?1", "$1", "?2", "$2")

var placeholder = regexp.MustCompile(`\?(\d+)`)

// numbered writes parameters as PostgreSQL has them, one by one.
func numbered(query string) string {
	var b strings.Builder
	n := 0
	for i := 0; i < len(query); i++ {
		if query[i] == '?' {
			n++
			b.WriteString("$" + strconv.Itoa(n))
			continue
		}
		b.WriteByte(query[i])
	}
	return b.String()
}

// translated is a transaction that translates each text.
type translated struct {
	tx *sql.Tx
	to func(string) string
}

func (t translated) row(query string, args ...any) *sql.Row {
	return t.tx.QueryRow(t.to(query), args...)
}

func (t translated) exec(query string, args ...any) error {
	_, err := t.tx.Exec(t.to(query), args...)
	return err
}

// begin begins one.
func begin(db *sql.DB, to func(string) string) (translated, error) {
	tx, err := db.Begin()
	return translated{tx, to}, err
}

func NumberedBug(db *sql.DB, from, to int) error {
	t, err := begin(db, numbered)
	if err != nil {
		return err
	}
	defer t.tx.Rollback()
	var n int
	if err := t.row("SELECT n FROM a WHERE id = ?", from).Scan(&n); err != nil {
		return err
	}
	if err := t.exec("UPDATE a SET n = ? WHERE id = ?", n, to); err != nil {
		return err
	}
	return t.tx.Commit()
}

func NumberedFix(db *sql.DB, from, to int) error {
	t, err := begin(db, numbered)
	if err != nil {
		return err
	}
	defer t.tx.Rollback()
	var n int
	if err := t.row("SELECT n FROM a WHERE id = ? FOR UPDATE", from).Scan(&n); err != nil {
		return err
	}
	if err := t.exec("UPDATE a SET n = ? WHERE id = ?", n, to); err != nil {
		return err
	}
	return t.tx.Commit()
}

func ReplacerBug(db *sql.DB, from, to int) error {
	t, err := begin(db, dialect.Replace)
	if err != nil {
		return err
	}
	defer t.tx.Rollback()
	var n int
	if err := t.row("SELECT n FROM {user} WHERE id = ?1", from).Scan(&n); err != nil {
		return err
	}
	if err := t.exec("UPDATE {user} SET n = ?1 WHERE id = ?2", n, to); err != nil {
		return err
	}
	return t.tx.Commit()
}

func ReplacerFix(db *sql.DB, from, to int) error {
	t, err := begin(db, dialect.Replace)
	if err != nil {
		return err
	}
	defer t.tx.Rollback()
	var n int
	if err := t.row("SELECT n FROM {user} WHERE id = ?1 {lock}", from).Scan(&n); err != nil {
		return err
	}
	if err := t.exec("UPDATE {user} SET n = ?1 WHERE id = ?2", n, to); err != nil {
		return err
	}
	return t.tx.Commit()
}

// dollars writes parameters by a regular expression.
func dollars(query string) string { return placeholder.ReplaceAllString(query, "$$$1") }

func RegexpBug(db *sql.DB, from, to int) error {
	t, err := begin(db, dollars)
	if err != nil {
		return err
	}
	defer t.tx.Rollback()
	var n int
	if err := t.row("SELECT n FROM a WHERE id = ?1", from).Scan(&n); err != nil {
		return err
	}
	if err := t.exec("UPDATE a SET n = ?1 WHERE id = ?2", n, to); err != nil {
		return err
	}
	return t.tx.Commit()
}

func RegexpFix(db *sql.DB, from, to int) error {
	t, err := begin(db, dollars)
	if err != nil {
		return err
	}
	defer t.tx.Rollback()
	var n int
	if err := t.row("SELECT n FROM a WHERE id = ?1 FOR UPDATE", from).Scan(&n); err != nil {
		return err
	}
	if err := t.exec("UPDATE a SET n = ?1 WHERE id = ?2", n, to); err != nil {
		return err
	}
	return t.tx.Commit()
}

// rebound is a transaction of sqlx whose texts are rebound.
type rebound struct{ *sqlx.Tx }

func (r rebound) Get(dest any, query string, args ...any) error {
	return sqlx.Get(r.Tx, dest, r.Tx.Rebind(query), args...)
}

func (r rebound) Exec(query string, args ...any) (sql.Result, error) {
	return r.Tx.Exec(sqlx.Rebind(sqlx.DOLLAR, query), args...)
}

func sqlxTx(db *sqlx.DB, fn func(tx rebound) error) error {
	tx, err := db.Beginx()
	if err != nil {
		return err
	}
	if err := fn(rebound{tx}); err != nil {
		tx.Rollback()
		return err
	}
	return tx.Commit()
}

func SqlxBug(db *sqlx.DB, from, to int) error {
	return sqlxTx(db, func(tx rebound) error {
		var n int
		if err := tx.Get(&n, "SELECT n FROM a WHERE id = ?", from); err != nil {
			return err
		}
		_, err := tx.Exec("UPDATE a SET n = ? WHERE id = ?", n, to)
		return err
	})
}

func SqlxFix(db *sqlx.DB, from, to int) error {
	return sqlxTx(db, func(tx rebound) error {
		var n int
		if err := tx.Get(&n, "SELECT n FROM a WHERE id = ? FOR UPDATE", from); err != nil {
			return err
		}
		_, err := tx.Exec("UPDATE a SET n = ? WHERE id = ?", n, to)
		return err
	})
}

type row struct {
	ID int `db:"id"`
	N  int `db:"n"`
}

// named binds names by BindNamed, through an interface.
func named(tx sqlx.Ext, query string, arg any) error {
	q, args, err := sqlx.BindNamed(sqlx.DOLLAR, query, arg)
	if err != nil {
		return err
	}
	_, err = tx.Exec(q, args...)
	return err
}

func NamedBug(db *sqlx.DB, from, to int) error {
	return sqlxTx(db, func(tx rebound) error {
		r := row{ID: to}
		if err := sqlx.Get(tx.Tx, &r.N, "SELECT n FROM a WHERE id = $1", from); err != nil {
			return err
		}
		return named(tx.Tx, "UPDATE a SET n = :n WHERE id = :id", r)
	})
}

func NamedFix(db *sqlx.DB, from, to int) error {
	return sqlxTx(db, func(tx rebound) error {
		r := row{ID: to}
		if err := sqlx.Get(tx.Tx, &r.N, "SELECT n FROM a WHERE id = $1 FOR UPDATE", from); err != nil {
			return err
		}
		return named(tx.Tx, "UPDATE a SET n = :n WHERE id = :id", r)
	})
}
