module example.com/more

go 1.24

require gorm.io/gorm v1.0.0

replace gorm.io/gorm => ../../stubs/gorm
