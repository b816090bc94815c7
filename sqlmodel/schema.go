package sqlmodel

import "github.com/txrobust/robust/internal/sql/schema"

const (
	cascade schema.Action = 'c'
	setNull schema.Action = 'n'
)
