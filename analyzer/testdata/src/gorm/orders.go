package shop

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

type Product struct {
	gorm.Model
	Code  string `gorm:"uniqueIndex"`
	Stock int
	Price uint
}

type Order struct {
	ID        uint
	CreatedAt time.Time
	UpdatedAt time.Time
	Status    string `gorm:"default:new"`
	Note      *string
	BuyerID   uint
	Buyer     Account `gorm:"foreignKey:BuyerID"`
	Lines     []Line
}

type Line struct {
	ID      uint
	OrderID uint
	Code    string
	Amount  int
}

// TableName has a constant result.
func (Line) TableName() string { return "order_lines" }

// PlaceOrder reads the stock, writes an order and takes the stock away, with a
// condition.
func PlaceOrder(ctx context.Context, db *gorm.DB, buyer uint, code string, n int) (*Order, error) {
	order := &Order{BuyerID: buyer}
	err := db.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		var p Product
		if err := tx.Where(&Product{Code: code}).First(&p).Error; err != nil {
			if errors.Is(err, gorm.ErrRecordNotFound) {
				return errors.New("no such product")
			}
			return err
		}
		if p.Stock < n {
			return errors.New("not enough")
		}
		if err := tx.Create(order).Error; err != nil {
			return err
		}
		if err := tx.Create(&Line{OrderID: order.ID, Code: code, Amount: n}).Error; err != nil {
			return err
		}
		res := tx.Model(&Product{}).Where("id = ? AND stock >= ?", p.ID, n).UpdateColumn("stock", gorm.Expr("stock - ?", n))
		if res.Error != nil {
			return res.Error
		}
		if res.RowsAffected == 0 {
			return errors.New("sold out")
		}
		return nil
	})
	return order, err
}

// Cancel updates with a map, and soft-deletes.
func Cancel(db *gorm.DB, id uint, note string) error {
	tx := db.Begin()
	defer tx.Rollback()
	var o Order
	if tx.Limit(1).Find(&o, id).RowsAffected == 0 {
		return gorm.ErrRecordNotFound
	}
	changes := map[string]interface{}{"status": "cancelled"}
	if note != "" {
		changes["Note"] = note
	}
	if err := tx.Model(&o).Updates(changes).Error; err != nil {
		return err
	}
	if err := tx.Where("order_id = ?", o.ID).Delete(&Line{}).Error; err != nil {
		return err
	}
	if err := tx.Delete(&Product{}, "code = ?", "gone").Error; err != nil {
		return err
	}
	return tx.Commit().Error
}

// Search builds conditions on several paths, and uses the statement twice.
func Search(db *gorm.DB, status string, from time.Time, limit int) ([]Order, int64, error) {
	var list []Order
	var n int64
	err := db.Transaction(func(tx *gorm.DB) error {
		q := tx
		if status != "" {
			q = q.Where("status = ? OR status = ?", status, "new")
		}
		if !from.IsZero() {
			q = q.Where("created_at >= ?", from)
		}
		if err := q.Model(&Order{}).Count(&n).Error; err != nil {
			return err
		}
		q = q.Order("created_at desc")
		if limit > 0 {
			q = q.Limit(limit)
		}
		return q.Find(&list).Error
	})
	return list, n, err
}

// Upsert inserts or updates, in a transaction within a transaction.
func Upsert(db *gorm.DB, code string, price uint) error {
	return db.Transaction(func(tx *gorm.DB) error {
		err := tx.Transaction(func(inner *gorm.DB) error {
			return inner.Clauses(clause.OnConflict{
				Columns:   []clause.Column{{Name: "code"}},
				DoUpdates: clause.AssignmentColumns([]string{"price"}),
			}).Create(&Product{Code: code, Price: price}).Error
		})
		if err != nil {
			return err
		}
		var total int64
		if err := tx.Model(&Product{}).Where("code IN ?", []string{code, "other"}).Or("price > ?", 10).Select("SUM(price)").Scan(&total).Error; err != nil {
			return err
		}
		return tx.Exec("UPDATE totals SET value = ? WHERE name = @name", total, map[string]interface{}{"name": code}).Error
	})
}

// Ensure finds a row or makes one.
func Ensure(db *gorm.DB, code string) (Product, error) {
	var p Product
	err := db.Transaction(func(tx *gorm.DB) error {
		return tx.Where(Product{Code: code}).Attrs(Product{Stock: 1}).FirstOrCreate(&p).Error
	})
	return p, err
}

// Cheaper sends statements without a transaction.
func Cheaper(db *gorm.DB, ids []uint) error {
	if err := db.Model(&Product{}).Where("id IN (?)", ids).Updates(Product{Price: 1}).Error; err != nil {
		return err
	}
	sub := db.Model(&Line{}).Select("code").Where("amount > ?", 3)
	return db.Unscoped().Where("code NOT IN (?)", sub).Delete(&Product{}).Error
}

// Detail reads what belongs to a row.
func Detail(db *gorm.DB, id uint) (Order, error) {
	var o Order
	err := db.Transaction(func(tx *gorm.DB) error {
		if err := tx.Preload("Lines").Joins("Buyer").First(&o, id).Error; err != nil {
			return err
		}
		return tx.Model(&o).Update("Status", "seen").Error
	})
	return o, err
}

// Loop builds a statement in a loop, and calls what is not modelled.
func Loop(db *gorm.DB, where map[string]string, o *Order) error {
	return db.Transaction(func(tx *gorm.DB) error {
		q := tx.Model(&Product{})
		for k, v := range where {
			q = q.Where(k+" = ?", v)
		}
		if err := q.Update("stock", 0).Error; err != nil {
			return err
		}
		return tx.Model(o).Association("Lines").Append(&Line{})
	})
}

// PlaceWithLines inserts rows of two tables at once.
func PlaceWithLines(db *gorm.DB, buyer Account, code string) error {
	return db.Create(&Order{Buyer: buyer, Lines: []Line{{Code: code, Amount: 1}, {Code: "fee", Amount: 1}}}).Error
}

// Try goes on where the code is taken.
func Try(db *gorm.DB, code string) error {
	return db.Transaction(func(tx *gorm.DB) error {
		tx.SavePoint("try")
		if err := tx.Create(&Product{Code: code}).Error; err != nil {
			tx.RollbackTo("try")
		}
		return tx.Exec("UPDATE totals SET value = value + 1").Error
	})
}

// TryBlind does not look at the error.
func TryBlind(db *gorm.DB, code string) error {
	return db.Transaction(func(tx *gorm.DB) error {
		tx.SavePoint("try")
		tx.Create(&Product{Code: code})
		tx.RollbackTo("try")
		return nil
	})
}

// Redeem goes on where the inner transaction failed, be it because of the server or by its own decision.
func Redeem(db *gorm.DB, code string) error {
	return db.Transaction(func(tx *gorm.DB) error {
		err := tx.Transaction(func(inner *gorm.DB) error {
			res := inner.Exec("UPDATE totals SET value = 0 WHERE value > 0")
			if res.Error != nil {
				return res.Error
			}
			if res.RowsAffected == 0 {
				return errors.New("too late")
			}
			return nil
		})
		if err != nil {
			fmt.Println(err)
		}
		return tx.Create(&Product{Code: code}).Error
	})
}

// RedeemOrEnd ends with the error of the inner transaction.
func RedeemOrEnd(db *gorm.DB, code string) error {
	return db.Transaction(func(tx *gorm.DB) error {
		err := tx.Transaction(func(inner *gorm.DB) error {
			res := inner.Exec("UPDATE totals SET value = 0 WHERE value > 0")
			if res.Error != nil {
				return res.Error
			}
			if res.RowsAffected == 0 {
				return errors.New("too late")
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("redeem: %w", err)
		}
		return tx.Create(&Product{Code: code}).Error
	})
}
