module example.com/shop

go 1.24

require github.com/go-pg/pg/v10 v10.0.0

replace github.com/go-pg/pg/v10 => ../../stubs/gopg
