package sqlgen

import (
	"slices"
	"strings"
)

// references declares a foreign key of several columns, or one that is checked in
// another way.
func (g *gen) references(t *Table, items *Node) {
	if len(g.app.Tables) == 0 || !g.on("foreign key of a table") {
		return
	}
	parent := pick(g, g.app.Tables)
	if len(parent.Key) == 0 {
		return
	}
	var names []string
	for i, k := range parent.Key {
		c := &Column{Name: "f" + string(rune('a'+i)), Type: k.Type, Ref: k}
		t.Columns = append(t.Columns, c)
		names = append(names, c.Name)
		items.Kids = append(items.Kids, text(c.Name+" "+c.Type.Name))
	}
	prod, match := "foreign key of a table", ""
	if len(names) > 1 {
		prod = "foreign key of several columns"
		if g.chance(30) && g.on("match full") {
			prod, match = "match full", " MATCH FULL"
		}
	}
	when := ""
	switch n := g.rng.IntN(100); {
	case n < 15 && g.on("deferrable"):
		prod, when = "deferrable", " DEFERRABLE"
	case n < 30 && g.on("deferred"):
		prod, when = "deferred", " DEFERRABLE INITIALLY DEFERRED"
	}
	items.Kids = append(items.Kids, opt(seq(prod, "FOREIGN KEY ("+join(names)+") REFERENCES "+parent.Name+match+g.actions(false)+when)))
}

// later declares constraints with ALTER TABLE.
func (g *gen) later(t *Table) {
	switch n := g.rng.IntN(100); {
	case n < 5 && g.on("not valid"):
		for _, c := range t.Columns {
			for _, p := range g.app.Tables {
				if c.Ref == nil && len(p.Key) == 1 && p.Key[0].Type == c.Type && !isKey(t, c) && p != t {
					c.Ref = p.Key[0]
					g.decl(seq("not valid", "ALTER TABLE "+t.Name+" ADD FOREIGN KEY ("+c.Name+") REFERENCES "+p.Name+" NOT VALID"))
					return
				}
			}
		}
	case n < 10 && g.on("add a column"):
		c := &Column{Name: "later", Type: Int, NotNull: true}
		t.Columns = append(t.Columns, c)
		g.decl(seq("add a column", "ALTER TABLE "+t.Name+" ADD COLUMN later int NOT NULL DEFAULT 1"))
	case n < 13 && g.on("deferred unique"):
		if c := t.other(g); c != nil && c.Type.comparable() && c.Type != Bool {
			g.decl(seq("deferred unique", "ALTER TABLE "+t.Name+" ADD UNIQUE ("+c.Name+") DEFERRABLE INITIALLY DEFERRED"))
		}
	}
}

// exclude declares an exclusion constraint.
func (g *gen) exclude(t *Table, items *Node) {
	if !g.on("exclude") {
		return
	}
	var ints []*Column
	for _, c := range t.Columns {
		if c.Type == Int && !c.Generated && !c.Auto {
			ints = append(ints, c)
		}
	}
	switch {
	case len(ints) >= 2 && g.chance(60):
		a, b := ints[0], ints[1]
		items.Kids = append(items.Kids, opt(seq("exclude ranges", "EXCLUDE USING gist (int4range(LEAST("+a.Name+", "+b.Name+"), GREATEST("+a.Name+", "+b.Name+"), '[]') WITH &&)")))
	case len(ints) >= 1:
		where := ""
		if g.chance(40) {
			e := g.rowEnv(t, "")
			e.pure, e.plain = true, true
			where = " WHERE (" + g.cond(e, 1).String() + ")"
		}
		items.Kids = append(items.Kids, opt(seq("exclude equal", "EXCLUDE USING btree ("+ints[0].Name+" WITH =)"+where)))
	}
}

// checker declares a function that refuses some values.
func (g *gen) checker() {
	if g.chance(30) && g.on("checked value") {
		g.checks = true
		g.decl(seq("checked value", "CREATE FUNCTION checked(v int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN IF v < 0 OR v > 5 THEN RAISE EXCEPTION 'no'; END IF; RETURN v; END $$"))
	}
}

// declared makes enums and domains.
func (g *gen) declared() {
	if g.opt.Types&Declared == 0 {
		return
	}
	if g.chance(40) {
		labels := strings.Fields("low mid high")
		t := &Type{Name: "mood", Base: "mood", Values: labels, Group: Declared}
		g.decl(seq("enum", "CREATE TYPE mood AS ENUM ('"+strings.Join(labels, "', '")+"')"))
		g.types = append(slices.Clone(g.types), t)
	}
	if g.chance(40) {
		t := &Type{Name: "positive", Base: "int4", Values: words("1|2|3|7"), Group: Declared, Sums: true}
		g.decl(seq("domain", "CREATE DOMAIN positive AS int CHECK (VALUE > 0)"))
		g.types = append(slices.Clone(g.types), t)
	}
	if g.chance(25) && g.on("domain of text") {
		t := &Type{Name: "code", Base: "text", Values: words("a|b|ab"), Group: Declared, NotNull: true}
		g.decl(seq("domain of text", "CREATE DOMAIN code AS text NOT NULL DEFAULT 'a' CHECK (length(VALUE) BETWEEN 1 AND 2)"))
		g.types = append(slices.Clone(g.types), t)
	}
}

// trigger declares a trigger.
func (g *gen) trigger(name string) {
	t := g.baseTable()
	if t == nil {
		return
	}
	when := pick(g, []string{"BEFORE", "AFTER"})
	event := pick(g, []string{"INSERT", "UPDATE", "DELETE", "INSERT OR UPDATE"})
	b := &body{t: &Txn{Void: true}, decls: list("", 0), size: 8}
	e := &env{}
	row := "NEW"
	if event == "DELETE" {
		row = "OLD"
	}
	for _, c := range t.Columns {
		e.vars = append(e.vars, binding{ref: row + "." + c.Name, name: row + "." + c.Name, t: c.Type, null: true, auto: c.Auto})
	}
	// A trigger that writes its own table may never end.
	var others []*Table
	for _, o := range g.app.Tables {
		if o != t {
			others = append(others, o)
		}
	}
	all := g.app.Tables
	g.app.Tables = others
	stmts := list("", 0)
	if len(others) > 0 {
		for range 1 + g.rng.IntN(2) {
			w, _ := g.write(e, false)
			stmts.Kids = append(stmts.Kids, seq("", w, ";\n").of("statement", ""))
		}
	}
	g.app.Tables = all
	if c := t.other(g); when == "BEFORE" && row == "NEW" && c != nil && g.chance(50) {
		stmts.Kids = append(stmts.Kids, seq("assignment of new", "NEW."+c.Name+" := ", g.expr(&env{vars: e.vars, plain: true}, c.Type, 1), ";\n"))
	}
	if g.chance(20) {
		stmts.Kids = append(stmts.Kids, seq("trigger raises", "IF ", g.cond(&env{vars: e.vars, plain: true}, 1), " THEN RAISE EXCEPTION 'no'; END IF;\n"))
	}
	ret := row
	if when == "BEFORE" && row == "NEW" && g.on("copy of new") && g.chance(25) {
		ret = "r"
		b.decls.Kids = append(b.decls.Kids, seq("copy of new", pick(g, []string{"r record := NEW", "r " + t.Name + "%ROWTYPE := NEW"}), ";\n"))
		if c := t.other(g); c != nil {
			stmts.Kids = append(stmts.Kids, seq("assignment to the copy", "r."+c.Name+" := ", g.expr(&env{vars: e.vars, plain: true}, c.Type, 1), ";\n"))
		}
	}
	if when == "BEFORE" && g.chance(15) {
		stmts.Kids = append(stmts.Kids, seq("trigger skips", "IF ", g.cond(&env{vars: e.vars, plain: true}, 1), " THEN RETURN NULL; END IF;\n"))
	}
	each := " FOR EACH ROW"
	if when == "AFTER" && g.chance(12) {
		each = ""
		stmts = list("", 0)
		if len(others) > 0 {
			g.app.Tables = others
			w, _ := g.write(&env{}, false)
			g.app.Tables = all
			stmts.Kids = append(stmts.Kids, seq("", w, ";\n"))
		}
	}
	if each == "" && event != "INSERT OR UPDATE" && g.chance(50) && len(others) > 0 && g.on("transition table") {
		g.transition(name, t, event, others)
		return
	}
	g.decl(seq("trigger function", "CREATE FUNCTION "+name+"_do() RETURNS trigger LANGUAGE plpgsql AS $$\nDECLARE\n", b.decls, "BEGIN\n", stmts, "RETURN "+ret+";\nEND $$"))
	if each == "" { // there is no row
		g.app.Decls.Kids[len(g.app.Decls.Kids)-1] = seq("", seq("trigger function", "CREATE FUNCTION "+name+"_do() RETURNS trigger LANGUAGE plpgsql AS $$\nBEGIN\n", stmts, "RETURN NULL;\nEND $$"), ";\n")
	}
	if event == "UPDATE" && g.chance(30) {
		event += " OF " + pick(g, t.Columns).Name
	}
	cond := (*Node)(nil)
	if each != "" && g.chance(25) {
		cond = opt(seq("trigger when", " WHEN (", g.cond(&env{vars: e.vars, plain: true, pure: true}, 1), ")"))
	}
	g.decl(seq("trigger "+strings.ToLower(when), "CREATE TRIGGER "+name+" "+when+" "+event+" ON "+t.Name+each, cond, " EXECUTE FUNCTION "+name+"_do()"))
}

// transition declares a trigger that looks at the rows of a statement.
func (g *gen) transition(name string, t *Table, event string, others []*Table) {
	all := g.app.Tables
	g.app.Tables = others
	defer func() { g.app.Tables = all }()
	rows := *t
	rows.Name, rows.View = "changed", true
	in := &env{ctes: []*Table{&rows}}
	which := "NEW"
	if event == "DELETE" {
		which = "OLD"
	}
	w, _ := g.write(in, false)
	into := pick(g, others)
	if c := into.amount(g); c != nil && !into.View && g.chance(60) {
		w = seq("count of a transition table", "UPDATE "+into.Name+" SET "+c.Name+" = "+c.Name+" + (SELECT count(*) FROM changed)::"+c.Type.Name)
	}
	g.decl(seq("trigger function", "CREATE FUNCTION "+name+"_do() RETURNS trigger LANGUAGE plpgsql AS $$\nBEGIN\n", w, ";\nRETURN NULL;\nEND $$"))
	g.decl(seq("transition table", "CREATE TRIGGER "+name+" AFTER "+event+" ON "+t.Name+" REFERENCING "+which+" TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION "+name+"_do()"))
}
