// want package:"transactions: 1"

// Package gormsession_same locks with the context of the transaction.
package gormsession_same

import (
	"context"
	"time"

	"gorm.io/gorm"
)

type Item struct {
	ID    int64
	Stock int64
}

func restock(ctx context.Context, db *gorm.DB, id, n int64) error {
	return db.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		waiting, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		tx.WithContext(ctx).Exec("SELECT pg_advisory_xact_lock(1)")
		_ = waiting
		var it Item
		if err := tx.Where("id = ?", id).Take(&it).Error; err != nil {
			return err
		}
		return tx.Model(&Item{}).Where("id = ?", id).Update("stock", it.Stock+n).Error
	})
}
