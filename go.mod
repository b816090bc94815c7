module github.com/txrobust/robust

go 1.26.0

require (
	github.com/jackc/pgx/v5 v5.12.0
	github.com/sqlc-dev/oliphant v0.2.0
	google.golang.org/protobuf v1.36.12
)

require (
	github.com/aclements/go-z3 v0.0.0-20220809013456-4675d5f90ca5 // indirect
	github.com/jackc/pgpassfile v1.0.0 // indirect
	github.com/jackc/pgservicefile v0.0.0-20240606120523-5a60cdf6a761 // indirect
	golang.org/x/text v0.41.0 // indirect
	golang.org/x/tools v0.52.0 // indirect
)
