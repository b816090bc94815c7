package sqlmodel

import (
	"context"
	"errors"

	"github.com/txrobust/robust/ir"
)

// parseMySQL reads nothing in a browser, where the playground has no MySQL and is spared its scripts.
func parseMySQL(context.Context, []File, Options) (*ir.Program, error) {
	return nil, errors.New("SQL of MySQL is not read in a browser; use robust check -dialect mysql")
}
