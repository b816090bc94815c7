module example.com/notes

go 1.24

require github.com/uptrace/bun v0.0.0

replace github.com/uptrace/bun => ../../stubs/bun
