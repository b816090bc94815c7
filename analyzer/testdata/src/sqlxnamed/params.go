package stock

import (
	"database/sql"

	"github.com/jmoiron/sqlx"
)

// Binder and Execer are what the program wants of a database.
type Binder interface {
	BindNamed(query string, arg interface{}) (string, []interface{}, error)
}

type Execer interface {
	Exec(query string, args ...interface{}) (sql.Result, error)
}

// Part has more columns than a short function would name.
type Part struct {
	ID                                                     int64
	Code, Name, Maker, Model, Colour, Shape, Shelf, Box    string
	Weight, Width, Height, Depth, Price, Cost, Count, Lost int
}

// values gives the parameters of a part.
func values(p *Part) map[string]interface{} {
	return map[string]interface{}{
		"id": p.ID, "code": p.Code, "name": p.Name, "maker": p.Maker, "model": p.Model, "colour": p.Colour, "shape": p.Shape, "shelf": p.Shelf, "box": p.Box,
		"weight": p.Weight, "width": p.Width, "height": p.Height, "depth": p.Depth, "price": p.Price, "cost": p.Cost, "count": p.Count, "lost": p.Lost,
	}
}

// sealed gives the parameters of a part, or an error.
func sealed(seal func(string) (string, error), p *Part) (map[string]interface{}, error) {
	code, err := seal(p.Code)
	if err != nil {
		return nil, err
	}
	return map[string]interface{}{"id": p.ID, "code": code}, nil
}

func within(db *sqlx.DB, do func(Execer, Binder) error) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := do(tx, db); err != nil {
		return err
	}
	return tx.Commit()
}

// Relabel takes the values from a map of a long function.
func Relabel(db *sqlx.DB, p *Part) error {
	return within(db, func(e Execer, b Binder) error {
		stmt, args, err := b.BindNamed("UPDATE items SET code = :code, count = :count WHERE id = :id", values(p))
		if err != nil {
			return err
		}
		_, err = e.Exec(stmt, args...)
		return err
	})
}

// Seal takes them from a function that may fail.
func Seal(db *sqlx.DB, seal func(string) (string, error), p *Part) error {
	return within(db, func(e Execer, b Binder) error {
		params, err := sealed(seal, p)
		if err != nil {
			return err
		}
		stmt, args, err := b.BindNamed("UPDATE items SET code = :code WHERE id = :id", params)
		if err != nil {
			return err
		}
		_, err = e.Exec(stmt, args...)
		return err
	})
}

// SealAnyway does not look at the error: the map may be nil, and the values are not known.
func SealAnyway(db *sqlx.DB, seal func(string) (string, error), p *Part) error {
	return within(db, func(e Execer, b Binder) error {
		params, _ := sealed(seal, p)
		if params == nil {
			_, err := e.Exec("DELETE FROM log")
			return err
		}
		stmt, args, err := b.BindNamed("UPDATE items SET code = :code WHERE id = :id", params)
		if err != nil {
			return err
		}
		_, err = e.Exec(stmt, args...)
		return err
	})
}

// Measured has a name for each statement before its text.
type Measured interface {
	Exec(name, query string, args ...interface{}) (sql.Result, error)
	Select(name string, dest interface{}, query string, args ...interface{}) error
}

type Shelves struct{ db Measured }

func (s *Shelves) Clear(id int64) error {
	_, err := s.db.Exec("Clear", "UPDATE items SET count = 0 WHERE id = $1", id)
	return err
}

func (s *Shelves) Codes() ([]string, error) {
	var out []string
	err := s.db.Select("Codes", &out, "SELECT code FROM items")
	return out, err
}

// Either does not know which text is the statement.
func (s *Shelves) Either(name string, id int64) error {
	_, err := s.db.Exec(name, "UPDATE items SET count = 0 WHERE id = $1", id)
	return err
}

// Both has two statements.
func (s *Shelves) Both(id int64) error {
	_, err := s.db.Exec("DELETE FROM items WHERE id = $1", "UPDATE items SET count = 0 WHERE id = $1", id)
	return err
}
