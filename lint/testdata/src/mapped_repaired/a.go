// want package:"transactions: 1"

// Package mapped_repaired uses gorp: a number by a query, and rows by their structs.
package mapped_repaired

import (
	"errors"

	"github.com/go-gorp/gorp/v3"
)

var errOpen = errors.New("an order is open")

type Order struct {
	ID       int64 `db:"id"`
	Customer int64 `db:"customer"`
	Open     bool  `db:"open"`
}

type Customer struct {
	ID     int64 `db:"id"`
	Orders int64 `db:"orders"`
}

func tables(db *gorp.DbMap) {
	db.AddTableWithName(Order{}, "orders").SetKeys(true, "ID")
	db.AddTableWithName(Customer{}, "customers").SetKeys(true, "ID")
}

type count struct {
	N int64 `db:"n"`
}

func order(db *gorp.DbMap, customer int64) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	who, err := tx.Get(Customer{}, customer)
	if err != nil {
		return err
	}
	found, ok := who.(*Customer)
	if !ok {
		return errOpen
	}
	found.Orders++
	if _, err := tx.Update(found); err != nil {
		return err
	}
	var c count
	if err := tx.SelectOne(&c, "SELECT count(*) AS n FROM orders WHERE customer = $1 AND open", customer); err != nil {
		return err
	}
	if c.N > 0 {
		return errOpen
	}
	if err := tx.Insert(&Order{Customer: customer, Open: true}); err != nil {
		return err
	}
	return tx.Commit()
}
