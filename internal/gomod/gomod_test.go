package gomod

import (
	"os"
	"path/filepath"
	"testing"
)

func TestRoot(t *testing.T) {
	top := t.TempDir()
	inner := filepath.Join(top, "a", "b")
	deep := filepath.Join(inner, "c")
	if err := os.MkdirAll(deep, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{top, inner} {
		if err := os.WriteFile(filepath.Join(dir, "go.mod"), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct {
		dir, root string
		is        bool
	}{
		{top, top, true}, {filepath.Join(top, "a"), top, false}, {inner, inner, true}, {deep, inner, false},
		{filepath.Join(deep, "absent"), inner, false}, {string(filepath.Separator), "", false},
	} {
		if got := Root(tc.dir); got != tc.root {
			t.Errorf("the root of %s is %q, want %q", tc.dir, got, tc.root)
		}
		if got := Is(tc.dir); got != tc.is {
			t.Errorf("%s is a root: %v, want %v", tc.dir, got, tc.is)
		}
	}
}
