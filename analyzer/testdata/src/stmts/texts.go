package stmts

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"strings"
)

// marks puts $1, $2 and so on in the places of question marks.
func marks(text, driver string) string {
	if driver != "pgx" {
		return text
	}
	n := 0
	for strings.Contains(text, "?") {
		n++
		text = strings.Replace(text, "?", fmt.Sprintf("$%d", n), 1)
	}
	return text
}

var (
	tables  = []string{"stock", "sales"}
	inserts [4]string
	mutable = []string{"stock"}
)

func init() {
	for i := 2; i < len(inserts); i++ {
		inserts[i] = insert(i)
	}
}

func insert(n int) string {
	buf := bytes.NewBufferString("INSERT INTO sales (item, n) VALUES ")
	for i := 0; i < n; i++ {
		if i > 0 {
			buf.WriteByte(',')
		}
		buf.WriteString("(?,?)")
	}
	return buf.String()
}

// Change makes the list one that is not known.
func Change(s string) { mutable[0] = s }

// Empty sends one statement for each table.
func Empty(db *sql.DB) {
	for _, t := range tables {
		db.Exec("DELETE FROM " + t)
	}
	for _, t := range mutable {
		db.Exec("DELETE FROM " + t)
	}
}

// Lists has statements for lists of some lengths.
type Lists struct {
	db    *sql.DB
	stmts map[string]*sql.Stmt
}

func NewLists(db *sql.DB) *Lists {
	l := &Lists{db: db}
	l.stmts = map[string]*sql.Stmt{getStock: must(db, "pgx", getStock)}
	for i := 2; i < 4; i++ {
		l.stmts[inserts[i]] = must(db, "pgx", inserts[i])
	}
	return l
}

// Both looks at a row, and inserts as many as there are arguments.
func (l *Lists) Both(ctx context.Context, id int, args []any) error {
	tx, err := l.db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var n int
	if err := tx.Stmt(l.stmts[getStock]).QueryRow(id).Scan(&n); err != nil {
		return err
	}
	if _, err := tx.Stmt(l.stmts[inserts[len(args)/2]]).Exec(args...); err != nil {
		return err
	}
	return tx.Commit()
}

// where lists conditions for what is given.
func where(name, kind string) (string, []any) {
	var conds []string
	var args []any
	if name != "" {
		args = append(args, name)
		conds = append(conds, "name = ?")
	}
	if kind != "" {
		args = append(args, kind)
		conds = append(conds, "kind = ?")
	}
	if len(conds) == 0 {
		return "", nil
	}
	return " WHERE " + strings.Join(conds, " AND "), args
}

// Find has one of four texts.
func Find(db *sql.DB, name, kind string) error {
	cond, args := where(name, kind)
	_, err := db.Query("SELECT id FROM stock"+cond, args...)
	return err
}
