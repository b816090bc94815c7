module github.com/uptrace/bun

go 1.24
