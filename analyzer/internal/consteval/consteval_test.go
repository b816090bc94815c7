package consteval_test

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/txrobust/robust/analyzer/internal/consteval"
	"github.com/txrobust/robust/analyzer/internal/consteval/testdata/texts"
	"github.com/txrobust/robust/internal/client"
)

// load builds the functions of testdata/texts.
func load(t *testing.T) *ssa.Package {
	t.Helper()
	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax}, "./testdata/texts")
	if err != nil {
		t.Fatal(err)
	}
	_, built := ssautil.Packages(pkgs, ssa.InstantiateGenerics)
	built[0].Build()
	return built[0]
}

// cases are functions with arguments to try.
var cases = []struct {
	name string
	of   any
	args [][]any
	// exact says that all texts are known where all arguments are.
	exact bool
}{
	{"Dollars", texts.Dollars, [][]any{{"a = ? AND b = ?", "", "none"}, {"postgres", "mysql"}}, true},
	{"Marks", texts.Marks, [][]any{{"a = ? AND é = ?", ""}}, true},
	{"In", texts.In, [][]any{{"id"}, {0, 1, 3}}, true},
	{"Filter", texts.Filter, [][]any{{true, false}, {true, false}}, true},
	{"Rows", texts.Rows, [][]any{{"t"}, {0, 1, 2}}, true},
	{"Clauses", texts.Clauses, [][]any{{"id", ""}, {1, 9}}, true},
	{"Order", texts.Order, [][]any{{"name", "id", "x"}}, true},
	{"Picked", texts.Picked, [][]any{{-1, 0, 2, 3}}, true},
	{"Aliased", texts.Aliased, [][]any{{"a"}}, true},
	{"Written", texts.Written, [][]any{{"a"}}, false},
	{"Shown", texts.Shown, [][]any{{"a b", "%d"}, {1, -2}, {true, false}}, false},
	{"Cut", texts.Cut, [][]any{{"a bc", "abc", ""}, {0, 1, 2, -1}}, true},
	{"Nested", texts.Nested, [][]any{{0, 3}}, true},
	{"Wide", texts.Wide, [][]any{{1, 100}}, false},
}

// TestCall compares what Call gives with what the functions return, for all
// arguments, of which some are not told to Call.
func TestCall(t *testing.T) {
	pkg := load(t)
	for _, c := range cases {
		fn := pkg.Func(c.name)
		exact, found := 0, 0
		for _, args := range product(c.args) {
			want, lives := really(c.of, args)
			for hidden := range 1 << len(args) {
				given := make([]consteval.Value, len(args))
				for i, a := range args {
					given[i] = consteval.Unknown{}
					if hidden>>i&1 == 0 {
						given[i] = valueOf(a)
					}
				}
				results, ok := new(consteval.Evaluator).Call(fn, given)
				if !ok {
					continue
				}
				found++
				what := fmt.Sprintf("%s%q, of which %b is not known", c.name, args, hidden)
				if lives && !covered(results, want) {
					t.Errorf("%s: gives %q, but the results are %q", what, want, results)
				}
				if hidden == 0 && (!lives && len(results) == 0 || lives && len(results) == 1 && results[0][0] == want) {
					exact++
				}
			}
		}
		if n := len(product(c.args)); c.exact && exact != n {
			t.Errorf("%s: the text is known for %d of %d lists of arguments", c.name, exact, n)
		}
		t.Logf("%s: %d evaluations, %d exact", c.name, found, exact)
	}
}

// TestAlternatives gives the texts for arguments that are not known.
func TestAlternatives(t *testing.T) {
	pkg := load(t)
	h, u := client.Hole, consteval.Unknown{}
	for _, c := range []struct {
		name string
		args []consteval.Value
		want []string
	}{
		{"Dollars", []consteval.Value{"a = ?", u}, []string{"a = ?", "a = $1"}},
		{"Filter", []consteval.Value{u, u}, []string{"SELECT id FROM items", "SELECT id FROM items WHERE owner = ?",
			"SELECT id FROM items WHERE name = ?", "SELECT id FROM items WHERE name = ? AND owner = ?"}},
		{"Rows", []consteval.Value{u, int64(1)}, []string{"INSERT INTO " + h + " VALUES (?,?)"}},
		{"Shown", []consteval.Value{"a", int64(1), u}, []string{`a|a|    1|"a"|` + h + `|` + h + `|%`}},
		{"Order", []consteval.Value{u}, []string{"ORDER BY " + h, ""}},
		{"Rows", []consteval.Value{"t", u}, nil},
		{"Written", []consteval.Value{"a"}, nil},
	} {
		results, ok := new(consteval.Evaluator).Call(pkg.Func(c.name), c.args)
		got := map[string]bool{}
		for _, r := range results {
			got[fmt.Sprint(r[0])] = true
		}
		want := map[string]bool{}
		for _, s := range c.want {
			want[s] = true
		}
		if ok != (c.want != nil) || !reflect.DeepEqual(got, want) {
			t.Errorf("%s%v: %v %v, want %q", c.name, c.args, ok, got, c.want)
		}
	}
}

// product gives all lists with one of each.
func product(of [][]any) [][]any {
	out := [][]any{nil}
	for _, list := range of {
		var longer [][]any
		for _, o := range out {
			for _, a := range list {
				longer = append(longer, append(o[:len(o):len(o)], a))
			}
		}
		out = longer
	}
	return out
}

func valueOf(a any) consteval.Value {
	if i, ok := a.(int); ok {
		return int64(i)
	}
	return a
}

// really runs a function, and gives its first result.
func really(of any, args []any) (text string, lives bool) {
	defer func() {
		if recover() != nil {
			text, lives = "", false
		}
	}()
	var in []reflect.Value
	for _, a := range args {
		in = append(in, reflect.ValueOf(a))
	}
	return reflect.ValueOf(of).Call(in)[0].String(), true
}

// covered reports whether a text is one of the results, of which parts are not
// known.
func covered(results [][]consteval.Value, text string) bool {
	for _, r := range results {
		s, ok := r[0].(string)
		if !ok {
			return true
		}
		var parts []string
		for part := range strings.SplitSeq(s, client.Hole) {
			parts = append(parts, regexp.QuoteMeta(part))
		}
		if regexp.MustCompile(`(?s)^` + strings.Join(parts, ".*") + `$`).MatchString(text) {
			return true
		}
	}
	return false
}
