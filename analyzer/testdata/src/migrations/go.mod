module example.com/migrations

go 1.24

require (
	github.com/go-gormigrate/gormigrate/v2 v2.0.0
	github.com/pressly/goose/v3 v3.0.0
	gorm.io/gorm v0.0.0
)

replace (
	github.com/go-gormigrate/gormigrate/v2 => ../../stubs/gormigrate
	github.com/pressly/goose/v3 => ../../stubs/goose
	gorm.io/gorm => ../../stubs/gorm
)
