// Package ledger keeps its accounts with gorp.
package ledger

import (
	"errors"

	"github.com/go-gorp/gorp/v3"
)

type account struct {
	ID      int64 `db:"id"`
	Owner   string
	Balance int64  `db:"balance"`
	Note    string `db:"-"`
}

type entry struct {
	ID      int64
	Account int64 `db:"account_id"`
	Amount  int64
}

type loose struct{ A, B int }

// stamp is embedded: its fields are columns, but for one of a name that came before.
type stamp struct {
	By    string `db:"made_by"`
	Owner string
}

type visit struct {
	ID    int64
	Owner string
	stamp
	Place string
}

func tables(m *gorp.DbMap) {
	m.AddTableWithName(account{}, "accounts").SetKeys(true, "ID")
	m.AddTableWithName(entry{}, "entries").SetKeys(false, "ID", "account_id")
	m.AddTable(loose{})
	m.AddTableWithName(visit{}, "visits").SetKeys(true, "ID")
}

var errShort = errors.New("not enough")

// inTx runs a function in a transaction.
func inTx(m *gorp.DbMap, f func(tx gorp.SqlExecutor) error) error {
	tx, err := m.Begin()
	if err != nil {
		return err
	}
	if err := f(tx); err != nil {
		tx.Rollback()
		return err
	}
	return tx.Commit()
}

// Open inserts a row whose key the database makes.
func Open(m *gorp.DbMap, owner string) (int64, error) {
	a := &account{Owner: owner}
	err := m.Insert(a)
	return a.ID, err
}

// Take changes what it has read.
func Take(m *gorp.DbMap, id, n int64) error {
	return inTx(m, func(tx gorp.SqlExecutor) error {
		var a account
		if err := tx.SelectOne(&a, "SELECT * FROM accounts WHERE id = :id", map[string]any{"id": id}); err != nil {
			return err
		}
		if a.Balance < n {
			return errShort
		}
		a.Balance -= n
		if _, err := tx.Update(&a); err != nil {
			return err
		}
		return tx.Insert(&entry{ID: n, Account: a.ID, Amount: -n})
	})
}

// Close removes rows by their keys.
func Close(m *gorp.DbMap, id int64) error {
	return inTx(m, func(tx gorp.SqlExecutor) error {
		v, err := tx.Get(account{}, id)
		if err != nil || v == nil {
			return err
		}
		var list []entry
		if _, err := tx.Select(&list, "SELECT * FROM entries WHERE account_id = ?", id); err != nil {
			return err
		}
		if _, err := tx.Delete(&entry{ID: 1, Account: id}, &account{ID: id}); err != nil {
			return err
		}
		_, err = tx.Exec("DELETE FROM entries WHERE account_id = ?", id)
		return err
	})
}

// Touch writes back what Get gives, if there is something.
func Touch(m *gorp.DbMap, id int64) error {
	return inTx(m, func(tx gorp.SqlExecutor) error {
		v, err := tx.Get(&account{}, id)
		if err != nil {
			return err
		}
		a, ok := v.(*account)
		if !ok {
			return errShort
		}
		a.Balance++
		_, err = tx.Update(a)
		return err
	})
}

// Odd has structs that are not known, or have no keys.
func Odd(m *gorp.DbMap, list []any) error {
	return inTx(m, func(tx gorp.SqlExecutor) error {
		if err := tx.Insert(list...); err != nil {
			return err
		}
		return tx.Insert(&loose{1, 2})
	})
}

// Visit inserts a struct with another one in it, and one without a key, which cannot
// be updated.
func Visit(m *gorp.DbMap, who string, l loose) error {
	return inTx(m, func(tx gorp.SqlExecutor) error {
		v := &visit{Owner: who, stamp: stamp{By: "x"}, Place: "y"}
		if err := tx.Insert(v); err != nil {
			return err
		}
		if _, err := tx.Exec("UPDATE accounts SET owner = ? WHERE id = ?", who, v.ID); err != nil {
			return err
		}
		if err := tx.Insert(&l); err != nil {
			return err
		}
		_, err := tx.Update(&l)
		return err
	})
}

// Count is a statement by itself.
func Count(m *gorp.DbMap) (int64, error) { return m.SelectInt("SELECT count(*) FROM accounts") }
