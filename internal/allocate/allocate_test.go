package allocate_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/allocate"
	"github.com/txrobust/robust/internal/check"
	"github.com/txrobust/robust/internal/levels"
	"github.com/txrobust/robust/internal/testprog"
	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/report"
)

var random = testprog.RandomFlags(5)

func allocated(t testing.TB, p *ir.Program) *allocate.Result {
	t.Helper()
	res, err := allocate.Allocate(t.Context(), p, check.Options{Engine: engine.Postgres()})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// short writes an allocation in a line.
func short(r *allocate.Result) string {
	var out []string
	for _, row := range r.Rows {
		out = append(out, row.Transaction+" "+map[levels.Level]string{levels.ReadCommitted: "rc", levels.RepeatableRead: "rr", levels.Serializable: "ser"}[row.Level])
	}
	return fmt.Sprint(r.Verdict, ": ", strings.Join(out, ", "))
}

// robust is the verdict of a check with some levels.
func robust(t testing.TB, p *ir.Program, of map[string]levels.Level) bool {
	t.Helper()
	rep, err := check.Check(t.Context(), p, check.Options{Engine: engine.Postgres(), Isolation: levels.AtSerializable, Levels: of, First: true})
	if err != nil {
		t.Fatal(err)
	}
	return rep.Verdict == report.Robust
}

func levelsOf(r *allocate.Result) map[string]levels.Level {
	out := map[string]levels.Level{}
	for _, row := range r.Rows {
		out[row.Transaction] = row.Level
	}
	return out
}

const tables = `program p
table t (k int not null, v int not null, w int not null, key (k))
`

// cases are small programs, each with its allocation.
var cases = []struct{ name, txns, want string }{
	{"a write skew beside a counter", `
txn a { (r) := select t.v from t where t.k == 1; update t set v = r + 1 where t.k == 2 }
txn b { (r) := select t.v from t where t.k == 2; update t set v = r + 2 where t.k == 1 }
txn counts(k int not null) { update t set v = t.v + 1 where t.k == k }
`, "robust: a ser, b ser, counts ser"},
	{"a write skew beside a counter of another table", `
table s (k int not null, v int not null, key (k))
txn a { (r) := select t.v from t where t.k == 1; update t set v = r + 1 where t.k == 2 }
txn b { (r) := select t.v from t where t.k == 2; update t set v = r + 2 where t.k == 1 }
txn counts(k int not null) { update s set v = s.v + 1 where s.k == k }
txn looks(k int not null) { (r) := select s.v from s where s.k == k; (q) := select s.v from s where s.k == k; emit r, q }
`, "robust: a ser, b ser, counts rc, looks rr"},
	{"another column hides a conflict from SERIALIZABLE", `
txn a { (r) := select t.v from t where t.k == 1; update t set v = r + 1 where t.k == 2 }
txn b { (r) := select t.v from t where t.k == 2; update t set v = r + 2 where t.k == 1 }
txn hides(k int not null) { update t set w = t.w + 1 where t.k == k }
`, "robust: a ser, b ser, hides ser"},
	{"reading twice protects at REPEATABLE READ only", `
txn sets(k int not null) { update t set v = t.v + 1 where t.k == k }
txn twice(k int not null) { (r) := select t.v from t where t.k == k; (q) := select t.v from t where t.k == k; emit r, q }
`, "robust: sets rc, twice rr"},
	{"a lock behind the snapshot protects at READ COMMITTED only", `
table m (k int not null, n int not null, key (k))
row m (1, 0)
txn a { (x) := select m.n from m where m.k == 1 for update; if x is null { abort }; (r) := select t.v from t where t.k == 1; update t set v = r + 1 where t.k == 2 }
txn b { (x) := select m.n from m where m.k == 1 for update; if x is null { abort }; (r) := select t.v from t where t.k == 2; update t set v = r + 2 where t.k == 1 }
`, "robust: a rc, b rc"},
}

// TestCases: what is recommended for small programs, of which no level can be lowered by itself, and
// the levels that a check of all combinations proves.
func TestCases(t *testing.T) {
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			p := testprog.Parse(t, tables+tc.txns)
			res := allocated(t, p)
			if got := short(res); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
			if len(p.Txns) < 4 {
				exhaust(t, p, res)
			}
		})
	}
}

// TestApplications: what is recommended for the ten applications, as docs/benchmarks.md has it.
func TestApplications(t *testing.T) {
	for name, want := range map[string]string{
		"auction":      "robust: reg_bid rr, reg_user rc, view_item rc, view_user rc, view_users rc",
		"courseware":   "robust: add_course ser, enroll_student ser, query_courses ser, register_student ser, remove_course ser",
		"fusionticket": "robust: add_event rc, browse rc, purchase rr, view_event rc",
		"smallbank":    "robust: amalgamate rr, balance ser, deposit_checking rc, transact_saving ser, write_check ser",
		"tpcc":         "robust: delivery rr, new_order rc, order_status rr, payment rr, stock_level rr",
		"cassieq":      "robust: add_new_account rc, add_new_key rr, delete_a_key rr, delete_an_account rr, get_account_key rc, get_account_keys rc, get_accounts rc, get_an_account rc",
		"currency":     "robust: get_nb_trades rc, get_trade_time_stamp rc, save_trade rc, view_list_trades rc, view_trade rc, view_trade_user rc",
		"roomstore":    "robust: add_message rc, get_last_message rr, get_messages rc, get_specific_message rc, get_topic_messages rc",
		"shoppingcart": "robust: get_categories rc, get_product_by_upc rc, get_products_by_category rc, get_user rc",
	} {
		res := allocated(t, testprog.Load(t, testprog.Path(t, "apps", name)))
		if got := short(res); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", name, got, want)
		}
		if !res.Minimal() {
			t.Errorf("%s: %+v can be lowered", name, res.Rows)
		}
	}
	res := allocated(t, testprog.Load(t, testprog.Path(t, "apps", "playlist")))
	for _, row := range res.Rows {
		if raised := row.Transaction == "add_track_to_playlist"; (row.Level == levels.RepeatableRead) != raised || !raised && row.Level != levels.ReadCommitted {
			t.Errorf("playlist: %s at %s", row.Transaction, row.Level)
		}
	}
}

// exhaust compares an allocation with the verdicts about all combinations of levels.
func exhaust(t testing.TB, p *ir.Program, res *allocate.Result) {
	t.Helper()
	n := 1
	for range p.Txns {
		n *= 3
	}
	proved := map[string]bool{}
	key := func(of map[string]levels.Level) string {
		var b strings.Builder
		for _, x := range p.Txns {
			b.WriteString(string(of[x.Name][:3]))
		}
		return b.String()
	}
	for i := range n {
		of := map[string]levels.Level{}
		for k, rest := 0, i; k < len(p.Txns); k, rest = k+1, rest/3 {
			of[p.Txns[k].Name] = levels.All()[rest%3]
		}
		proved[key(of)] = robust(t, p, of)
	}
	best := levelsOf(res)
	if some := slices.Contains(slices.Collect(mapValues(proved)), true); (res.Verdict == report.Robust) != some {
		t.Errorf("%s, but some levels are proved: %v", short(res), some)
	}
	if res.Verdict != report.Robust {
		return
	}
	if !proved[key(best)] || !res.Minimal() {
		t.Errorf("%s is not proved, or not minimal", short(res))
	}
	sum := func(of map[string]levels.Level) (s int) {
		for _, l := range of {
			s += slices.Index(levels.All(), l)
		}
		return s
	}
	for i := range n {
		of := map[string]levels.Level{}
		for k, rest := 0, i; k < len(p.Txns); k, rest = k+1, rest/3 {
			of[p.Txns[k].Name] = levels.All()[rest%3]
		}
		if proved[key(of)] && sum(of) < sum(best) {
			t.Errorf("%s, but %v is proved and lower", short(res), of)
		}
	}
	for _, row := range res.Rows {
		for _, l := range levels.All() {
			of := levelsOf(res)
			of[row.Transaction] = l
			if got := row.Cells[l].Answer == allocate.Proved; got != proved[key(of)] {
				t.Errorf("%s at %s: %s (%s), but a check says robust: %v", row.Transaction, l, row.Cells[l].Answer, row.Cells[l].Why, proved[key(of)])
			}
		}
	}
}

func mapValues[K comparable, V any](m map[K]V) func(func(V) bool) {
	return func(yield func(V) bool) {
		for _, v := range m {
			if !yield(v) {
				return
			}
		}
	}
}

// TestAllCombinations compares the allocations of random programs with the verdicts about all
// combinations of levels.
func TestAllCombinations(t *testing.T) {
	r := random.Source(t)
	for range random.Runs() {
		p := program(t, r)
		res := allocated(t, p)
		if exhaust(t, p, res); t.Failed() {
			t.Fatal(p.Name)
		}
	}
}

// chain has an anomaly of all four: a cycle of which SERIALIZABLE of three neighbours may refuse one
// execution and not another one.
const chain = `program chain
table a (k int not null, v int not null, key (k))
table b (k int not null, v int not null, key (k))
table c (k int not null, v int not null, key (k))
txn ab(k int not null) { (r) := select a.v from a where a.k == k; update b set v = r + 1 where b.k == k }
txn bc(k int not null) { (r) := select b.v from b where b.k == k; update c set v = r + 1 where c.k == k }
txn looks(k int not null) { (r) := select a.v from a where a.k == k; (q) := select c.v from c where c.k == k; emit r, q }
txn counts(k int not null) { update a set v = a.v + 1 where a.k == k }
`

// TestChain: each transaction of a cycle has an anomaly if it alone is lowered, whichever of them is delayed
// in the execution that was found first.
func TestChain(t *testing.T) {
	for _, row := range allocated(t, testprog.Parse(t, chain)).Rows {
		if c := row.Cells[levels.RepeatableRead]; c.Answer != allocate.Anomaly {
			t.Errorf("%s: %s (%s)", row.Transaction, c.Answer, c.Why)
		}
	}
}

// answers writes what is known of each transaction and level.
func answers(r *allocate.Result) string {
	var b strings.Builder
	b.WriteString(string(r.Verdict))
	for _, row := range r.Rows {
		fmt.Fprintf(&b, "\n%s: %s", row.Transaction, row.Level)
		for _, l := range levels.All() {
			fmt.Fprintf(&b, ", %s", row.Cells[l].Answer)
		}
	}
	return b.String()
}

// TestDeclarationOrder: what is known does not depend on the order in which tables and transactions are
// declared.
func TestDeclarationOrder(t *testing.T) {
	r := random.Source(t)
	programs := []func() *ir.Program{func() *ir.Program { return testprog.Parse(t, chain) }}
	for _, tc := range cases {
		programs = append(programs, func() *ir.Program { return testprog.Parse(t, tables+tc.txns) })
	}
	for range random.Runs() {
		seed := r.Int63()
		programs = append(programs, func() *ir.Program { return program(t, rand.New(rand.NewSource(seed))) })
	}
	for _, make := range programs {
		want := answers(allocated(t, make()))
		for range 2 {
			p := make()
			r.Shuffle(len(p.Txns), func(i, k int) { p.Txns[i], p.Txns[k] = p.Txns[k], p.Txns[i] })
			r.Shuffle(len(p.Tables), func(i, k int) { p.Tables[i], p.Tables[k] = p.Tables[k], p.Tables[i] })
			if got := answers(allocated(t, p)); got != want {
				t.Fatalf("got  %s\nwant %s\n%s", got, want, p)
			}
		}
	}
}

// TestStatementOrder: the same for the statements of applications in SQL, where they are in other files in another order.
func TestStatementOrder(t *testing.T) {
	r := random.Source(t)
	for _, name := range []string{"smallbank", "courseware", "auction"} {
		dir := testprog.Path(t, "apps", name)
		want := answers(allocated(t, testprog.Load(t, dir)))
		text, err := os.ReadFile(filepath.Join(dir, "functions.sql"))
		if err != nil {
			t.Fatal(err)
		}
		schema, err := os.ReadFile(filepath.Join(dir, "schema.sql"))
		if err != nil {
			t.Fatal(err)
		}
		parts := strings.SplitAfter(string(text), "$$;\n")
		if len(parts) < 4 {
			t.Fatalf("%s: %d functions", name, len(parts))
		}
		r.Shuffle(len(parts), func(i, k int) { parts[i], parts[k] = parts[k], parts[i] })
		other := t.TempDir()
		files := map[string]string{"a.sql": string(schema), "z.sql": strings.Join(parts[:2], "\n"), "m.sql": strings.Join(parts[2:], "\n")}
		for file, text := range files {
			if err := os.WriteFile(filepath.Join(other, file), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got := answers(allocated(t, testprog.Load(t, other))); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", name, got, want)
		}
	}
}

// program makes one of three transactions that read and write some rows by their keys.
func program(t testing.TB, r *rand.Rand) *ir.Program {
	var b strings.Builder
	b.WriteString(tables)
	lock := func() string { return []string{"", "", "", " for update"}[r.Intn(4)] }
	for i := range 3 {
		fmt.Fprintf(&b, "txn t%d { ", i)
		keys := r.Perm(3)
		fmt.Fprintf(&b, "(r) := select t.v from t where t.k == %d%s; ", keys[0], lock())
		if r.Intn(3) == 0 {
			fmt.Fprintf(&b, "(q) := select t.w from t where t.k == %d; emit q; ", keys[2])
		}
		if r.Intn(4) > 0 {
			k := keys[r.Intn(2)]
			fmt.Fprintf(&b, "update t set %s = %s where t.k == %d; ", []string{"v", "w"}[r.Intn(2)], []string{"r + 1", "t.v + 1", "3"}[r.Intn(3)], k)
		}
		b.WriteString("emit r }\n")
	}
	return testprog.Parse(t, b.String())
}

// TestStable: the same program has the same result, in each form, and lines of text have at most
// 80 columns.
func TestStable(t *testing.T) {
	p := testprog.Load(t, testprog.Path(t, "apps", "smallbank"))
	forms := map[string]func(*bytes.Buffer, *allocate.Result) error{
		"text": func(b *bytes.Buffer, r *allocate.Result) error {
			return allocate.Text(b, r, allocate.Options{Golang: true})
		},
		"json": func(b *bytes.Buffer, r *allocate.Result) error { return allocate.JSON(b, r) },
		"markdown": func(b *bytes.Buffer, r *allocate.Result) error {
			return allocate.Markdown(b, r, allocate.Options{Golang: true})
		},
		"sarif": func(b *bytes.Buffer, r *allocate.Result) error {
			return allocate.SARIF(b, []*allocate.Result{r}, allocate.Options{})
		},
	}
	one, two := allocated(t, p), allocated(t, p)
	for name, write := range forms {
		var a, b bytes.Buffer
		if err := write(&a, one); err != nil {
			t.Fatal(err)
		}
		if err := write(&b, two); err != nil {
			t.Fatal(err)
		}
		if a.String() != b.String() {
			t.Errorf("%s differs:\n%s\n%s", name, &a, &b)
		}
		if name == "text" {
			for l := range strings.Lines(a.String()) {
				if len([]rune(strings.TrimSpace(l))) > 80 {
					t.Errorf("a long line: %s", l)
				}
			}
		}
		if name == "json" || name == "sarif" {
			if !json.Valid(a.Bytes()) {
				t.Errorf("%s is no JSON", name)
			}
		}
	}
	if want := "2 of 5 transactions may run at REPEATABLE READ today, 1 of them at READ COMMITTED; 3 stay at SERIALIZABLE"; one.Headline() != want {
		t.Errorf("got  %s\nwant %s", one.Headline(), want)
	}
}

// TestWithoutTime: what is not proved in time stays at SERIALIZABLE.
func TestWithoutTime(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p := testprog.Load(t, testprog.Path(t, "apps", "smallbank"))
	res, err := allocate.Allocate(ctx, p, check.Options{Engine: engine.Postgres()})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range res.Rows {
		if row.Level != levels.Serializable || row.Cells[levels.RepeatableRead].Answer != allocate.Unknown {
			t.Errorf("%+v", row)
		}
	}
	if res.Unfinished == "" || !strings.Contains(res.Headline(), res.Unfinished) {
		t.Errorf("%s", res.Headline())
	}
	// Where nothing was read, there is no table.
	res = allocate.GaveUp(ctx, &ir.Program{Name: "unread"}, check.Options{Engine: engine.Postgres()})
	var text, markdown bytes.Buffer
	if err := allocate.Text(&text, res, allocate.Options{}); err != nil {
		t.Fatal(err)
	}
	if err := allocate.Markdown(&markdown, res, allocate.Options{}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "nothing is decided") || strings.Contains(text.String()+markdown.String(), "recommended") {
		t.Errorf("%s\n%s", &text, &markdown)
	}
}
