package shop

import (
	"errors"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

type Account struct {
	ID      uint
	Owner   string `gorm:"not null"`
	Balance int64  `gorm:"not null"`
}

var errFunds = errors.New("insufficient funds")

// WithdrawShared reads both accounts and writes one: write skew.
func WithdrawShared(db *gorm.DB, id, other uint, amount int64) error {
	return db.Transaction(func(tx *gorm.DB) error {
		var a, b Account
		if err := tx.First(&a, id).Error; err != nil {
			return err
		}
		if err := tx.First(&b, "id = ?", other).Error; err != nil {
			return err
		}
		if a.Balance+b.Balance < amount {
			return errFunds
		}
		return tx.Model(&a).Update("balance", a.Balance-amount).Error
	})
}

// WithdrawLocked is WithdrawShared repaired: it locks what it reads.
func WithdrawLocked(db *gorm.DB, id, other uint, amount int64) error {
	tx := db.Begin()
	defer func() {
		if r := recover(); r != nil {
			tx.Rollback()
		}
	}()
	if err := tx.Error; err != nil {
		return err
	}
	var a, b Account
	q := tx.Clauses(clause.Locking{Strength: "UPDATE"})
	if err := q.Where("id = ?", id).Take(&a).Error; err != nil {
		tx.Rollback()
		return err
	}
	if err := tx.Clauses(clause.Locking{Strength: "UPDATE"}).Where("id = ?", other).Take(&b).Error; err != nil {
		tx.Rollback()
		return err
	}
	if a.Balance+b.Balance < amount {
		tx.Rollback()
		return errFunds
	}
	a.Balance -= amount
	if err := tx.Save(&a).Error; err != nil {
		tx.Rollback()
		return err
	}
	return tx.Commit().Error
}
