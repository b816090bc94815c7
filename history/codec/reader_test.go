package codec

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/txrobust/robust/history"
)

// print prints a history, one transaction a line.
func print(h *history.History) string {
	var b strings.Builder
	for t := range history.Txn(h.NumTxns()) {
		o, end := h.Ops(t)
		if t == history.InitialTxn {
			for ; o < end; o++ {
				if h.InitialGiven(h.Key(o)) {
					fmt.Fprintf(&b, "initial: %s\n", h.Words(o))
				}
			}
			continue
		}
		s := h.SessionOf(t)
		fmt.Fprintf(&b, "%s:", h.SessionName(s))
		if h.Status(t) != history.Committed {
			fmt.Fprintf(&b, " %s", h.Status(t))
		}
		for i := 0; o < end; o++ {
			if i > 0 {
				b.WriteString(",")
			}
			i++
			b.WriteString(" " + h.Words(o))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// TestRead: what each format says, as this program understands it.
func TestRead(t *testing.T) {
	for _, c := range []struct {
		name string
		f    Format
		in   string
		want string
	}{
		{"plume", Plume, "w(1,5,0,0)\nr(2,0,1,1)\r\n\nw( 1, 6, 0, -1 )\nw(2,7,0,-1)\nr(1,5,0,3)", `
0: write 1 5
0: aborted write 1 6, write 2 7
0: read 1 = 5
1: read 2 = nil`},
		{"plume, interleaved", Plume, "w(1,1,0,0)\nw(2,2,1,1)\nw(3,3,0,0)\n", `
0: write 1 1, write 3 3
1: write 2 2`},
		{"plume, initial transaction", Plume, "w(1,0,0,0)\nw(2,0,0,0)\nr(1,0,1,1)\n", `
initial: write 1 nil
initial: write 2 nil
1: read 1 = nil`},
		{"plume, no initial transaction", Plume, "w(1,0,0,0)\nw(2,0,0,0)\nr(1,0,0,1)\n", `
0: write 1 nil, write 2 nil
0: read 1 = nil`},
		{"awdit", AWDIT, "w 0 0\nw 1 1\n=====\nr 0 0\n-----\nw 0 2\n=====\nr 1 1\n-----\n", `
initial: write 0 0
initial: write 1 1
1: read 0 = 0
1: write 0 2
2: read 1 = 1`},
		{"awdit, no initial transaction", AWDIT, "w 0 0\n=====\nr 1 1\n", `
0: write 0 0
1: read 1 = 1`},
		{"awdit, empty transaction first", AWDIT, "-----\nw 0 0\n-----\n=====\nr 0 0\n", `
initial: write 0 0
1: read 0 = 0`},
		{"dbcop text, empty session first", DbcopText, "---\n[x:=1]\n", `
1: write "x" 1`},
		{"dbcop text", DbcopText, "// two sessions\n[x:=1 y==2 z==?] [x:=4]!\n---\n[0:=0 x==1]\n", `
0: write "x" 1, read "y" = 2, read "z" = nil
0: aborted write "x" 4
1: write 0 0, read "x" = 1`},
		{"dbcop JSON", DbcopJSON, `{"info": {"a": [1]}, "data":[[{"events":[{"Write":{"variable":0,"version":1}},{"Read":{"variable":"x","version":null}}],"committed":true}],
			[], [{"events":[["w",0,2],["r",0,0]],"committed":false}]]}`, `
0: write 0 1, read "x" = nil
2: aborted write 0 2, read 0 = 0`},
		{"viper", Viper, `{"value": [["w", 1, 5, true], ["w", 1, 6, false], ["r", 2, null, false]]}
			{"value": [["i", 3, 8, 7, true, true], ["d", 3, 9, 8, false, true], ["i", 4, 1], ["d", 4, 2, 1, false, false]]}
			{"value": [["range", 1, null, [{"id": 1, "val": 5}], [[3, 9]], false]], "isInitial": false}`, `
x: write 1 5, read 2 = nil
x: read 3 = 7, insert 3 8, read 3 = 8, delete 3 9, insert 4 1, read 4 = 1
x: read-range 1–nil = 1:5 dead 3:9`},
		{"viper, initial", Viper, `{"value": [["w", 1, 5, true]], "isInitial": true}` + "\n" + `{"value": [["r", 1, "5", false]]}`, `
initial: write 1 5
x: read 1 = "5"`},
		{"chronos", Chronos, `[{"tid":7,"sid":0,"sts":{"p":1,"l":0},"cts":{"p":3,"l":0},"ops":[{"t":"w","k":1,"v":2}]},
			{"tid":8,"sid":1,"sts":{"p":3,"l":1},"cts":{"p":4,"l":0},"ops":[{"t":"r","k":1,"v":null}]}]`, `
0: write 1 2
1: read 1 = nil`},
		{"edn", EDN, `; a comment
{:index 4, :type :invoke, :f :txn, :process 0, :value [[:append :x 1] [:r "y" nil]]}
{:type :info, :process :nemesis, :f :start, :value [[:a]]}
{:index 9, :type :ok, :f :txn, :process 0, :value [[:append :x 1] [:r "y" [2 3]]]}
{:type :invoke, :process 1, :value [[:w 3 1] [:r :x nil]]} #_ {:type :bad}
{:type :fail, :process 1, :value [[:w 3 1] [:r :x nil]]}
#jepsen.history.Op{:type :invoke, :process 1, :value [[:w 3 2]]}
{:type :info, :process 1, :error [:timeout "x"]}
{:type :invoke, :process 0, :value [[:r 3 nil] [:inc 4 2] [:r 4 nil] [:add 5 1] [:r 5 nil]]}
{:type :ok, :process 0, :value [[:r 3 2], [:inc 4 2], [:r 4 2], [:add 5 1], [:r 5 #{1 2}]]}
{:type :invoke, :process 2, :value [[:append :x 7] [:r :x nil]]}`, `
0: append :x 1, read-list "y" = [2 3]
0: read 3 = 2, increment 4 2, read-counter 4 = 2, add 5 1, read-set 5 = {1 2}
1: aborted write 3 1, read-list :x = ?
1: unknown write 3 2
2: unknown append :x 7, read-list :x = ?`},
		{"edn, nil lists", EDN, "[{:type :ok, :process 0, :value [[:r 1 nil] [:r 2 nil]]}\n{:type :ok :process 0 :value [[:append 1 3] [:w 2 nil]]}]", `
0: read-list 1 = [], read 2 = nil
0: append 1 3, write 2 nil`},
		{"register", EDN, `[{:process 1 :type :invoke :f :write :value 3} {:process 1 :type :ok :f :write :value 3}
			{:process 1 :type :invoke :f :cas :value [3 4]} {:process 1 :type :ok :f :cas :value [3 4]}
			{:process 1 :type :invoke :f :cas :value [3 5]} {:process 1 :type :fail :f :cas :value [3 5]}
			{:process 2 :type :invoke :f :read :value nil} {:process 2 :type :ok :f :read :value 4}]`, `
1: write 3
1: read = 3, write 4
1: aborted read = ?, write 5
2: read = 4`},
		{"counter", EDN, "{:type :ok :process 0 :f :add :value 2}{:type :ok :process 0 :f :read :value 2}", "\n0: increment 2\n0: read-counter = 2"},
		{"set", EDN, "{:type :ok :process 0 :f :add :value 2}{:type :ok :process 0 :f :read :value [2]}", "\n0: add 2\n0: read-set = {2}"},
		{"mutex", EDN, "{:type :ok :process 0 :f :acquire}{:type :ok :process 0 :f :release}", "\n0: read = nil, write :held\n0: read = :held, write nil"},
		{"bank", ElleJSON, `[{"type":"ok","process":0,"f":"transfer","value":{"from":1,"to":2,"amount":3}}, {"type":"ok","process":0,"f":"read","value":{"1":7,"2":null}}]`, `
initial: write 1 = ?
initial: write 2 = ?
0: increment 1 -3, increment 2 3
0: read-counter 1 = 7, read-counter 2 = ?`},
		{"completions that do not repeat the value", EDN, `{:type :invoke :process 0 :f :txn :value [[:w 1 2] [:r 1 nil]]}{:type :ok :process 0 :f :txn}
			{:type :invoke :process 0 :f :cas :value [1 2]}{:type :ok :process 0 :f :cas}`, `
0: write 1 2, read 1 = ?
0: read = 1, write 2`},
		{"no processes", EDN, `{:type :invoke :f :write :value 1}{:type :invoke :f :read :value nil}{:type :ok :f :read :value nil}{:type :ok :f :write :value 1}`, `
nil: write 1
nil: read = nil`},
		{"jepsen log, apart by blanks, with an error", JepsenLog, "2020-01-02 03:04:05,678{GMT}\tINFO\t[jepsen worker 0] jepsen.util - 0  :invoke :write  4\nINFO jepsen.util - 0 :ok :write 4\n1 :invoke :cas [4 2]\n1 :info :cas [4 2] :timeout\n", `
0: write 4
1: unknown read = 4, write 2`},
		{"jepsen log, behind a thread", JepsenLog, "INFO [2019-09-19 15:09:43,478] jepsen worker 4 - jepsen.util 4\t:invoke\t:write\t4\nINFO [2019-09-19 15:09:43,479] jepsen worker 4 - jepsen.util 4\t:ok\t:write\t4\n", `
4: write 4`},
		{"jepsen log, behind a colon", JepsenLog, "2020-01-02 03:04:05,678{GMT}\tINFO\t[jepsen worker 0] jepsen.util: 0\t:invoke\t:write\t4\n2020-01-02 03:04:05,679{GMT}\tINFO\t[jepsen worker 0] jepsen.util: 0\t:ok\t:write\t4\n", `
0: write 4`},
		{"get, put and append", EDN, `{:process 0, :type :invoke, :f :put, :key "k", :value "a"}{:process 0, :type :ok, :f :put, :key "k", :value "a"}
			{:process 1, :type :invoke, :f :append, :key "k", :value "bc"}{:process 0, :type :invoke, :f :append, :key "k", :value "d"}
			{:process 2, :type :invoke, :f :get, :key "k", :value nil}{:process 2, :type :ok, :f :get, :key "k", :value "abcd"}
			{:process 0, :type :ok, :f :append, :key "k", :value "d"}{:process 2, :type :invoke, :f :append, :key "k", :value "lost"}
			{:process 3, :type :invoke, :f :get, :key "new", :value nil}{:process 3, :type :ok, :f :get, :key "new", :value ""}`, `
0: write "k" "a"
0: read "k" = "abc", write "k" "abcd"
1: unknown read "k" = "a", write "k" "abc"
2: read "k" = "abcd"
2: unknown write "k" #…lost (5)
3: read "new" = nil`},
		{"chronos, strings for numbers, and initial values", Chronos, `[{"tid":"initial","sid":"initial","sts":{"p":"0","l":"0"},"cts":{"p":"0","l":"0"},"ops":[{"t":"write","k":"1","v":"5"}]},
			{"tid":"7","sid":"3","sts":"100","cts":"200","ops":[{"t":"READ","k":1,"v":"5"},{"t":"w","k":"1","v":6},{"t":"r","k":2}]}]`, `
initial: write 1 5
3: read 1 = 5, write 1 6, read 2 = nil`},
		{"chronos, where all was 0", Chronos, `[{"tid":1,"sid":0,"sts":{"p":1,"l":0},"cts":{"p":2,"l":0},"ops":[{"t":"r","k":1,"v":0},{"t":"w","k":2,"v":3}]}]`, `
initial: write 1 0
initial: write 2 0
0: read 1 = 0, write 2 3`},
		{"chronos, lists", Chronos, `[{"tid":1,"sid":0,"sts":{"p":1,"l":0},"cts":{"p":2,"l":0},"ops":[{"t":"a","k":1,"v":4},{"t":"r","k":1,"v":[4]},{"t":"r","k":2,"v":[]},{"t":"r","k":1}]}]`, `
0: append 1 4, read-list 1 = [4], read-list 2 = [], read-list 1 = []`},
		{"dbcop YAML", dbcopYAML, "---\ninfo: x\ndata:\n- - events:\n    - Write:\n        variable: 0\n        version: 1\n    - !Read\n      variable: x\n      version: ~\n    committed: true\n  - events: [[w, 1, 2]]\n    committed: false\n- - {success: true, events: [{write: true, variable: 1, value: 3, success: false}, {write: false, variable: 1, value: 0, success: true}]}\n", `
0: write 0 1, read "x" = nil
0: aborted write 1 2
1: read 1 = nil
1: aborted write 1 3`},
		{"dbcop YAML, sessions alone", dbcopYAML, "- - events: [{Write: {variable: 1, version: 2}}]\n    committed: true\n", `
0: write 1 2`},
		{"jepsen log", JepsenLog, "INFO  jepsen.util - 0\t:invoke\t:write\t4\nINFO  jepsen.util - 0\t:ok\t:write\t4\nINFO  jepsen.util - 1\t:invoke\t:cas\t[4 2]\n", `
0: write 4
1: unknown read = 4, write 2`},
	} {
		want := strings.TrimPrefix(c.want, "\n") + "\n"
		for _, o := range []Options{{Format: c.f}, {}} {
			name := "x"
			h, f, err := Decode(t.Context(), strings.NewReader(c.in), name, o)
			if err != nil {
				t.Errorf("%s (%q): %v", c.name, o.Format, err)
				continue
			}
			if f != c.f {
				t.Errorf("%s: taken for %s", c.name, f)
			}
			if err := h.Check(); err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			if got := print(h); got != want {
				t.Errorf("%s: got\n%swant\n%s", c.name, got, want)
			}
		}
	}
}

// TestStamps: a Jepsen history is ordered by its lines, one of Chronos by its
// stamps.
func TestStamps(t *testing.T) {
	read := func(in string) *history.History {
		h, _, err := Decode(t.Context(), strings.NewReader(in), "x", Options{})
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	h := read(`{:type :invoke :process 0 :time 90 :value [[:w 1 1]]}{:type :invoke :process 1 :time 10 :value []}
		{:type :ok :process 0 :time 30 :value [[:w 1 1]]}{:type :invoke :process 2 :time 20 :value []}{:type :info :process 1 :time 95 :value []}`)
	if h.Order() != history.RealTime || !h.Precedes(1, 3) || h.Precedes(1, 2) || h.Precedes(2, 3) || h.Precedes(3, 2) {
		t.Error("the order of lines is lost")
	}
	if s, e := h.Clock(1); s != 90 || e != 30 {
		t.Errorf("clock %d, %d", s, e)
	}
	if h = read("{:type :ok :process 0 :value []}{:type :ok :process 1 :value []}"); h.Order() != history.NoOrder || h.Precedes(1, 2) {
		t.Error("completions alone have an order")
	}
	h = read(`[{"tid":1,"sid":0,"sts":{"p":5,"l":2},"cts":{"p":6,"l":0},"ops":[]},{"tid":2,"sid":1,"sts":{"p":5,"l":1},"cts":{"p":5,"l":1},"ops":[]}]`)
	if n, _ := h.Number(2); h.Order() != history.Database || !h.Precedes(2, 1) || h.Precedes(1, 2) || n != 2 || h.Begin(2) != h.End(2) {
		t.Error("the stamps of the database are lost")
	}
}

// TestMistakes: each mistake has a place and says what was expected.
func TestMistakes(t *testing.T) {
	txn := func(s string) string { return `{:type :ok :process 0 :value ` + s + `}` }
	for _, c := range []struct {
		f        Format
		in, want string
	}{
		{Plume, "w(1,2,3,4)\nw(1,2,3)\n", `x:2: "w(1,2,3)", expected w(key,value,session,txn)`},
		{Plume, "w(1,2,3,4)\nr(a,2,3,4)\n", "x:2: "},
		{Plume, "w(1,99999999999999999999,3,4)\n", "x:1: "},
		{Plume, "w(1,2,0,4)\nw(1,3,1,4)\n", "x:2: the transaction 4 is in session 1, but was in session 0 before"},
		{Plume, "w(1,2,0,-2)\n", "x:1: the transaction -2"},
		{JepsenLog, "INFO jepsen.util - 0 :invoke :read\n", "x:1: \"0 :invoke :read\", expected process, type, function and value"},
		{JepsenLog, "INFO jepsen.util - 0 :invoke :read nil\nINFO jepsen.core - done\n", "x:2: "},
		{EDN, "{:type :invoke :process 0 :value [[:w 1 1]]}\n{:type :ok :process 0 :value [[:w 1 2]]}", "x:2: the completion [[:w 1 2]], expected what line 1 invoked, [[:w 1 1]]"},
		{EDN, "{:type :invoke :process 0 :value [[:r 1 nil]]}\n{:type :ok :process 0 :value [[:r 2 nil]]}", "x:2: the completion [[:r 2 nil]]"},
		{EDN, "{:type :invoke :process 0 :value [[:append 1 1]]}\n{:type :ok :process 0 :value [[:append 1 1] [:append 1 2]]}", "x:2: the completion"},
		{EDN, "{:type :invoke :process 0 :f :write :value 1}\n{:type :ok :process 0 :f :write :value 2}", "x:2: the completion 2"},
		{EDN, "{:type :invoke :process 0 :f :write :value [1 5]}", "x:1: the :value [1 5] of a write is a key and a value; independent keys are not read"},
		{EDN, "{:type :invoke :process 0 :f :read :value [1 nil]}", "x:1: the :value [1 nil] of a read is a key"},
		{EDN, "{:type :ok :process 0 :f :cas :value [1 [0 5]]}", "x:1: the :value [1 [0 5]] of a cas is a key"},
		{EDN, "{:type :invoke :process 0 :f :cas :value [1 2]}\n{:type :ok :process 0 :f :cas :value [1 3]}", "x:2: the completion [1 3]"},
		{EDN, "{:type :invoke :process 0 :f :write :value 1}\n{:type :ok :process 0 :f :cas :value [1 3]}", "x:2: process 0 completes cas"},
		{EDN, "{:type :invoke :process 0 :f :put :key 1 :value \"a\"}\n{:type :ok :process 0 :f :put :key 2 :value \"a\"}", "x:2: the completion of key 2"},
		{EDN, "{:type :ok :process 0 :f :append :key 1 :value \"a\"}{:type :ok :process 0 :f :append :key 1 :value \"a\"}", "the string \"a\" is appended twice to the key 1"},
		{EDN, "{:type :ok :process 0 :f :append :key 1 :value \"a\"}{:type :ok :process 0 :f :put :key 1 :value \"a\"}{:type :ok :process 0 :f :get :key 1 :value \"a\"}", "in more than one way"},
		{DbcopText, "[x:=1 %%%@@@x==1]\n", "x:1: \"%%%@@@x==1\", expected x:=1"},
		{DbcopText, "[-:=1]\n", "x:1: \"-:=1\", expected x:=1"},
		{dbcopYAML, "data:\n- - events:\n    - Write: {variable: 1}\n    committed: true\n", "x:3: expected an event"},
		{dbcopYAML, "data:\n- - events: []\n", "x:2: expected a transaction"},
		{dbcopYAML, "data: 1\n", "x:1: expected an array of sessions"},
		{dbcopYAML, "data: [\n", "x:1: no YAML"},
		{AWDIT, "r 1 1\nr 1\n", `x:2: "r 1", expected "r key value"`},
		{AWDIT, "r 1 1\nx\n", "x:2: "},
		{Dbcop, strings.Repeat("\x00", 30), "x, byte 30: the file ends within the header"},
		{Dbcop, strings.Repeat("\x00", 64) + "\x01", "x, byte 65: the file ends where the number of sessions"},
		{Dbcop, strings.Repeat("\x00", 64) + strings.Repeat("\xff", 8), "x, byte 64: the number of sessions is"},
		{DbcopJSON, `{"data": [[{"events": [{"Write": {"variable": 0}}], "committed": true}]]}`, "x:1: the event"},
		{DbcopJSON, `{"data": [[{"events": []}]]}`, "x:1: {"},
		{DbcopJSON, `{"dat": []}`, `an object without "data"`},
		{DbcopJSON, "{\"data\": [\n[}", `x:2:2: '}', expected ']'`},
		{DbcopText, "[x:=1]\n[x=1]\n", `x:2: "x=1", expected x:=1`},
		{DbcopText, "[x:=1\n", "x:1: "},
		{Cobra, "S\x00\x00\x00\x00\x00\x00\x00\x01W", "x, byte 9: the file ends within a record of 25 bytes"},
		{Cobra, "S\x00\x00\x00\x00\x00\x00\x00\x01X", `x, byte 9: the record begins with 'X'`},
		{Cobra, "S\x00\x00\x00\x00\x00\x00\x00\x01C\x00\x00\x00\x00\x00\x00\x00\x02", "x, byte 9: the transaction 2 commits within 1"},
		{Cobra, "C\x00\x00\x00\x00\x00\x00\x00\x01", "x, byte 0: a record C outside a transaction"},
		{Viper, "{\"value\": []}\n{\"value\": [[\"q\", 1, 2]]}", "x:2: the operation"},
		{Viper, "{\"value\": []}\n{\"valu\": 3}", "x:2: "},
		{Viper, "{\"value\": [[\"w\", 1, 2, true]", "x:1:29: the file ends within what line 1 opened"},
		{Viper, `{"value": [["range", 1, 2, [{"id": 3}], []]]}`, "x:1: the row"},
		{Chronos, `[{"tid":7,"sid":0,"sts":{"p":1},"cts":{"p":3,"l":0},"ops":[]}]`, `x:1: no stamp "sts"`},
		{Chronos, `[{"tid":7}]`, "x:1: "},
		{Chronos, `[{"tid":7,"sid":0,"sts":{"p":1,"l":2},"cts":{"p":1,"l":1},"ops":[]}]`, "x:1: the transaction commits (cts) before it begins"},
		{EDN, txn("[[:append 1 1]]") + "\n" + txn("[[:w 1 2]]"), "x:2: the key 1 is a list, which has no write"},
		{EDN, txn("[[:r 1 5]]") + "\n" + txn("[[:r 1 [5]]]"), "x:1: the key 1 is a list, but one value is read"},
		{EDN, txn("[[:append 1 1]]") + "\n" + txn("[[:r 1 5]]"), "x:2: the key 1 is a list, but one value is read"},
		{EDN, txn("[[:frob 1 2]]"), "x:1: the operation [:frob 1 2], expected :r"},
		{EDN, txn("[[:r 1]]"), "x:1: the operation [:r 1], expected a vector of function, key and value"},
		{EDN, "{:process 0 :value []}", "x:1: an operation without :type"},
		{EDN, "{:type :done :process 0 :value []}", "x:1: the :type :done"},
		{EDN, "{:type :ok :process 0 :f :frob}", `x:1: the operation "frob"`},
		{EDN, "{:type :invoke :process 0 :value []}\n{:type :invoke :process 0 :value []}", "x:2: process 0 invokes an operation, but the one that it invoked in line 1 is not complete"},
		{EDN, "{:type :invoke :process 0 :f :read}\n{:type :ok :process 0 :f :write :value 1}", "x:2: process 0 completes write, but line 1 began read"},
		{EDN, "{:type :ok", "x:1:11: the file ends within what line 1 opened"},
		{EDN, "[{:type :ok :process 0 :value []}", "the file ends within what line 1 opened"},
		{EDN, "{:type :ok :value \"abc", "the file ends within the string of line 1"},
		{EDN, "{:type :ok]", `x:1:11: ']', expected a value`},
		{EDN, strings.Repeat("[", 500), "nested more than 200 deep"},
		{EDN, "[" + strings.Repeat("#_", 500), "nested more than 200 deep"},
		{EDN, "{" + strings.Repeat("#a ", 500), "nested more than 200 deep"},
		{EDN, "[{:type :ok :process 0 :value []}] 5", `'5' after the end of the history`},
		{ElleJSON, `[{"type":"ok","process":0,"value":[]},]`, "after a comma"},
		{ElleJSON, `[{"type":"ok" "process":0}]`, "expected ','"},
		{ElleJSON, `[{"type":"ok", process:0}]`, "expected a value of JSON"},
		{ElleJSON, `[{"type":"ok","value":[["r",01,2]]}]`, "expected a number of JSON"},
		{ElleJSON, "[{\"type\":\"o\nk\"}]", "in a string of JSON"},
		{ElleJSON, `{}`, "an operation without :type"},
		{JepsenLog, "INFO  jepsen.util - 0\t:invoke\t:write\n", "x:1: "},
		{JepsenLog, "INFO  jepsen.util - 0\t:invoke\t:write\t)\n", "x:1: "},
		{Compact, compactMagic, "the file ends without an end record"},
		{Compact, "nothing", "x, byte 0: the file does not begin"},
		{Guess, "", "x:1:1: the file is empty; name the format"},
		{Guess, " \n", "x:1:1: the file is blank"},
		{Guess, "hello", "x:1:1: the format is not one that this program knows; name the format of the history, one of plume, awdit"},
		{Guess, "n:4\ne:1,2\n", "x:1:1: this is a polygraph"},
	} {
		_, _, err := Decode(t.Context(), strings.NewReader(c.in), "x", Options{Format: c.f})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %q:\n got %v\nwant %s", c.f, c.in[:min(len(c.in), 80)], err, c.want)
			continue
		}
		if strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: the message has several lines: %v", c.f, err)
		}
		if !strings.HasPrefix(err.Error(), "x:") && !strings.HasPrefix(err.Error(), "x, byte") {
			t.Errorf("%s: no place: %v", c.f, err)
		}
	}
}

// TestTruncated: no beginning of a binary history or of a JSON one is taken for
// the whole.
func TestTruncated(t *testing.T) {
	h := random(3, features{kinds: []history.Kind{history.Read, history.Write}, statuses: true, numbers: true})
	for seed := uint64(4); h.NumOps() < 12; seed++ {
		h = random(seed, features{kinds: []history.Kind{history.Read, history.Write}, statuses: true, numbers: true})
	}
	for _, f := range []Format{Dbcop, Compact} {
		whole, _, err := Bytes(t.Context(), h, f)
		if err != nil {
			t.Fatal(err)
		}
		for n := range whole {
			_, _, err := Decode(t.Context(), bytes.NewReader(whole[:n]), "x", Options{Format: f})
			var mistake *Error
			if !errors.As(err, &mistake) {
				t.Errorf("%s: %d of %d bytes: %v", f, n, len(whole), err)
			}
		}
		if f != Compact {
			continue
		}
		for n := range whole {
			damaged := bytes.Clone(whole)
			damaged[n] ^= 0x10
			if _, _, err := Decode(t.Context(), bytes.NewReader(damaged), "x", Options{Format: f}); err == nil {
				t.Errorf("byte %d of %d is damaged, and nobody noticed", n, len(whole))
			}
		}
	}
}

// TestPreloaded: values from nowhere are initial only where very many keys have
// one, and not if the reader is strict.
func TestPreloaded(t *testing.T) {
	log := func(keys int, more string) string {
		var b strings.Builder
		for k := range keys {
			fmt.Fprintf(&b, "{\"value\": [[\"r\", %d, %d, false], [\"w\", %d, %d, true]]}\n", k, 1000+k, k, k)
		}
		return b.String() + more
	}
	for _, c := range []struct {
		in     string
		strict bool
		want   bool
	}{
		{log(20, ""), false, true},
		{log(20, ""), true, false},
		{log(3, ""), false, false},
		{log(20, `{"value": [["r", 99, null, false]]}`), false, false},
		{log(20, `{"value": [["r", 3, 5555, false]]}`), false, false},
		{`{"value": [], "isInitial": true}` + log(20, ""), false, false},
	} {
		h, _, err := Decode(t.Context(), strings.NewReader(c.in), "J1.log", Options{Strict: c.strict})
		if err != nil {
			t.Fatal(err)
		}
		if got := h.InitialGiven(3) && len(h.Notes()) == 1 && len(h.Sources().Of(history.Op(h.NumKeys()))) == 1; got != c.want {
			t.Errorf("%.60s…, strict %v: preloaded %v", c.in, c.strict, got)
		}
	}
}

// TestFiles: folders, compressed files and sessions in files of their own.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	put := func(name string, content []byte) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	read := func(paths ...string) (string, error) {
		h, _, err := Read(t.Context(), paths, Options{})
		if err != nil {
			return "", err
		}
		return print(h), nil
	}
	var z bytes.Buffer
	g := gzip.NewWriter(&z)
	g.Write([]byte("w(1,2,3,4)\n"))
	g.Close()
	if got, err := read(put("h.txt.gz", z.Bytes())); err != nil || got != "3: write 1 2\n" {
		t.Errorf("compressed: %q, %v", got, err)
	}
	if _, err := read(put("cut.txt.gz", z.Bytes()[:z.Len()-6])); err == nil {
		t.Error("a compressed file that was cut off is read")
	}
	put("v/J10.log", []byte(`{"value": [["r", 1, 2, false]]}`))
	put("v/J9.log", nil)
	put("v/notes.txt", []byte("x"))
	last := put("v/J8.log.gz", func() []byte {
		var z bytes.Buffer
		g := gzip.NewWriter(&z)
		g.Write([]byte(`{"value": [["w", 1, 2, true]]}`))
		g.Close()
		return z.Bytes()
	}())
	h, f, err := Read(t.Context(), []string{filepath.Join(dir, "v")}, Options{})
	if err != nil || f != Viper {
		t.Fatalf("a folder of logs: %s, %v", f, err)
	}
	if got := print(h); got != "8: write 1 2\n10: read 1 = 2\n" || h.NumSessions() != 3 {
		t.Errorf("a folder of logs: %q, %d sessions", got, h.NumSessions())
	}
	if at := h.Locate(h.Place(2)); at != filepath.Join(dir, "v", "J10.log")+":1" {
		t.Errorf("the place is %s", at)
	}
	if got, err := read(filepath.Join(dir, "v", "J10.log"), last); err != nil || got != "10: read 1 = 2\n8: write 1 2\n" {
		t.Errorf("two logs: %q, %v", got, err)
	}
	if _, err := read(put("a.txt", []byte("w(1,2,3,4)\n")), put("b.txt", []byte("w(1,2,3,4)\n"))); err == nil || !strings.Contains(err.Error(), "one by one") {
		t.Errorf("two histories: %v", err)
	}
	put("two/a.txt", []byte("w(1,2,3,4)\n"))
	put("two/b.txt", []byte("w(1,2,3,4)\n"))
	if _, err := read(filepath.Join(dir, "two")); err == nil || !strings.Contains(err.Error(), "name the one") {
		t.Errorf("a folder of two histories: %v", err)
	}
	put("two/history.edn", []byte("{:type :ok :process 0 :value []}"))
	if got, err := read(filepath.Join(dir, "two")); err != nil || got != "0:\n" {
		t.Errorf("a folder with history.edn: %q, %v", got, err)
	}
	if err := os.Mkdir(filepath.Join(dir, "none"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := read(filepath.Join(dir, "none")); err == nil || !strings.Contains(err.Error(), "no files") {
		t.Errorf("an empty folder: %v", err)
	}
	if _, err := read(filepath.Join(dir, "absent")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
}

// TestSave: files and folders are written whole or not at all.
func TestSave(t *testing.T) {
	dir := t.TempDir()
	h, _, err := Decode(t.Context(), strings.NewReader("w(1,2,0,0)\nw(1,3,0,2)\nr(1,2,1,1)\n"), "x", Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range writableFormats() {
		for _, ending := range []string{"", ".gz"} {
			path := filepath.Join(dir, string(f)+ending)
			if f.Folder() && ending != "" {
				continue
			}
			if _, err := Save(t.Context(), path, h, f); err != nil {
				t.Errorf("%s: %v", f, err)
				continue
			}
			back, g, err := Read(t.Context(), []string{path}, Options{})
			if err != nil || g != f {
				t.Errorf("%s: read as %s, %v", f, g, err)
				continue
			}
			// Every format has its own names; the data must be there.
			if got := back.NumTxns(); got != h.NumTxns() {
				t.Errorf("%s: %d transactions", f, got)
			}
		}
	}
	lists, _, err := Decode(t.Context(), strings.NewReader("{:type :ok :process 0 :value [[:append 1 1]]}"), "x", Options{})
	if err != nil {
		t.Fatal(err)
	}
	before, _ := os.ReadDir(dir)
	for _, f := range []Format{Plume, Cobra, Viper, Dbcop} {
		if _, err := Save(t.Context(), filepath.Join(dir, "new"), lists, f); err == nil || !strings.Contains(err.Error(), "x:1: append 1 1, which the format") {
			t.Errorf("%s: a list is written: %v", f, err)
		}
	}
	if _, err := Save(t.Context(), filepath.Join(dir, "cobra"), h, Cobra); err == nil || !strings.Contains(err.Error(), "exists") {
		t.Errorf("a folder is replaced: %v", err)
	}
	if _, err := Save(t.Context(), filepath.Join(dir, "x"), h, Chronos); err == nil || !strings.Contains(err.Error(), "cannot be written") {
		t.Errorf("chronos is written: %v", err)
	}
	after, _ := os.ReadDir(dir)
	if len(before) != len(after) {
		t.Errorf("%d files became %d", len(before), len(after))
	}
}

// TestConverted: PolySI writes initial values as a transaction, and says so.
func TestConverted(t *testing.T) {
	for info, want := range map[string]string{
		"generated by SIVerifier": "initial: write 5 1\n1: read 5 = 1\n",
		"something else":          "0: write 5 1\n1: read 5 = 1\n",
	} {
		number := func(n byte) string { return string([]byte{n}) + "\x00\x00\x00\x00\x00\x00\x00" }
		event := func(write string) string { return write + number(5) + number(1) + "\x01" }
		in := strings.Repeat(number(0), 5) + number(byte(len(info))) + info + number(0) + number(0) + number(2) +
			number(1) + number(1) + event("\x01") + "\x01" + number(1) + number(1) + event("\x00") + "\x01"
		h, f, err := Decode(t.Context(), strings.NewReader(in), "x", Options{})
		if err != nil || f != Dbcop {
			t.Fatalf("%s: %s, %v", info, f, err)
		}
		if got := print(h); got != want {
			t.Errorf("%s: got\n%swant\n%s", info, got, want)
		}
	}
}

func TestFormats(t *testing.T) {
	for _, n := range Names(false) {
		f, err := ParseFormat(n)
		if err != nil || string(f) != n || f.Describe() == "" {
			t.Errorf("%s: %s, %v", n, f, err)
		}
	}
	for name, want := range map[string]Format{"polysi": Plume, "jepsen": EDN, "bincode": Dbcop, "own": Compact} {
		if f, err := ParseFormat(name); err != nil || f != want {
			t.Errorf("%s is %s, %v", name, f, err)
		}
	}
	if _, err := ParseFormat("xml"); err == nil || !strings.Contains(err.Error(), "compact") {
		t.Errorf("xml: %v", err)
	}
}

// TestCobraTimes: the records of one folder may have times.
func TestCobraTimes(t *testing.T) {
	number := func(n byte) string { return "\x00\x00\x00\x00\x00\x00\x00" + string([]byte{n}) }
	h, _, err := Decode(t.Context(), strings.NewReader("S"+number(1)+number(50)+"W"+number(7)+number(2)+number(3)+"C"+number(1)+number(60)+"S"+number(2)+number(70)), "T4.log", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := print(h); got != "4: write 2 3 @7\n4: unknown\n" {
		t.Error(got)
	}
	if !h.Precedes(1, 2) || h.Begin(1) != 50 || h.End(1) != 60 || h.End(2) != history.NoEnd || h.Order() != history.RealTime {
		t.Error("the times are lost")
	}
	h, _, err = Decode(t.Context(), strings.NewReader("S"+number(1)+"C"+number(1)), "T4.log", Options{})
	if err != nil || h.Order() != history.NoOrder {
		t.Errorf("without times: %v", err)
	}
}

// TestNothing: a recording without a transaction is a mistake in every format, and not a
// history of which every level holds.
func TestNothing(t *testing.T) {
	empty := map[Format][]string{
		Plume: {"", "\n \n"}, AWDIT: {"", "\n", "-----\n", "=====\n"}, Dbcop: {"", strings.Repeat("\x00", 9*8)}, DbcopJSON: {"", `{"data": []}`, `{"data": [[]]}`},
		DbcopText: {"", "\n", "---\n", "// c\n"}, dbcopYAML: {"", "\n", "data: []\n", "data:\n- []\n"}, Cobra: {""}, Viper: {"", "\n"},
		EDN: {"", "\n", "[]", "; c\n", "{:type :info :process :nemesis :f :start}"}, ElleJSON: {"", "[]"}, JepsenLog: {"", "\n"},
		Chronos: {"", "[]"}, Compact: {""},
	}
	for _, name := range Names(false) {
		f := Format(name)
		if len(empty[f]) == 0 {
			t.Errorf("%s is not tested", f)
		}
		for _, text := range empty[f] {
			h, _, err := Decode(t.Context(), strings.NewReader(text), "x", Options{Format: f})
			if err == nil || !strings.HasPrefix(err.Error(), "x") {
				t.Errorf("%s: %q gives %v, error %v", f, text, h, err)
			}
		}
	}
	dir := t.TempDir()
	for _, name := range []string{"J0.log", "J1.log"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := Read(t.Context(), []string{dir}, Options{}); err == nil || !strings.Contains(err.Error(), "the 2 files have no transaction") {
		t.Errorf("a folder of empty logs: %v", err)
	}
	// A session without a transaction is none of these.
	if err := os.WriteFile(filepath.Join(dir, "J2.log"), []byte("{\"value\": []}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if h, _, err := Read(t.Context(), []string{dir}, Options{}); err != nil || h.NumTxns() != 2 {
		t.Errorf("a folder of logs of which two are empty: %v", err)
	}
}
