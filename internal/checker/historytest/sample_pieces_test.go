package historytest_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/history/codec"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/checker/anomalies"
	"github.com/txrobust/robust/internal/checker/brute"
	"github.com/txrobust/robust/internal/checker/historytest"
	"github.com/txrobust/robust/internal/checker/simdb"
	"github.com/txrobust/robust/isolation"
)

// endings are those of the names of files; a format without one is a folder.
var endings = map[codec.Format]string{
	codec.Plume: ".txt", codec.AWDIT: ".txt", codec.Dbcop: "", codec.DbcopJSON: ".json", codec.DbcopText: ".txt", dbcopYAML: ".yaml", codec.Cobra: "", codec.Viper: "",
	codec.EDN: ".edn", codec.ElleJSON: ".json", codec.JepsenLog: ".log", codec.Chronos: ".json", codec.Compact: ".rbh",
}

// written gives a history in a format, by the writer of package codec or else a printer.
func written(t *testing.T, folder, name string, h *history.History, f codec.Format) piece {
	t.Helper()
	p := piece{path: fmt.Sprintf("%s/%s/%s%s", folder, f, name, endings[f]), format: f, source: "simulated", save: saved(h, f)}
	if f == codec.Dbcop {
		p.path += "/history.bincode"
	}
	if printer := printers[f]; printer != nil {
		p.save = printed(printer(t, h))
	}
	return p
}

// with says where a history comes from, and what there is.
func (p piece) with(source, anomaly string) piece {
	p.source, p.anomaly = source, anomaly
	return p
}

// chain are levels of which each implies those before it.
func chain() []isolation.Level {
	return []isolation.Level{isolation.RC, isolation.RA, isolation.CC, isolation.PC, isolation.SI, isolation.SER}
}

// sampleSeed is that of all simulations in the sample.
const sampleSeed = 20_000

// separated gives histories of small databases, by the last level of the chain that each
// satisfies by definition, or "none": change says what the clients do otherwise.
func separated(t *testing.T, change func(o *simdb.Options)) map[string]*history.History {
	t.Helper()
	t.Logf("seed %d", sampleSeed)
	out := map[string]*history.History{}
	r := rand.New(rand.NewPCG(sampleSeed, 1))
	for i := 0; len(out) <= len(chain()); i++ {
		if i == 3000 {
			t.Fatalf("only %d classes of histories", len(out))
		}
		o := simdb.Small(sampleSeed, i, r)
		o.Aborts, o.Unknowns, o.Losses, o.Duplicates = 0, 0, 0, false
		change(&o)
		h := simdb.Generate(o)
		if h.NumTxns() > 9 {
			continue
		}
		got, err := brute.Check(t.Context(), h, brute.Options{Levels: chain()})
		if err != nil {
			t.Fatal(err)
		}
		last := "none"
		for _, l := range chain() {
			if got.Verdict(l) == checker.Satisfied {
				last = l.String()
			}
		}
		if out[last] == nil {
			out[last] = h
		}
	}
	return out
}

// classes are the names of what separated gives, in order.
func classes() []string {
	out := []string{"none"}
	for _, l := range chain() {
		out = append(out, l.String())
	}
	return out
}

// levels are histories of registers in every format, that satisfy the levels up to one and
// no other.
func levels(t *testing.T) (out []piece) {
	of := separated(t, func(*simdb.Options) {})
	for _, name := range codec.Names(false) {
		for _, class := range classes() {
			out = append(out, written(t, "levels", class, of[class], codec.Format(name)))
		}
	}
	return out
}

// lists are histories of lists.
func lists(t *testing.T) (out []piece) {
	of := separated(t, func(o *simdb.Options) { o.Lists = true })
	for _, f := range []codec.Format{codec.EDN, codec.Compact} {
		for _, class := range classes() {
			out = append(out, written(t, "lists", class, of[class], f))
		}
	}
	return out
}

// outcomes are histories with transactions that abort or whose outcome is unknown, and with
// values that are written twice.
func outcomes(t *testing.T) (out []piece) {
	of := separated(t, func(o *simdb.Options) { o.Aborts, o.Unknowns, o.Losses, o.Duplicates = 0.2, 0.2, 0.1, true })
	for _, f := range []codec.Format{codec.EDN, codec.Compact, codec.ElleJSON, codec.JepsenLog} {
		for _, class := range classes() {
			out = append(out, written(t, "outcomes", class, of[class], f))
		}
	}
	return out
}

// large are histories of simulated databases that are too large for the definitions: they
// satisfy the level of the database, and those of them with an anomaly beside it violate
// what excludes that.
func large(t *testing.T) (out []piece) {
	r := rand.New(rand.NewPCG(sampleSeed, 2))
	formats := codec.Names(true)
	for i, l := range simdb.Levels() {
		h := simdb.Generate(simdb.Large(sampleSeed+uint64(i), l, 100, r))
		p := written(t, "simulated", strings.ToLower(l.String()), h, codec.Format(formats[i%len(formats)]))
		if p.format == codec.AWDIT { // which has no aborted transactions
			p = written(t, "simulated", strings.ToLower(l.String()), h, codec.Compact)
		}
		p.promise = &promise{level: l}
		out = append(out, p)
	}
	for i, m := range historytest.Mutations() {
		h := m.Beside(simdb.Generate(simdb.Large(sampleSeed+uint64(50+i), isolation.SER, 100, r)))
		p := written(t, "simulated", strings.ReplaceAll(m.Name, " ", "-"), h, []codec.Format{codec.EDN, codec.Compact, codec.Viper}[i%3])
		p.promise = &promise{isolation.SER, []history.Name{history.String("p"), history.String("q")}}
		p.anomaly = m.Name
		out = append(out, p)
	}
	return out
}

// patternCase is a history with an anomaly, in the text of Plume.
type patternCase struct {
	anomaly isolation.Anomaly
	text    string
}

// patternCases has a case of each of the fourteen patterns of C4, in their order.
func patternCases() []patternCase {
	return []patternCase{
		{anomalies.ThinAirRead, "r(1,7,0,0) w(2,1,1,1)"},
		{anomalies.G1a, "w(3,1,0,-1) r(3,1,1,1)"},
		{anomalies.FutureRead, "r(4,1,0,0) w(4,1,0,0)"},
		{anomalies.NotMyOwnWrite, "w(1,5,0,0) w(1,6,1,1) r(1,5,1,1)"},
		{anomalies.NotMyLastWrite, "w(1,5,0,0) w(2,1,0,0) w(1,6,0,0) r(1,5,0,0)"},
		{anomalies.G1b, "w(2,5,0,0) w(2,6,0,0) w(3,1,1,1) r(2,5,1,1)"},
		{anomalies.CyclicCO, "r(1,1,0,0) w(2,2,0,1) r(2,2,1,2) w(1,1,1,3)"},
		{anomalies.NonMonoReadCO, "w(1,1,0,0) w(1,2,0,1) w(2,1,0,1) r(2,1,1,2) r(1,1,1,2)"},
		{anomalies.NonMonoReadAO, "w(5,1,0,0) w(6,1,0,0) w(5,2,1,1) w(6,2,1,1) w(7,1,1,1) r(6,2,2,2) r(5,1,2,2)"},
		{anomalies.NonRepeatableRead, "w(1,1,0,0) w(1,2,1,1) r(1,1,2,2) r(1,2,2,2)"},
		{anomalies.FracturedReadCO, "w(1,1,0,0) w(1,2,0,1) w(2,2,0,1) r(1,1,1,2) r(2,2,1,2)"},
		{anomalies.FracturedReadAO, "w(5,1,0,0) w(6,1,0,0) w(5,2,1,1) w(6,2,1,1) w(7,1,1,1) r(5,1,2,2) r(6,2,2,2)"},
		{anomalies.COConflictAO, "w(1,1,0,0) w(1,2,0,1) w(2,1,0,2) r(2,1,1,3) r(1,1,1,4)"},
		{anomalies.ConflictAO, "w(1,1,0,0) w(2,1,0,0) w(1,2,1,1) w(3,1,1,1) r(2,1,2,2) r(3,1,2,3) r(1,1,2,4) r(2,1,3,5) r(3,1,3,6) r(1,2,3,7)"},
	}
}

// patternFormats are those that have aborted transactions.
var patternFormats = []codec.Format{
	codec.Plume, codec.Dbcop, codec.DbcopJSON, codec.DbcopText, dbcopYAML, codec.EDN, codec.ElleJSON, codec.JepsenLog, codec.Compact,
}

// patterns are the cases in several formats, and with lists instead of registers.
func patterns(t *testing.T) (out []piece) {
	for i, c := range patternCases() {
		name, h := fmt.Sprintf("%c-%s", 'a'+i, c.anomaly), historytest.Parse(t, c.text)
		for _, f := range patternFormats {
			out = append(out, written(t, "patterns", name, h, f).with("hand-written", c.anomaly.String()))
		}
		if c.anomaly == anomalies.ThinAirRead { // needs no aborted transaction
			for _, f := range []codec.Format{codec.AWDIT, codec.Cobra, codec.Chronos} {
				out = append(out, written(t, "patterns", name, h, f).with("hand-written", c.anomaly.String()))
			}
		}
		out = append(out, written(t, "list-patterns", name, asLists(t, h), codec.EDN).with("hand-written", "like "+c.anomaly.String()))
	}
	return out
}

// asLists turns registers into lists: what was written is appended, and who read a value reads
// the list up to it, whose elements are in the order in which they stand in the history.
func asLists(t *testing.T, h *history.History) *history.History {
	t.Helper()
	elements := map[history.Key][]history.Value{}
	for o := range history.Op(h.NumOps()) {
		if h.TxnOf(o) != history.InitialTxn && h.Kind(o) == history.Write {
			elements[h.Key(o)] = append(elements[h.Key(o)], h.Value(o))
		}
	}
	b := history.NewBuilder()
	for s := range history.Session(h.NumSessions()) {
		session := b.Session(h.SessionName(s))
		for txn, end := h.Txns(s); txn < end; txn++ {
			b.Txn(session, h.Status(txn))
			for o, end := h.Ops(txn); o < end; o++ {
				k, v := b.Key(h.KeyName(h.Key(o))), value(b, h, h.Value(o))
				if h.Kind(o) == history.Write {
					b.Op(history.Append, k, v)
					continue
				}
				var list []history.Value
				if of := elements[h.Key(o)]; slices.Contains(of, h.Value(o)) {
					for _, x := range of[:slices.Index(of, h.Value(o))] {
						list = append(list, value(b, h, x))
					}
				}
				if h.Value(o) != history.Initial {
					list = append(list, v)
				}
				b.List(history.ReadList, k, list)
			}
		}
	}
	out, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// handwritten are histories in the words of formats that say more than registers: sets,
// counters, rows, ranges, and operations of Jepsen that are no transactions.
func handwritten() (out []piece) {
	for _, c := range []struct {
		path    string
		format  codec.Format
		anomaly string
		text    string
	}{
		{"set.edn", codec.EDN, "", `
{:type :invoke, :f :add, :value 1, :process 0}
{:type :ok, :f :add, :value 1, :process 0}
{:type :invoke, :f :add, :value 2, :process 1}
{:type :info, :f :add, :value 2, :process 1}
{:type :invoke, :f :read, :process 0}
{:type :ok, :f :read, :value #{1}, :process 0}
`},
		{"set-lost.edn", codec.EDN, "an element that was added is gone", `
{:type :invoke, :f :add, :value 1, :process 0}
{:type :ok, :f :add, :value 1, :process 0}
{:type :invoke, :f :add, :value 2, :process 0}
{:type :ok, :f :add, :value 2, :process 0}
{:type :invoke, :f :read, :process 0}
{:type :ok, :f :read, :value #{2}, :process 0}
`},
		{"counter.edn", codec.EDN, "", `
{:type :invoke, :process 0, :value [[:inc :n 2]]}
{:type :invoke, :process 1, :value [[:inc :n 3] [:r :n nil]]}
{:type :ok, :process 0, :value [[:inc :n 2]]}
{:type :ok, :process 1, :value [[:inc :n 3] [:r :n 5]]}
`},
		{"counter-lost.edn", codec.EDN, "an increment is gone", `
{:type :invoke, :process 0, :value [[:inc :n 2]]}
{:type :ok, :process 0, :value [[:inc :n 2]]}
{:type :invoke, :process 0, :value [[:inc :n 3] [:r :n nil]]}
{:type :ok, :process 0, :value [[:inc :n 3] [:r :n 3]]}
`},
		{"cas.edn", codec.EDN, "", `
{:type :invoke, :f :write, :value 1, :process 0}
{:type :ok, :f :write, :value 1, :process 0}
{:type :invoke, :f :cas, :value [1 2], :process 1}
{:type :invoke, :f :cas, :value [1 3], :process 0}
{:type :ok, :f :cas, :value [1 2], :process 1}
{:type :fail, :f :cas, :value [1 3], :process 0}
{:type :invoke, :f :read, :process 0}
{:type :ok, :f :read, :value 2, :process 0}
`},
		{"cas-of-unknown-outcome.edn", codec.EDN, "", `
{:type :invoke, :f :write, :value 3, :process 0}
{:type :ok, :f :write, :value 3, :process 0}
{:type :invoke, :f :cas, :value [3 4], :process 1}
{:type :info, :f :cas, :value [3 4], :process 1}
{:type :invoke, :f :read, :process 2}
{:type :ok, :f :read, :value 4, :process 2}
`},
		{"cas-of-nothing.edn", codec.EDN, "thin-air-read", `
{:type :invoke, :f :write, :value 0, :process 0}
{:type :ok, :f :write, :value 0, :process 0}
{:type :invoke, :f :cas, :value [3 4], :process 1}
{:type :info, :f :cas, :value [3 4], :process 1}
{:type :invoke, :f :read, :process 2}
{:type :ok, :f :read, :value 4, :process 2}
`},
		{"strings.edn", codec.EDN, "", `
{:process 0, :type :invoke, :f :append, :key "a", :value "x 0"}
{:process 1, :type :invoke, :f :append, :key "a", :value "x 1"}
{:process 1, :type :ok, :f :append, :key "a", :value "x 1"}
{:process 0, :type :ok, :f :append, :key "a", :value "x 0"}
{:process 1, :type :invoke, :f :get, :key "a", :value nil}
{:process 1, :type :ok, :f :get, :key "a", :value "x 1x 0"}
{:process 0, :type :invoke, :f :put, :key "a", :value "y"}
{:process 0, :type :ok, :f :put, :key "a", :value "y"}
`},
		{"strings-lost.edn", codec.EDN, "an append that had succeeded is gone", `
{:process 0, :type :invoke, :f :append, :key "a", :value "x 0"}
{:process 0, :type :ok, :f :append, :key "a", :value "x 0"}
{:process 1, :type :invoke, :f :append, :key "a", :value "x 1"}
{:process 1, :type :ok, :f :append, :key "a", :value "x 1"}
{:process 1, :type :invoke, :f :get, :key "a", :value nil}
{:process 1, :type :ok, :f :get, :key "a", :value "x 1"}
`},
		{"blanks.log", codec.JepsenLog, "", `
2020-01-02 03:04:05,000{GMT} INFO [jepsen worker 0] jepsen.util - 0 :invoke :write 1
2020-01-02 03:04:05,001{GMT} INFO [jepsen worker 0] jepsen.util - 0   :ok   :write   1
2020-01-02 03:04:05,002{GMT} INFO [jepsen worker 1] jepsen.util - 1 :invoke :read nil
2020-01-02 03:04:05,003{GMT} INFO [jepsen worker 1] jepsen.util - 1 :ok :read 1
`},
		{"strings-and-initial.json", codec.Chronos, "", `
[{"tid": "initial", "sid": "initial", "sts": {"p": "0", "l": "0"}, "cts": {"p": "0", "l": "0"}, "ops": [{"t": "w", "k": "1", "v": "5"}]},
 {"tid": "t1", "sid": "s1", "sts": {"p": "10", "l": "0"}, "cts": {"p": "20", "l": "0"}, "ops": [{"t": "r", "k": "1", "v": "5"}, {"t": "w", "k": "1", "v": "7"}]},
 {"tid": "t2", "sid": "s2", "sts": {"p": "30", "l": "0"}, "cts": {"p": "40", "l": "0"}, "ops": [{"t": "r", "k": "1", "v": "7"}]}]
`},
		{"cas-twice.log", codec.JepsenLog, "lost-update", "" +
			"INFO  jepsen.util - 0\t:invoke\t:write\t1\n" +
			"INFO  jepsen.util - 0\t:ok\t:write\t1\n" +
			"INFO  jepsen.util - 0\t:invoke\t:cas\t[1 2]\n" +
			"INFO  jepsen.util - 1\t:invoke\t:cas\t[1 3]\n" +
			"INFO  jepsen.util - 1\t:ok\t:cas\t[1 3]\n" +
			"INFO  jepsen.util - 0\t:ok\t:cas\t[1 2]\n"},
		{"mutex-held-twice.edn", codec.EDN, "lost-update", `
{:type :invoke, :f :acquire, :process 0}
{:type :invoke, :f :acquire, :process 1}
{:type :ok, :f :acquire, :process 0}
{:type :ok, :f :acquire, :process 1}
`},
		{"stale-read.edn", codec.EDN, "G-single-realtime", `
{:type :invoke, :process 0, :value [[:w :x 1]]}
{:type :ok, :process 0, :value [[:w :x 1]]}
{:type :invoke, :process 1, :value [[:r :x nil]]}
{:type :ok, :process 1, :value [[:r :x nil]]}
`},
		{"read-of-the-future.edn", codec.EDN, "G1c-realtime", `
{:type :invoke, :process 1, :value [[:r :x nil]]}
{:type :ok, :process 1, :value [[:r :x 1]]}
{:type :invoke, :process 0, :value [[:w :x 1]]}
{:type :ok, :process 0, :value [[:w :x 1]]}
`},
		{"write-skew.json", codec.ElleJSON, "write-skew", `
[{"index": 0, "type": "invoke", "process": 0, "f": "txn", "value": [["r", "x", null], ["append", "y", 1]]},
 {"index": 1, "type": "invoke", "process": 1, "f": "txn", "value": [["r", "y", null], ["append", "x", 1]]},
 {"index": 2, "type": "ok", "process": 0, "f": "txn", "value": [["r", "x", []], ["append", "y", 1]]},
 {"index": 3, "type": "ok", "process": 1, "f": "txn", "value": [["r", "y", []], ["append", "x", 1]]},
 {"index": 4, "type": "invoke", "process": 0, "f": "txn", "value": [["r", "x", null], ["r", "y", null]]},
 {"index": 5, "type": "ok", "process": 0, "f": "txn", "value": [["r", "x", [1]], ["r", "y", [1]]]}]
`},
		{"overlapping.json", codec.Chronos, "", `
[{"tid": 1, "sid": 0, "sts": {"p": 10, "l": 0}, "cts": {"p": 30, "l": 0}, "ops": [{"t": "w", "k": 1, "v": 7}]},
 {"tid": 2, "sid": 1, "sts": {"p": 20, "l": 0}, "cts": {"p": 40, "l": 0}, "ops": [{"t": "r", "k": 1, "v": null}]}]
`},
		{"stale-read.json", codec.Chronos, "G-single-realtime", `
[{"tid": 1, "sid": 0, "sts": {"p": 10, "l": 0}, "cts": {"p": 20, "l": 1}, "ops": [{"t": "w", "k": 1, "v": 7}]},
 {"tid": 2, "sid": 1, "sts": {"p": 20, "l": 2}, "cts": {"p": 40, "l": 0}, "ops": [{"t": "r", "k": 1, "v": null}]}]
`},
		{"unknown-outcome.json", codec.ElleJSON, "", `
[{"index": 0, "type": "invoke", "process": 0, "f": "txn", "value": [["w", "x", 1], ["w", "y", 1]]},
 {"index": 1, "type": "info", "process": 0, "f": "txn", "value": [["w", "x", 1], ["w", "y", 1]]},
 {"index": 2, "type": "invoke", "process": 1, "f": "txn", "value": [["r", "x", null], ["r", "y", null]]},
 {"index": 3, "type": "ok", "process": 1, "f": "txn", "value": [["r", "x", 1], ["r", "y", 1]]}]
`},
		{"unknown-outcome-torn.json", codec.ElleJSON, "read-skew", `
[{"index": 0, "type": "invoke", "process": 0, "f": "txn", "value": [["w", "x", 1], ["w", "y", 1]]},
 {"index": 1, "type": "info", "process": 0, "f": "txn", "value": [["w", "x", 1], ["w", "y", 1]]},
 {"index": 2, "type": "invoke", "process": 1, "f": "txn", "value": [["r", "x", null], ["r", "y", null]]},
 {"index": 3, "type": "ok", "process": 1, "f": "txn", "value": [["r", "x", 1], ["r", "y", null]]}]
`},
		{"lost-update.edn", codec.EDN, "lost-update", `
{:type :invoke, :process 0, :value [[:append :x 1]]}
{:type :ok, :process 0, :value [[:append :x 1]]}
{:type :invoke, :process 0, :value [[:r :x nil] [:append :x 2]]}
{:type :invoke, :process 1, :value [[:r :x nil] [:append :x 3]]}
{:type :ok, :process 0, :value [[:r :x [1]] [:append :x 2]]}
{:type :ok, :process 1, :value [[:r :x [1]] [:append :x 3]]}
{:type :invoke, :process 0, :value [[:r :x nil]]}
{:type :ok, :process 0, :value [[:r :x [1 2 3]]]}
`},
		{"lost-update.txt", codec.Plume, "lost-update", "w(1,10,0,0)\nr(1,10,1,1)\nr(1,10,2,2)\nw(1,11,1,1)\nw(1,12,2,2)\nr(1,12,1,3)\n"},
		{"own-write-missed.txt", codec.Plume, "fractured-read-co", "w(1,1,0,0)\nr(1,0,0,1)\n"},
	} {
		out = append(out, piece{path: "handwritten/" + c.path, format: c.format, source: "hand-written", anomaly: c.anomaly, save: printed(strings.TrimPrefix(c.text, "\n"))})
	}
	return append(out, ranges()...)
}

// ranges are logs of Viper with rows that are inserted and deleted, and reads of ranges.
func ranges() (out []piece) {
	for _, c := range []struct {
		path, anomaly string
		sessions      []string
	}{
		{"ranges", "", []string{
			`{"value": [["i", 1, 10, null, false, true], ["i", 5, 11, null, false, true]]}` + "\n" +
				`{"value": [["range", 0, 9, [{"id": 1, "val": 10}, {"id": 5, "val": 11}], []]]}` + "\n",
			`{"value": [["i", 7, 12, null, false, true]]}` + "\n" + `{"value": [["range", 6, 9, [{"id": 7, "val": 12}], []]]}` + "\n",
		}},
		{"phantoms", "phantom", []string{
			`{"value": [["range", 0, 9, [], []], ["i", 1, 10, null, false, true]]}` + "\n",
			`{"value": [["range", 0, 9, [], []], ["i", 2, 11, null, false, true]]}` + "\n",
		}},
	} {
		out = append(out, piece{path: "handwritten/" + c.path, format: codec.Viper, source: "hand-written", anomaly: c.anomaly, save: func(t *testing.T, to string) {
			t.Helper()
			if err := os.Mkdir(to, 0o777); err != nil {
				t.Fatal(err)
			}
			for i, text := range c.sessions {
				printed(text)(t, filepath.Join(to, fmt.Sprintf("J%d.log", i)))
			}
		}})
	}
	return out
}
