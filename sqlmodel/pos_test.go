package sqlmodel

import (
	"fmt"
	"strings"
	"testing"

	"github.com/txrobust/robust/internal/ir"
)

// positions is a program in which every statement has a line or a column of
// its own.
const positions = `-- é and other text before
CREATE TABLE a (k int PRIMARY KEY, x int REFERENCES a, y int,
  CONSTRAINT ck CHECK (x > 0), UNIQUE (y));  CREATE TABLE b (id serial PRIMARY KEY,
  n int);
  -- invariant: a.x >= 0
/* a comment */ CREATE FUNCTION helper(p int) RETURNS int LANGUAGE plpgsql AS $body$
BEGIN UPDATE a SET x = p; RETURN 1; END $body$;

CREATE FUNCTION é(p int, arr int[]) RETURNS int LANGUAGE plpgsql AS $$
DECLARE v int := 3;
  r record;
BEGIN
  v := 1; v := 2;	IF v = 1 THEN PERFORM 1 FROM a WHERE k = p;
    ELSIF EXISTS (SELECT 1 FROM a) THEN RAISE EXCEPTION 'x';
  ELSE
    INSERT INTO b (n) VALUES ('é'::text::int); DELETE FROM b;
  END IF;
  WHILE (SELECT max(x) FROM a) > 1 LOOP
    FOR i IN 1..2 LOOP EXIT; END LOOP;
    FOR r IN SELECT k FROM a LOOP CONTINUE; END LOOP;
    FOREACH v IN ARRAY arr LOOP NULL; END LOOP;
  END LOOP;
  ASSERT v > 1;
  v := helper(2) + (SELECT k FROM a
     WHERE x = (SELECT y
       FROM a LIMIT 1));
  SELECT x INTO v FROM a WHERE k = helper(4);
  LOCK TABLE a;
  EXECUTE 'x';
  RETURN v;
END $$;

CREATE FUNCTION s(p int) RETURNS SETOF int LANGUAGE sql AS '
  -- a comment
  UPDATE a SET x = 1 WHERE ''é'' = ''x'';  INSERT INTO b (n) SELECT x FROM a;
  SELECT x FROM a';

CREATE FUNCTION t(p int) RETURNS int LANGUAGE sql BEGIN ATOMIC
  UPDATE a SET x = p; /* x */ SELECT k
    FROM a;
END;
`

// TestPositions checks the place of everything that has one.
func TestPositions(t *testing.T) {
	prog, err := Parse([]File{{Name: "f.sql", Text: positions}}, Options{Txns: []string{"é", "s", "t"}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	add := func(p ir.Pos, what string) { got = append(got, fmt.Sprintf("%d:%d %s", p.Line, p.Col, what)) }
	for _, tab := range prog.Tables {
		add(tab.Pos, "table "+tab.Name)
		for _, f := range tab.ForeignKeys {
			add(f.Pos, f.Name)
		}
		for _, u := range tab.Uniques {
			add(u.Pos, u.Name)
		}
		for _, c := range tab.Checks {
			add(c.Pos, c.Name)
		}
	}
	for _, inv := range prog.Invariants {
		add(inv.Pos, "invariant")
	}
	for _, txn := range prog.Txns {
		add(txn.Pos, "txn "+txn.Name)
		ir.Walk(txn.Body, func(s ir.Stmt) {
			text, _, _ := strings.Cut(s.String(), "\n")
			if text != "" { // a Send has none
				add(s.Position(), text)
			}
			if s.Position().File != "f.sql" {
				t.Errorf("%s has no file", text)
			}
		})
	}
	want := `
		2:14 table a
		2:42 a_x_fkey
		3:32 a_y_key
		3:3 ck
		3:59 table b
		5:17 invariant
		9:1 txn é
		9:1 (snapshot) := select true from a;
		10:9 v := 3;
		13:3 v := 1;
		13:11 v := 2;
		13:19 if v == 1 {
		13:33 (hit) := select true from a where a.k == p;
		14:11 if exists (from a) {
		14:41 abort;
		16:5 id := fresh;
		16:5 insert b (id, n) values (id, opaque int "integer<-text"('é'));
		16:48 delete b;
		18:3 while true {
		18:9 (max) := select agg max(a.x) int from a;
		18:3 if max > 1 {
		18:3 break;
		19:5 for i in 1..2 {
		19:24 break;
		20:5 foreach ("r.k") := select a.k from a {
		20:35 continue;
		21:5 for i_1 in 1..len(arr) {
		21:5 v := elem(arr, i_1);
		23:3 assume v > 1;
		24:3 unmodelled (a) 'a call of helper, which writes, in a statement that reads';
		24:3 v := * null;
		27:3 unmodelled (a) 'a call of helper, which writes, in a statement that reads';
		27:3 v := * null;
		28:3 lock a in access exclusive;
		29:3 unmodelled * 'EXECUTE of a command that has a syntax error at or near "x"';
		30:3 emit v;
		33:1 txn s
		35:3 update a set x = 1 where 'é' == 'x';
		35:44 foreach (x) := select a.x from a {
		35:44 id := fresh;
		35:44 insert b (id, n) values (id, x);
		36:3 emit select a.x from a;
		38:1 txn t
		39:3 update a set x = p;
		39:31 (k) := select a.k from a;
		39:31 emit k;`
	var lines []string
	for _, l := range strings.Split(strings.TrimSpace(want), "\n") {
		lines = append(lines, strings.TrimSpace(l))
	}
	for i := range max(len(got), len(lines)) {
		g, w := "", ""
		if i < len(got) {
			g = got[i]
		}
		if i < len(lines) {
			w = lines[i]
		}
		if g != w {
			t.Errorf("got  %s\nwant %s", g, w)
		}
	}
}

// TestNestedPositions checks the place of queries inside of expressions and of
// inlined functions.
func TestNestedPositions(t *testing.T) {
	src := `CREATE TABLE a (k int PRIMARY KEY, x int, y int);
-- robust: helper
CREATE FUNCTION helper(p int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE v int;
BEGIN
  SELECT x INTO v FROM a WHERE k = p;
  RETURN v;
END $$;
CREATE FUNCTION f(p int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
  RETURN helper(2) + (SELECT k FROM a
     WHERE x = (SELECT y
       FROM a LIMIT 1));
END $$;`
	prog, err := Parse([]File{{Name: "f.sql", Text: src}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	ir.Walk(prog.Txns[0].Body, func(s ir.Stmt) {
		if text := s.String(); text != "" { // a Send has none
			got = append(got, s.Position().String()+" "+text)
		}
	})
	want := []string{
		"f.sql:6:3 (v) := select a.x from a where a.k == 2;",
		"f.sql:7:3 helper := v;",
		"f.sql:12:16 (y) := select a_1.y from a a_1;",
		"f.sql:11:22 (count) := select agg count(*) int from a where a.x == y;",
		"f.sql:11:22 assume count <= 1;",
		"f.sql:11:22 (k) := select a.k from a where a.x == y;",
		"f.sql:11:3 emit helper + k;",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
