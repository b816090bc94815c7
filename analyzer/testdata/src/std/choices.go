package std

import (
	"database/sql"
	"errors"
)

type action struct {
	name string
	run  func(tx *sql.Tx, id int64) error
}

func goesAway(tx *sql.Tx, id int64) error {
	_, err := tx.Exec("UPDATE doctors SET here = false WHERE id = $1", id) // want `UPDATE doctors SET here = false WHERE id = $1 (id)`
	return err
}

func comesBack(tx *sql.Tx, id int64) error {
	_, err := tx.Exec("UPDATE doctors SET here = true WHERE id = $1", id) // want `UPDATE doctors SET here = true WHERE id = $1 (id)`
	return err
}

var actions = map[string]action{"goesAway": {"goesAway", goesAway}, "comesBack": {"comesBack", comesBack}}

var runs = map[string]func(tx *sql.Tx, id int64) error{"goesAway": goesAway, "comesBack": comesBack}

var altered = map[string]func(tx *sql.Tx, id int64) error{"goesAway": goesAway}

// Register changes a map that others read.
func Register(name string, f func(tx *sql.Tx, id int64) error) { altered[name] = f }

// Handles runs a function of a struct in a map that nobody changes.
func Handles(db *sql.DB, name string, id int64) error {
	h, ok := actions[name]
	if !ok {
		return errors.New("there is no " + name)
	}
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	tx.Exec("INSERT INTO log (what) VALUES ($1)", h.name) // want `INSERT INTO log (what) VALUES ($1) (item.name_1)`
	if err := h.run(tx, id); err != nil {
		return err
	}
	return tx.Commit()
}

// Runs runs a function in a map that nobody changes, if there is one.
func Runs(db *sql.DB, name string, id int64) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if f := runs[name]; f != nil {
		if err := f(tx, id); err != nil {
			return err
		}
	} else {
		tx.Exec("DELETE FROM doctors") // want `DELETE FROM doctors`
	}
	return tx.Commit()
}

// RunsAltered runs a function in a map that somebody changes.
func RunsAltered(db *sql.DB, name string, id int64) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := altered[name](tx, id); err != nil { // want `unknown *: a call of a function that is not known`
		return err
	}
	return tx.Commit()
}

// RunsPerhaps runs a function that is nil on some paths.
func RunsPerhaps(db *sql.DB, is bool, id int64) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var hook func(tx *sql.Tx, id int64) error
	if is {
		hook = goesAway
	}
	n := 0
	if hook != nil {
		n = 1
	}
	if n == 1 {
		if err := hook(tx, id); err != nil {
			return err
		}
	}
	return tx.Commit()
}
