module stmts.test

go 1.24
