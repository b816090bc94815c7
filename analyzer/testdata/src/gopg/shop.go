// Package shop keeps articles and orders with go-pg.
package shop

import (
	"context"
	"errors"
	"time"

	"github.com/go-pg/pg/v10"
	"github.com/go-pg/pg/v10/orm"
)

// Article has the table articles, and the alias article.
type Article struct {
	ID        int64
	Name      string    `pg:",notnull"`
	Stock     int       `pg:",use_zero"`
	Price     int       `pg:"default:10"`
	DeletedAt time.Time `pg:",soft_delete"`
	unseen    int
	Ignored   string `pg:"-"`
}

// Order has a table with a name of its own, and keys that tags say.
type Order struct {
	tableName struct{} `pg:"shop.orders,alias:o"`
	Customer  int      `pg:",pk"`
	Number    int      `pg:"no,pk"`
	ArticleID int64
	Article   *Article `pg:"rel:has-one"`
	Count     *int
}

// Hooked has a hook: what it does is not known.
type Hooked struct{ ID int }

func (h *Hooked) BeforeInsert(ctx context.Context) (context.Context, error) { return ctx, nil }

// Nested has a field that may be a relation.
type Nested struct {
	ID    int
	Owner *Article
}

var errSold = errors.New("sold out")

// Buy reads a row, and writes what follows from it.
func Buy(ctx context.Context, db *pg.DB, id int64, n int) error {
	return db.RunInTransaction(ctx, func(tx *pg.Tx) error {
		a := &Article{ID: id}
		err := tx.Model(a).Column("id", "stock").WherePK().For("UPDATE").Select()
		if err == pg.ErrNoRows {
			return nil
		}
		if err != nil {
			return err
		}
		if a.Stock < n {
			return errSold
		}
		a.Stock -= n
		if _, err := tx.Model(a).Column("stock").WherePK().Update(); err != nil {
			return err
		}
		_, err = tx.Model(&Order{Customer: 1, Number: n, ArticleID: id}).OnConflict("(customer, no) DO UPDATE").Set("count = o.count + ?", n).Insert()
		return err
	})
}

// Add inserts a row whose key, and perhaps price, the database makes.
func Add(db *pg.DB, name string, price int) (int64, error) {
	tx, err := db.Begin()
	if err != nil {
		return 0, err
	}
	defer tx.Close()
	a := Article{Name: name, Price: price}
	if _, err := tx.Model(&a).Insert(); err != nil {
		return 0, err
	}
	if _, err := tx.Exec("INSERT INTO log (article, text) VALUES (?, ?1)", a.ID, name); err != nil {
		return 0, err
	}
	return a.ID, tx.Commit()
}

// Remove deletes softly, and then what is deleted.
func Remove(ctx context.Context, db *pg.DB, id int64) error {
	tx, err := db.BeginContext(ctx)
	if err != nil {
		return err
	}
	if _, err := tx.Model((*Article)(nil)).Where("id = ?", id).Delete(); err != nil {
		tx.Rollback()
		return err
	}
	if _, err := tx.Model(&Article{ID: id}).WherePK().ForceDelete(); err != nil {
		tx.Rollback()
		return err
	}
	return tx.Commit()
}

// Search has conditions on some paths, a list, and rows in a slice.
func Search(db orm.DB, name string, ids []int64, all bool) ([]Article, error) {
	var list []Article
	q := db.Model(&list).ExcludeColumn("price").Order("name DESC", "id").Limit(10)
	if name != "" {
		q.Where("name = ?", name)
	}
	if len(ids) > 0 {
		q = q.Where("id IN (?)", pg.In(ids))
	}
	if all {
		q = q.AllWithDeleted()
	}
	err := q.Select()
	return list, err
}

// Totals are texts of the program, with places for names.
func Totals(db *pg.DB, table string, min int) (n int, err error) {
	if _, err := db.QueryOne(pg.Scan(&n), "SELECT sum(count) FROM shop.orders AS o WHERE count > ?", min); err != nil {
		return 0, err
	}
	_, err = db.Exec("DELETE FROM ? WHERE count < ?", pg.Ident("shop.orders"), min)
	if err != nil {
		return 0, err
	}
	_, err = db.Exec("UPDATE ? SET stock = 0", pg.Ident(table))
	return n, err
}

// Each has a function for each row.
func Each(ctx context.Context, db *pg.DB, least int) error {
	return db.RunInTransaction(ctx, func(tx *pg.Tx) error {
		return tx.Model((*Article)(nil)).Column("id", "stock").Where("?TableAlias.stock < ?", least).ForEach(func(a *Article) error {
			_, err := tx.Model(a).Set("stock = ?", least).WherePK().Update()
			return err
		})
	})
}

// Unknown has what is not modelled.
func Unknown(ctx context.Context, db *pg.DB, rows []*Article) error {
	return db.RunInTransaction(ctx, func(tx *pg.Tx) error {
		if _, err := tx.Model(&Hooked{}).Insert(); err != nil {
			return err
		}
		if err := tx.Model(&Nested{}).Where("id = 1").Select(); err != nil {
			return err
		}
		if _, err := tx.Model(&rows).Insert(); err != nil {
			return err
		}
		if err := tx.Model(&rows).Relation("Owner").Select(); err != nil {
			return err
		}
		_, err := tx.Model(&Article{ID: 1}).WherePK().SelectOrInsert()
		return err
	})
}

// Repository is a database or a transaction behind an interface of the program.
type Repository interface {
	Model(model ...interface{}) *orm.Query
}

func rename(r Repository, id int64, name string) error {
	_, err := r.Model(&Article{ID: id, Name: name}).WherePK().UpdateNotZero()
	return err
}

// Rename uses the transaction behind an interface.
func Rename(ctx context.Context, db *pg.DB, id int64, name string) error {
	return db.RunInTransaction(ctx, func(tx *pg.Tx) error { return rename(tx, id, name) })
}
