package compare

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/txrobust/robust/internal/mariatest"
	"github.com/txrobust/robust/internal/pgtest"
	"github.com/txrobust/robust/internal/replay"
	"github.com/txrobust/robust/internal/sqlgen"
	"github.com/txrobust/robust/internal/witness"
)

var (
	seedFlag       = flag.Uint64("sqlgen.seed", 1, "the seed of the first application")
	appsFlag       = flag.Int("sqlgen.apps", 8, "how many applications to check")
	committedFlag  = flag.Int("sqlgen.committed", 150, "how many executions at READ COMMITTED to compare, at least")
	pairsFlag      = flag.Int("sqlgen.pairs", 300, "how many interleavings to compare, at least")
	limitFlag      = flag.Duration("sqlgen.limit", 10*time.Second, "how long the check of an application may take")
	callsFlag      = flag.Int("sqlgen.calls", 2500, "how many single calls to compare, at least")
	mariaCallsFlag = flag.Int("sqlgen.mariacalls", 1500, "how many single calls to compare on MariaDB, at least")
	mariaPairsFlag = flag.Int("sqlgen.mariapairs", 200, "how many interleavings to compare on MariaDB, at least")
	mariaAppsFlag  = flag.Int("sqlgen.mariaapps", 6, "how many applications to check on MariaDB")
	typesFlag      = flag.Uint("sqlgen.types", uint(sqlgen.Basic), "groups of types, a bit set of sqlgen.Group")
	funcsFlag      = flag.Bool("sqlgen.functions", false, "call built-in functions")
	eachFlag       = flag.Int("sqlgen.each", 1, "how many cases of a class are made smaller and shown")
	keepFlag       = flag.String("sqlgen.keep", "", "a folder to write the cases to")
	casesFlag      = flag.String("sqlgen.cases", filepath.Join("..", "testdata", "cases", "*.sql"), "the files of kept cases")
	withoutFlag    = flag.String("sqlgen.without", "division by zero,limit in subquery,several rows,subquery in returning", "productions that are not generated")
	undecidedFlag  = flag.Bool("sqlgen.undecided", false, "show errors of evaluation that are not decided")
	tableFlag      = flag.Bool("sqlgen.table", false, "print the coverage of the grammar")
)

// onPostgres gives connections to a database of its own.
func onPostgres(t *testing.T) func() Link {
	server := pgtest.Open(t)
	return connections(t, server, server.Database(t))
}

func connections(t *testing.T, server *pgtest.Server, dsn string) func() Link {
	return func() Link { return Postgres(server.Conn(t, dsn)) }
}

// onMariaDB gives connections to the server of this test binary.
func onMariaDB(t *testing.T) func() Link {
	server := mariatest.Open(t)
	return func() Link { return MariaDB(server.Session(t)) }
}

// calls makes what compares calls, as the flags say.
func calls(t *testing.T, connect func() Link) *Calls {
	s, err := NewServer(t.Context(), connect())
	if err != nil {
		t.Fatal(err)
	}
	c := &Calls{Server: s, States: 3, Args: 3, Tally: NewTally(), Each: *eachFlag, Budget: 1500}
	if *undecidedFlag {
		c.Undecided = func(seed uint64, f Finding) { t.Logf("seed %d: %s: %s\n%s", seed, f.Result, f.Class, f.Details) }
	}
	c.Options.Types = sqlgen.Group(*typesFlag)
	c.Options.Without = map[string]bool{}
	for _, p := range strings.Split(*withoutFlag, ",") {
		c.Options.Without[p] = true
	}
	if _, maria := s.Link.(*mariadb); maria {
		c.Options.Dialect, c.Budget = sqlgen.MySQL, 400
	} else if c.Options.Functions = *funcsFlag; *funcsFlag {
		if c.Options.Catalog, err = s.Catalog(); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// modelled leaves out what is not modelled of MySQL, so that whole transactions are: it is
// compared by single calls.
func modelled(c *Calls) {
	if c.Options.Dialect != sqlgen.MySQL {
		return
	}
	for _, p := range strings.Split("savepoint,on duplicate key,insert ignore,replace,insert of a query,limited write,update of several tables,union,distinct,group by,"+
		"left join,offset,generated,mixed types,on delete cascade,on delete set null,on update cascade,correlated value,primary key of text,greatest", ",") {
		c.Options.Without[p] = true
	}
}

// report shows what is wrong.
func report(t *testing.T, name string, seed uint64, f Finding, what string) {
	text := fmt.Sprintf("-- seed %d: %s\n%s%s\n", seed, f.Class, what, f.Details)
	t.Errorf("%s", text)
	if *keepFlag != "" {
		file := filepath.Join(*keepFlag, fmt.Sprintf("%s-%d.sql", name, seed))
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Error(err)
		}
	}
}

// TestCalls compares single calls of random transactions.
func TestCalls(t *testing.T) { testCalls(t, onPostgres(t), *callsFlag) }

// TestCallsMariaDB does so in the dialect of MySQL.
func TestCallsMariaDB(t *testing.T) { testCalls(t, onMariaDB(t), *mariaCallsFlag) }

func testCalls(t *testing.T, connect func() Link, least int) {
	c := calls(t, connect)
	c.Report = func(cs Case, f Finding) { report(t, "call", cs.Seed, f, cs.String()) }
	for seed := *seedFlag; c.Tally.Runs < least; seed++ {
		if err := c.App(seed); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
	t.Logf("seeds from %d: %s", *seedFlag, c.Tally)
	if *tableFlag {
		t.Logf("\n%s", c.Tally.Table())
	}
}

// TestPairs compares random interleavings.
func TestPairs(t *testing.T) { testPairs(t, onPostgres(t), *pairsFlag) }

// TestPairsMariaDB does so in the dialect of MySQL.
func TestPairsMariaDB(t *testing.T) { testPairs(t, onMariaDB(t), *mariaPairsFlag) }

func testPairs(t *testing.T, connect func() Link, least int) {
	c := calls(t, connect)
	c.Options.Kinds = []sqlgen.Kind{sqlgen.Script, sqlgen.Script, sqlgen.Script, sqlgen.PLpgSQL, sqlgen.SQLFunction}
	modelled(c)
	p, err := NewPairs(t.Context(), *c, connect)
	if err != nil {
		t.Fatal(err)
	}
	p.ReportMix = func(x Mix, f Finding) { report(t, "pair", x.Seed, f, x.String()) }
	for seed := *seedFlag; p.Tally.Runs < least; seed++ {
		if err := p.App(seed); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
	t.Logf("seeds from %d: %s", *seedFlag, p.Tally)
}

// TestCases runs what was wrong once, beside its repaired twins.
func TestCases(t *testing.T) {
	connect := onPostgres(t)
	s, err := NewPairs(t.Context(), *calls(t, connect), connect)
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(*casesFlag)
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := ParseFile(string(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		wrong, err := f.Check(s)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, w := range wrong {
			t.Errorf("%s: %s", name, w)
		}
		count += len(f.calls) + len(f.mixes)
	}
	if count < 10 {
		t.Errorf("there are only %d cases", count)
	}
	t.Logf("%d files, %d cases", len(files), count)
}

// TestReadCommitted compares random executions at READ COMMITTED.
func TestReadCommitted(t *testing.T) {
	connect := onPostgres(t)
	c := calls(t, connect)
	c.Options.Kinds = []sqlgen.Kind{sqlgen.Script}
	p, err := NewPairs(t.Context(), *c, connect)
	if err != nil {
		t.Fatal(err)
	}
	p.ReadCommitted = true
	p.ReportMix = func(x Mix, f Finding) { report(t, "committed", x.Seed, f, x.String()) }
	for seed := *seedFlag; p.Tally.Runs < *committedFlag; seed++ {
		if err := p.App(seed); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
	t.Logf("seeds from %d: %s", *seedFlag, p.Tally)
}

// TestApps compares the verdicts on random applications with what they do.
func TestApps(t *testing.T) {
	server := pgtest.Open(t)
	dsn := server.Database(t)
	findings, err := replay.Open(t.Context(), replay.Options{Dialect: witness.Postgres, DSN: dsn})
	if err != nil {
		t.Fatal(err)
	}
	defer findings.Close()
	testApps(t, connections(t, server, dsn), findings, *appsFlag)
}

// TestAppsMariaDB does so in the dialect of MySQL, of which nothing is refuted.
func TestAppsMariaDB(t *testing.T) { testApps(t, onMariaDB(t), nil, *mariaAppsFlag) }

func testApps(t *testing.T, connect func() Link, findings *replay.Server, least int) {
	c := calls(t, connect)
	c.Options.Kinds = []sqlgen.Kind{sqlgen.Script, sqlgen.PLpgSQL, sqlgen.PLpgSQL, sqlgen.SQLFunction}
	c.Options.Txns, c.Options.Statements, c.Options.Depth, c.Options.Deterministic = 3, 2, 2, true
	modelled(c)
	pairs, err := NewPairs(t.Context(), *c, connect)
	if err != nil {
		t.Fatal(err)
	}
	p := NewApps(pairs, findings)
	p.Limit = *limitFlag
	p.ReportApp = func(a *sqlgen.App, f Finding) {
		text := a.Decls.String()
		for _, x := range a.Txns {
			text += "-- " + x.Name + "\n" + x.Node.String() + ";\n"
		}
		report(t, "app", a.Seed, f, text)
	}
	for seed := *seedFlag; p.Tally.Apps < least; seed++ {
		if err := p.App(t.Context(), seed); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
	t.Logf("seeds from %d: %s\n%s", *seedFlag, &p.AppsTally, p.Tally)
}
