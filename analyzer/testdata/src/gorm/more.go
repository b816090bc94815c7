package shop

import (
	"database/sql"
	"fmt"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// Secret has a hook that changes what is written, Stamp one that changes the
// statement.
type Secret struct {
	ID   uint
	Text string
	Seen *time.Time
}

func (s *Secret) BeforeSave(tx *gorm.DB) error {
	s.Text = "x" + s.Text
	return nil
}

type Stamp struct {
	ID uint
	By string
}

func (s *Stamp) BeforeUpdate(tx *gorm.DB) error {
	tx.Statement.Table = "other"
	return nil
}

// Hide updates through a hook; Mark through one that is not understood.
func Hide(db *gorm.DB, id uint, text string) error {
	return db.Transaction(func(tx *gorm.DB) error {
		s := Secret{ID: id, Text: text}
		if err := tx.Updates(&s).Error; err != nil {
			return err
		}
		return tx.Save(&s).Error
	})
}

func Mark(db *gorm.DB, id uint) error {
	return db.Model(&Stamp{ID: id}).Update("by", "me").Error
}

// Kinds has all kinds of conditions.
func Kinds(db *gorm.DB, code string, ids []int64, acc *Account) error {
	return db.Transaction(func(tx *gorm.DB) error {
		var p Product
		if err := tx.Where("code = @code OR price < @price", sql.Named("code", code), sql.Named("price", 5)).Last(&p).Error; err != nil {
			return err
		}
		var list []Product
		if err := tx.Where(map[string]interface{}{"code": code, "price": []int{1, 2}}).Or("stock = 0").Not("price", 3).Find(&list).Error; err != nil {
			return err
		}
		if err := tx.Where(tx.Where("a = 1").Or("b = 2")).Where("id NOT IN ?", ids).Limit(3).Offset(1).Find(&list).Error; err != nil {
			return err
		}
		if err := tx.Clauses(clause.Eq{Column: "code", Value: nil}, clause.Locking{Strength: "SHARE", Options: "NOWAIT"}).Find(&list, ids).Error; err != nil {
			return err
		}
		if err := tx.Scopes(cheap, paged(2)).Select("id", "Price").Group("id").Having("count(*) > ?", 1).Find(&list).Error; err != nil {
			return err
		}
		var names []string
		if err := tx.Model(&Account{}).Distinct().Pluck("Owner", &names).Error; err != nil {
			return err
		}
		fmt.Println(len(list), len(names), p.Stock)
		res := tx.Where("1 = 1").Delete(acc)
		if res.Error != nil {
			return res.Error
		}
		return tx.Model(&Account{}).Where(fmt.Sprintf("%s = ?", code), 1).Update("balance", gorm.Expr("balance + ?", 1)).Error
	})
}

func cheap(db *gorm.DB) *gorm.DB { return db.Where("price < 10") }

func paged(n int) func(*gorm.DB) *gorm.DB {
	return func(db *gorm.DB) *gorm.DB { return db.Limit(n) }
}

// Many inserts several rows, those of a list that is known and those of one that
// is not.
func Many(db *gorm.DB, given []Account) error {
	return db.Transaction(func(tx *gorm.DB) error {
		if err := tx.Create([]*Account{{Owner: "a"}, {Owner: "b", Balance: 2}}).Error; err != nil {
			return err
		}
		return tx.Create(&given).Error
	})
}

// Reuse sends two statements of one chain: the second has the conditions of the
// first, and does nothing after its error.
func Reuse(db *gorm.DB, owner string) error {
	tx := db.Begin()
	q := tx.Where("owner = ?", owner)
	var a, b Account
	q.First(&a)
	q.Where("balance > 0").First(&b)
	if q.Error != nil {
		tx.Rollback()
		return q.Error
	}
	base := tx.Where("owner = ?", owner).Session(&gorm.Session{})
	base.Where("balance = 1").Delete(&Account{})
	base.Where("balance = 2").Delete(&Account{})
	tx.Delete(&Account{})
	return tx.Commit().Error
}
