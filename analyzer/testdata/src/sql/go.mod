module sql.test

go 1.24
