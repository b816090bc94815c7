package movers

import (
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/irnames"
	"github.com/txrobust/robust/internal/progen"
	"github.com/txrobust/robust/internal/testprog"
)

// windowCase is a program of which one transaction may have others inside its window.
type windowCase struct {
	name, program string
	robust        bool
	// engine is PostgreSQL's, if nil.
	engine *engine.Profile
	// unmodelled says that the program cannot be interpreted.
	unmodelled bool
	// drawn says that each local with a FRESH value draws it from the sequence of its name.
	drawn bool
}

const windowHead = "program window\ndomain 0..20\nvar x = 0, y = 0, z = 1\n"

// skew is the read-only anomaly: delayed reads x before inside writes it, and writes y
// after looks has read both. It is one unless delayed and inside exclude each other.
func skew(tables, delayed, inside string, more ...string) string {
	first, delayed, found := strings.Cut(delayed, " then ")
	if !found {
		first, delayed = "", first
	}
	return windowHead + tables + "process a { txn delayed { " + first + " was := x; " + delayed + "; y := was + 1 } }\n" +
		"process b { txn inside { " + inside + "; x := x + 1 } }\n" +
		"process c { txn looks { seen_x := x; seen_y := y; emit seen_x, seen_y } }\n" + strings.Join(more, "\n")
}

// across is what skew is, of which delayed and looks say themselves what they see of inside.
func across(tables, delayed, inside, looks string, more ...string) string {
	return windowHead + tables + "process a { txn delayed { " + delayed + "; y := 1 } }\nprocess b { txn inside { " + inside + " } }\n" +
		"process c { txn looks { " + looks + "; seen := y; emit seen } }\n" + strings.Join(more, "\n")
}

// Tables with a row each, and what transactions do with them.
const (
	someT     = "table t (k int, v int, key (k))\n"
	oneT      = someT + "row t (1, 0)\n"
	someP     = "table p (k int, u int, key (k), unique p_u (u))\n"
	oneP      = someP + "row p (1, 7)\n"
	child     = "table c (id int, p int, key (id), foreign f (p) references p (k))\n"
	byU       = "table c (id int, p int, key (id), foreign f (p) references p (u))\n"
	cascading = "table c (id int, p int, key (id), foreign f (p) references p (k) on delete cascade)\n"
	nulling   = "table c (id int, p int, key (id), foreign f (p) references p (k) on delete set null)\n"
	oneC      = "row c (11, 1)\n"

	hasT, noT  = "assume exists (from t s where s.k == 1); ", "assume not exists (from t s where s.k == 1)"
	updateT    = hasT + "update t set v = 1 where t.k == 1"
	deleteT    = hasT + "delete t where t.k == 1"
	insertT    = "insert t (k, v) values (1, 5)"
	oldV, newV = "(q) := select s.v from t s where s.k == 1; assume q == 0", "(q) := select s.v from t s where s.k == 1; assume q == 1"
	hasP       = "assume exists (from p s where s.k == 1 and s.u == 7); "
	dropP      = "delete p where p.k == 1"
	moveP      = hasP + "delete p where p.k == 1 moved; insert p (k, u) values (2, 7) moved (k)"
	hasC       = "assume exists (from c s where s.id == 11 and s.p == 1); "
	insertC    = "insert c (id, p) values (11, 1)"
	leaves     = "assume exists (from c s where s.id == 11); update c set p = 2 where c.id == 11"
)

func insertP(k, u string) string { return "insert p (k, u) values (" + k + ", " + u + ")" }

// more is another process.
func more(body string) string { return "process d { txn more { " + body + " } }" }

// keyCases are about rows and keys that keep others out of the window.
func keyCases() []windowCase {
	const some = "table q (k int, n int, m int, key (k), unique some (n) where q.k > 10)\n"
	const both = "table q (k int, n int, m int, key (k), unique both (n, m))\n"
	const apart = "table q (k int, n int, m int, key (k), exclude apart (a, b) where a.n == b.n)\n"
	insertQ := func(k, n, m string) string { return "insert q (k, n, m) values (" + k + ", " + n + ", " + m + ")" }
	return []windowCase{
		{name: "one row", program: skew(oneT, updateT, updateT), robust: true},
		{name: "another row", program: skew(oneT, updateT, "update t set v = 1 where t.k == 2")},
		{name: "one row that stays", program: skew(someT+"row t (1, 1)\n", updateT, updateT), robust: true},
		{name: "one row that stays, on MariaDB", engine: engine.MariaDB(), program: skew(someT+"row t (1, 1)\n", updateT, updateT)},
		{name: "a key was freed", program: skew(oneT, insertT, deleteT)},
		{name: "a key was freed, by what is not known", unmodelled: true,
			program: windowHead + oneT + "process a { txn delayed { was := x; emit was; unmodelled (t) 'DO' } }\nprocess b { txn inside { " + deleteT +
				"; x := x + 1 } }\nprocess c { txn looks { " + noT + "; seen := x; emit seen } }"},
		{name: "a key comes and goes, and its row is changed", program: skew(someT, insertT+"; update t set v = 2 where t.k == 1", deleteT, more(insertT))},
		{name: "a key comes and goes", engine: engine.SI(), program: skew(someT, insertT, deleteT, more(insertT)), robust: true},
		{name: "a key comes and goes, and its row is a parent", program: skew(someP+child, insertP("1", "7")+"; "+insertC, hasP+dropP, more(insertP("1", "7")))},
		{name: "a key was freed, and the new row is changed", program: skew(oneT, insertT+"; update t set v = 2 where t.k == 1 and t.v == 5", deleteT)},
		{name: "a key was freed, and the new row of a loop is changed",
			program: skew(oneT, "n := z; assume n == 1; for i in 1..n { insert t (k, v) values (i, 5) }; update t set v = 2 where t.k == 1 and t.v == 5", deleteT)},
		{name: "two rows with one key", program: skew(someT, insertT, insertT), robust: true},
		{name: "two rows with one key, of which one goes", program: skew(someT, insertT, insertT, more(deleteT))},
		{name: "two rows with one name", program: skew(someP, insertP("3", "5"), insertP("4", "5")), robust: true},
		{name: "two rows with one name, which one gives up", program: skew(someP, insertP("3", "5"), insertP("4", "5"), more("update p set u = 6 where p.k == 4"))},
		{name: "two rows without a name", program: skew(someP, insertP("3", "null"), insertP("4", "null"))},
		{name: "two rows outside a partial key", program: skew(some, insertQ("1", "5", "1"), insertQ("2", "5", "1"))},
		{name: "a row in a partial key beside one outside", program: skew(some+"row q (1, 5, 0)\n", "z := 1", insertQ("12", "5", "1"))},
		{name: "two rows with a part of a key", program: skew(both, insertQ("1", "5", "1"), insertQ("2", "5", "2"))},
		{name: "two rows with all of a key", program: skew(both, insertQ("1", "5", "1"), insertQ("2", "5", "1")), robust: true},
		{name: "two rows that exclude each other", program: skew(apart, insertQ("1", "5", "1"), insertQ("2", "5", "1")), robust: true},
		{name: "two rows that exclude each other, of which one goes", program: skew(apart, insertQ("1", "5", "1"), insertQ("2", "5", "1"), more("delete q where q.k == 2"))},
		{name: "two rows that exclude each other, of which one changes", program: skew(apart, insertQ("1", "5", "1"), insertQ("2", "5", "1"), more("update q set n = 6 where q.k == 2"))},
	}
}

// referenceCases are about references, locks and what a row must satisfy.
func referenceCases() []windowCase {
	const pair = "table p (a int, b int, key (a, b))\nrow p (1, 1)\nrow p (1, 2)\ntable c (id int, a int, b int, key (id), foreign f (a, b) references p (a, b))\n"
	const hasPair = "assume exists (from p s where s.a == 1 and s.b == 1); delete p where p.a == 1 and p.b == 1"
	const overV = "table t (k int, v int, w int, generated hidden w t.v + 1, key (k), unique over (w))\nrow t (1, 0, 1)\n"
	const keyShareT = hasT + "lock from t where t.k == 1 for key share"
	const keyShare = hasP + "lock from p where p.k == 1 for key share"
	return []windowCase{
		{name: "a child comes", program: skew(oneP+child, dropP, insertC), robust: true},
		{name: "a child comes and goes", program: skew(oneP+child, dropP, insertC, more("delete c where c.id == 11"))},
		{name: "a child comes and changes its parent", program: skew(oneP+"row p (2, 9)\n"+child, dropP, insertC, more(leaves))},
		{name: "a child of another parent comes", program: skew(oneP+"row p (2, 9)\n"+child, dropP, "insert c (id, p) values (11, 2)")},
		{name: "a child comes that shares a part of the key", program: skew(pair, hasPair, "insert c (id, a, b) values (11, 1, 2)")},
		{name: "a child comes that shares all of the key", program: skew(pair, hasPair, "insert c (id, a, b) values (11, 1, 1)"), robust: true},
		{name: "a child comes with NULL for a part of the key", program: skew(pair, "z := 1", "insert c (id, a, b) values (11, 5, null)")},
		{name: "a child comes while the parent moves", program: skew(oneP+child, moveP, insertC), robust: true},
		{name: "a child comes by another key while the parent moves", program: skew(oneP+byU, moveP, "insert c (id, p) values (11, 7)")},
		{name: "a child leaves before the action", program: skew(oneP+"row p (2, 9)\n"+cascading+oneC, hasC+dropP+"; cascade c f", leaves)},
		{name: "a child left before the action, and is locked",
			program: windowHead + oneP + "row p (2, 9)\n" + nulling + oneC + "process a { txn delayed { " + hasC + "(q) := select s.v from z s for update; was := x; " + dropP +
				"; cascade c f; y := was + 1 } }\nprocess b { txn inside { " + leaves + "; x := x + 1 } }\n" +
				"process c { txn looks { seen_x := x; seen_y := y; (q) := select s.p from c s where s.id == 11 for update; assume q == 2; z := seen_x; emit seen_x, seen_y } }"},
		{name: "a lock, and a write", program: skew("", "(q) := select s.v from z s for update", "z := 1"), robust: true},
		{name: "a lock of the key, and its value again", program: skew(oneP, keyShare, hasP+"update p set u = p.u where p.k == 1")},
		{name: "a lock of the key, and another value", program: skew(oneP, keyShare, hasP+"update p set u = 8 where p.k == 1"), robust: true},
		{name: "a lock of the key, and another value in a partial key", program: skew(strings.Replace(oneP, "(u))", "(u) where p.k > 0)", 1), keyShare, hasP+"update p set u = 8 where p.k == 1")},
		{name: "a lock of the key, and another value in a key over an expression", program: skew(overV, keyShareT, "assume exists (from t s where s.k == 1 and s.w == 1); update t set v = 2, w = 3 where t.k == 1")},
		{name: "a lock of the key, and another value in a key over a column", program: skew(strings.Replace(overV, " hidden", "", 1), keyShareT, "assume exists (from t s where s.k == 1 and s.w == 1); update t set v = 2, w = 3 where t.k == 1"), robust: true},
		{name: "a lock of the key, and a move", program: skew(oneP, keyShare, moveP), robust: true},
		{name: "a lock of the key, and a move that keeps it", program: skew(oneP, keyShare, "delete p where p.k == 1 moved; insert p (k, u) values (1, 7) moved (k)")},
		{name: "LOCK TABLE, and a read that passes", program: skew(oneT, "lock t in share; then z := 1", "(q) := select s.v from t s where s.k == 1; emit q")},
		{name: "LOCK TABLE, and a write", program: skew(oneT, "lock t in share; then z := 1", updateT), robust: true},
		{name: "LOCK TABLE, and a write that does not happen", program: skew(oneT, "lock t in share; then z := 1", "if x == 5 { "+updateT+" }")},
		{name: "LOCK TABLE that does not happen, and a write", program: skew(oneT, "g := *; if g == 1 { lock t in share }; then z := 1", updateT)},
		{name: "a reference that stays", program: skew(oneP+child+oneC, hasC+"update c set p = 1 where c.id == 11", hasP+"update p set u = 8 where p.k == 1")},
		{name: "a reference that comes", program: skew(oneP+child+"row c (11, null)\n",
			"assume exists (from c s where s.id == 11 and s.p is null); update c set p = 1 where c.id == 11", hasP+"update p set u = 8 where p.k == 1"), robust: true},
		{name: "a reference, and another column of the parent", program: skew(oneT+"table c (id int, p int, key (id), foreign f (p) references t (k))\n", insertC, updateT)},
		{name: "a reference that is NULL", program: skew(someP+"row p (0, 7)\n"+child, "insert c (id, p) values (11, null)",
			"assume exists (from p s where s.k == 0 and s.u == 7); update p set u = 8 where p.k == 0")},
		{name: "a reference by another key", program: skew(oneP+"row p (7, 9)\n"+byU, "insert c (id, p) values (11, 7)",
			"assume exists (from p s where s.k == 7 and s.u == 9); update p set u = 8 where p.k == 7")},
		{name: "ON CONFLICT that changes nothing, and a write",
			program: skew(oneT, hasT+"insert t (k, v) values (1, 3) on conflict (k) do update w set v = 9 where w.v == 8", updateT), robust: true},
		{name: "ON CONFLICT that changes nothing, and a write, without locks", engine: engine.SI(),
			program: skew(oneT, hasT+"insert t (k, v) values (1, 3) on conflict (k) do update w set v = 9 where w.v == 8", updateT)},
		{name: "a value that a CHECK forbids", program: skew("table t (k int, v int, key (k), check positive t.v >= 0)\nrow t (1, 0)\n", "z := 1", hasT+"update t set v = -1 where t.k == 1"), robust: true},
		{name: "a value that a CHECK allows", program: skew("table t (k int, v int, key (k), check positive t.v >= 0)\nrow t (1, 0)\n", "z := 1", updateT)},
		{name: "a value of which a CHECK says nothing", program: skew("table t (k int, v int, key (k), check positive t.v >= 0)\nrow t (1, 0)\n", "z := 1", hasT+"update t set v = null where t.k == 1")},
		{name: "a key twice, of which the second is rolled back", program: skew(someT, "z := 1", insertT+"; savepoint s; "+insertT+"; rollback to s"), robust: true},
		{name: "a key, of which another one is rolled back", program: skew(someT, "z := 1", insertT+"; savepoint s; insert t (k, v) values (2, 5); rollback to s")},
		{name: "a key twice", program: skew(someT, "z := 1", insertT+"; "+insertT), robust: true},
		{name: "a value that is NULL", program: skew("table t (k int, v int not null, key (k))\nrow t (1, 0)\n", "z := 1", hasT+"update t set v = null where t.k == 1"), robust: true},
		{name: "an action that sets NULL", program: skew(oneP+nulling+oneC, "z := 1", hasC+dropP+"; cascade c f")},
		{name: "an action that sets NULL where a CHECK forbids it", program: skew(oneP+strings.Replace(nulling, "key (id)", "key (id), check known not c.p is null", 1)+oneC, "z := 1", hasC+dropP+"; cascade c f"), robust: true},
		{name: "a parent that nobody saw, of a row that is changed", program: skew(someP+child+"row c (11, null)\n",
			"assume exists (from c s where s.id == 11); update c set p = 1 where c.id == 11", insertP("1", "7")), robust: true},
		{name: "a parent that nobody saw", program: skew(someP+child, insertC, insertP("1", "7")), robust: true},
		{name: "a parent that is there", program: skew(oneP+child, insertC, insertP("2", "9"))},
	}
}

// stateCases are about what may have become of the snapshot inside the window.
func stateCases() []windowCase {
	return []windowCase{
		{name: "a row came", program: across(someT, noT, insertT, hasT)},
		{name: "a row went", program: across(oneT, hasT, "delete t where t.k == 1", noT)},
		{name: "a row has changed", program: across(oneT, oldV, "update t set v = 1 where t.k == 1", newV)},
		{name: "a row has changed in its first column", program: across("table t (v int, k int, key (k))\nrow t (0, 1)\n", oldV, "update t set v = 1 where t.k == 1", newV)},
		{name: "a row has changed by ON CONFLICT", program: across(oneT, oldV, "insert t (k, v) values (1, 3) on conflict (k) do update w set v = 1", newV)},
		{name: "a row that is written has changed", program: across(oneT, oldV+"; update t set v = 3 where t.k == 1", "update t set v = 1 where t.k == 1", newV), robust: true},
		{name: "a row that is locked has changed", program: across(oneT, oldV+"; lock from t where t.k == 1 for share", "update t set v = 1 where t.k == 1", newV), robust: true},
		{name: "a row whose key is locked has changed", program: across(oneT, oldV+"; lock from t where t.k == 1 for key share", "update t set v = 1 where t.k == 1", newV)},
		{name: "a row whose key is locked has changed, nobody knows how", program: across(oneT, oldV+"; lock from t where t.k == 1 for key share", "unmodelled (t) 'DO'", newV), unmodelled: true},
		{name: "a row went, nobody knows how", program: across(oneT, hasT, "unmodelled (t) 'DO'", noT), unmodelled: true},
		{name: "a key was freed", program: across(oneT, hasT+insertT, "delete t where t.k == 1", noT)},
		{name: "a key was freed, and the new row is changed", program: across(oneT, hasT+insertT+"; update t set v = 2 where t.k == 1 and t.v == 5", "delete t where t.k == 1", noT)},
		{name: "a child left before the action", program: across(oneP+"row p (2, 9)\n"+cascading+oneC, hasC+dropP+"; cascade c f", leaves, "assume exists (from c s where s.id == 11 and s.p == 2)")},
		{name: "an action set NULL", program: across(oneP+nulling+oneC, hasC, dropP+"; cascade c f", "assume exists (from c s where s.id == 11 and s.p is null)")},
	}
}

// returning is across where the delayed one only returns what it saw of x.
func returning(tables, delayed, inside string, more ...string) string {
	return windowHead + tables + "process a { txn delayed { was := x; " + delayed + "; emit was } }\nprocess b { txn inside { x := x + 1; " + inside + " } }\n" + strings.Join(more, "\n")
}

// commitCases are about what is looked at when the delayed transaction commits.
func commitCases() []windowCase {
	const act = "table t (k int, v int, act int, key (k), unique some (v) where t.act == 1)\nrow t (1, 7, 1)\nrow t (2, 7, 0)\n"
	const has2 = "assume exists (from p s where s.k == 2); "
	const two = oneP + "row p (2, 9)\n"
	const noC = "assume not exists (from c s where s.id == 11); "
	const goes = "delete c where c.id == 11"
	return []windowCase{
		{name: "what is written", program: skew("", "z := 1", "z := 1"), robust: true},
		{name: "what is rolled back", program: windowHead + "process a { txn delayed { was := x; savepoint s; y := was + 1; rollback to s; z := 1 } }\n" +
			"process b { txn inside { x := x + 1 } }\nprocess c { txn looks { seen_x := x; seen_y := y; emit seen_x, seen_y } }", robust: true},
		{name: "a name was given up", program: returning(two, "update p set u = 7 where p.k == 2", "update p set u = 8 where p.k == 1")},
		{name: "a name was taken", program: returning(two, has2+"update p set u = 7 where p.k == 2", "assume exists (from p s where s.k == 1); update p set u = 7 where p.k == 1"), robust: true},
		{name: "a name of a partial key was given up", program: returning(act, "assume exists (from t s where s.k == 2 and s.v == 7); update t set act = 1 where t.k == 2", "update t set v = 8 where t.k == 1")},
		{name: "a child left", program: returning(oneP+child+oneC, dropP, goes)},
		{name: "a child left a name", program: returning(oneP+byU+"row c (11, 7)\n", hasP+"update p set u = 8 where p.k == 1", goes)},
		{name: "a child left before the parent moved", program: returning(oneP+child+oneC, moveP, goes)},
		{name: "a parent went", engine: engine.SI(), robust: true,
			program: returning(oneP+child+"row c (11, null)\n", "assume exists (from c s where s.id == 11); update c set p = 1 where c.id == 11", dropP)},
		{name: "a parent went, of a row that moves", engine: engine.SI(), robust: true,
			program: windowHead + oneP + child + "row c (11, null)\nprocess a { txn delayed { delete c where c.id == 11 moved; insert c (id, p) values (12, 1) moved (id, p) } }\nprocess b { txn inside { " + dropP + " } }"},
		{name: "a child came before the action", program: returning(oneP+cascading, noC+dropP+"; cascade c f", insertC, "process d { txn more { delete c where c.id == 12 } }"), robust: true},
		{name: "a key was freed that is taken and rolled back", program: returning(oneT, "savepoint s; "+insertT+"; rollback to s", deleteT)},
		{name: "a key is taken and rolled back", program: returning(oneT, "savepoint s; insert t (k, v) values (2, 5); rollback to s", deleteT), robust: true},
		{name: "the order of two writes", program: windowHead + "process a { txn delayed { was := x; y := was + 1 } }\nprocess b { txn inside { x := x + 1; z := 2 } }\n" +
			"process c { txn looks { z := 3; seen := y; emit seen } }"},
		{name: "no order of two writes", program: windowHead + "process a { txn delayed { was := x; y := was + 1 } }\nprocess b { txn inside { x := x + 1 } }\n" +
			"process c { txn looks { z := 3; seen := y; emit seen } }", robust: true},
		{name: "the order of two writes, of which the second locks what the delayed one writes", program: windowHead + "process a { txn delayed { was := x; y := was + 1 } }\n" +
			"process b { txn inside { x := x + 1; z := 2 } }\nprocess c { txn looks { z := 3; (seen) := select s.v from y s for share; emit seen } }"},
		{name: "the order of a read and a write", program: windowHead + "process a { txn delayed { was := x; y := was + 1 } }\nprocess b { txn inside { x := x + 1; g := z; emit g } }\n" +
			"process c { txn looks { z := 3; seen := y; emit seen } }"},
		{name: "no order of two columns", program: windowHead + "table t (k int, v int, w int, key (k))\nrow t (1, 0, 0)\n" +
			"process a { txn delayed { was := x; y := was + 1 } }\nprocess b { txn inside { x := x + 1; update t set v = 1 where t.k == 1 } }\n" +
			"process c { txn looks { update t set w = 1 where t.k == 1; seen := y; emit seen } }", robust: true},
		{name: "a row came to be locked", program: skew("table t (k int, v int, w int, key (k))\nrow t (1, 1, 0)\n", "lock from t where t.k == 1 and t.v == 0 for update",
			"assume exists (from t s where s.k == 1 and s.v == 0); update t set w = 1 where t.k == 1", "process d { txn more { update t set v = 0 where t.k == 1 } }")},
		{name: "a table came to be used", program: windowHead + oneT + "var g = 0\n" +
			"process a { txn delayed { lock from z for update; if g == 1 { lock t in share }; was := x; y := was + 1 } }\n" +
			"process b { txn inside { o := g; assume o == 1; x := x + 1 } }\nprocess d { txn more { g := 1 } }\n" +
			"process c { txn looks { lock t in access exclusive; seen_x := x; seen_y := y; z := seen_x; emit seen_x, seen_y } }"},
		{name: "writes that may not happen", program: windowHead + "process a { txn one { if x == 0 { y := 1 } } }\nprocess b { txn two { if y == 0 { x := 1 } } }"},
		{name: "ON CONFLICT over a row that went", program: windowHead + oneT + "process a { txn delayed { " + hasT +
			"insert t (k, v) values (1, 3) on conflict (k) do nothing done ok; emit ok } }\nprocess b { txn inside { delete t where t.k == 1 } }"},
	}
}

// classicCases are about dependencies without values.
func classicCases() []windowCase {
	thenMore := func(more string) string {
		return windowHead + "var w = 0\nprocess a { txn delayed { was := x; y := was + 1 } }\nprocess b { txn inside { x := x + 1; z := 2 } }\n" +
			"process d { txn more { " + more + " } }\nprocess c { txn looks { seen_w := w; seen := y; emit seen_w, seen } }"
	}
	const some = "some := exists (from t s where s.v == 1); emit some"
	return []windowCase{
		{name: "a row came to match", program: across(oneT, some, oldV+"; update t set v = 1 where t.k == 1", some)},
		{name: "the order of two writes", program: windowHead + "process a { txn delayed { was := x; y := was + 1 } }\nprocess b { txn inside { x := x + 1; z := 2 } }\n" +
			"process c { txn looks { z := 2; seen := y; emit seen } }"},
		{name: "the order of two writes that are committed", program: thenMore("z := 2; w := 1")},
		{name: "no order of two writes that are committed", program: thenMore("w := 1"), robust: true},
		{name: "another column has changed", program: across("table t (k int, v int, w int, key (k))\nrow t (1, 0, 0)\n", some, "update t set w = 1 where t.k == 1", some), robust: true},
		{name: "a row that ON CONFLICT looks for went", program: across(oneT, "insert t (k, v) values (1, 3) on conflict (k) do nothing done ok; emit ok", deleteT, noT)},
	}
}

// walkCases are about how walks are put together of what is inside a window.
func walkCases() []windowCase {
	// What excludes keeps o before i, and x behind p (see s1-columns.litmus).
	const cells = "program cells\ntable o (id int, v int not null, q int not null, key (id))\ntable p (id int, v int not null, q int not null, key (id))\n" +
		"table i (id int, v int not null, key (id))\nrow o (1, 0, 0)\nrow p (1, 0, 0)\nrow i (1, 0)\n" +
		"process P { txn run_p { (r) := select t.v from o t where t.id == 1; update p t set v = r + 10 where t.id == 1 } }\n" +
		"process O { txn run_o { (r) := select t.q from p t where t.id == 1; update o t set v = 5 where t.id == 1 } }\n" +
		"process I { txn run_i { (r) := select t.v from p t where t.id == 1; update i t set v = r + 1 where t.id == 1; update o t set q = 1 where t.id == 1 } }\n" +
		"process X { txn run_x { (r) := select t.v from o t where t.id == 1; assume r == 5; update p t set q = 1 where t.id == 1 } }\n" +
		"process Y { txn run_y { (r) := select t.q from p t where t.id == 1; assume r == 1; (s) := select t.v from i t where t.id == 1 } }\n"
	// Key 1 is there when i begins, and x gives it up before i commits.
	const freed = "program freed\ndomain 0..20\nvar o = 0, p = 0, i = 0, e = 0, f = 0\n" + oneT +
		"process P { txn run_p { r := o; p := r + 10; f := 1 } }\nprocess O { txn run_o { " + hasT + "o := 5; e := 1 } }\n" +
		"process I { txn run_i { r := p; i := r + 1; e := 1; " + insertT + " } }\n" +
		"process X { txn run_x { r := o; assume r == 5; " + hasT + "s := i; f := 1; delete t where t.k == 1 } }\n"
	const chains = windowHead + "var m = 0, n = 0\nprocess a { txn delayed { was := x; y := was + 1 } }\n" +
		"process p { txn looks { seen_n := n; seen_y := y; emit seen_n, seen_y } txn one { x := x + 1; m := 1 } }\n" +
		"process r { txn next { g := m; assume g == 1; n := 1 } }\n"
	const reinserts = "x := x + 1; " + dropP + "; cascade c f; insert p (k, u) values (1, 7)"
	// drawn makes transactions that draw numbers from two sequences, or one.
	drawn := func(text, other string) string {
		return "program drawn\ndomain 0..2\nvar x = 0, y = 0\n" + someT + "table u (k int, key (k))\n" + strings.ReplaceAll(text, "other", other)
	}
	const crossed = "process a { txn delayed { one := fresh; if exists (from u s where s.k == one) { emit 1 }; insert t (k, v) values (one, 0) } }\n" +
		"process b { txn inside { other := fresh; if exists (from t s where s.k == other) { emit 1 }; insert u (k) values (other) } }"
	const met = "process a { txn delayed { one := fresh; if exists (from t s where s.k == one) { emit 1 }; y := 1 } }\n" +
		"process b { txn inside { other := fresh; insert t (k, v) values (other, 1) } }\n" +
		"process c { txn looks { if exists (from t s where s.v == 1) { emit 1 }; seen := y; emit seen } }"
	const shown = "process a { txn delayed { one := fresh; insert t (k, v) values (one, 2); if exists (from t s where s.k == one and s.v == 0) { emit 1 } } }\n" +
		"process b { txn inside { delete t where t.v == 0 } }\nprocess c { txn before { other := fresh; insert t (k, v) values (other, 0) } }"
	return []windowCase{
		{name: "another column of a row that is written", program: cells},
		{name: "another column of a row that is written, which the reader touches", program: strings.Replace(cells, "update i t set", "update p t set v = t.v where t.id == 1; update i t set", 1), robust: true},
		{name: "a key is freed for who is still running", program: freed},
		{name: "a key is freed for who is still running and touches what it has read", program: strings.Replace(freed, "i := r + 1", "p := r; i := r + 1", 1), robust: true},
		{name: "another chain without the process", program: chains + "process q[*] { txn two { x := x + 1; m := 1 } }"},
		{name: "no other chain without the process", program: chains + "process q[*] { txn two { x := x + 1 } }", robust: true},
		{name: "an action meets a row that came", engine: engine.SI(), program: returning(oneP+cascading, insertC, reinserts)},
		{name: "an action meets a row that came, whose parent is locked", program: returning(oneP+cascading, insertC, reinserts), robust: true},
		{name: "numbers of two sequences", drawn: true, program: drawn(crossed, "two")},
		{name: "numbers of one sequence", drawn: true, program: drawn(crossed, "one"), robust: true},
		{name: "a number that came from another sequence", drawn: true, program: drawn(met, "two")},
		{name: "a number that came from one sequence", drawn: true, program: drawn(met, "one"), robust: true},
		{name: "a row that is shown beside the new one", drawn: true, program: drawn(shown, "two")},
		{name: "a row that cannot be there beside the new one", drawn: true, program: drawn(shown, "one"), robust: true},
	}
}

// draw lets FRESH values come from sequences, and gives the program to interpret: there,
// numbers of several sequences are any numbers.
func draw(p *ir.Program) *ir.Program {
	var drawn []*ir.Havoc
	each := func(p *ir.Program, do func(h *ir.Havoc)) {
		for _, x := range p.Txns {
			ir.Walk(x.Body, func(s ir.Stmt) {
				if h, ok := s.(*ir.Havoc); ok && h.Fresh {
					do(h)
				}
			})
		}
	}
	each(p, func(h *ir.Havoc) { h.Of, drawn = irnames.NextvalOf(h.Var), append(drawn, h) })
	any := progen.Copy(p)
	if slices.ContainsFunc(drawn, func(h *ir.Havoc) bool { return h.Of != drawn[0].Of }) {
		each(any, func(h *ir.Havoc) { h.Fresh = false })
	}
	return any
}

// TestWindow: what may run inside the window of a delayed transaction, and what it does
// there. Interpretation and proof agree.
func TestWindow(t *testing.T) {
	for _, group := range []struct {
		name  string
		cases []windowCase
		mode  mode
	}{
		{"keys", keyCases(), modes[2]},
		{"references and locks", referenceCases(), modes[2]},
		{"states", stateCases(), modes[2]},
		{"commits", commitCases(), modes[2]},
		{"classic", classicCases(), modes[0]},
		{"walks", walkCases(), modes[2]},
	} {
		for _, c := range group.cases {
			t.Run(group.name+"/"+c.name, func(t *testing.T) {
				p, m := testprog.Parse(t, c.program), group.mode
				run := p
				if c.drawn {
					run = draw(p)
				}
				if c.engine != nil {
					m.engine = c.engine
				}
				if !c.unmodelled {
					if got := !anomaly(t, run, m); got != c.robust {
						t.Errorf("interpretation says robust: %t\n%s", got, run)
					}
				}
				if res := mustProve(t, p, Options{Engine: m.engine, Classic: m.classic}); (res.Verdict == Robust) != c.robust || res.Verdict == Unknown {
					t.Errorf("%v %s %v, want robust: %t\n%s", res.Verdict, res.Reason, res.Walks, c.robust, p)
				}
			})
		}
	}
}
