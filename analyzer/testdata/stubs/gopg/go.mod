module github.com/go-pg/pg/v10

go 1.24
