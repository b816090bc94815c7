// want package:"transactions: 1"

// Package gormlost is lost for GORM.
package gormlost

import (
	"gorm.io/gorm"
)

type Item struct {
	ID    int64
	Stock int64
}

func restock(db *gorm.DB, id, n int64) error {
	return db.Transaction(func(tx *gorm.DB) error {
		var it Item
		if err := tx.Where("id = ?", id).Take(&it).Error; err != nil { // want `lost-update \(RB1101\) at READ COMMITTED: restock -> restock`
			return err
		}
		return tx.Model(&Item{}).Where("id = ?", id).Update("stock", it.Stock+n).Error
	})
}
