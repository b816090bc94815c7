// Package qmhelper has what generated code uses of the package of this name.
package qmhelper

import "github.com/aarondl/sqlboiler/v4/queries/qm"

type operator string

const (
	EQ  operator = "="
	NEQ operator = "!="
	LT  operator = "<"
	GTE operator = ">="
)

func Where(name string, operator operator, value interface{}) qm.QueryMod
func WhereIsNull(name string) qm.QueryMod
