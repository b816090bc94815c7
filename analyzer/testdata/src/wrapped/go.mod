module wrapped.test

go 1.24

require (
	github.com/jackc/pgx/v5 v5.0.0
	github.com/jmoiron/sqlx v0.0.0
)

replace github.com/jackc/pgx/v5 => ../../stubs/pgx

replace github.com/jmoiron/sqlx => ../../stubs/sqlx
