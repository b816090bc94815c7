module github.com/knadh/goyesql/v2

go 1.24

require github.com/jmoiron/sqlx v0.0.0

replace github.com/jmoiron/sqlx => ../sqlx
