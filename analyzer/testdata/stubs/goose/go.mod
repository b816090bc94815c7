module github.com/pressly/goose/v3

go 1.24
