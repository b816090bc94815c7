// want package:"transactions: 1"

// Package gormlost_locked is lost_locked for GORM.
package gormlost_locked

import (
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

type Item struct {
	ID    int64
	Stock int64
}

func restock(db *gorm.DB, id, n int64) error {
	return db.Transaction(func(tx *gorm.DB) error {
		var it Item
		if err := tx.Clauses(clause.Locking{Strength: "UPDATE"}).Where("id = ?", id).Take(&it).Error; err != nil {
			return err
		}
		return tx.Model(&Item{}).Where("id = ?", id).Update("stock", it.Stock+n).Error
	})
}
