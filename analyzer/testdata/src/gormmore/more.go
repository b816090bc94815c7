// Package more uses GORM in the ways that are rarer.
package more

import (
	"context"
	"database/sql"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

type City struct {
	ID        uint
	Name      string
	Size      int  `gorm:"default:5"`
	Open      bool `gorm:"default:true"`
	UpdatedAt time.Time
	Streets   []Street
}

type Street struct {
	ID     uint
	CityID uint
	Name   string
	City   *City
}

type Lamp struct {
	gorm.Model
	Street string
	Watts  int
	Code   *string
}

// Selected has columns, tables and orders that calls name.
func Selected(db *gorm.DB, n int, names []string) error {
	var list []City
	if err := db.Table("cities AS c").Select("c.id, c.name").Where("c.size > ?", n).Order(clause.OrderByColumn{Column: clause.Column{Name: "name"}, Desc: true}).Find(&list).Error; err != nil { // want `SELECT c.id, c.name FROM cities AS c WHERE c.size > $1 ORDER BY name DESC (n)`
		return err
	}
	if err := db.Table("(?) AS t", db.Model(&City{}).Select("name")).Select("count(t.name) AS size").Scan(&list).Error; err != nil { // want `SELECT count(t.name) AS size FROM (SELECT name FROM cities) AS t`
		return err
	}
	if err := db.Select([]string{"name", "size"}).Omit("size").Limit(3).Offset(n).Find(&list).Error; err != nil { // want `SELECT name, size FROM cities LIMIT 3 OFFSET $1 (n)`
		return err
	}
	if err := db.Select("COALESCE(name, ?) AS name", "x").Find(&list, "size IN ?", []int{1, 2}).Error; err != nil { // want `SELECT COALESCE(name, $1) AS name FROM cities WHERE size IN ($2, $3) ('x', 1, 2)`
		return err
	}
	if err := db.Omit("Name", "Size").Find(&list, names).Error; err != nil { // want `SELECT cities.id, cities.open, cities.updated_at FROM cities WHERE (NOT $1 OR cities.id = ANY($2)) (some, names)`
		return err
	}
	var total int64
	if err := db.Model(&City{}).Distinct("name").Count(&total).Error; err != nil { // want `SELECT count(DISTINCT name) FROM cities`
		return err
	}
	if err := db.Model(&City{}).Select("size").Group("size").Having("count(*) > ?", n).Count(&total).Error; err != nil { // want `SELECT count(size) FROM cities GROUP BY size HAVING count(*) > $1 (n)`
		return err
	}
	var row Street
	if err := db.InnerJoins("City").Joins("JOIN lamps ON lamps.street = streets.name AND lamps.watts > ?", n).Take(&row).Error; err != nil { // want `SELECT streets.* FROM streets INNER JOIN cities "City" ON streets.city_id = "City".id JOIN lamps ON lamps.street = streets.name AND lamps.watts > $1 LIMIT 1 (n)`
		return err
	}
	var sizes []int
	return db.Model(&City{}).Where(map[string]interface{}{"name": "x", "size": []int{1, 2}}).Pluck("size", &sizes).Error // want `SELECT size FROM cities WHERE (cities.name = $1 AND cities.size IN ($2, $3)) ('x', 1, 2)`
}

// Conditions are of all kinds.
func Conditions(db *gorm.DB, n int, name string, ids []uint) error {
	var c City
	if err := db.Where(&City{Name: name, Size: 3}, "name").First(&c, n).Error; err != nil { // want `SELECT * FROM cities WHERE cities.name = $1 AND cities.id = $2 ORDER BY cities.id LIMIT 1 (name, n)`
		return err
	}
	if err := db.Where("name", name).Not("size = ? OR size = ?", n, 2).Or(map[string]interface{}{"size": nil}).Last(&c).Error; err != nil { // want `SELECT * FROM cities WHERE … ORDER BY cities.id DESC LIMIT 1`
		return err
	}
	if err := db.Where(db.Where("size > ?", n).Or("name = ?", name)).Not(clause.Eq{Column: "name", Value: nil}).Take(&c).Error; err != nil { // want `SELECT * FROM cities WHERE (size > $1 OR name = $2) AND name IS NOT NULL AND (NOT $3 OR cities.id = $4) LIMIT 1 (n, name, arg3, c.ID_1)`
		return err
	}
	if err := db.Clauses(clause.Gt{Column: clause.Column{Table: clause.CurrentTable, Name: "size"}, Value: n}, clause.Locking{Strength: "SHARE", Options: "NOWAIT", Table: clause.Table{Name: "cities"}}).Take(&c).Error; err != nil { // want `SELECT * FROM cities WHERE cities.size > $1 AND (NOT $2 OR cities.id = $3) LIMIT 1 FOR SHARE OF cities NOWAIT (n, arg2, c.ID_2)`
		return err
	}
	if err := db.Where(clause.IN{Column: "name", Values: []interface{}{"a", name}}).Take(&c).Error; err != nil { // want `SELECT * FROM cities WHERE name IN ($1, $2) AND (NOT $3 OR cities.id = $4) LIMIT 1 ('a', name, arg3, c.ID_3)`
		return err
	}
	if err := db.Where("id IN ?", ids).Where("size = @n AND name = @name", sql.Named("n", n), map[string]interface{}{"name": name}).Take(&c).Error; err != nil { // want `SELECT * FROM cities WHERE id = ANY($1) AND (size = $2 AND name = $3) AND (NOT $4 OR cities.id = $5) LIMIT 1 (ids, n, name, arg4, c.ID_4)`
		return err
	}
	if err := db.Where(gorm.Expr("size = ?", n)).Where("name = ?", gorm.Expr("upper(?)", name)).Take(&c).Error; err != nil { // want `SELECT * FROM cities WHERE size = $1 AND name = upper($2) AND (NOT $3 OR cities.id = $4) LIMIT 1 (n, name, arg3, c.ID_5)`
		return err
	}
	return db.Where("size > (?)", db.Model(&City{}).Select("avg(size)")).Find(&c, ids).Error // want `SELECT * FROM cities WHERE size > (SELECT avg(size) FROM cities) AND (NOT $1 OR cities.id = ANY($2)) AND (NOT $3 OR cities.id = $4) (some, ids, arg3, c.ID_6)`
}

// Written are rows in all ways.
func Written(db *gorm.DB, n int, name string, c *City) error {
	if err := db.Model(&City{}).Create(map[string]interface{}{"Name": name, "size": n}).Error; err != nil { // want `INSERT INTO cities (name, size) VALUES ($1, $2) (name, n)`
		return err
	}
	if err := db.Create([]*Lamp{{Street: name}, {Street: "x", Watts: n}}).Error; err != nil { // want `INSERT INTO lamps (created_at, updated_at, deleted_at, street, watts, code) VALUES ($1, $2, $3, $4, $5, $6) RETURNING id (now, now_1, null, name, 0, null)`
		return err
	}
	if err := db.Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "id"}}, DoUpdates: clause.Assignments(map[string]interface{}{"size": n})}, clause.Returning{}).Create(&City{ID: 1, Name: name}).Error; err != nil { // want `INSERT INTO cities (id, name, size, open, updated_at) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (id) DO UPDATE SET size = $6 RETURNING * (1, name, 5, true, now_4, n)`
		return err
	}
	if err := db.Clauses(clause.OnConflict{UpdateAll: true}).Create(&Street{ID: 2, Name: name}).Error; err != nil { // want `INSERT INTO streets (id, city_id, name) VALUES ($1, $2, $3) ON CONFLICT (id) DO UPDATE SET city_id = excluded.city_id, name = excluded.name RETURNING id (2, 0, name)`
		return err
	}
	if err := db.Clauses(clause.OnConflict{OnConstraint: "cities_name", DoUpdates: clause.Set{{Column: clause.Column{Name: "name"}, Value: "y"}}}).Select("ID", "Name").Create(&City{ID: 9, Name: name}).Error; err != nil { // want `INSERT INTO cities (id, name, updated_at) VALUES ($1, $2, $3) ON CONFLICT ON CONSTRAINT cities_name DO UPDATE SET name = $4 RETURNING id (9, name, now_5, 'y')`
		return err
	}
	if err := db.Model(&City{ID: 3}).Clauses(clause.Returning{Columns: []clause.Column{{Name: "size"}}}).Where("size = ? OR size = ?", 1, n).Updates(map[string]interface{}{"size": gorm.Expr("size + ?", n)}).Error; err != nil { // want `UPDATE cities SET size = size + $1, updated_at = $2 WHERE (size = $3 OR size = $4) AND cities.id = $5 RETURNING … (n, now_6, 1, nx, 3)`
		return err
	}
	if err := db.Unscoped().Where("watts = ?", n).Delete(&Lamp{}).Error; err != nil { // want `DELETE FROM lamps WHERE watts = $1 (n)`
		return err
	}
	if err := db.Delete(&Lamp{}, n).Error; err != nil { // want `UPDATE lamps SET deleted_at = $1 WHERE lamps.id = $2 AND lamps.deleted_at IS NULL (now_7, n)`
		return err
	}
	if err := db.Delete(&[]City{}).Error; err != nil { // want `UPDATE cities SET …`
		return err
	}
	if err := db.Where("watts > ?", n).Or("watts = 0").Updates(&Lamp{Watts: n}).Error; err != nil { // want `UPDATE lamps SET watts = CASE WHEN $1 THEN $2 ELSE watts END, updated_at = $3 WHERE (watts > $4 OR watts = 0) AND lamps.deleted_at IS NULL (arg1, n, now_8, nx)`
		return err
	}
	if err := db.Model(c).Select("*").Omit("Streets").Updates(City{Name: name}).Error; err != nil { // want `UPDATE cities SET id = $1, name = $2, size = $3, open = $4, updated_at = $5 WHERE cities.id = $6 (0, name, 0, false, now_9, c.ID)`
		return err
	}
	if err := db.Model(&City{ID: 8}).UpdateColumns(City{Size: n}).Error; err != nil { // want `UPDATE cities SET size = CASE WHEN $1 THEN $2 ELSE size END WHERE cities.id = $3 (arg1, n, 8)`
		return err
	}
	if err := db.Save(&Lamp{Street: name}).Error; err != nil { // want `INSERT INTO lamps (created_at, updated_at, deleted_at, street, watts, code) VALUES ($1, $2, $3, $4, $5, $6) RETURNING id (now_10, now_11, null, name, 0, null)`
		return err
	}
	return db.Assign(City{Size: n}).Attrs(City{Open: true}).FirstOrCreate(c, City{Name: name}).Error // want `INSERT INTO cities (id, name, size, open, updated_at) VALUES ($1, $2, $3, $4, $5) RETURNING id (c.ID_1, c.Name_1, v_1, true, v_2)` `INSERT INTO cities (name, size, open, updated_at) VALUES ($1, $2, $3, $4) RETURNING id (c.Name_1, v_1, true, v_2)` `SELECT * FROM cities WHERE (NOT $1 OR cities.name = $2) ORDER BY cities.id LIMIT 1 (arg1, name)` `UPDATE cities SET size = CASE WHEN $1 THEN $2 ELSE size END, updated_at = $3 WHERE cities.id = $4 (n != 0, n, now_12, c.ID_1)` `unknown *: the rows of Streets, which are saved, too`
}

// Sessions are those of one database, and what they do to statements.
func Sessions(ctx context.Context, db *gorm.DB, n int) error {
	tx := db.WithContext(ctx).Session(&gorm.Session{SkipHooks: true, AllowGlobalUpdate: true})
	if err := tx.Model(&City{}).Update("size", n).Error; err != nil { // want `UPDATE cities SET size = $1 WHERE TRUE (n)`
		return err
	}
	base := db.Where("size > ?", n).Session(&gorm.Session{})
	if err := base.Where("name = 'a'").Delete(&City{}).Error; err != nil { // want `DELETE FROM cities WHERE size > $1 AND name = 'a' (n)`
		return err
	}
	if err := base.Debug().Where("name = 'b'").Delete(&City{}).Error; err != nil { // want `DELETE FROM cities WHERE size > $1 AND name = 'b' (n)`
		return err
	}
	if err := db.Session(&gorm.Session{DryRun: true}).Where("size = 1").Delete(&City{}).Error; err != nil { // want `UPDATE cities SET …`
		return err
	}
	begun := db.Where("size = 4").Begin()
	if err := begun.Delete(&City{}).Error; err != nil { // want `DELETE FROM cities WHERE size = 4`
		begun.Rollback()
		return err
	}
	if err := begun.SavePoint("p").Exec("UPDATE cities SET size = ? WHERE name = @name", n, map[string]interface{}{"name": "x"}).Error; err != nil { // want `UPDATE cities SET size = $1 WHERE name = $2 (n, 'x')` `unknown *: a statement that fails behind a savepoint, after which the program goes on`
		begun.RollbackTo("p")
	}
	return begun.Commit().Error
}

// Loops build statements round by round, and paths differ.
func Loops(db *gorm.DB, n int, names []string) error {
	q := db.Model(&City{})
	for _, name := range names {
		q = q.Where("name <> ?", name)
	}
	if err := q.Update("size", n).Error; err != nil { // want `UPDATE cities SET …`
		return err
	}
	begun := db
	for i := range n {
		begun = begun.Where("size <> ?", i)
	}
	if err := begun.Delete(&Lamp{}).Error; err != nil { // want `UPDATE lamps SET …`
		return err
	}
	r := db.Model(&City{})
	if n > 1 {
		r = db.Model(&Street{})
	}
	if err := r.Where("name = 'c'").Update("name", "d").Error; err != nil { // want `…`
		return err
	}
	s := db.Model(&Lamp{}).Where("watts = 1")
	if n > 2 {
		s = s.Select("street")
	}
	if n > 3 {
		s = s.Order("id").Limit(n)
	}
	var list []Lamp
	return s.Find(&list).Error // want `SELECT street FROM lamps WHERE … LIMIT $1 (limit)`
}

// Unknown is what is not modelled.
func Unknown(db *gorm.DB, n int, name string, values map[string]interface{}) error {
	if err := db.Model(&City{}).Updates(values).Error; err != nil { // want `UPDATE cities SET …`
		return err
	}
	if err := db.Table(name).Where("a = 1").Update("b", n).Error; err != nil { // want `…`
		return err
	}
	if err := db.Model(&City{}).Create(values).Error; err != nil { // want `UPDATE cities SET …`
		return err
	}
	if err := db.Model(&City{ID: 1}).Association("Streets").Append(&Street{}); err != nil { // want `…`
		return err
	}
	if err := db.Model(&City{}).Where("size = 1").Update(name, n).Error; err != nil { // want `UPDATE cities SET …`
		return err
	}
	if err := db.Preload("Streets", "name = ?", name).Preload("Nothing").Find(&[]City{}).Error; err != nil { // want `SELECT * FROM cities` `SELECT * FROM streets WHERE …` `…`
		return err
	}
	return db.FindInBatches(&[]City{}, 10, func(tx *gorm.DB, batch int) error { return nil }).Error // want `UPDATE cities SET …`
}

// sizes gives what a call in the same statement finds.
func sizes(tx *gorm.DB, name string) (c City, n int64, err error) {
	n, err = func() (int64, error) {
		var n int64
		return n, tx.Model(&City{}).Where("name = ?", name).Count(&n).Error // want `SELECT count(*) FROM cities WHERE name = $1 (name)`
	}()
	if err != nil {
		return City{}, 0, err
	}
	var found City
	return found, n, tx.Take(&found, "name = ?", name).Error // want `SELECT * FROM cities WHERE name = $1 LIMIT 1 (name)`
}

// Counted writes what a helper has found.
func Counted(db *gorm.DB, name string) error {
	return db.Transaction(func(tx *gorm.DB) error {
		c, n, err := sizes(tx, name)
		if err != nil {
			return err
		}
		return tx.Exec("UPDATE cities SET size = ? WHERE id = ?", n, c.ID).Error // want `UPDATE cities SET size = $1 WHERE id = $2 (count, found.ID)`
	})
}

// Elsewhere sends by the database what it should send in its transaction.
func Elsewhere(name string) error {
	db, err := gorm.Open(nil)
	if err != nil {
		return err
	}
	return db.Transaction(func(tx *gorm.DB) error {
		var c City
		if err := db.Take(&c, "name = ?", name).Error; err != nil { // want `SELECT * FROM cities WHERE name = $1 LIMIT 1 (name)`
			return err
		}
		return db.Exec("UPDATE cities SET size = ? WHERE id = ?", c.Size+1, c.ID).Error // want `UPDATE cities SET size = $1 WHERE id = $2 (arg1, c.ID)`
	})
}

// CountsPointers counts rows of which only pointers are collected.
func CountsPointers(db *gorm.DB) error {
	return db.Transaction(func(tx *gorm.DB) error {
		var list []*City
		if err := tx.Where("size > 8").Find(&list).Error; err != nil { // want `SELECT * FROM cities WHERE size > 8`
			return err
		}
		return tx.Exec("UPDATE seen SET n = ?", len(list)).Error // want `UPDATE seen SET n = $1 (affected)`
	})
}
