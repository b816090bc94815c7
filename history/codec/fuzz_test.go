package codec

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/history/codec/internal/ednode"
	"olympos.io/encoding/edn"
)

// seeds gives small inputs of a format to a fuzz target.
func seeds(f *testing.F, format Format) {
	for seed := range uint64(20) {
		h := random(seed, features{kinds: []history.Kind{history.Read, history.Write}, initial: seed%2 == 0, statuses: seed%3 == 0, numbers: true})
		g, ok := format.find()
		if !ok || g.write == nil {
			continue
		}
		m := &memory{files: map[string]*bytes.Buffer{}}
		if _, err := g.encode(f.Context(), h, m.create); err == nil {
			for _, b := range m.files {
				f.Add(b.Bytes())
			}
		}
	}
}

// fuzz reads anything. What is read without an error has to be a proper
// history, which comes back unchanged from the compact format and, as far as it
// says that nothing is lost, from its own. What is read in chunks has to be what is
// read at once.
func fuzz(f *testing.F, format Format, examples ...string) {
	seeds(f, format)
	for _, e := range examples {
		f.Add([]byte(e))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if slices.Contains(chunked, format) {
			sameReading(t, data, format)
		}
		h, _, err := Decode(t.Context(), bytes.NewReader(data), "x", Options{Format: format})
		if err != nil {
			if strings.Contains(err.Error(), "\n") || err.Error() == "" {
				t.Errorf("the message is not one line: %q", err)
			}
			return
		}
		if err := h.Check(); err != nil {
			t.Fatal(err)
		}
		if _, losses := thereAndBack(t, h, Compact); len(losses) > 0 {
			t.Fatalf("the compact format loses %s", losses)
		}
		if format.Writable() {
			thereAndBack(t, h, format)
		}
		h.Sources()
		h.Writers()
	})
}

func FuzzPlume(f *testing.F) {
	fuzz(f, Plume, "w(1,2,3,4)\nr(1,2,3,-1)\n", "w(1,0,0,0)\nw(-1,9223372036854775807,5,1)\n")
}
func FuzzAWDIT(f *testing.F) { fuzz(f, AWDIT, "w 1 2\n-----\nr 1 2\n=====\nr 1 0\n") }
func FuzzDbcop(f *testing.F) { fuzz(f, Dbcop) }
func FuzzDbcopJSON(f *testing.F) {
	fuzz(f, DbcopJSON, `{"data":[[{"events":[{"Write":{"variable":0,"version":1}},["r","x",null]],"committed":true}]]}`)
}
func FuzzDbcopText(f *testing.F) { fuzz(f, DbcopText, "[x:=1 y==2]! [z==?]\n---\n// c\n[0:=0]\n") }
func FuzzDbcopYAML(f *testing.F) {
	fuzz(f, dbcopYAML, "data:\n- - events:\n    - Write: {variable: 0, version: 1}\n    - !Read\n      variable: x\n      version: null\n    committed: true\n", "- - {success: false, events: [[w, 1, 2], {write: true, variable: 1, value: 3, success: false}]}\n")
}
func FuzzStrings(f *testing.F) {
	fuzz(f, EDN, `{:process 0, :type :invoke, :f :append, :key "0", :value "x 0 0 y"}
{:process 1, :type :invoke, :f :get, :key "0", :value nil}
{:process 1, :type :ok, :f :get, :key "0", :value "x 0 0 y"}
{:process 0, :type :ok, :f :append, :key "0", :value "x 0 0 y"}
`)
}
func FuzzCobra(f *testing.F) { fuzz(f, Cobra) }
func FuzzViper(f *testing.F) {
	fuzz(f, Viper, `{"value": [["i", 3, 8, 7, true, true], ["range", 1, null, [{"id": 1, "val": 5}], [[3, 9]]]]}`, `{"value": [["w", "a", 1, true]], "isInitial": true}`)
}
func FuzzChronos(f *testing.F) {
	fuzz(f, Chronos, `[{"tid":7,"sid":0,"sts":{"p":1,"l":0},"cts":{"p":3,"l":0},"ops":[{"t":"w","k":1,"v":2}]}]`)
}
func FuzzJepsenLog(f *testing.F) {
	fuzz(f, JepsenLog, "INFO  jepsen.util - 0\t:invoke\t:write\t4\nINFO  jepsen.util - 0\t:ok\t:write\t4\n")
}
func FuzzCompact(f *testing.F) { fuzz(f, Compact) }

var ednExamples = []string{
	`{:type :invoke, :f :txn :process 0, :time 5 :value [[:append :x 1] [:r "y\n" nil]]} {:type :ok, :process 0, :value [[:append :x 1] [:r "y\n" [2 nil]]]}`,
	`[{:type :ok :process 0 :value [[:r 1.5 #{1 2}] [:inc 2 -3] [:add [1 2] :a]]} #_ 5 #inst "x" {:type :fail :process 1 :f :cas :value [1 2]}]`,
	`({:type :ok :process 0 :f :transfer :value {:from 1 :to 2 :amount 3}} {:type :info :process 0 :f :read :value {1 2}})`,
	`{:type :invoke :f :add :value 5}{:type :ok :f :add :value 5}{:type :ok :f :read :value \a}`,
}

func FuzzEDN(f *testing.F) { fuzz(f, EDN, ednExamples...) }

func FuzzElleJSON(f *testing.F) {
	fuzz(f, ElleJSON, `[{"type":"ok","process":0,"value":[["append",1,2],["r","x\u00e4",[1]]]},{"type":"ok","f":"read","value":{"1":2}}]`)
}

func FuzzGuess(f *testing.F) {
	fuzz(f, Guess, "w(1,2,3,4)", "r 1 2", "[x:=1]", "{:type :ok}", `{"value": []}`, `[{"sts":1}]`, "INFO", compactMagic)
}

// FuzzJSON compares the parser with the standard library.
func FuzzJSON(f *testing.F) {
	for _, s := range []string{`{"a":[1,-2,3.5e2,"x\u00e9\ud83d\ude00\n"],"b":null,"c":true}`, `[]`, `01`, `"\ud800"`, `[1,]`, `{"a" 1}`, `1e400`, `-`, `9223372036854775808`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p := &parser{input: newInput(t.Context(), bytes.NewReader(data), "x", 0), json: true}
		a, err := p.read()
		var mine any
		if err == nil {
			mine = generic(a)
			err = p.end()
		}
		var want any
		valid := json.Valid(data)
		if valid {
			d := json.NewDecoder(bytes.NewReader(data))
			d.UseNumber()
			if err := d.Decode(&want); err != nil {
				t.Fatal(err)
			}
		}
		switch {
		case err == nil != valid:
			// The library replaces what is no text, and nests deeper.
			if valid && (bytes.ContainsAny(data, "\\") || !jsonText(data) || bytes.Count(data, []byte("["))+bytes.Count(data, []byte("{")) > maxDepth) {
				return
			}
			t.Errorf("%q: error %v, the library says valid: %v", data, err, valid)
		case valid && !reflect.DeepEqual(mine, unsigned(want)):
			t.Errorf("%q: %#v, the library says %#v", data, mine, want)
		}
	})
}

// unsigned gives a value of the library without signs of zeros.
func unsigned(v any) any {
	switch v := v.(type) {
	case json.Number:
		if v == "-0" {
			return json.Number("0")
		}
	case []any:
		for i := range v {
			v[i] = unsigned(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = unsigned(v[k])
		}
	}
	return v
}

func jsonText(b []byte) bool { return strings.ToValidUTF8(string(b), "") == string(b) }

// generic gives a tree as the values that the libraries give.
func generic(a ednode.Node) any {
	switch a.Shape() {
	case ednode.NilNode:
		return nil
	case ednode.BoolNode:
		return string(a.Text()) == "true"
	case ednode.IntNode:
		return json.Number(a.String())
	case ednode.FloatNode:
		return json.Number(a.Text())
	case ednode.StringNode:
		return string(a.Text())
	case ednode.ListNode:
		list := []any{}
		for c := a.First(); c.In(a); c = c.Next() {
			list = append(list, generic(c))
		}
		return list
	case ednode.MapNode:
		m := map[string]any{}
		for k := a.First(); k.In(a); {
			v := k.Next()
			m[string(k.Text())] = generic(v)
			k = v.Next()
		}
		return m
	}
	panic("codec: no JSON")
}

// compareWithLibrary reads values of EDN with the parser and with a library: both have to
// read the same.
func compareWithLibrary(t testing.TB, name string, data []byte) {
	t.Helper()
	d := edn.NewDecoder(bytes.NewReader(data))
	p := &parser{input: newInput(t.Context(), bytes.NewReader(data), name, 0)}
	for {
		if err := p.space(); err != nil {
			t.Fatal(err)
		}
		if _, ok := p.peek(); !ok {
			return
		}
		a, err := p.read()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var want any
		if err := d.Decode(&want); err != nil {
			t.Fatalf("%s: the library: %v", name, err)
		}
		if !same(a, want) {
			t.Fatalf("%s: %s, the library says %v", name, ednode.Clip(a), want)
		}
	}
}

// same compares a tree with what the library read.
func same(a ednode.Node, want any) bool {
	switch w := want.(type) {
	case nil:
		return a.Shape() == ednode.NilNode
	case bool:
		return a.Shape() == ednode.BoolNode && string(a.Text()) == map[bool]string{true: "true", false: "false"}[w]
	case int64:
		return a.Shape() == ednode.IntNode && a.Node().Num == w
	case string:
		return a.Shape() == ednode.StringNode && string(a.Text()) == w
	case edn.Symbol:
		return a.Shape() == ednode.SymbolNode && string(a.Text()) == string(w)
	case edn.Keyword:
		return a.Shape() == ednode.KeywordNode && string(a.Text()) == string(w)
	case []any:
		c := a.First()
		for _, x := range w {
			if a.Shape() != ednode.ListNode || !c.In(a) || !same(c, x) {
				return false
			}
			c = c.Next()
		}
		return !c.In(a)
	case map[any]any:
		if a.Shape() != ednode.MapNode || a.Count() != 2*len(w) {
			return false
		}
		for k := a.First(); k.In(a); {
			v := k.Next()
			found := false
			for wk, wv := range w {
				found = found || same(k, wk) && same(v, wv)
			}
			if !found {
				return false
			}
			k = v.Next()
		}
		return true
	case map[any]bool:
		return a.Shape() == ednode.SetNode && a.Count() == len(w)
	}
	return false
}
