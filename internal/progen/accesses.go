package progen

import (
	"fmt"
	"math/rand"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/ir/irtext"
)

// Accesses makes a program of short transactions that read some rows of a
// table and write others. One in a few of them has an anomaly, where it is one
// in hundreds for Program. The options are those of Program, without Vars.
func Accesses(r *rand.Rand, o Options) *ir.Program {
	a := &accesses{r: r, o: o, unique: o.Keys && r.Intn(4) == 0, child: o.Keys && r.Intn(3) == 0}
	b := &a.b
	null := " not null"
	if o.Nulls && r.Intn(4) == 0 {
		null = ""
	}
	fmt.Fprintf(b, "program accesses\ndomain 0..3\ntable t (k int not null, a int not null, b int%s, key (k)", null)
	if a.unique {
		b.WriteString(", unique t_b (b)")
		if r.Intn(4) == 0 {
			b.WriteString(" where t.a == 1")
		}
	}
	if o.Exclusions && r.Intn(3) == 0 {
		b.WriteString(", exclude t_x (x, y) where " + a.of("x.a == y.a and x.b == y.b", "x.a <= y.b and y.a <= x.b", "x.b is y.b", "x.a == y.a and x.b != y.b"))
		if c := a.of("a", "b"); r.Intn(3) == 0 {
			fmt.Fprintf(b, " and x.%s != 0 and y.%s != 0", c, c)
		}
	}
	if o.Keys && r.Intn(6) == 0 {
		b.WriteString(", check t_c t.a <= t.b")
	}
	b.WriteString(")\n")
	action, below := "", ""
	if a.child && o.Actions && r.Intn(3) > 0 {
		a.acts = "cascade c c_p; "
		if action = " on delete " + a.of("cascade", "cascade", "set null"); action == " on delete cascade" && r.Intn(3) == 0 {
			a.grandchild = true
			below = a.of("", " on delete cascade", " on delete set null")
			if below != "" {
				a.acts += "cascade g g_c; "
			}
		}
	}
	if a.child && o.Moves && r.Intn(2) == 0 {
		update := a.of("cascade", "set null", "set default")
		action += " on update " + update
		a.moves = "cascade c c_p set (" + map[string]string{"cascade": "%s", "set null": "null", "set default": "0"}[update] + "); "
	}
	if a.child {
		fmt.Fprintf(b, "table c (k int not null, p int, key (k), foreign c_p (p) references t (k)%s)\n", action)
	}
	if a.grandchild {
		fmt.Fprintf(b, "table g (k int not null, c int, key (k), foreign g_c (c) references c (k)%s)\n", below)
		a.below = ""
		if below != "" {
			a.below = "cascade g g_c; "
		}
	}
	for i, n := 0, min(2, o.Txns)+r.Intn(max(1, o.Txns-1)); i < n; i++ {
		a.param = r.Intn(3) == 0
		param := ""
		if a.param {
			param = "q int not null"
		}
		fmt.Fprintf(b, "txn t%d (%s) {\nlocal v int; local u int; local w bool; local i int; v := 0\n", i, param)
		for s := min(2, o.Stmts) + r.Intn(o.Stmts); s > 0; s-- {
			if r.Intn(12) == 0 {
				fmt.Fprintf(b, "savepoint s%d;\n", s)
				a.statement()
				fmt.Fprintf(b, "rollback to s%d;\n", s)
				continue
			}
			a.statement()
		}
		b.WriteString("}\n")
	}
	p, err := irtext.Parse("accesses", b.String())
	if err != nil {
		panic(fmt.Sprintf("progen: %v\n%s", err, b.String()))
	}
	return p
}

type accesses struct {
	r                    *rand.Rand
	o                    Options
	b                    strings.Builder
	unique, child, param bool
	grandchild           bool
	acts, below          string // what follows deletions from t and from c
	moves                string // what follows when a row of t gets the key %s
}

func (a *accesses) of(list ...string) string { return list[a.r.Intn(len(list))] }

// key is a value for a key: few, so that transactions meet.
func (a *accesses) key() string {
	if a.param && a.r.Intn(2) == 0 {
		return "q"
	}
	return a.of("0", "0", "1", "1", "2")
}

func (a *accesses) where() string {
	if a.r.Intn(3) == 0 {
		return fmt.Sprintf("r.%s %s %s", a.of("a", "b"), a.of("==", "<", "!="), a.of("0", "1", "2"))
	}
	return "r.k == " + a.key()
}

func (a *accesses) value() string { return a.of("v", "0", "1", "2", a.key()) }

func (a *accesses) statement() {
	b, r := &a.b, a.r
	c := a.of("a", "b")
	lock := ""
	if a.o.Locks && r.Intn(3) == 0 {
		lock = a.of(" for update", " for no key update", " for share", " for key share")
	}
	if a.o.Locks && r.Intn(20) == 0 {
		fmt.Fprintf(b, "lock t in %s;\n", a.of("share", "exclusive", "access exclusive"))
		return
	}
	if a.o.Moves && r.Intn(8) == 0 {
		a.move()
		return
	}
	if a.grandchild && r.Intn(5) == 0 {
		switch r.Intn(3) {
		case 0:
			fmt.Fprintf(b, "insert g (k, c) values (%s, %s);\n", a.key(), a.key())
		case 1:
			fmt.Fprintf(b, "delete g x where x.k == %s;\n", a.key())
		case 2:
			fmt.Fprintf(b, "(v) := select x.c from g x where x.k == %s order by x.k; emit v;\n", a.key())
		}
		return
	}
	if a.acts != "" && r.Intn(4) == 0 {
		switch r.Intn(3) {
		case 0:
			fmt.Fprintf(b, "delete t r where r.k == %s; %s\n", a.key(), a.acts)
		case 1:
			fmt.Fprintf(b, "w := exists (from c x where x.k == %s); emit w;\n", a.key())
		case 2:
			fmt.Fprintf(b, "assume exists (from c x where x.k == %s);\n", a.key())
		}
		return
	}
	if a.child && r.Intn(4) == 0 {
		switch r.Intn(4) {
		case 0:
			fmt.Fprintf(b, "insert c (k, p) values (%s, %s);\n", a.key(), a.key())
		case 1:
			fmt.Fprintf(b, "delete c x where x.p == %s; %s\n", a.key(), a.below)
		case 2:
			fmt.Fprintf(b, "update c x set p = %s where x.k == %s;\n", a.key(), a.key())
		case 3:
			fmt.Fprintf(b, "emit select x.k from c x, t r where x.p == r.k and r.a != %s;\n", a.of("0", "1"))
		}
		return
	}
	switch k := r.Intn(16); {
	case k < 4:
		fmt.Fprintf(b, "(v) := select r.%s from t r where %s order by r.k%s; emit v;\n", c, a.where(), lock)
	case k == 4:
		fmt.Fprintf(b, "(v) := select agg %s(r.%s) int from t r where %s; emit v;\n", a.of("sum", "min", "max", "count"), c, a.where())
	case k == 5:
		fmt.Fprintf(b, "w := exists (from t r where %s); if w { update t r set %s = %s where r.k == %s };\n", a.where(), c, a.value(), a.key())
	case k == 6:
		fmt.Fprintf(b, "(v) := select r.%s from t r where %s order by r.%s desc, r.k%s found w; emit v, w;\n", c, a.where(), a.of("a", "b"), lock)
	case k == 7:
		fmt.Fprintf(b, "emit select r.%s from t r where %s;\n", c, a.where())
	case k == 8:
		fmt.Fprintf(b, "assume exists (from t r where %s);\n", a.where())
	case k < 12:
		fmt.Fprintf(b, "update t r set %s = %s where %s;\n", c, a.value(), a.where())
	case k == 12:
		fmt.Fprintf(b, "insert t (k, a, b) values (%s, %s, %s);\n", a.key(), a.value(), a.of("0", "1", "2"))
	case k == 13:
		fmt.Fprintf(b, "insert t (k, a, b) values (%s, %s, %s) on conflict (k) do update o%s set %s = %s;\n", a.key(), a.value(), a.of("0", "1"), a.of("", " for update"), c, a.value())
	case k == 14 && a.o.Loops && r.Intn(2) == 0:
		fmt.Fprintf(b, "for i in 0 .. 2 { update t r set %s = r.%s + 1 where r.k == i };\n", c, a.of("a", "b"))
	case k == 14 && a.o.Loops:
		fmt.Fprintf(b, "foreach (v) := select r.k from t r where %s order by r.k { update t r set %s = %s where r.k == v };\n", a.where(), c, a.of("0", "1"))
	default:
		fmt.Fprintf(b, "delete t r where %s; %s\n", a.where(), a.acts)
	}
}

// move gives a row of t another key, and now and then another value.
func (a *accesses) move() {
	from, to, second, moved := a.key(), a.key(), "u", "k"
	if a.r.Intn(3) == 0 {
		second, moved = a.of("0", "1", "2"), "k, b"
	}
	acts := a.moves
	if strings.Contains(acts, "%s") {
		acts = fmt.Sprintf(acts, to)
	}
	fmt.Fprintf(&a.b, "(v, u) := select r.a, r.b from t r where r.k == %s found w; if w { delete t r where r.k == %s moved; insert t (k, a, b) values (%s, v, %s) moved (%s); %s};\n",
		from, from, to, second, moved, acts)
}
