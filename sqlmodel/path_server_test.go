package sqlmodel

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/pgtest"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// pathCase is a program whose names depend on search paths. It looks at a table through a name of each kind. Each
// table has one row, with a number of its own.
type pathCase struct {
	rng *rand.Rand
	// ddl makes the objects, then the function or transaction; session is the search path of the client, which is
	// said with Options.SearchPath if given.
	ddl     []string
	session syntax.SearchPath
	given   bool
	// script is the transaction of a script, "" if a function is called; call is what the client runs on the
	// server, whose result are the numbers.
	script string
	call   string
	// role is what the client is called, if it has a role of its own.
	role string
	// has are the objects that there are, such as "t a".
	has     map[string]bool
	numbers int
	setting string
}

var (
	pathCases = flag.Int("path.cases", 400, "how many programs with search paths to compare with a server")
	pathSeed  = flag.Uint64("path.seed", seed, "the seed of these")
)

var (
	pathSchemas = []string{"public", "a", "b"}
	pathKinds   = []string{"table", "view", "function", "type", "default", "trigger", "row", "lower"}
)

func (c *pathCase) add(format string, args ...any) {
	c.ddl = append(c.ddl, fmt.Sprintf(format, args...)+";")
}

func (c *pathCase) chance(n int) bool { return c.rng.IntN(n) == 0 }

func (c *pathCase) schema() string { return pathSchemas[c.rng.IntN(len(pathSchemas))] }

// path is a random search path.
func (c *pathCase) path() syntax.SearchPath {
	p := syntax.SearchPath(slices.Clone(pathSchemas))
	c.rng.Shuffle(len(p), func(i, j int) { p[i], p[j] = p[j], p[i] })
	p = p[:1+c.rng.IntN(len(p))]
	if c.chance(6) {
		p = slices.Insert(p, c.rng.IntN(len(p)+1), syntax.UserSchema)
	}
	if c.chance(12) {
		p = append(p, syntax.SystemSchema)
	}
	return p
}

// table makes a table with a number.
func (c *pathCase) table(name, schema string) {
	c.numbers++
	c.has[name+" "+schema] = true
	c.add("CREATE TABLE %s.%s (who int PRIMARY KEY); INSERT INTO %[1]s.%[2]s VALUES (%[3]d)", schema, name, c.numbers)
}

// objects makes what the probes name, in some schemas.
func (c *pathCase) objects() {
	c.add("CREATE SCHEMA a")
	c.add("CREATE SCHEMA b")
	for _, kind := range pathKinds {
		sure := c.schema()
		for _, s := range pathSchemas {
			if s == sure || c.rng.IntN(3) > 0 {
				c.object(kind, s)
			}
		}
	}
}

func (c *pathCase) object(kind, s string) {
	switch kind {
	case "table":
		c.table("t", s)
	case "view":
		c.table("tv", s)
		c.has["v "+s] = true
		if c.chance(2) {
			c.add("CREATE VIEW %s.v AS SELECT who FROM %[1]s.tv", s)
		} else {
			c.add("SET search_path = %s; CREATE VIEW v AS SELECT who FROM tv; RESET search_path", s)
		}
	case "function":
		c.table("tf", s)
		c.has["f() "+s] = true
		language, body := "sql", "SELECT who FROM "+s+".tf"
		if c.chance(2) {
			language, body = "plpgsql", "BEGIN RETURN (SELECT who FROM "+s+".tf); END"
		}
		c.add("CREATE FUNCTION %s.f() RETURNS int LANGUAGE %s AS $f$ %s $f$", s, language, body)
	case "type":
		c.table("tm", s)
		c.add("CREATE TYPE %s.mood AS ENUM ('ok')", s)
		c.add("CREATE FUNCTION public.kind(%s.mood) RETURNS int LANGUAGE plpgsql AS $f$ BEGIN RETURN (SELECT who FROM %[1]s.tm); END $f$", s)
	case "row":
		c.add("CREATE TABLE %s.r (who int)", s)
		c.table("tr", s)
		c.add("CREATE FUNCTION public.ofrow(%s.r) RETURNS int LANGUAGE plpgsql AS $f$ BEGIN RETURN (SELECT who FROM %[1]s.tr); END $f$", s)
	case "lower": // pg_catalog has a function of this name and another signature, and one of the same
		c.table("tl", s)
		c.has["lower "+s] = true
		c.add("CREATE FUNCTION %s.lower(int) RETURNS int LANGUAGE plpgsql AS $f$ BEGIN RETURN (SELECT who FROM %[1]s.tl); END $f$", s)
		c.add("CREATE FUNCTION %s.abs(int) RETURNS int LANGUAGE plpgsql AS $f$ BEGIN RETURN (SELECT who FROM %[1]s.tl); END $f$", s)
	case "default":
		c.table("td", s)
		c.has["d() "+s] = true
		c.add("CREATE FUNCTION %s.d() RETURNS int LANGUAGE plpgsql AS $f$ BEGIN RETURN (SELECT who FROM %[1]s.td); END $f$", s)
	case "trigger":
		c.table("tg", s)
		c.add("CREATE FUNCTION %s.g() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN NEW.y := (SELECT who FROM %[1]s.tg); RETURN NEW; END $f$", s)
	}
}

// probe is an expression that looks at one of the tables through a name of a kind.
func (c *pathCase) probe(kind string) string {
	prefix := ""
	if c.chance(8) {
		prefix = c.schema() + "."
	}
	switch kind {
	case "table":
		return "(SELECT max(who) FROM " + prefix + "t)"
	case "view":
		return "(SELECT max(who) FROM " + prefix + "v)"
	case "function":
		return prefix + "f()"
	case "type":
		return "public.kind(NULL::" + prefix + "mood)"
	case "row":
		return "public.ofrow(NULL::" + prefix + "r)"
	case "lower":
		if s := strings.TrimSuffix(prefix, "."); s == syntax.PublicSchema && !c.has["lower "+s] {
			prefix = "" // public.abs may be of an extension for all that is known
		}
		if c.chance(2) {
			return prefix + "lower(1)"
		}
		return prefix + "abs(0)" // 0 is the number of no table
	}
	panic(kind)
}

// early makes objects whose names are resolved when they are declared, and gives expressions that look through
// them.
func (c *pathCase) early() []string {
	var out []string
	c.add("SET search_path = %s", c.path())
	if c.chance(2) {
		c.add("CREATE VIEW public.through AS SELECT %s AS who", c.probe([]string{"table", "view"}[c.rng.IntN(2)]))
		out = append(out, "(SELECT who FROM public.through)")
	}
	if c.chance(2) {
		c.add("CREATE FUNCTION public.atomic() RETURNS int BEGIN ATOMIC SELECT %s; END", c.probe([]string{"table", "view", "function"}[c.rng.IntN(3)]))
		out = append(out, "public.atomic()")
	}
	c.add("RESET search_path")
	return out
}

// inserted makes a table with a default and a trigger, whose functions are resolved when it is declared.
func (c *pathCase) inserted() string {
	c.add("SET search_path = %s", c.path())
	c.add("CREATE TABLE public.made (k int PRIMARY KEY, x int DEFAULT d(), y int)")
	c.add("CREATE TRIGGER tr BEFORE INSERT ON public.made FOR EACH ROW EXECUTE FUNCTION g()")
	c.add("RESET search_path")
	return "INSERT INTO public.made (k) VALUES (1)"
}

// moves changes names after everything was declared.
func (c *pathCase) moves() {
	for range c.rng.IntN(4) {
		s, to := c.schema(), c.schema()
		name := []string{"t", "tv", "v", "f()", "d()"}[c.rng.IntN(5)]
		what := map[string]string{"v": "VIEW", "f()": "FUNCTION", "d()": "FUNCTION"}[name]
		if what == "" {
			what = "TABLE"
		}
		old := strings.TrimSuffix(name, "()") + "_old"
		switch {
		case !c.has[name+" "+s]:
		case c.chance(2):
			if !c.has[old+" "+s] {
				c.add("ALTER %s %s.%s RENAME TO %s", what, s, name, old)
				c.has[name+" "+s], c.has[old+" "+s] = false, true
			}
		case !c.has[name+" "+to]:
			c.add("ALTER %s %s.%s SET SCHEMA %s", what, s, name, to)
			c.has[name+" "+s], c.has[name+" "+to] = false, true
		}
		if name == "t" && !c.has["t "+s] && c.chance(2) {
			c.table("t", s)
		}
	}
	if c.chance(8) {
		c.add("ALTER SCHEMA b RENAME TO c; CREATE SCHEMA b")
	}
}

// newPathCase makes a case.
func newPathCase(rng *rand.Rand) *pathCase {
	c := &pathCase{rng: rng, has: map[string]bool{}, session: syntax.DefaultPath}
	c.objects()
	var probes []string
	for _, kind := range []string{"table", "view", "function", "type", "row", "lower"} {
		if c.rng.IntN(3) > 0 {
			probes = append(probes, c.probe(kind))
		}
	}
	probes = append(probes, c.early()...)
	insert := ""
	if c.chance(3) {
		insert = c.inserted()
		probes = append(probes, "(SELECT x FROM public.made)", "(SELECT y FROM public.made)")
	}
	if len(probes) == 0 {
		probes = append(probes, c.probe("table"))
	}
	expr := "ARRAY[" + strings.Join(probes, ", ") + "]"
	if c.chance(3) {
		c.session, c.given = c.path(), true
	}
	c.moves()
	p := c.path()
	c.function(p, insert, expr)
	if c.chance(4) {
		c.moves()
	}
	if c.chance(4) {
		c.add("CREATE ROLE a SUPERUSER")
		if c.chance(2) {
			c.role = "a"
		}
	}
	return c
}

// function makes the function or transaction with the names, where the path p is set in some way, or the client's.
func (c *pathCase) function(p syntax.SearchPath, insert, expr string) {
	if insert != "" {
		insert += "; "
	}
	sql := func(clause string) string {
		return fmt.Sprintf("CREATE FUNCTION public.probe() RETURNS int[] LANGUAGE sql%s AS $x$ %sSELECT %s $x$", clause, insert, expr)
	}
	within := func(clause, first, last string) string {
		return fmt.Sprintf("CREATE FUNCTION public.probe() RETURNS int[] LANGUAGE plpgsql%s AS $x$ BEGIN %s%sRETURN %s; %sEND $x$", clause, first, insert, expr, last)
	}
	pl := func(clause, first string) string { return within(clause, first, "") }
	either := func(clause string) string {
		if c.chance(2) {
			return sql(clause)
		}
		return pl(clause, "")
	}
	settings := []string{"session", "clause", "alter", "reset", "current", "set local", "set", "set_config", "caller", "caller after set", "script", "script local",
		"branch", "other branch", "loop", "handler", "in a handler", "called setter"}
	c.setting = settings[c.rng.IntN(len(settings))]
	c.add("SET check_function_bodies = off")
	c.call = "SELECT public.probe()"
	switch c.setting {
	case "session":
		c.add("%s", either(""))
	case "clause":
		c.add("%s", either(" SET search_path = "+p.String()))
	case "alter":
		c.add("%s", either(""))
		c.add("ALTER FUNCTION public.probe() SET search_path = %s", p)
	case "reset":
		c.add("%s", either(" SET search_path = "+p.String()))
		c.add("ALTER FUNCTION public.probe() RESET %s", []string{"search_path", "ALL"}[c.rng.IntN(2)])
	case "current":
		c.add("SET search_path = %s", p)
		c.add("%s", either(" SET search_path FROM CURRENT"))
		c.add("RESET search_path")
	case "set local", "set":
		c.add("%s", pl("", strings.ToUpper(c.setting)+" search_path = "+p.String()+"; "))
	case "set_config":
		c.add("%s", pl("", "PERFORM set_config('search_path', '"+p.String()+"', true); "))
	case "caller":
		c.add("%s", either(""))
		c.add("CREATE FUNCTION public.calls() RETURNS int[] LANGUAGE plpgsql SET search_path = %s AS $x$ BEGIN RETURN public.probe(); END $x$", p)
		c.call = "SELECT public.calls()"
	case "caller after set":
		c.add("%s", either(""))
		c.add("CREATE FUNCTION public.calls() RETURNS int[] LANGUAGE plpgsql AS $x$ BEGIN SET LOCAL search_path = %s; RETURN public.probe(); END $x$", p)
		c.call = "SELECT public.calls()"
	case "called setter":
		clause := ""
		if c.chance(2) {
			clause = " SET search_path = " + c.path().String()
		}
		word := []string{"SET", "SET LOCAL"}[c.rng.IntN(2)]
		c.add("CREATE FUNCTION public.sets() RETURNS void LANGUAGE plpgsql%s AS $x$ BEGIN %s search_path = %s; END $x$", clause, word, p)
		c.add("%s", pl("", "PERFORM public.sets(); "))
	case "branch":
		c.add("%s", pl("", fmt.Sprintf("IF (SELECT count(*) FROM public.kinds) = %d THEN SET LOCAL search_path = %s; END IF; ", c.rng.IntN(2), p)))
		c.add("CREATE TABLE public.kinds (k int)")
	case "other branch":
		c.add("%s", within("", fmt.Sprintf("IF (SELECT count(*) FROM public.kinds) > 0 THEN SET LOCAL search_path = %s; ELSE ", p), "END IF; "))
		c.add("CREATE TABLE public.kinds (k int)")
	case "loop":
		c.add("%s", pl("", "FOR i IN 1..2 LOOP SET LOCAL search_path = "+p.String()+"; END LOOP; "))
	case "handler":
		c.add("%s", pl("", "BEGIN SET LOCAL search_path = "+p.String()+"; RAISE EXCEPTION 'x'; EXCEPTION WHEN raise_exception THEN NULL; END; "))
	case "in a handler":
		c.add("%s", within("", "BEGIN SET LOCAL search_path = "+p.String()+"; RAISE EXCEPTION 'x'; EXCEPTION WHEN raise_exception THEN ", "END; "))
	case "script":
		c.script = fmt.Sprintf("SET search_path = %s;\nBEGIN;\n%sSELECT %s;\nCOMMIT;\n", p, insert, expr)
		c.call = fmt.Sprintf("SET search_path = %s; %sSELECT %s", p, insert, expr)
	case "script local":
		c.script = fmt.Sprintf("BEGIN;\nSET LOCAL search_path = %s;\n%sSELECT %s;\nCOMMIT;\n", p, insert, expr)
		c.call = fmt.Sprintf("SET search_path = %s; %sSELECT %s", p, insert, expr)
	}
}

// errDeclaration says that the server refuses a declaration: the case says nothing.
var errDeclaration = errors.New("a declaration is refused")

// wherePath gives the tables of the server by their numbers.
const wherePath = `SELECT n.nspname || '.' || c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
	WHERE c.relkind = 'r' AND n.nspname IN ('public', 'a', 'b', 'c') AND EXISTS (SELECT 1 FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'who')`

// onServer runs the case, and gives the tables that it looks at, or the error.
func (c *pathCase) onServer(t *testing.T, conn *pgconn.PgConn) (tables []string, err error) {
	ctx := context.Background()
	run := func(sql string) [][][]byte {
		results, err := conn.Exec(ctx, sql).ReadAll()
		if err != nil {
			t.Fatalf("%v\nin: %s\n%s", err, sql, strings.Join(c.ddl, "\n"))
		}
		return results[len(results)-1].Rows
	}
	run("BEGIN")
	defer run("ROLLBACK")
	if _, err := conn.Exec(ctx, strings.Join(c.ddl, "\n")).ReadAll(); err != nil {
		return nil, errDeclaration
	}
	numbers := map[string]string{}
	for _, row := range run(wherePath) {
		name := string(row[0])
		for _, r := range run("SELECT who FROM " + name) {
			numbers[string(r[0])] = name
		}
	}
	run("SET search_path = " + c.session.String())
	if c.role != "" {
		run("SET LOCAL ROLE " + c.role)
	}
	results, err := conn.Exec(ctx, c.call).ReadAll()
	if err != nil {
		var e *pgconn.PgError
		if !errors.As(err, &e) {
			t.Fatal(err)
		}
		return nil, err
	}
	for _, row := range results[len(results)-1].Rows {
		for _, n := range strings.Split(strings.Trim(string(row[0]), "{}"), ",") {
			if n == "0" { // of the system's own function
				continue
			}
			if numbers[n] == "" {
				t.Fatalf("the server gives %s, which is the number of no table\n%s\n%s", n, strings.Join(c.ddl, "\n"), c.call)
			}
			tables = append(tables, numbers[n])
		}
	}
	slices.Sort(tables)
	return slices.Compact(tables), nil
}

// translated gives the tables with numbers that the transaction looks at, and whether all of it is modelled and nothing
// is taken for granted.
func (c *pathCase) translated() (tables []string, sure bool, err error) {
	opt := Options{}
	if c.given {
		opt.SearchPath = c.session
	}
	files := []File{{Name: "case.sql", Text: strings.Join(c.ddl, "\n") + "\n"}}
	if c.script != "" {
		files = append(files, File{Name: "script.sql", Text: c.script})
		opt.Txns = []string{"script-1"}
	} else {
		opt.Txns = []string{strings.TrimSuffix(strings.TrimPrefix(c.call, "SELECT public."), "()")}
	}
	l, err := read(opt.input(files))
	if err != nil {
		return nil, false, err
	}
	func() {
		defer l.Catch(&err)
		err = l.translate()
	}()
	if err != nil {
		return nil, false, err
	}
	txn := l.Prog.Txns[len(l.Prog.Txns)-1]
	sure = true
	see := func(t *ir.Table) {
		if o := l.TableOfIR(t); o.Column("who") != nil {
			tables = append(tables, o.Rel.Schema()+"."+o.Rel.Own())
		}
	}
	ir.Walk(txn.Body, func(s ir.Stmt) {
		for _, src := range ir.Reads(s) {
			see(src.Table)
		}
		if u, ok := s.(*ir.Unmodelled); ok {
			sure = false
			for _, t := range u.Tables {
				see(t)
			}
			if u.Tables == nil {
				for _, t := range l.Prog.Tables {
					see(t)
				}
			}
		}
	})
	for _, n := range l.Notes {
		sure = sure && (!strings.Contains(n.Text, "taken for granted") || strings.Contains(n.Text, "no client has a role"))
	}
	slices.Sort(tables)
	return slices.Compact(tables), sure, nil
}

// TestSearchPathOnServer compares the tables that a server looks at with those of the translation, for random programs in
// which tables, views, functions and types of one name stand in several schemas.
func TestSearchPathOnServer(t *testing.T) {
	server := pgtest.Open(t)
	conn := server.Conn(t, server.Database(t)).PgConn()
	cases, exact, refused := *pathCases, 0, 0
	if testing.Short() {
		cases = min(cases, 60)
	}
	settings := map[string]int{}
	for i := range cases {
		c := newPathCase(rand.New(rand.NewPCG(*pathSeed, uint64(i))))
		want, failed := c.onServer(t, conn)
		if failed == errDeclaration {
			refused++
			continue
		}
		got, sure, err := c.translated()
		text := func() string {
			return "case " + strconv.Itoa(i) + " (" + c.setting + "), session " + c.session.String() + "\n" + strings.Join(c.ddl, "\n") + "\n" + c.script + c.call
		}
		switch {
		case failed != nil:
			refused++
			if err == nil && sure {
				t.Errorf("the server refuses (%v), the translation looks at %v\n%s", failed, got, text())
			}
		case err != nil:
			t.Errorf("the server looks at %v, the translation fails: %v\n%s", want, err, text())
		case sure && !slices.Equal(got, want):
			t.Errorf("the server looks at %v, the translation at %v\n%s", want, got, text())
		case !sure && slices.ContainsFunc(want, func(n string) bool { return !slices.Contains(got, n) }):
			t.Errorf("the server looks at %v, which the translation does not have: %v\n%s", want, got, text())
		case sure:
			exact++
			settings[c.setting]++
		}
	}
	t.Logf("seed %d: %d cases, %d exact, %d that the server refuses; %v", *pathSeed, cases, exact, refused, settings)
	if exact < cases/3 || refused > cases*2/3 {
		t.Errorf("only %d cases of %d are exact", exact, cases)
	}
}
