package models

import (
	"context"

	"github.com/aarondl/sqlboiler/v4/boil"
)

// Rename is a method that the program adds to a generated type.
func (o *User) Rename(ctx context.Context, exec boil.ContextExecutor, name string) error {
	_, err := exec.ExecContext(ctx, "UPDATE users SET name = $1 WHERE id = $2", name, o.ID)
	return err
}
