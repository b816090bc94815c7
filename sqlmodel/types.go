package sqlmodel

import "github.com/txrobust/robust/internal/sql/schema"

// Classes of types that the translation treats specially.
const (
	nTime = "time" // of day

	nJSON = "jsonb"
)

var (
	tTime = schema.ValuesOf("time")
)
