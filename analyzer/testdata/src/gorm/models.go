package shop

import "gorm.io/gorm"

// Migrate makes the tables.
func Migrate(db *gorm.DB) error {
	return db.AutoMigrate(&Account{}, &Product{}, &Order{}, &Line{}, &Audit{}, &Booking{})
}

// Audit is what a hook writes.
type Audit struct {
	ID   uint
	Text string
}

// Booking has hooks.
type Booking struct {
	Room string `gorm:"primaryKey"`
	Day  string `gorm:"primaryKey"`
	Name string
}

// BeforeCreate refuses a second booking: together with the insertion it is one
// transaction.
func (b *Booking) BeforeCreate(tx *gorm.DB) error {
	var n int64
	if err := tx.Model(&Booking{}).Where("room = ? AND day = ?", b.Room, b.Day).Count(&n).Error; err != nil {
		return err
	}
	if n > 0 {
		return errFunds
	}
	return nil
}

// AfterCreate writes another row.
func (b *Booking) AfterCreate(tx *gorm.DB) error {
	return tx.Create(&Audit{Text: b.Room}).Error
}

// Book has no transaction of its own: GORM makes one.
func Book(db *gorm.DB, room, day, name string) error {
	return db.Create(&Booking{Room: room, Day: day, Name: name}).Error
}

// Move is a transaction with a level, and writes rows one by one.
func Move(db *gorm.DB, from string, days []string) error {
	return db.Transaction(func(tx *gorm.DB) error {
		rows, err := tx.Model(&Booking{}).Where("room = ?", from).Rows()
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var b Booking
			if err := tx.ScanRows(rows, &b); err != nil {
				return err
			}
			if err := tx.Model(&Booking{}).Where("room = ? AND day = ?", b.Room, b.Day).Update("name", "moved "+b.Name).Error; err != nil {
				return err
			}
		}
		return tx.Where("day IN ?", days).Delete(&Booking{}).Error
	})
}
