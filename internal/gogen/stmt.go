package gogen

import (
	"fmt"
	"strings"
)

// body writes statements, at least one.
func (g *gen) body(most int) {
	for range 1 + g.r.IntN(most) {
		if g.left--; g.left < -4 {
			return
		}
		g.stmt()
	}
}

// stmt writes a statement.
func (g *gen) stmt() {
	flat := g.depth > 3 || g.left < 0
	switch n := g.r.IntN(100); {
	case n < 14:
		g.single()
	case n < 20:
		g.surely()
	case n < 40:
		g.write()
	case n < 45 && !flat:
		g.rows()
	case n < 56:
		g.define()
	case n < 66:
		g.assign()
	case n < 76 && !flat:
		g.branch()
	case n < 80 && !flat:
		g.choice()
	case n < 88 && !flat:
		g.loop()
	case n < 91 && !flat && !g.helper:
		g.callHelper()
	case n < 94 && !flat:
		g.closure()
	case n < 97:
		g.leave()
	case n < 98:
		g.again()
	default:
		g.write()
	}
}

// leave ends the body on some condition, or a round of a loop.
func (g *gen) leave() {
	g.line("if %s {", g.bool(1))
	switch n := g.r.IntN(20); {
	case n < 8 && len(g.loops) > 0:
		l := g.loops[g.r.IntN(len(g.loops))]
		word := g.oneOf("break", "continue")
		if strings.HasPrefix(l, "block") {
			word = "break"
		}
		g.line("%s %s", word, l)
	case n < 15:
		g.line("%s", g.fail(g.errorValue()))
	case n < 16:
		g.line("panic(%s)", g.oneOf(`"no"`, "ErrStop", "fmt.Sprint("+g.intVar()+")"))
	default:
		g.line("%s", g.succeed(""))
	}
	g.line("}")
}

// checked handles an error of the server in err.
func (g *gen) checked(err string) {
	switch g.r.IntN(8) {
	case 0:
		g.line("_ = %s", err)
	case 1:
		g.line("if %s != nil {\n%s\n}", err, g.fail(fmt.Sprintf("fmt.Errorf(\"x: %%w\", %s)", err)))
	default:
		g.line("if %s != nil {\n%s\n}", err, g.fail(err))
	}
}

// single reads at most one row.
func (g *gen) single() {
	q, text := g.pickQuery(singles)
	into := strings.Join(g.dests(q.out), ", ")
	send := fmt.Sprintf("%s(%s).Scan(%s)", g.method("QueryRow"), g.call(text, q.args), into)
	e := g.name("err")
	inner := func() {
		g.scope(func() { g.body(2) })
	}
	switch g.r.IntN(8) {
	case 0:
		g.line("_ = %s", send)
	case 1:
		e = g.oneOf(e, "err")
		g.line("if %s := %s; %s != nil && %s != %s {\n%s\n}", e, send, e, e, g.noRows(), g.fail(e))
	case 2:
		g.line("%s := %s", e, send)
		g.line("if errors.Is(%s, %s) {", e, g.noRows())
		inner()
		g.line("} else if %s != nil {\n%s\n}", e, g.fail(e))
	case 3:
		g.line("switch %s := %s; {", e, send)
		g.line("case errors.Is(%s, %s):", e, g.noRows())
		inner()
		g.line("case %s != nil:\n%s", e, g.fail(e))
		g.line("default:")
		inner()
		g.line("}")
	case 4:
		g.line("%s := %s", e, send)
		g.line("if %s == nil {", e)
		inner()
		g.line("} else if !errors.Is(%s, %s) {\n%s\n}", e, g.noRows(), g.fail(fmt.Sprintf("fmt.Errorf(\"r: %%w\", %s)", e)))
	case 5:
		g.line("%s := %s", e, send)
		g.declare(e, tErr)
	default:
		e = g.oneOf(e, "err")
		g.line("if %s := %s; %s != nil {\n%s\n}", e, send, e, g.fail(g.oneOf(e, "ErrStop", fmt.Sprintf("fmt.Errorf(\"row: %%w\", %s)", e))))
	}
}

// surely reads exactly one row.
func (g *gen) surely() {
	q, text := g.pickQuery(sure)
	into := strings.Join(g.dests(q.out), ", ")
	e := g.name("err")
	g.line("%s := %s(%s).Scan(%s)", e, g.method("QueryRow"), g.call(text, q.args), into)
	g.checked(e)
}

// write writes, and may look at how many rows it wrote.
func (g *gen) write() {
	q, text := query{}, ""
	if g.chance(12) {
		q, text = g.variant()
	} else {
		q, text = g.pickQuery(writes)
	}
	send := fmt.Sprintf("%s(%s)", g.method("Exec"), g.call(text, q.args))
	e := g.name("err")
	if g.chance(65) {
		switch {
		case g.chance(20):
			g.line("_, %s := %s", e, send)
			g.checked(e)
		case g.chance(10):
			g.line("%s", send)
		default:
			e = g.oneOf(e, "err", "err")
			g.line("if _, %s := %s; %s != nil {\n%s\n}", e, send, e, g.fail(e))
		}
		return
	}
	res, n := g.name("res"), g.name("n")
	g.line("%s, %s := %s", res, e, send)
	g.line("if %s != nil {\n%s\n}", e, g.fail(e))
	switch {
	case g.pgx:
		g.line("%s := int(%s.RowsAffected())", n, res)
	case g.chance(50):
		g.line("%sl, %s := %s.RowsAffected()", n, e, res)
		g.line("if %s != nil {\n%s\n}", e, g.fail(e))
		g.line("%s := int(%sl)", n, n)
	default:
		g.line("%sl, _ := %s.RowsAffected()", n, res)
		g.line("%s := int(%sl)", n, n)
	}
	g.declare(n, tInt)
	if g.chance(60) {
		g.line("if %s %s {\n%s\n}", n, g.oneOf("== 0", "!= 1", "> 1", "== 0", "< 1"), g.fail(g.errorValue()))
	}
}

// rows reads several rows, and then does something for each.
func (g *gen) rows() {
	q, text := g.pickQuery(lists)
	rs, e := g.name("rows"), g.name("err")
	acc := g.name("acc")
	var one variable
	collect := g.chance(55)
	if collect {
		g.line("var %s []int", acc)
		one = variable{name: acc, kind: tInts}
	} else {
		g.line("%s := %s", acc, g.literal())
		one = variable{name: acc, kind: tInt}
	}
	g.line("_ = %s", acc)
	g.line("%s, %s := %s(%s)", rs, e, g.method("Query"), g.call(text, q.args))
	g.line("if %s != nil {\n%s\n}", e, g.fail(e))
	if g.chance(25) {
		g.line("defer %s.Close()", rs)
	}
	g.line("for %s.Next() {", rs)
	g.scope(func() {
		into := strings.Join(g.dests(q.out), ", ")
		g.line("if %s := %s.Scan(%s); %s != nil {\n%s.Close()\n%s\n}", e, rs, into, e, rs, g.fail(e))
		if g.chance(30) {
			g.line("if %s {\n%s\n}", g.bool(1), g.oneOf("break", "continue"))
		}
		if collect {
			g.line("%s = append(%s, %s)", acc, acc, g.oneOf(g.intVar(), g.intVar(), g.int(1)))
		} else {
			g.line("%s", fmt.Sprintf(g.oneOf("%s += %s", "%s = max(%[1]s, %[2]s)", "%[1]s += 1 + 0*%[2]s", "%s = %s"), acc, g.intVar()))
		}
	})
	g.line("}")
	if g.chance(70) {
		g.line("if %s := %s.Err(); %s != nil {\n%s\n}", e, rs, e, g.fail(e))
	}
	g.line("%s.Close()", rs)
	g.bring(one)
	if !collect {
		return
	}
	i := g.name("x")
	g.line("for _, %s := range %s {", i, acc)
	g.scope(func() {
		g.bring(variable{name: i, kind: tInt})
		g.loops = append(g.loops, "")
		g.line("_ = %s", i)
		g.body(2)
		g.loops = g.loops[:len(g.loops)-1]
	})
	g.line("}")
}

// branch writes an if.
func (g *gen) branch() {
	g.line("if %s {", g.bool(2))
	g.scope(func() { g.body(3) })
	switch g.r.IntN(5) {
	case 0:
		g.line("} else if %s {", g.bool(1))
		g.scope(func() { g.body(2) })
	case 1, 2:
		g.line("} else {")
		g.scope(func() { g.body(3) })
	}
	g.line("}")
}

// choice writes a switch.
func (g *gen) choice() {
	of, last := []string{"0", "1", "2, 3", "-1"}, "7"
	if g.chance(30) {
		of, last = []string{`"a"`, `"b", "bb"`, `""`}, `"7"`
		g.line("switch %s {", g.text(1))
	} else {
		g.line("switch %s {", g.int(1))
	}
	for i, c := range of {
		if i > 0 && g.chance(40) {
			continue
		}
		g.line("case %s:", c)
		g.scope(func() { g.body(2) })
		if i == 0 && g.chance(15) && g.depth < 3 {
			g.line("fallthrough\ncase %s:", last)
			g.scope(func() { g.body(1) })
			of = nil
		}
		if of == nil {
			break
		}
	}
	if g.chance(60) {
		g.line("default:")
		g.scope(func() { g.body(2) })
	}
	g.line("}")
}

// loop writes a loop of few rounds.
func (g *gen) loop() {
	l := ""
	if g.chance(25) {
		l = g.name("loop")
		g.line("%s:", l)
	}
	i := g.name("i")
	switch g.r.IntN(7) {
	case 0:
		g.line("for %s := 0; %s < %d; %s++ {", i, i, 1+g.r.IntN(3), i)
	case 1:
		g.line("for %s := 0; %s < clamp(%s, -1, 3); %s++ {", i, i, g.intVar(), i)
	case 2:
		g.line("for %s := %d; %s >= 0; %s-- {", i, 1+g.r.IntN(2), i, i)
	case 3:
		g.line("for %s := range clamp(%s, 0, 3) {", i, g.intVar())
	case 4:
		g.line("for _, %s := range []int{%s, %s} {", i, g.int(1), g.int(1))
	case 5:
		if v, ok := g.some(tInts, true); ok && g.chance(70) {
			g.line("for %s := range min(3, len(%s)) {", i, v.name)
		} else {
			g.line("for %s := range %d {", i, 1+g.r.IntN(3))
		}
	default:
		g.line("for _, %ss := range []string{%s, %s} {", i, g.text(1), g.text(0))
		g.line("%s := len(%ss)", i, i)
	}
	g.scope(func() {
		g.bring(variable{name: i, kind: tInt, fixed: true})
		g.line("_ = %s", i)
		g.loops = append(g.loops, l)
		if l != "" {
			g.line("if %s {\n%s %s\n}", g.bool(1), g.oneOf("break", "continue"), l)
		}
		g.body(3)
		g.loops = g.loops[:len(g.loops)-1]
	})
	g.line("}")
}

// again goes back some times.
func (g *gen) again() {
	if g.depth > 1 {
		g.assign()
		return
	}
	n, l := g.name("round"), g.name("again")
	g.line("%s := 0", n)
	g.line("%s:", l)
	g.line("%s++", n)
	g.line("{")
	g.scope(func() { g.assign(); g.write() })
	g.line("}")
	g.line("if %s < %d && %s {\ngoto %s\n}", n, 2+g.r.IntN(2), g.bool(1), l)
	g.bring(variable{name: n, kind: tInt, fixed: true})
}

// define declares a variable.
func (g *gen) define() {
	switch g.r.IntN(14) {
	case 0, 1:
		n := g.name("n")
		g.line("%s := %s", n, g.int(2))
		g.declare(n, tInt)
	case 2:
		n := g.name("s")
		g.line("%s := %s", n, g.text(2))
		g.declare(n, tText)
	case 3:
		n := g.name("ok")
		g.line("%s := %s", n, g.bool(2))
		g.declare(n, tBool)
	case 4:
		n := g.name("xs")
		g.line("%s := []int{%s, %s}", n, g.int(1), g.int(1))
		g.declare(n, tInts)
	case 5:
		if v, ok := g.some(tInts, true); ok {
			n := g.name("xs")
			g.line("%s := %s", n, strings.ReplaceAll(g.oneOf("V", "V[:len(V)/2]", "V[min(1, len(V)):]", "append(V, 7)", "slices.Clone(V)", "append([]int(nil), V...)"), "V", v.name))
			g.declare(n, tInts)
		}
	case 6:
		n := g.name("m")
		g.line("%s := map[string]int{\"a\": %s, %q: %s}", n, g.int(1), g.oneOf("b", "bb"), g.int(0))
		g.declare(n, tMap)
	case 7:
		n := g.name("it")
		g.line("%s := Item{K: %s, X: %s}", n, g.int(1), g.int(1))
		g.declare(n, tItem)
	case 8:
		if v, ok := g.some(tItem, false); ok {
			n := g.name("pi")
			g.line("%s := &%s", n, v.name)
			g.declare(n, tPItem)
		}
	case 9:
		if v, ok := g.some(tInt, false); ok {
			n := g.name("to")
			g.line("%s := &%s", n, v.name)
			if w, ok := g.some(tInt, false); ok && w.name != v.name && g.chance(50) {
				g.line("if %s {\n%s = &%s\n}", g.bool(1), n, w.name)
			}
			g.declare(n, tTo)
		}
	case 10:
		if v, ok := g.some([]kind{tInt, tText}[g.r.IntN(2)], true); ok { // the same name again
			e := g.int(1)
			if v.kind == tText {
				e = g.text(1)
			}
			if g.depth > v.depth {
				g.line("%s := %s", v.name, e)
				g.declare(v.name, v.kind)
			}
		}
	case 11:
		n := g.name("arr")
		g.line("%s := [3]int{%s, %s}", n, g.int(1), g.int(0))
		g.declare(n, tArr)
	case 12:
		n := g.name("by")
		g.line("%s := map[int]string{0: \"a\", 2: %s}", n, g.text(1))
		g.declare(n, tByInt)
	case 13:
		n := g.name("v")
		g.line("%s := sql.NullInt64{Int64: int64(%s), Valid: %s}", n, g.int(1), g.bool(1))
		g.declare(n, tNull)
	}
}

// assign changes a variable.
func (g *gen) assign() {
	kinds := []kind{tInt, tInt, tText, tBool, tPtr, tNull, tInts, tArr, tMap, tItem, tPItem, tTo, tFn, tByInt}
	for range 4 {
		k := kinds[g.r.IntN(len(kinds))]
		v, ok := g.some(k, k == tFn)
		if !ok {
			continue
		}
		g.line("%s", g.assignment(v))
		return
	}
	if v, ok := g.some(tInt, false); ok {
		g.line("%s += %s", v.name, g.int(1))
	}
}

// assignment gives a statement that changes what v holds or points to.
func (g *gen) assignment(v variable) string {
	f := func(forms ...string) string {
		s := g.oneOf(forms...)
		s = strings.ReplaceAll(s, "#", v.name)
		for strings.Contains(s, "$i") {
			s = strings.Replace(s, "$i", g.int(1), 1)
		}
		for strings.Contains(s, "$s") {
			s = strings.Replace(s, "$s", g.text(1), 1)
		}
		return strings.ReplaceAll(s, "$b", g.bool(1))
	}
	switch v.kind {
	case tInt:
		return f("# = $i", "# += $i", "#++", "# -= $i", "# = # % 5", "# = -#", "setTo(&#, $i)")
	case tText:
		return f("# = $s", "# += $s", "# = # + \"a\"", "# = first(#)")
	case tBool:
		return f("# = $b", "# = !#", "# = # && $b")
	case tPtr:
		return f("# = nil", "# = new(int)", "if # != nil {\n*# += 2\n}", "if # == nil {\n# = new(int)\n*# = $i\n}")
	case tNull:
		return f("#.Valid = $b", "#.Int64 = int64($i)", "# = sql.NullInt64{}")
	case tInts:
		return f("# = append(#, $i)", "if len(#) > 0 {\n#[0] = $i\n}", "# = #[:0]", "#[len(#)-1] += 3", "# = append(#, #...)", "slices.Sort(#)", "copy(#, []int{$i, 4})", "slices.Reverse(#)", "for i := range # {\n#[i] *= 2\n}")
	case tArr:
		return f("#[0] = $i", "#[1]++", "#[$i & 1] = $i", "# = [3]int{1: $i}")
	case tMap:
		return f("#[\"a\"] = $i", "#[$s] += 2", "delete(#, $s)", "if old, ok := #[$s]; ok {\n#[\"b\"] = old + 1\n}", "#[\"c\"]++")
	case tByInt:
		return f("#[1] = $s", "#[$i] = \"bb\"", "delete(#, $i)")
	case tItem:
		return f("#.X = $i", "#.K++", "#.S += $s", "# = bump(#)", "bumpAt(&#, $i)", "#.add($i)", "# = Item{K: 1, S: $s}", "W := #\nW.X = 9\n_ = W")
	case tPItem:
		return f("#.X = $i", "#.add(2)", "bumpAt(#, $i)", "#.S = $s", "# = &Item{X: $i}", "*# = Item{K: 2}")
	case tTo:
		return f("*# = $i", "*# += $i", "*#--")
	case tFn:
		n := g.name("n")
		return f(n + " := #($i)\n_ = " + n)
	}
	panic("gogen: no assignment to a " + string(v.kind))
}

// closure declares a function literal and may call it.
func (g *gen) closure() {
	v, ok := g.some(tInt, false)
	switch n := g.name("f"); {
	case ok && g.chance(35):
		g.line("%s := func(d int) int {", n)
		g.line("%s", strings.ReplaceAll(g.oneOf("V += d\nreturn V", "V = d\nreturn V * 2", "if d > 2 {\nV--\nreturn 0\n}\nreturn d + V", "defer func() { V++ }()\nreturn V + d"), "V", v.name))
		g.line("}")
		g.bring(variable{name: n, kind: tFn})
		r := g.name("n")
		g.line("%s := %s(%s)", r, n, g.int(1))
		g.declare(r, tInt)
	case g.chance(25):
		if it, ok := g.some(tItem, false); ok {
			g.line("%s := %s.%s", n, it.name, g.oneOf("add", "sum"))
			g.bring(variable{name: n, kind: tFn})
			r := g.name("n")
			g.line("%s := %s(%s)", r, n, g.int(1))
			g.declare(r, tInt)
		}
	default:
		g.step(n)
	}
}

// step is a function literal that runs statements and gives an error.
func (g *gen) step(n string) {
	fail, succeed, loops := g.fail, g.succeed, g.loops
	g.fail, g.succeed, g.loops = func(e string) string { return "return " + e }, func(string) string { return "return nil" }, nil
	named := g.chance(30)
	if named {
		g.line("%s := func(d int) (err error) {", n)
		g.line("defer func() {\nif err != nil {\n%s\n}\n}()", g.oneOf(`err = fmt.Errorf("step: %w", err)`, "d++", "if errors.Is(err, ErrSkip) {\nerr = nil\n}", `err = fmt.Errorf("step: %v", err)`, "err = errors.Join(err, ErrSkip)", "if err == ErrSkip {\nerr = nil\n}"))
		if g.chance(40) {
			g.line("defer func() {\nif r := recover(); r != nil {\n%s\n}\n}()", g.oneOf(`err = fmt.Errorf("caught: %v", r)`, "err = ErrSkip", "d = 0", "panic(r)"))
		}
	} else {
		g.line("%s := func(d int) error {", n)
	}
	g.scope(func() {
		g.bring(variable{name: "d", kind: tInt})
		g.body(3)
	})
	g.line("return %s", g.oneOf("nil", "nil", "nil", "pick[error](d > 2, ErrSkip, nil)"))
	g.line("}")
	g.fail, g.succeed, g.loops = fail, succeed, loops
	for range 1 + g.r.IntN(2) {
		e := g.name("err")
		g.line("%s := %s(%s)", e, n, g.int(1))
		g.declare(e, tErr)
		switch g.r.IntN(4) {
		case 0:
			g.line("if %s {", strings.ReplaceAll(g.oneOf("errors.Is(#, ErrSkip)", "errors.Is(#, ErrStop)", "# == ErrSkip", "# == ErrStop", "errors.Is(#, "+g.noRows()+")", "# == "+g.noRows()), "#", e))
			g.scope(func() { g.body(1) })
			g.line("} else if %s != nil {\n%s\n}", e, g.fail(e))
		case 1:
			g.line("if c := (*codeError)(nil); errors.As(%s, &c) {\nreturnCode := c.code\n_ = returnCode\n%s\n}", e, g.fail("ErrStop"))
			g.line("if %s != nil {\n%s\n}", e, g.fail(e))
		default:
			g.line("if %s != nil {\n%s\n}", e, g.fail(e))
		}
	}
}
