package compare

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/txrobust/robust/internal/pgtest"
	"github.com/txrobust/robust/internal/sqlgen"
)

var (
	seedFlag    = flag.Uint64("sqlgen.seed", 1, "the seed of the first application")
	callsFlag   = flag.Int("sqlgen.calls", 2500, "how many single calls to compare, at least")
	typesFlag   = flag.Uint("sqlgen.types", uint(sqlgen.Basic), "groups of types, a bit set of sqlgen.Group")
	funcsFlag   = flag.Bool("sqlgen.functions", false, "call built-in functions")
	eachFlag    = flag.Int("sqlgen.each", 1, "how many cases of a class are made smaller and shown")
	keepFlag    = flag.String("sqlgen.keep", "", "a folder to write the cases to")
	casesFlag   = flag.String("sqlgen.cases", filepath.Join("..", "testdata", "cases", "*.sql"), "the files of kept cases")
	withoutFlag = flag.String("sqlgen.without", "division by zero,limit in subquery", "productions that are not generated")
	tableFlag   = flag.Bool("sqlgen.table", false, "print the coverage of the grammar")
)

// TestCalls compares single calls of random transactions.
func TestCalls(t *testing.T) {
	server := pgtest.Open(t)
	s, err := NewServer(t.Context(), server.Conn(t, server.Database(t)))
	if err != nil {
		t.Fatal(err)
	}
	c := &Calls{Server: s, States: 3, Args: 3, Tally: NewTally(), Each: *eachFlag, Budget: 1500}
	c.Options.Types = sqlgen.Group(*typesFlag)
	c.Options.Without = map[string]bool{}
	for _, p := range strings.Split(*withoutFlag, ",") {
		c.Options.Without[p] = true
	}
	if c.Options.Functions = *funcsFlag; *funcsFlag {
		if c.Options.Catalog, err = s.Catalog(); err != nil {
			t.Fatal(err)
		}
	}
	n := 0
	c.Report = func(cs Case, f Finding) {
		n++
		text := fmt.Sprintf("-- seed %d: %s\n%s%s\n", cs.Seed, f.Class, cs.String(), f.Details)
		t.Errorf("%s", text)
		if *keepFlag != "" {
			if err := os.WriteFile(filepath.Join(*keepFlag, fmt.Sprintf("%03d.sql", n)), []byte(text), 0o666); err != nil {
				t.Error(err)
			}
		}
	}
	for seed := *seedFlag; c.Tally.Runs < *callsFlag; seed++ {
		if err := c.App(seed); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
	t.Logf("seeds from %d: %s", *seedFlag, c.Tally)
	if *tableFlag {
		t.Logf("\n%s", c.Tally.Table())
	}
}

// TestCases runs what was wrong once, beside its repaired twins.
func TestCases(t *testing.T) {
	server := pgtest.Open(t)
	s, err := NewServer(t.Context(), server.Conn(t, server.Database(t)))
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(*casesFlag)
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
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
		calls += len(f.calls)
	}
	if calls < 10 {
		t.Errorf("there are only %d calls", calls)
	}
	t.Logf("%d files, %d calls", len(files), calls)
}
