package schedules

import (
	"testing"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/testprog"
)

// TestManyTables: rows of tables that the transactions do not touch are not
// looked for, and those of the others are drawn such that they can be.
func TestManyTables(t *testing.T) {
	p := testprog.Parse(t, `program club
table person (id int not null, name text not null, mail text not null, key (id), unique one_name (name), unique one_mail (mail))
table team (id int not null, owner int not null, key (id), foreign team_owner (owner) references person (id))
table member (id int not null, person int not null, team int not null, key (id),
  foreign member_person (person) references person (id), foreign member_team (team) references team (id), unique once (person, team))
table visit (id int not null, member int not null, key (id), foreign visit_member (member) references member (id))
table remark (id int not null, visit int not null, body text not null, key (id), foreign remark_visit (visit) references visit (id), unique one_remark (body))
txn leave(p int not null, x int not null) {
  local n int;
  (n) := select agg count(*) int from member where member.team == x and member.person != p;
  if n < 1 { abort; }
  delete member where member.team == x and member.person == p;
}
txn look() {
  emit select remark.body from remark;
}
`)
	q := Query{Program: p, Engine: engine.Postgres(), Sessions: sessions(t, p, "leave", "leave"), Options: Options{Quick: true}}
	s, err := newSearch(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"person": false, "team": false, "member": false, "visit": true, "remark": true} {
		if got := s.empty[p.Table(name)]; got != want {
			t.Errorf("%s: left empty %v, expected %v", name, got, want)
		}
	}
	a, stats := mustFind(t, q)
	if a == nil || stats.Found != "random" {
		t.Fatalf("no anomaly is found at random: %s", describeStats(stats))
	}
	for i, table := range p.Tables {
		if s.empty[table] && len(a.Rows[i]) > 0 {
			t.Errorf("there are rows in %s", table.Name)
		}
	}
}
