package goprogram

import (
	"os"
	"os/exec"
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
	dir := t.TempDir()
	moduleFiles(t, dir, m)
	get := exec.Command("go", "mod", "download")
	get.Dir, get.Env = dir, append(os.Environ(), "GOWORK=off")
	if out, err := get.CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: go-pg cannot be downloaded: %v\n%s", err, out)
	}
	total := &tally{reasons: map[string]int{}}
	compareModule(t, server, m, 3, 20, total)
	if total.commits < total.runs/3 || total.exact < total.runs*2/3 {
		t.Errorf("the test says little: %s", total)
	}
	t.Log(total)
}
