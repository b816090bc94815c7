// Package types has the declarations of go-pg's package types that the tests use.
package types

type (
	Ident string
	Safe  string
)

type ValueAppender interface {
	AppendValue(b []byte, flags int) ([]byte, error)
}

type Array struct{}
