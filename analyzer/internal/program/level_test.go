package program

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
)

// TestSessionLevels finds the levels of sessions in the ways to set them.
func TestSessionLevels(t *testing.T) {
	const head = `package p
type conf struct{ RuntimeParams map[string]string }
type values struct{}
func (values) Set(key, value string) {}
type conn struct{}
func (conn) Exec(text string) {}
func open(...string) {}
func sprintf(format string, args ...string) string { return "" }
const level = "repeatable read"
var c conf
var q values
var db conn
var x string
`
	for body, want := range map[string]string{
		`open("host=db default_transaction_isolation=serializable")`:                                         "serializable",
		`open("host=db default_transaction_isolation='repeatable read' user=%s")`:                            "repeatable read",
		`open("postgres://db/x?default_transaction_isolation=repeatable%20read")`:                            "repeatable read",
		`open("postgres://db/x?options=-c%20default_transaction_isolation%3Drepeatable%5C%20read")`:          "repeatable read",
		"open(`host=db options='-c default_transaction_isolation=repeatable\\ read'`)":                       "repeatable read",
		`open("host=db default_transaction_isolation='" + level + "'")`:                                      "repeatable read",
		`open(sprintf("default_transaction_isolation=%s", x))`:                                               "unknown",
		`c.RuntimeParams["default_transaction_isolation"] = "serializable"`:                                  "serializable",
		`c.RuntimeParams["default_transaction_isolation"] = x`:                                               "unknown",
		`c.RuntimeParams = map[string]string{"default_transaction_isolation": level}`:                        "repeatable read",
		`q.Set("default_transaction_isolation", "Serializable")`:                                             "serializable",
		`db.Exec("SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL REPEATABLE READ")`:              "repeatable read",
		`db.Exec("SET SESSION CHARACTERISTICS AS TRANSACTION " + x)`:                                         "unknown",
		`db.Exec("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY, ISOLATION LEVEL SERIALIZABLE")`:      "serializable",
		`db.Exec("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY")`:                                    "",
		`db.Exec("SELECT set_config('default_transaction_isolation', 'serializable', false)")`:               "serializable",
		`db.Exec("SELECT set_config('default_transaction_isolation', $1, false)")`:                           "unknown",
		`db.Exec("ALTER ROLE r SET default_transaction_isolation TO 'read committed'")`:                      "read committed",
		`open("default_transaction_isolation=serializable"); open("default_transaction_isolation=" + x)`:     "serializable, unknown",
		`open("default_transaction_isolation=serializable", "default_transaction_isolation=read committed")`: "serializable, read committed",
		`q.Set("default_transaction_isolation", x); q.Set("isolation", "serializable")`:                      "unknown",
		`if x == "default_transaction_isolation" { open("serializable") }`:                                   "",
		`db.Exec("SHOW default_transaction_isolation")`:                                                      "",
		`db.Exec("SET LOCAL default_transaction_isolation = 'serializable'")`:                                "",
		`db.Exec("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE")`:                                            "",
		`open("user@/x?transaction_isolation=%27READ-COMMITTED%27")`:                                         "read committed",
		`db.Exec("SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE")`:                                    "serializable",
	} {
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, "p.go", head+"func f() {\n"+body+"\n}", 0)
		if err != nil {
			t.Fatal(err)
		}
		pkg, _, err := ssautil.BuildPackage(&types.Config{}, fset, types.NewPackage("p", "p"), []*ast.File{f}, 0)
		if err != nil {
			t.Fatal(err)
		}
		p := &Program{Pkgs: []*ssa.Package{pkg}, Funcs: []*ssa.Function{pkg.Func("f")}, handles: map[*types.Interface]string{}, Know: NewKnowledge(nil)}
		var got []string
		for _, l := range p.sessionLevels() {
			if l.Level == "" {
				l.Level = "unknown"
			}
			got = append(got, l.Level)
			if !l.At.IsValid() || l.One {
				t.Errorf("%s: %+v", body, l)
			}
		}
		if got := strings.Join(got, ", "); got != want {
			t.Errorf("%s: the levels are %q, want %q", body, got, want)
		}
	}
}
