// Package gormigrate has the signatures of gormigrate, without what they do.
package gormigrate

import "gorm.io/gorm"

type (
	MigrateFunc  func(*gorm.DB) error
	RollbackFunc func(*gorm.DB) error
)

type Migration struct {
	ID       string
	Migrate  MigrateFunc
	Rollback RollbackFunc
}
