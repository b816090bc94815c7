module example.com/idioms

go 1.24

require (
	entgo.io/ent v0.0.0
	github.com/Masterminds/squirrel v0.0.0
	github.com/go-gorp/gorp/v3 v3.0.0
	github.com/jackc/pgx/v5 v5.0.0
	github.com/jmoiron/sqlx v0.0.0
	github.com/uptrace/bun v0.0.0
	gorm.io/gorm v0.0.0
)

replace (
	entgo.io/ent => ../../analyzer/testdata/stubs/ent
	github.com/Masterminds/squirrel => ../../analyzer/testdata/stubs/squirrel
	github.com/go-gorp/gorp/v3 => ../../analyzer/testdata/stubs/gorp
	github.com/jackc/pgx/v5 => ../../analyzer/testdata/stubs/pgx
	github.com/jmoiron/sqlx => ../../analyzer/testdata/stubs/sqlx
	github.com/uptrace/bun => ../../analyzer/testdata/stubs/bun
	gorm.io/gorm => ../../analyzer/testdata/stubs/gorm
)
