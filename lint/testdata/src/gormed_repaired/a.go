// want package:"transactions: 3"

// Package gormed_repaired uses GORM: chains within Transaction, and a *gorm.DB that is handed
// down.
package gormed_repaired

import (
	"errors"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

var errFull = errors.New("no bed")

type Room struct {
	ID     int64
	Beds   int64
	Guests int64
}

type Stay struct {
	ID     int64
	RoomID int64
	Guest  string
	Gone   bool
}

func find(tx *gorm.DB, id int64) (room Room, err error) {
	if err := tx.Model(&Room{}).Where("id = ?", id).UpdateColumn("guests", gorm.Expr("guests + 1")).Error; err != nil {
		return room, err
	}
	err = tx.First(&room, id).Error
	return room, err
}

func arrive(db *gorm.DB, room int64, guest string) error {
	return db.Transaction(func(tx *gorm.DB) error {
		r, err := find(tx, room)
		if err != nil {
			return err
		}
		var n int64
		if err := tx.Model(&Stay{}).Where("room_id = ? AND NOT gone", room).Count(&n).Error; err != nil {
			return err
		}
		if n >= r.Beds {
			return errFull
		}
		return tx.Create(&Stay{RoomID: room, Guest: guest}).Error
	})
}

func swap(db *gorm.DB, id, other int64) error {
	tx := db.Begin()
	defer tx.Rollback()
	var b Room
	if err := tx.Clauses(clause.Locking{Strength: "SHARE"}).Where("id = ?", other).Take(&b).Error; err != nil {
		return err
	}
	if err := tx.Model(&Room{}).Where("id = ?", id).Update("beds", b.Beds).Error; err != nil {
		return err
	}
	return tx.Commit().Error
}

func leave(db *gorm.DB, id int64) error {
	return db.Transaction(func(tx *gorm.DB) error {
		var s Stay
		if err := tx.First(&s, id).Error; errors.Is(err, gorm.ErrRecordNotFound) {
			return nil
		} else if err != nil {
			return err
		}
		s.Gone = true
		return tx.Save(&s).Error
	})
}
