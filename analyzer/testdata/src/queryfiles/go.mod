module example.com/desks

go 1.24

require (
	github.com/jmoiron/sqlx v0.0.0
	github.com/knadh/goyesql/v2 v2.0.0
	github.com/lib/pq v0.0.0
	github.com/qustavo/dotsql v0.0.0
)

replace (
	github.com/jmoiron/sqlx => ../../stubs/sqlx
	github.com/knadh/goyesql/v2 => ../../stubs/goyesql
	github.com/lib/pq => ../../stubs/pq
	github.com/qustavo/dotsql => ../../stubs/dotsql
)
