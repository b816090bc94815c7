module example.com/shop

go 1.24

require gorm.io/gorm v0.0.0

replace gorm.io/gorm => ../../stubs/gorm
