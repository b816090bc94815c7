package robust_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/txrobust/robust/internal/gomod"
)

const module = "github.com/txrobust/robust"

// layers are the packages from the ones that know least to those that use
// everything. A package imports only from lines above its own. Those on one
// line do not import each other. FOLDER/* stands for the packages in a folder that no
// other line has.
var layers = [][]string{
	{"internal/quote", "internal/infile", "internal/gomod", "internal/z3program", "internal/fault", "internal/page", "internal/ansi", "internal/clock", "internal/revision", "internal/cycle", "internal/choices", "analyzer/internal/typed"}, // names and files of any input: they know nothing of what these mean
	{"internal/checker/anomalies", "internal/migration", "internal/irwords", "internal/irnames", "internal/flags", "internal/terminal"},
	{"internal/output"},
	{"isolation", "history"}, // and what judges recorded histories: see TestJudges
	{"history/codec/internal/ednode", "history/codec/internal/numbers", "history/codec/internal/dbcopyaml", "history/codec/internal/sniff"},
	{"history/codec/internal/stringstore"},
	{"history/codec", "history/record"},
	{"internal/checker", "internal/checker/acyclic"},
	{"internal/checker/explain", "internal/checker/verify"},
	{"internal/checker/outcomes", "internal/checker/workload"},
	{"internal/checker/adya", "internal/checker/brute", "internal/checker/c4", "internal/checker/commute", "internal/checker/elle", "internal/checker/polysi", "internal/checker/states", "internal/checker/viper", "internal/checker/simdb", "internal/checker/historytest"}, // they judge each other, and share no decision
	{"internal/checker/prefixes"},                     // rewrites histories for c4
	{"checker/judge", "internal/checker/definitions"}, // judge asks them all, definitions is for their tests
	{"internal/checker/view", "internal/checker/follow"},
	{"internal/folder", "internal/dbserver"},
	{"internal/collect", "internal/tail", "internal/peers"},
	{"internal/recording", "internal/peers/run"},
	{"internal/migration", "ir", "internal/smt", "internal/proof", "internal/cache", "internal/sqlgen", "internal/sarif"},
	{"internal/ir"},
	{"internal/wellformed", "internal/failure", "internal/batch", "internal/arith", "internal/doubles", "internal/excerpt", "internal/commits", "internal/ignore", "internal/pieces", "internal/config"},
	{"engine", "internal/rowvalues", "internal/rowstore", "internal/advice", "internal/guesses", "internal/client", "internal/schemafind", "internal/gormmodel", "internal/gosource"},
	{"ir/irtext", "internal/prepare", "internal/interp", "internal/draws", "internal/client/simplify", "analyzer/internal/comments", "analyzer/internal/consteval", "analyzer/internal/flow", "internal/sql/input", "internal/sql/pg", "internal/sql/trace", "internal/sql/system", "internal/sql/tidy", "internal/sql/catalog", "analyzer/internal/gotypes", "analyzer/internal/hole", "analyzer/internal/evalorder"},
	{"analyzer/internal/program"},
	{"analyzer/internal/memory"},
	{"analyzer/internal/session"},
	{"analyzer/internal/sqltext"},
	{"analyzer/internal/libs/opaque"},
	{"analyzer/internal/absint", "analyzer/internal/libs/*"}, // the interpreter names no library, and no library another one
	{"internal/sql/value"},
	{"internal/sql/scalars"},
	{"internal/sql/builtin"},
	{"internal/sql/plpgsql"},
	{"internal/sql/syntax"},
	{"internal/sql/mysql"},
	{"internal/sql/mysqlscript"},
	{"internal/sql/schema"},
	{"internal/sql/ddl"},
	{"internal/sql/load"},
	{"internal/sql/expr"},
	{"internal/sql/dialect", "internal/sql/rows", "internal/sql/over"},
	{"internal/sql/query"},
	{"internal/sql/tables", "internal/sql/write"},
	{"internal/sql/proc"},
	{"internal/sql/routine"},
	{"internal/vars"},
	{"sqlmodel", "analyzer", "internal/symbolic", "internal/progen", "internal/pgtest", "internal/levels"},
	{"internal/mariatest"}, // its schedules are those of pgtest
	{"internal/walk", "internal/stale", "instrument", "instrument/boogie"},
	{"internal/movers", "reach", "internal/schedules", "internal/witness"},
	{"movers"},
	{"internal/readcommitted", "internal/crosscheck"},
	{"internal/weak"},
	{"internal/codes"},
	{"report", "internal/replay"},
	{"internal/phases"},
	{"internal/findings", "internal/reportpage", "internal/summary", "internal/drawing"},
	{"internal/distributed", "internal/apart"},
	{"internal/goprogram", "internal/check", "internal/repair", "internal/lsp"},
	{"internal/allocate", "internal/demo", "internal/inbrowser"},
	{"internal/playground", "internal/inbrowser/wasm"},
	{"internal/playground/build"},
	{""}, // the package robust itself
	{"internal/sqlgen/compare"},
	{"lint"},
	{"lint/golangci"},
	{"cmd/robust", "internal/fieldnotes", "internal/fieldtrial"},
	{"internal/testprog", "internal/replaytest", "internal/golden", "internal/rooms", "internal/schematest", "internal/gogen", "internal/mutation"}, // for tests only, which do not count
}

// strangers are what a package must not import although it stands above, with
// the reason. Programs' halves that judge each other share nothing.
var strangers = []struct{ who, whom, why string }{
	{"sqlmodel", "internal/smt", "front ends know no solvers"},
	{"internal/sql/mysql", "internal/smt", "front ends know no solvers"},
	{"instrument", "internal/smt", "the instrumentation is for any reachability tool"},
	{"instrument", "internal/symbolic", "the instrumentation is for any reachability tool"},
	{"instrument/boogie", "internal/interp", "what Boogie says does not depend on the oracle"},
	{"internal/interp", "internal/smt", "the oracle shares nothing with the solver"},
	{"internal/witness", "internal/movers", "a witness does not depend on how it was found"},
	{"internal/witness", "internal/schedules", "a witness does not depend on how it was found"},
	{"internal/witness", "internal/symbolic", "a witness does not depend on how it was found"},
	{"internal/witness", "internal/smt", "a witness does not depend on how it was found"},
	{"internal/witness", "sqlmodel", "a witness does not depend on where the program came from"},
	{"internal/replay", "ir", "a server is told text only"},
	{"internal/replay", "internal/ir", "a server is told text only"},
	{"internal/replay", "engine", "what a server does is not what the model says of it"},
	{"internal/schedules", "internal/movers", "a search begins with walks, whoever found them"},
	{"internal/inbrowser", "internal/demo", "what a browser has to load is no larger than it must be"},
	{"internal/inbrowser", "internal/replay", "a browser reaches no server"},
	{"report", "internal/movers", "a report does not depend on how results were found"},
	{"report", "internal/schedules", "a report does not depend on how results were found"},
}

// TestDependencies makes sure that imports point one way.
func TestDependencies(t *testing.T) {
	place := map[string]int{}
	for i, line := range layers {
		for _, p := range line {
			place[p] = i
		}
	}
	all := packages(t)
	for pkg := range all {
		if _, known := place[pkg]; known {
			continue
		}
		if at, known := place[path.Join(path.Dir(pkg), "*")]; known {
			place[pkg] = at
		}
	}
	for pkg, imports := range all {
		at, known := place[pkg]
		if !known {
			t.Errorf("package %q has no layer: say in this test where it belongs", pkg)
			continue
		}
		for _, imp := range imports {
			if above, ok := place[imp]; ok && above >= at {
				t.Errorf("%s imports %s, which is not above it", pkg, imp)
			}
			for _, s := range strangers {
				if s.who == pkg && s.whom == imp {
					t.Errorf("%s imports %s, but %s", pkg, imp, s.why)
				}
			}
		}
	}
}

// judges are the packages that judge recorded histories, and those below them.
// They import nothing of the half that analyses programs, whose findings they
// check. How a name is printed, a file is opened, a page is framed and a panic is kept is no part of either half.
func judges(pkg string) bool {
	for _, p := range []string{"isolation", "history", "checker", "internal/checker", "internal/quote", "internal/infile", "internal/fault", "internal/page"} {
		if pkg == p || strings.HasPrefix(pkg, p+"/") {
			return true
		}
	}
	return false
}

// TestJudges makes sure that the two halves stay independent.
func TestJudges(t *testing.T) {
	n := 0
	for pkg, imports := range packages(t) {
		if !judges(pkg) {
			continue
		}
		n++
		for _, imp := range imports {
			if !judges(imp) {
				t.Errorf("%s, which judges histories, imports %s", pkg, imp)
			}
		}
	}
	if n == 0 {
		t.Error("there are no judges")
	}
}

// packages gives the imports, within the module, of every package of it. Tests
// do not count: they may use anything.
func packages(t *testing.T) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if file != "." && (strings.HasPrefix(name, ".") || name == "testdata" || gomod.Is(file)) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		pkg := strings.TrimPrefix(filepath.ToSlash(filepath.Dir(file)), ".")
		out[pkg] = append(out[pkg], []string{}...)
		for _, imp := range f.Imports {
			p, err := strconv.Unquote(imp.Path.Value)
			if err != nil {
				return err
			}
			rest, ok := strings.CutPrefix(p, module)
			if ok && !slices.Contains(out[pkg], strings.TrimPrefix(rest, "/")) {
				out[pkg] = append(out[pkg], strings.TrimPrefix(rest, "/"))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
