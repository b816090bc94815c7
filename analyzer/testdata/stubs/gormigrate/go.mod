module github.com/go-gormigrate/gormigrate/v2

go 1.24

require gorm.io/gorm v0.0.0
