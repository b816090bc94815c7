// Package shop uses go-pg in the ways that are rarer.
package shop

import (
	"context"

	"github.com/go-pg/pg/v10"
	"github.com/go-pg/pg/v10/orm"
)

type Base struct {
	ID int `pg:",pk"`
}

type User struct {
	Base
	Name  string
	Email string `pg:"mail"`
	Age   int    `pg:",use_zero"`
}

type Member struct {
	tableName struct{} `pg:"members,alias:members"`
	UserID    int      `pg:",pk"`
	TeamID    int      `pg:",pk"`
	Role      string
}

// Queries have joins, groups, and more than one table.
func Queries(db *pg.DB, n int, name string) error {
	var list []User
	if err := db.Model(&list).Join("JOIN members AS m").JoinOn("m.user_id = ?TableAlias.id").JoinOn("m.role = ?", name).Where("?TablePKs > ?", n).Select(); err != nil { // want `SELECT "user".id, "user".name, "user".mail, "user".age FROM users AS "user" JOIN members AS m ON (m.user_id = "user".id) AND (m.role = $1) WHERE "user".id > $2 (name, n)`
		return err
	}
	var rows []struct {
		Age int
		N   int
	}
	if err := db.Model((*User)(nil)).Column("age").ColumnExpr("count(*) AS n").Group("age").Having("count(*) > ?", n).OrderExpr("age * ?", n).Limit(n).Select(&rows); err != nil { // want `SELECT age, count(*) AS n FROM users AS "user" GROUP BY age HAVING count(*) > $1 ORDER BY age * $2 LIMIT $3 (n, nx, nxx)`
		return err
	}
	if err := db.Model().Table("users", "members").ColumnExpr("count(*)").Where("users.id = members.user_id").Select(&n); err != nil { // want `SELECT count(*) FROM users, members WHERE users.id = members.user_id`
		return err
	}
	u := &User{Base: Base{ID: n}}
	if err := db.Model(u).Column("user.name", "user.*").WherePK().First(); err != nil { // want `SELECT "user".name, "user".* FROM users AS "user" WHERE "user".id = $1 ORDER BY "user".id LIMIT 1 (v)`
		return err
	}
	ok, err := db.Model(u).Where("name = ?name AND age > ?0", n, u).WhereIn("mail IN (?)", []string{"a", name}).Exists() // want `SELECT 1 FROM users AS "user" WHERE (name = $1 AND age > $2) AND mail IN ($3, $4) LIMIT 1 (v.Name, n_1, 'a', name)`
	if err != nil || ok {
		return err
	}
	c, err := db.Model((*Member)(nil)).TableExpr("users AS u").Where("u.id = members.user_id").WhereOr("role = ?", name).Count() // want `SELECT count(*) FROM members AS members, users AS u WHERE u.id = members.user_id OR role = $1 (name)`
	if err != nil || c > 0 {
		return err
	}
	_, err = db.Query(&list, "SELECT ?Columns FROM users WHERE name = ? AND age = ?1", name, n) // want `SELECT … FROM users WHERE name = $1 AND age = $2 (name, n_1)`
	return err
}

// Writes have several tables, values that texts give, and rows that come back.
func Writes(ctx context.Context, db *pg.DB, n int, name string) error {
	return db.RunInTransaction(ctx, func(tx *pg.Tx) error {
		m := &Member{UserID: 1, TeamID: 2, Role: name}
		if _, err := tx.Model(m).Value("role", "upper(?)", name).Insert(); err != nil { // want `INSERT INTO members (user_id, team_id, role) VALUES ($1, $2, upper($3)) RETURNING role (1, 2, name)`
			return err
		}
		if _, err := tx.Model(m).OnConflict("(user_id, team_id) DO UPDATE").Where("members.role <> ?", name).Insert(); err != nil { // want `INSERT INTO members (user_id, team_id, role) VALUES ($1, $2, $3) ON CONFLICT (user_id, team_id) DO UPDATE SET role = EXCLUDED.role WHERE members.role <> $4 (1, 2, v.Role_1, name)` `INSERT INTO members (user_id, team_id, role) VALUES ($1, $2, DEFAULT) ON CONFLICT (user_id, team_id) DO UPDATE SET role = EXCLUDED.role WHERE members.role <> $3 RETURNING role (1, 2, name)`
			return err
		}
		if _, err := tx.Model(m).OnConflict("DO NOTHING").Returning("role").Insert(); err != nil && err != pg.ErrNoRows { // want `INSERT INTO members (user_id, team_id, role) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING role (1, 2, v.Role_4)` `INSERT INTO members (user_id, team_id, role) VALUES ($1, $2, DEFAULT) ON CONFLICT DO NOTHING RETURNING role (1, 2)`
			return err
		}
		if _, err := tx.Model(m).TableExpr("users AS u").Set("role = u.name").Where("u.id = members.user_id").Update(); err != nil { // want `UPDATE members SET role = u.name FROM users AS u WHERE u.id = members.user_id`
			return err
		}
		if _, err := tx.Model(m).ExcludeColumn("team_id").WherePK().Returning("NULL").UpdateNotZero(); err != nil { // want `UPDATE members SET user_id = $1, role = CASE WHEN $2 THEN $3 ELSE members.role END WHERE members.user_id = $4 AND members.team_id = $5 (1, v.Role_9 != '', v, 1, 2)`
			return err
		}
		var ids []int
		if _, err := tx.Model((*Member)(nil)).TableExpr("users AS u").Where("u.age > ?", n).Where("u.id = user_id").Returning("team_id").Delete(&ids); err != nil { // want `DELETE FROM members USING users AS u WHERE u.age > $1 AND u.id = user_id RETURNING team_id (n)`
			return err
		}
		if _, err := tx.ExecOne("DELETE FROM members WHERE role = ?", pg.SafeQuery("lower(?)", name)); err != nil { // want `DELETE FROM members WHERE role = lower($1) (name)`
			return err
		}
		_, err := tx.Exec("DELETE FROM members WHERE (user_id, team_id) IN (?)", pg.InMulti([]int{1, 2}, []int{n, 3})) // want `DELETE FROM members WHERE (user_id, team_id) IN (…)`
		return err
	})
}

func adults(q *orm.Query) (*orm.Query, error) { return q.Where("age > 17"), nil }

// Paths are loops, joins and functions that add to a query.
func Paths(ctx context.Context, db *pg.DB, n int, names []string) error {
	return db.RunInTransaction(ctx, func(tx *pg.Tx) error {
		q := tx.Model((*User)(nil)).Apply(adults)
		for _, name := range names {
			q = q.Where("name <> ?", name)
		}
		if _, err := q.Set("age = ?", n).Update(); err != nil { // want `unknown users: a query of go-pg that a loop changes`
			return err
		}
		r := tx.Model((*User)(nil)).Where("age = 1")
		if n > 1 {
			r = tx.Model((*Member)(nil)).Where("role = 'x'")
		}
		if _, err := r.Delete(); err != nil { // want `unknown *: a query of go-pg whose model depends on the path`
			return err
		}
		s := tx.Model((*User)(nil)).Where("age = 2")
		if n > 2 {
			s = tx.Model((*User)(nil)).Where("age = 3")
		}
		if _, err := s.Set("age = 4").Update(); err != nil { // want `UPDATE users AS "user" SET age = 4 WHERE (NOT $1 OR age = 3) AND (NOT $2 OR age = 2) (has, has_1)`
			return err
		}
		_, err := tx.Model((*User)(nil)).Where("name = ?", names).WhereOr("age = 5").Delete() // want `DELETE FROM users AS "user" WHERE name = $1 OR age = 5 (names)`
		return err
	})
}

// Update is a query that somebody else began.
func Update(q *orm.Query) error {
	_, err := q.Where("age = 1").Update() // want `…`
	return err
}

// Prepared is a statement that go-pg prepares.
func Prepared(db *pg.DB, n int) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Close()
	stmt, err := tx.Prepare("UPDATE users SET age = $1")
	if err != nil {
		return err
	}
	if _, err := stmt.Exec(n); err != nil { // want `unknown *: a statement that was prepared with go-pg`
		return err
	}
	return tx.Commit()
}

// Store stores what its caller gives.
func Store(db orm.DB, model interface{}) error {
	_, err := db.Model(model).Insert()
	return err
}

// StoreUser calls it.
func StoreUser(db *pg.DB, name string) error { return Store(db, &User{Name: name, Email: "a", Age: 1}) } // want `INSERT INTO users (id, name, mail, age) VALUES (DEFAULT, $1, $2, $3) RETURNING id (name, 'a', 1)` `INSERT INTO users (id, name, mail, age) VALUES (DEFAULT, DEFAULT, $1, $2) RETURNING id, name ('a', 1)`
