package engine

import (
	"testing"

	"github.com/txrobust/robust/ir"
)

// TestTableLockConflict compares with the matrix of the PostgreSQL manual,
// table 13.2: row and column in order of strength, x for a conflict.
func TestTableLockConflict(t *testing.T) {
	matrix := [8]string{
		".......x",
		"......xx",
		"....xxxx",
		"...xxxxx",
		"..xx.xxx",
		"..xxxxxx",
		".xxxxxxx",
		"xxxxxxxx",
	}
	for a, row := range matrix {
		for b, want := range row {
			if got := TableLockConflict(ir.TableLock(a), ir.TableLock(b)); got != (want == 'x') {
				t.Errorf("%s against %s: conflict = %v", ir.TableLock(a), ir.TableLock(b), got)
			}
		}
	}
}

func TestProfiles(t *testing.T) {
	for _, name := range Names() {
		p := ByName(name)
		if p == nil || p.Name != name {
			t.Fatalf("ByName(%q) = %v", name, p)
		}
		seen := map[string]bool{}
		for _, f := range p.Facts {
			if seen[f.ID] || f.Text == "" || f.Model == "" || f.Test == "" {
				t.Errorf("%s: fact %q is incomplete or there twice", name, f.ID)
			}
			seen[f.ID] = true
		}
	}
	if ByName("nosuch") != nil {
		t.Error("an unknown name has a profile")
	}
}
