// want package:"transactions: 1"

// Package bunned uses bun, of whose statements the tables are known: there is
// neither a proof nor a finding.
package bunned

import (
	"context"

	"github.com/uptrace/bun"
)

type Note struct {
	bun.BaseModel `bun:"table:notes"`
	ID            int64
	Author        int64
}

func add(ctx context.Context, db *bun.DB, id, author int64) error {
	return db.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		n, err := tx.NewSelect().Model((*Note)(nil)).Where("author = ?", author).Count(ctx)
		if err != nil || n > 0 {
			return err
		}
		_, err = tx.NewInsert().Model(&Note{ID: id, Author: author}).Exec(ctx)
		return err
	})
}
