package levels_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/levels"
	"github.com/txrobust/robust/internal/testprog"
	"github.com/txrobust/robust/internal/wellformed"
)

// TestFor: who says at which level a transaction runs.
func TestFor(t *testing.T) {
	code := levels.Question{Code: true, Default: levels.ReadCommitted, Of: map[string]levels.Level{"pay": levels.Serializable}}
	all := levels.Question{Default: levels.RepeatableRead}
	for _, tc := range []struct {
		question    *levels.Question
		name, level string
		above       []string
		want        levels.Assigned
	}{
		{&code, "ship", "", nil, levels.Assigned{Level: levels.ReadCommitted, Source: levels.ByDefault}},
		{&code, "ship", "read uncommitted", nil, levels.Assigned{Level: levels.ReadCommitted, Source: levels.ByCode}},
		{&code, "ship", "repeatable read", nil, levels.Assigned{Level: levels.RepeatableRead, Source: levels.ByCode}},
		{&code, "pay", "repeatable read", nil, levels.Assigned{Level: levels.Serializable, Source: levels.ByOption}},
		{&all, "ship", "serializable", []string{"read committed"}, levels.Assigned{Level: levels.RepeatableRead, Source: levels.ByOption}},
		{&code, "ship", "", []string{"serializable"}, levels.Assigned{Level: levels.ReadCommitted, Above: []levels.Level{levels.Serializable}, Source: levels.ByCode}},
		{&code, "ship", "read committed", []string{"", "repeatable read"}, levels.Assigned{Level: levels.ReadCommitted, Above: []levels.Level{levels.RepeatableRead}, Source: levels.ByCode}},
		{&code, "ship", "read committed", []string{""}, levels.Assigned{Level: levels.ReadCommitted, Source: levels.ByCode}},
	} {
		if got := tc.question.For(&ir.Txn{Name: tc.name, Level: tc.level, Above: tc.above}); got.Level != tc.want.Level || got.Source != tc.want.Source || !slices.Equal(got.Above, tc.want.Above) {
			t.Errorf("%s, which asks for %q or %q, runs at %v, want %v", tc.name, tc.level, tc.above, got, tc.want)
		}
	}
}

// TestParse: names of levels, and what is said of others.
func TestParse(t *testing.T) {
	for name, want := range map[string]levels.Level{"rc": levels.ReadCommitted, "RR": levels.RepeatableRead, "serializable": levels.Serializable,
		"read-uncommitted": levels.ReadCommitted, "Repeatable_Read": levels.RepeatableRead} {
		if got, err := levels.Parse(name); got != want || err != nil {
			t.Errorf("%s is %s (%v), want %s", name, got, err, want)
		}
	}
	if _, err := levels.Parse("chaos"); err == nil || !strings.Contains(err.Error(), "serializable") {
		t.Errorf("chaos: %v", err)
	}
	p := &ir.Program{Name: "p", Txns: []*ir.Txn{{Name: "pay"}, {Name: "ship"}}}
	if _, err := levels.Named(p, map[string]string{"none": "rc"}); err == nil || !strings.Contains(err.Error(), "pay, ship") {
		t.Errorf("none: %v", err)
	}
}

// TestUnserialized: what SERIALIZABLE does not follow, each with a twin where that does not
// matter.
func TestUnserialized(t *testing.T) {
	const tables = `program p
		table t ( id int not null, v int not null, u int, key (id), unique one (u) )
		table c ( id int not null, t int, key (id), foreign fk (t) references t (id) )
		table s ( id int not null, u int not null, live bool not null, n int not null, key (id), unique of_live (u) where s.live )
		`
	for _, tc := range []struct{ txns, want string }{
		{"txn a(x int not null) { update t set v = t.v + 1 where t.v > x; }", ""},
		{"txn a(x int not null) { local y int; (y) := select c.t from c where c.id == 1; insert t (id, v) values (x, y); } txn b(x int not null) { delete t where t.id == x; }", "a key of t may be freed"},
		{"txn a(x int not null) { insert t (id, v) values (x, 1) on conflict (id) do nothing; } txn b(x int not null) { delete t where t.id == x; }", "a key of t may be freed"},
		{"txn a(x int not null) { insert t (id, v) values (x, 1); update t set v = 2 where t.id == 1; } txn b(x int not null) { delete t where t.id == x; }", "a key of t may be freed"},
		{"txn a(x int not null) { insert t (id, v) values (x, 1); insert t (id, v) values (x + 1, 1); } txn b(x int not null) { delete t where t.id == x; }", ""},
		{"txn a() { local x int; x := fresh; insert t (id, v, u) values (x, 1, x); } txn b(x int not null) { delete t where t.id == x; }", ""},
		{"txn a() { local x int; local y int; (y) := select c.t from c where c.id == 1; x := fresh; insert t (id, v, u) values (x, y, 7); } txn b(x int not null) { delete t where t.id == x; }", "a key of t may be freed"},
		{"txn a(x int not null) { update t set u = x where t.id == 1; }", "a key of t may be freed"},
		{"txn a(x int not null) { delete t where t.id == x; } txn b(x int not null) { delete c where c.id == x; }", "a row of t may be deleted after its last row of c went"},
		{"txn a(x int not null) { delete t where t.id == x; }", ""},
		{"txn a(x int not null) { local y int; (y) := select c.t from c where c.id == 1; insert s (id, u, live, n) values (x, 1, true, y); } txn b(x int not null) { update s set live = false where s.id == x; }", "a key of s may be freed"},
		{"txn a(x int not null) { local y int; (y) := select c.t from c where c.id == 1; insert s (id, u, live, n) values (x, 1, true, y); } txn b(x int not null) { update s set n = 1 where s.id == x; }", ""},
		{"txn a(x int not null) { savepoint s; update t set v = x; rollback to s; }", "a savepoint"},
	} {
		p := testprog.Parse(t, tables+tc.txns)
		wellformed.Structure(p)
		if got := levels.Unserialized(p); (got == "") != (tc.want == "") || !strings.Contains(got, tc.want) {
			t.Errorf("%s: %q, want %q", tc.txns, got, tc.want)
		}
	}
}
