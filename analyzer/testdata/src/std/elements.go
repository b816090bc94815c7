package std

import (
	"database/sql"
	"slices"
)

type line struct {
	Item, Amount int64
	Note         sql.NullString
}

// SameElement looks at elements of its caller's list twice: they are the same ones.
func SameElement(db *sql.DB, ids []int64, lines []line) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	tx.Exec("UPDATE a SET n = 1 WHERE id = $1", ids[0]) // want `UPDATE a SET n = 1 WHERE id = $1 (element)`
	tx.Exec("UPDATE b SET n = 1 WHERE id = $1", ids[0]) // want `UPDATE b SET n = 1 WHERE id = $1 (element)`
	tx.Exec("UPDATE c SET n = 1 WHERE id = $1", ids[1]) // want `UPDATE c SET n = 1 WHERE id = $1 (element_1)`
	for i := range lines {
		tx.Exec("UPDATE d SET n = $1 WHERE id = $2", lines[i].Amount, lines[i].Item) // want `UPDATE d SET n = $1 WHERE id = $2 (element.Amount, element.Item)`
		if lines[i].Amount > 1 {
			tx.Exec("UPDATE e SET n = $1, note = $3 WHERE id = $2", lines[i].Amount, lines[i].Item, lines[i].Note) // want `UPDATE e SET n = $1, note = $3 WHERE id = $2 (element.Amount, element.Item, value)`
		}
	}
	tx.Exec("UPDATE f SET n = $1", ids[0]) // want `UPDATE f SET n = $1 (element)`
	return tx.Commit()
}

// OtherElement looks at elements that somebody changes between.
func OtherElement(db *sql.DB, ids, others []int64, by func([]int64)) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	tx.Exec("UPDATE a SET n = 1 WHERE id = $1", ids[0]) // want `UPDATE a SET n = 1 WHERE id = $1 (element)`
	others[0] = 7
	tx.Exec("UPDATE b SET n = 1 WHERE id = $1", ids[0]) // want `UPDATE b SET n = 1 WHERE id = $1 (element_2)`
	return tx.Commit()
}

// SortedElement gives the list to a function that changes it, in a loop.
func SortedElement(db *sql.DB, ids []int64) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	tx.Exec("UPDATE a SET n = 1 WHERE id = $1", ids[0]) // want `UPDATE a SET n = 1 WHERE id = $1 (element)`
	for range 5 {
		tx.Exec("UPDATE b SET n = 1 WHERE id = $1", ids[0]) // want `UPDATE b SET n = 1 WHERE id = $1 (element_2)`
		slices.Reverse(ids)
	}
	return tx.Commit()
}

type order struct{ IDs []int64 }

// TurnedElement gives what has the list to a function that changes it.
func TurnedElement(db *sql.DB, o *order, turn func(*order)) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	ids := o.IDs
	tx.Exec("UPDATE a SET n = 1 WHERE id = $1", ids[0]) // want `UPDATE a SET n = 1 WHERE id = $1 (element)`
	turn(o)
	tx.Exec("UPDATE b SET n = 1 WHERE id = $1", ids[0]) // want `UPDATE b SET n = 1 WHERE id = $1 (element_2)`
	return tx.Commit()
}

// CutElement makes a shorter list in the memory of its caller's.
func CutElement(db *sql.DB, ids []int64) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	tx.Exec("UPDATE a SET n = 1 WHERE id = $1", ids[0]) // want `UPDATE a SET n = 1 WHERE id = $1 (element)`
	ids2 := append(ids[:0], 7)
	tx.Exec("UPDATE b SET n = $2 WHERE id = $1", ids[0], len(ids2)) // want `UPDATE b SET n = $2 WHERE id = $1 (element_2, len(append(v_1, list(7))))`
	return tx.Commit()
}

// PointedElement keeps the address of an element.
func PointedElement(db *sql.DB, ids []int64) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	at := &ids[0]
	tx.Exec("UPDATE a SET n = 1 WHERE id = $1", ids[0]) // want `UPDATE a SET n = 1 WHERE id = $1 (element)`
	*at++
	tx.Exec("UPDATE b SET n = 1 WHERE id = $1", ids[0]) // want `UPDATE b SET n = 1 WHERE id = $1 (element_2)`
	return tx.Commit()
}

// SameEntry looks at entries of its caller's map.
func SameEntry(db *sql.DB, prices map[string]int64, key string) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if n, ok := prices[key]; ok {
		tx.Exec("UPDATE a SET n = $1", n) // want `UPDATE a SET n = $1 (item)`
	}
	tx.Exec("UPDATE b SET n = $1", prices[key])     // want `UPDATE b SET n = $1 (item)`
	tx.Exec("UPDATE c SET n = $1", prices["other"]) // want `UPDATE c SET n = $1 (item_2)`
	prices[key+"x"] = 4
	tx.Exec("UPDATE d SET n = $1", prices[key]) // want `UPDATE d SET n = $1 (item_6)`
	return tx.Commit()
}

// PartElement changes an element through a part of the list.
func PartElement(db *sql.DB, ids []int64) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	tx.Exec("UPDATE a SET n = 1 WHERE id = $1", ids[2]) // want `UPDATE a SET n = 1 WHERE id = $1 (element)`
	part := ids[1:]
	tx.Exec("UPDATE b SET n = 1 WHERE id = $1", ids[2]) // want `UPDATE b SET n = 1 WHERE id = $1 (element)`
	part[1] = 5
	tx.Exec("UPDATE c SET n = 1 WHERE id = $1", ids[2]) // want `UPDATE c SET n = 1 WHERE id = $1 (element_2)`
	return tx.Commit()
}

// KeptElement filters the list in its own memory.
func KeptElement(db *sql.DB, ids []int64) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	tx.Exec("UPDATE a SET n = 1 WHERE id = $1", ids[0]) // want `UPDATE a SET n = 1 WHERE id = $1 (element)`
	kept := ids[:0]
	for _, id := range ids {
		if id > 1 {
			kept = append(kept, id)
		}
	}
	tx.Exec("UPDATE b SET n = $2 WHERE id = $1", ids[0], len(kept)) // want `UPDATE b SET n = $2 WHERE id = $1 (element_4, len(kept))`
	return tx.Commit()
}
