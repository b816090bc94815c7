package goprogram

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/txrobust/robust/internal/gogen"
	"github.com/txrobust/robust/internal/pgtest"
)

// goPgHeader stands before the cases of go-pg.
const goPgHeader = `// Package txns has transactions with go-pg.
package txns

import (
	"context"
	"errors"

	"github.com/go-pg/pg/v10"
	"github.com/go-pg/pg/v10/orm"
)

`

// TestGoPgOnServer is TestGoOnServer for functions that use go-pg. The library itself runs
// them: the test is skipped where its module cannot be had.
func TestGoPgOnServer(t *testing.T) {
	server := pgtest.Open(t)
	goMeanings()
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join("testdata", "gopg", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	m, err := gogen.Of(read("cases.txt"))
	if err != nil {
		t.Fatal(err)
	}
	m.Files = map[string]string{"main.go": read("main.txt"), "list.go": m.Files["list.go"], "txns/txns.go": goPgHeader + read("cases.txt"),
		"go.mod": read("go.mod"), "go.sum": read("go.sum")}
	compareLibrary(t, server, m, "go-pg", 3)
}
