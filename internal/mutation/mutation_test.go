package main

import (
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// TestFaults: the table has not rotted. Every fault finds its place, and leaves
// a file that parses.
func TestFaults(t *testing.T) {
	root := filepath.Join("..", "..")
	names := map[string]bool{}
	files := map[string][]Fault{}
	for _, f := range faults() {
		if f.Name == "" || strings.ContainsAny(f.Name, " :\n") || names[f.Name] {
			t.Errorf("the name %q is empty, there twice, or more than one word", f.Name)
		}
		names[f.Name] = true
		if f.Breaks == "" || f.Tests == "" || f.Old == f.New {
			t.Errorf("fault %q is not complete", f.Name)
		}
		rounds := f.targets()
		for _, target := range slices.Concat(rounds[:]...) {
			if tests, err := filepath.Glob(filepath.Join(root, target.pkg, "*_test.go")); err != nil || tests == nil {
				t.Errorf("fault %q: package %s has no tests", f.Name, target.pkg)
			}
		}
		files[f.File] = append(files[f.File], f)
	}
	for file, faults := range files {
		src, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Error(err)
			continue
		}
		text, _, err := rewrite(string(src), faults)
		if err != nil {
			t.Error(err)
			continue
		}
		if _, err := parser.ParseFile(token.NewFileSet(), file, text, parser.SkipObjectResolution); err != nil {
			t.Errorf("with faults: %v", err)
		}
	}
}

// TestFaultsCompile: the sources with all faults compile, so that no fault is killed by
// the compiler.
func TestFaultsCompile(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]Fault{}
	for _, f := range faults() {
		files[f.File] = append(files[f.File], f)
	}
	overlay := map[string][]byte{}
	var folders []string
	for file, faults := range files {
		src, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		text, pkg, err := rewrite(string(src), faults)
		if err != nil {
			t.Fatal(err)
		}
		folder := filepath.Dir(file)
		overlay[filepath.Join(root, file)] = []byte(text)
		overlay[filepath.Join(root, folder, "zz_fault.go")] = fmt.Appendf(nil, chooser, pkg, faultVariable)
		folders = append(folders, "./"+folder)
	}
	slices.Sort(folders)
	list, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedImports | packages.NeedDeps,
		Dir: root, Context: t.Context(), Overlay: overlay}, slices.Compact(folders)...)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range list {
		for _, e := range p.Errors {
			t.Error(e)
		}
	}
	if len(list) < 10 {
		t.Errorf("there are faults in %d packages only", len(list))
	}
}

const twoPlaces = `package p

var limit = 3

func f(xs []int) (n int) {
rows:
	for _, x := range xs {
		if x > limit {
			continue rows
		}
		n++
	}
	return n
}
`

func TestRewrite(t *testing.T) {
	text, pkg, err := rewrite(twoPlaces, []Fault{
		{Name: "limit", File: "a/p.go", Old: "3", New: "4"},
		{Name: "above", File: "a/p.go", Old: "x > limit", New: "x >= limit"},
		{Name: "skip", File: "a/p.go", Old: "\t\t\tcontinue rows\n", New: "\t\t\tbreak rowsFaulty\n"},
	})
	if err != nil || pkg != "p" {
		t.Fatal(pkg, err)
	}
	for _, want := range []string{
		`var limit = faultPick("limit", /*line limit:1:1*/4,/*line p.go:3:13*/3)`,
		"rowsFaulty:", "x >= limit", "continue rowsFaulty", "break rowsFaulty", "/*line p.go:5:27*/",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
	for _, f := range []Fault{
		{Name: "twice", File: "p.go", Old: "limit", New: "n"},
		{Name: "missing", File: "p.go", Old: "nothing", New: "n"},
		{Name: "outside", File: "p.go", Old: "package p", New: "package q"},
	} {
		if _, _, err := rewrite(twoPlaces, []Fault{f}); err == nil {
			t.Errorf("fault %q has a place", f.Name)
		}
	}
}
