// Package migrations registers functions that run before the program does.
package migrations

import (
	"database/sql"

	"github.com/go-gormigrate/gormigrate/v2"
	"github.com/pressly/goose/v3"
	"gorm.io/gorm"
)

type item struct {
	ID uint
	N  int
}

// All has one that runs alone, one that is named, and one that the program uses
// elsewhere, too.
var All = []*gormigrate.Migration{
	{ID: "1", Migrate: func(tx *gorm.DB) error {
		return tx.Transaction(func(tx *gorm.DB) error {
			return tx.Exec("UPDATE items SET n = 1").Error
		})
	}},
	{ID: "2", Migrate: second},
	{ID: "3", Migrate: reset},
}

//robust:txn Kept
func second(tx *gorm.DB) error {
	return tx.Transaction(func(tx *gorm.DB) error {
		return tx.Exec("UPDATE items SET n = 2").Error
	})
}

func reset(tx *gorm.DB) error { return tx.Exec("UPDATE items SET n = 3").Error }

// Reset is what a user asks for.
func Reset(db *gorm.DB) error { return reset(db) }

func init() {
	goose.AddMigration(up, nil)
}

func up(tx *sql.Tx) error {
	_, err := tx.Exec("UPDATE items SET n = 4")
	return err
}

// Add is what the program does.
func Add(db *gorm.DB) error { return db.Exec("UPDATE items SET n = n + 1").Error }
