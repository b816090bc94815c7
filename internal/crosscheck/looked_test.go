package crosscheck_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/testprog"
	"github.com/txrobust/robust/internal/witness"
)

// inOrder is the execution of the transactions of a program one after the other.
func inOrder(t *testing.T, text string) witness.Evidence {
	t.Helper()
	p := testprog.Parse(t, text)
	e := witness.Evidence{Program: p, Engine: engine.Postgres(), Sessions: interp.Sessions(p, 1), AnyOrder: true}
	for _, table := range p.Tables {
		e.Rows = append(e.Rows, table.Rows)
	}
	interp.NewMachine(p, e.Engine).Serial(e.Sessions, interp.InitialDB(p), true, func(x *interp.Execution) bool {
		if slices.IsSortedFunc(x.Txns, func(a, b interp.Committed) int { return strings.Compare(a.Run.Inst.Txn.Name, b.Run.Inst.Txn.Name) }) {
			e.Execution = x.Clone()
		}
		return e.Execution == nil
	})
	if e.Execution == nil {
		t.Fatal("the transactions do not run in this order")
	}
	return e
}

// TestLooked: what constraints look at, and what a transaction has from others.
func TestLooked(t *testing.T) {
	const p = "program looked\ntable p (k int, u int, v int, key (k), unique p_u (u))\nrow p (1, 7, 0)\nrow p (2, 9, 0)\n"
	const byU = p + "table c (id int, u int, key (id), foreign f (u) references p (u))\n"
	const child = p + "table c (id int, k int, key (id), foreign f (k) references p (k))\nrow c (11, 1)\n"
	const checked = "program looked\ntable t (k int, v int, w int, key (k)%s)\nrow t (1, 0, 5)\n"
	run := func(tables string, txns ...string) string {
		for i, x := range txns {
			name := string(rune('a' + i))
			tables += "process " + name + " { txn " + name + " { " + x + " } }\n"
		}
		return tables
	}
	for _, c := range []struct{ name, program, want string }{
		{"a parent by another key", run(byU, "update p set u = 8 where p.k == 1", "insert c (id, u) values (11, 8)"), "A: read c(11)=absent; write p(1).u=8 by A;\nB: read p(1).u=8 by A; write c(11)=inserted by B;\n"},
		{"no parent", run(byU, "update p set u = 8 where p.k == 1", "insert c (id, u) values (11, null)"), "A: write p(1).u=8 by A;\nB: write c(11)=inserted by B;\n"},
		{"a child that went", run(child, "delete c where c.id == 11", "delete p where p.k == 1"), "A: read c(11)=there; write c(11)=deleted by A;\nB: read c(11)=deleted by A; read p(1)=there; write p(1)=deleted by B;\n"},
		{"a child of another parent", run(child, "delete c where c.id == 11", "delete p where p.k == 2"), "A: read c(11)=there; write c(11)=deleted by A;\nB: read p(2)=there; write p(2)=deleted by B;\n"},
		{"a check of two columns", run(strings.Replace(checked, "%s", ", check small t.v <= t.w", 1), "update t set w = 4 where t.k == 1", "update t set v = 1 where t.k == 1"), "A: read t(1).v=0; write t(1).w=4 by A;\nB: read t(1).w=4 by A; write t(1).v=1 by B;\n"},
		{"no check", run(strings.Replace(checked, "%s", "", 1), "update t set w = 4 where t.k == 1", "update t set v = 1 where t.k == 1"), "A: write t(1).w=4 by A;\nB: write t(1).v=1 by B;\n"},
		{"a unique key", run(p, "update p set u = 8 where p.k == 1", "insert p (k, u, v) values (3, 7, 0)"), "A: write p(1).u=8 by A;\nB: read p(1).u=8 by A; write p(3)=inserted by B;\n"},
		{"a unique key that is NULL", run(p, "update p set u = null where p.k == 1", "insert p (k, u, v) values (3, null, 0)"), "A: write p(1).u=NULL by A;\nB: write p(3)=inserted by B;\n"},
		{"what it wrote itself", run(p, "update p set v = 1 where p.k == 1", "update p set v = 2 where p.k == 1; update p set u = 8 where p.k == 1; emit select s.v from p s where s.k == 1"), "A: write p(1).v=1 by A;\nB: write p(1).u=8 by B; write p(1).v=2 by B;\n"},
		{"what others wrote", run(p, "update p set v = 1 where p.k == 1", "update p set u = 8 where p.k == 1; emit select s.v from p s where s.k == 1"), "A: write p(1).v=1 by A;\nB: read p(1).v=1 by A; write p(1).u=8 by B;\n"},
		{"a row that is gone", run(p, "update p set v = 1 where p.k == 1", "delete p where p.k == 1", "emit select s.v from p s where s.k == 1"), "A: read p(1)=there; write p(1).v=1 by A;\nB: read p(1)=there; write p(1)=deleted by B;\nC: read p(1)=deleted by B;\n"},
	} {
		e := inOrder(t, c.program)
		got := lines(newTrace(t, e, fake(e.Execution)))
		if got != c.want {
			t.Errorf("%s: got\n%swant\n%s", c.name, got, c.want)
		}
	}
}

// TestCurrent: an action looks at the children that are there when it is carried out.
func TestCurrent(t *testing.T) {
	p := testprog.Parse(t, "program current\nvar x = 0, y = 0\ntable p (k int, key (k))\nrow p (1)\nrow p (2)\n"+
		"table c (id int, k int, key (id), foreign f (k) references p (k) on delete cascade)\nrow c (11, 1)\n"+
		"process a { txn delayed { was := x; emit was; delete p where p.k == 1; cascade c f; y := 1 } }\n"+
		"process b { txn inside { update c set k = 2 where c.id == 11; x := 1 } }\nprocess c { txn looks { seen_x := x; seen_y := y; emit seen_x, seen_y } }\n")
	e, w := evidence(t, p, engine.Postgres())
	got := lines(newTrace(t, e, w))
	if want := "B: write c(11).k=2 by B; write x=1 by B;\nA: read p(1)=there; read x=0; late c(11).k=2 by B; write p(1)=deleted by A; write y=1 by A;\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
