package goprogram

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/txrobust/robust/internal/gogen"
	"github.com/txrobust/robust/internal/pgtest"
)

// sqlboilerHeader stands before the cases of sqlboiler.
const sqlboilerHeader = `// Package txns has transactions with sqlboiler.
package txns

import (
	"context"
	"database/sql"
	"errors"

	"gen.test/models"
	"github.com/aarondl/null/v8"
	"github.com/aarondl/sqlboiler/v4/boil"
	"github.com/aarondl/sqlboiler/v4/queries"
	"github.com/aarondl/sqlboiler/v4/queries/qm"
)

// inTx runs a function in a transaction.
func inTx(ctx context.Context, db *sql.DB, f func(tx *sql.Tx) (int, error)) (res int, err error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return 0, err
	}
	defer tx.Rollback()
	if res, err = f(tx); err != nil {
		return 0, err
	}
	return res, tx.Commit()
}

`

// TestSQLBoilerOnServer is TestGoOnServer for functions that use sqlboiler. What sqlboiler generated of the schema
// (version 4.19.5, tables a and b, without hooks and timestamps) and the library run them: the test is skipped where
// the modules cannot be had.
func TestSQLBoilerOnServer(t *testing.T) {
	server := pgtest.Open(t)
	goMeanings()
	folder := filepath.Join("testdata", "sqlboiler")
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	m, err := gogen.Of(read("cases.txt"))
	if err != nil {
		t.Fatal(err)
	}
	m.Files["txns/txns.go"] = sqlboilerHeader + read("cases.txt")
	m.Files["go.mod"], m.Files["go.sum"] = read("go.mod"), read("go.sum")
	generated, err := filepath.Glob(filepath.Join(folder, "*.txt"))
	if err != nil || len(generated) < 7 {
		t.Fatalf("%d generated files: %v", len(generated), err)
	}
	for _, file := range generated {
		if name := filepath.Base(file); name != "cases.txt" {
			m.Files["models/"+strings.TrimSuffix(name, ".txt")+".go"] = read(name)
		}
	}
	compareLibrary(t, server, m, "sqlboiler", 5)
}
