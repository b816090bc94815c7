package engine

import (
	"testing"

	"github.com/txrobust/robust/internal/ir"
)

// TestDocumented: a database that no test runs is taken to exclude nothing that PostgreSQL does not
// exclude, too. So a proof for it is a proof for PostgreSQL, whose facts are tested.
func TestDocumented(t *testing.T) {
	tested, n := Postgres(), 0
	for _, p := range All() {
		if p.Documented == "" {
			continue
		}
		n++
		for mode, writes := range p.LockExcludes {
			if writes > tested.LockExcludes[mode] {
				t.Errorf("%s: a lock of mode %v excludes more than in PostgreSQL", p.Name, ir.LockMode(mode))
			}
		}
		if p.InsertExcludes || p.KeyFromSnapshot || p.LockWrites || p.TableLocks || p.LockStrengthens || p.EqualWrites || p.ParentLock != ir.NoLock {
			t.Errorf("%s: it is taken to exclude what its documentation does not say", p.Name)
		}
		if p.DefaultLevel == "" {
			t.Errorf("%s: the default level is missing", p.Name)
		}
		for _, f := range p.Facts {
			if f.Test != p.Documented {
				t.Errorf("%s: fact %s is from %q, want %q", p.Name, f.ID, f.Test, p.Documented)
			}
		}
	}
	if n != 4 {
		t.Errorf("%d databases are known by their documentation alone, want 4", n)
	}
}
