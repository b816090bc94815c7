// Package shop uses code that sqlboiler generated.
package shop

import (
	"context"
	"database/sql"

	"example.com/shop/models"
	"github.com/aarondl/sqlboiler/v4/boil"
	"github.com/aarondl/sqlboiler/v4/queries"
	"github.com/aarondl/sqlboiler/v4/queries/qm"
)

var DB *sql.DB

func inTx(ctx context.Context, f func(tx *sql.Tx) error) error {
	tx, err := DB.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := f(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// Pay reads a row and writes it.
func Pay(ctx context.Context, id, amount int) error {
	return inTx(ctx, func(tx *sql.Tx) error {
		u, err := models.FindUser(ctx, tx, id)
		if err != nil {
			return err
		}
		u.Credit -= amount
		_, err = u.Update(ctx, tx, boil.Whitelist("credit"))
		return err
	})
}

// Locked is Pay with a lock.
func Locked(ctx context.Context, id, amount int) error {
	return inTx(ctx, func(tx *sql.Tx) error {
		u, err := models.Users(models.UserWhere.ID.EQ(id), qm.For("UPDATE")).One(ctx, tx)
		if err != nil {
			return err
		}
		u.Credit -= amount
		_, err = u.Update(ctx, tx, boil.Infer())
		return err
	})
}

// Create inserts a row, and reads what the database chose.
func Create(ctx context.Context, name string) (int, error) {
	u := &models.User{Name: name}
	err := inTx(ctx, func(tx *sql.Tx) error {
		if err := u.Insert(ctx, tx, boil.Infer()); err != nil {
			return err
		}
		return (&models.Token{Token: "t", UserID: u.ID}).Insert(ctx, tx, boil.Infer())
	})
	return u.ID, err
}

// CreateOrPanic panics in the place of giving an error.
func CreateOrPanic(ctx context.Context, name string) {
	(&models.User{Name: name}).InsertP(ctx, DB, boil.Infer())
}

// Put updates where a row is there.
func Put(ctx context.Context, u models.User) error {
	return u.Upsert(ctx, DB, true, []string{"id"}, boil.Whitelist("name"), boil.Whitelist("id", "name", "credit"))
}

// Rich counts rows, and deletes them.
func Rich(ctx context.Context, least int, ids []interface{}) error {
	return inTx(ctx, func(tx *sql.Tx) error {
		n, err := models.Users(models.UserWhere.Credit.GTE(least), qm.Or("name = ?", "boss"), qm.WhereIn("id in ?", 1, 2)).Count(ctx, tx)
		if err != nil || n == 0 {
			return err
		}
		if ok, err := models.UserExists(ctx, tx, 7); err != nil || !ok {
			return err
		}
		if _, err := models.Users(qm.WhereIn("users.id in ?", ids...)).UpdateAll(ctx, tx, models.M{"credit": least, "name": "rich"}); err != nil {
			return err
		}
		_, err = models.Users(qm.Where("credit < ?", least), qm.Expr(qm.Where("id = ?", 1), qm.Or("id = ?", 2))).DeleteAll(ctx, tx)
		return err
	})
}

// Loaded reads a relation, too.
func Loaded(ctx context.Context) (*models.User, error) {
	return models.Users(qm.Load(models.UserRels.Tokens), qm.OrderBy("id DESC"), qm.InnerJoin("tokens on tokens.user_id = users.id")).One(ctx, DB)
}

// Any has parts that depend on the path: they choose rows, and lock nothing.
func Any(ctx context.Context, all bool) (models.UserSlice, error) {
	parts := []qm.QueryMod{qm.Where("credit > 0")}
	if all {
		parts = append(parts, qm.Where("name <> ''"))
	}
	return models.Users(parts...).All(ctx, DB)
}

// Unclear has a condition that may not be there, and OR.
func Unclear(ctx context.Context, all bool) (int64, error) {
	parts := []qm.QueryMod{}
	if all {
		parts = append(parts, qm.Where("credit > 0"))
	}
	parts = append(parts, qm.Or("name = 'x'"))
	return models.Users(parts...).Count(ctx, DB)
}

// Texts sends texts of its own.
func Texts(ctx context.Context, id int) error {
	return inTx(ctx, func(tx *sql.Tx) error {
		var u struct {
			Credit int `boil:"credit"`
		}
		if err := queries.Raw("SELECT credit FROM users WHERE id = $1", id).Bind(ctx, tx, &u); err != nil {
			return err
		}
		_, err := queries.Raw("UPDATE users SET credit = $1 WHERE id = $2", u.Credit+1, id).ExecContext(ctx, tx)
		return err
	})
}

// Own calls a method that stands beside the generated ones.
func Own(ctx context.Context, u *models.User) error {
	if err := u.Rename(ctx, DB, "x"); err != nil {
		return err
	}
	if err := u.Reload(ctx, DB); err != nil {
		return err
	}
	_, err := u.Delete(ctx, DB)
	return err
}

func init() {
	models.AddTokenHook(func(ctx context.Context, exec boil.ContextExecutor, t *models.Token) error {
		_, err := exec.ExecContext(ctx, "DELETE FROM users")
		return err
	})
}
