package notes

import (
	"context"

	"github.com/uptrace/bun"
)

type Note struct {
	bun.BaseModel `bun:"table:app_notes,alias:n"`

	ID   int64 `bun:",pk,autoincrement"`
	Text string
}

type Tag struct {
	ID   int64 `bun:",pk"`
	Name string
}

// Edit reads a row and writes it.
func Edit(ctx context.Context, db *bun.DB, id int64, text string) error {
	return db.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		n := new(Note)
		if err := tx.NewSelect().Model(n).Where("id = ?", id).Scan(ctx); err != nil {
			return err
		}
		n.Text = text
		if _, err := tx.NewUpdate().Model(n).WherePK().Exec(ctx); err != nil {
			return err
		}
		var total int
		if err := tx.NewRaw("SELECT count(*) FROM app_notes WHERE id > ?", id).Scan(ctx, &total); err != nil {
			return err
		}
		_, err := tx.NewInsert().Model(&Tag{Name: text}).Exec(ctx)
		return err
	})
}

// Tags is called with and without a transaction.
func Tags(ctx context.Context, db bun.IDB, lock bool) (int, error) {
	q := db.NewSelect().Model((*Tag)(nil))
	if lock {
		q = q.For("UPDATE")
	}
	return q.Count(ctx)
}

// Count calls Tags without a transaction.
func Count(ctx context.Context, db *bun.DB) (int, error) { return Tags(ctx, db, false) }
