package people

import (
	"context"

	"example.com/people/ent"
	"example.com/people/ent/user"
)

// Birthday reads a row and writes it.
func Birthday(ctx context.Context, client *ent.Client, id int) error {
	tx, err := client.Tx(ctx)
	if err != nil {
		return err
	}
	u, err := tx.User.Query().Where(user.ID(id)).Only(ctx)
	if err != nil {
		tx.Rollback()
		return err
	}
	if err := grow(ctx, tx.Client(), u); err != nil {
		tx.Rollback()
		return err
	}
	return tx.Commit()
}

func grow(ctx context.Context, c *ent.Client, u *ent.User) error {
	_, err := c.User.UpdateOneID(u.ID).SetAge(u.Age + 1).Save(ctx)
	return err
}

// Count has no transaction.
func Count(ctx context.Context, client *ent.Client) int { return client.User.Query().CountX(ctx) }
