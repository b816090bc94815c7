package query

import "github.com/txrobust/robust/internal/sql/expr"

const (
	// Discard drops the rows.
	Discard expr.SinkKind = iota
	// IntoLocals takes one row, or NULLs.
	IntoLocals
	// ToClient returns all rows.
	ToClient
	// IntoRows puts all rows in one value.
	IntoRows
)

const (
	Cardinality = "21000"
)
