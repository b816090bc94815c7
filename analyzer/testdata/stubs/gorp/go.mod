module github.com/go-gorp/gorp/v3

go 1.24
