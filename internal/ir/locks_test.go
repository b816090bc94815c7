package ir_test

import (
	"testing"

	"github.com/txrobust/robust/internal/ir"
)

// TestTableLocks compares with the matrix of the PostgreSQL manual,
// table 13.2: row and column in order of strength, x for a conflict.
func TestTableLocks(t *testing.T) {
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
			if got := ir.TableLock(a).Conflicts(ir.TableLock(b)); got != (want == 'x') {
				t.Errorf("%s against %s: conflict = %v", ir.TableLock(a), ir.TableLock(b), got)
			}
		}
	}
}
