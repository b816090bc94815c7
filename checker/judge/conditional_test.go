package judge_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/txrobust/robust/checker/judge"
	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/history/codec"
	"github.com/txrobust/robust/history/record"
	"github.com/txrobust/robust/isolation"
)

// decoded reads a history from a text.
func decoded(t *testing.T, f codec.Format, text string) *history.History {
	t.Helper()
	h, _, err := codec.Decode(context.Background(), strings.NewReader(text), "history", codec.Options{Format: f})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// cobraLog is a log of Cobra that is cut off: the last transaction read a value of
// key 1 and wrote another one, and its commit is missing.
func cobraLog(read uint64) string {
	var b bytes.Buffer
	record := func(c byte, fields ...uint64) {
		b.WriteByte(c)
		for _, f := range fields {
			b.Write(binary.BigEndian.AppendUint64(nil, f))
		}
	}
	const none = 0xabddefee
	record('S', 1)
	record('W', none, 1, 7)
	record('C', 1)
	record('S', 2)
	record('R', 2, none, 2, 9) // what the cut-off transaction wrote: see below
	record('C', 2)
	record('S', 3)
	record('R', 1, none, 1, read)
	record('W', none, 2, 9)
	return b.String()
}

// recorded is a history of a compare-and-set of unknown outcome that found a value.
// Somebody read what it wrote.
func recorded(t *testing.T, found int) *history.History {
	t.Helper()
	r := record.New()
	a, b := r.Session("a"), r.Session("b")
	w := a.Begin("write")
	w.Write("x", 1)
	w.Commit()
	c := a.Begin("compare and set")
	c.Read("x", found)
	c.Write("x", 2)
	c.Unknown()
	q := b.Begin("read")
	q.Read("x", 2)
	q.Commit()
	h, err := r.History()
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestConditional has conditional operations of unknown outcome in every format that has
// any: they either found what they expected, or did not happen. Nobody wrote what
// the first one of each pair expects.
func TestConditional(t *testing.T) {
	edn := func(ops string) func(t *testing.T) *history.History {
		return func(t *testing.T) *history.History { return decoded(t, codec.EDN, ops) }
	}
	const write0 = "{:type :invoke, :f :write, :process 0, :value 0}\n{:type :ok, :f :write, :process 0, :value 0}\n"
	const read4 = "{:type :invoke, :f :read, :process 2}\n{:type :ok, :f :read, :process 2, :value 4}\n"
	swap := func(old, ending string) string {
		v := "[" + old + " 4]"
		s := "{:type :invoke, :f :cas, :process 1, :value " + v + "}\n"
		if ending != "" {
			s += "{:type " + ending + ", :f :cas, :process 1, :value " + v + "}\n"
		}
		return s
	}
	mutex := func(f string) string {
		return "{:type :invoke, :f :acquire, :process 0}\n{:type :ok, :f :acquire, :process 0}\n" +
			"{:type :invoke, :f :" + f + ", :process 1}\n{:type :info, :f :" + f + ", :process 1}\n" +
			"{:type :invoke, :f :acquire, :process 2}\n{:type :ok, :f :acquire, :process 2}\n"
	}
	json := func(old string) string {
		return `[{"type":"invoke","f":"write","process":0,"value":0},{"type":"ok","f":"write","process":0,"value":0},` +
			`{"type":"invoke","f":"cas","process":1,"value":[` + old + `,4]},{"type":"info","f":"cas","process":1,"value":[` + old + `,4]},` +
			`{"type":"invoke","f":"read","process":2},{"type":"ok","f":"read","process":2,"value":4}]`
	}
	log := func(old string) string {
		return "INFO  jepsen.util - 0\t:invoke\t:write\t0\nINFO  jepsen.util - 0\t:ok\t:write\t0\n" +
			"INFO  jepsen.util - 1\t:invoke\t:cas\t[" + old + " 4]\nINFO  jepsen.util - 1\t:info\t:cas\t:timed-out\n" +
			"INFO  jepsen.util - 2\t:invoke\t:read\tnil\nINFO  jepsen.util - 2\t:ok\t:read\t4\n"
	}
	for _, c := range []struct {
		name   string
		h      func(t *testing.T) *history.History
		accept bool
	}{
		{"cas of a value that nobody wrote", edn(write0 + swap("3", ":info") + read4), false},
		{"cas of a value that was written", edn(write0 + swap("0", ":info") + read4), true},
		{"cas of a value that nobody wrote, read by nobody", edn(write0 + swap("3", ":info")), true},
		{"cas without completion", edn(write0 + swap("3", "") + read4), false},
		{"its twin", edn(write0 + swap("0", "") + read4), true},
		{"cas, two writers of its value", edn(write0 + strings.ReplaceAll(strings.ReplaceAll(write0, "0}", "4}"), ":process 0", ":process 3") + swap("3", ":info") + read4), true},
		{"cas on top of a cas that cannot have happened", edn(write0 + swap("3", ":info") +
			strings.ReplaceAll(strings.ReplaceAll(swap("4", ":info"), "4 4", "4 5"), ":process 1", ":process 4") +
			strings.ReplaceAll(read4, "value 4", "value 5")), false},
		{"acquire of a held mutex", edn(mutex("acquire")), false},
		{"release of a held mutex", edn(mutex("release")), true},
		{"JSON, nobody wrote it", func(t *testing.T) *history.History { return decoded(t, codec.ElleJSON, json("3")) }, false},
		{"JSON, somebody did", func(t *testing.T) *history.History { return decoded(t, codec.ElleJSON, json("0")) }, true},
		{"log, nobody wrote it", func(t *testing.T) *history.History { return decoded(t, codec.JepsenLog, log("3")) }, false},
		{"log, somebody did", func(t *testing.T) *history.History { return decoded(t, codec.JepsenLog, log("0")) }, true},
		{"Cobra, nobody wrote it", func(t *testing.T) *history.History { return decoded(t, codec.Cobra, cobraLog(8)) }, false},
		{"Cobra, somebody did", func(t *testing.T) *history.History { return decoded(t, codec.Cobra, cobraLog(7)) }, true},
		{"recorder, nobody wrote it", func(t *testing.T) *history.History { return recorded(t, 3) }, false},
		{"recorder, somebody did", func(t *testing.T) *history.History { return recorded(t, 1) }, true},
	} {
		h := c.h(t)
		for _, cross := range []bool{false, true} {
			r, err := judge.Check(context.Background(), h, judge.Options{Cross: cross})
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range []isolation.Level{isolation.PL2, isolation.RC, isolation.SER} {
				switch {
				case strings.HasPrefix(c.name, "Cobra") && l != isolation.PL2:
					continue // the session reads what it writes later
				case strings.HasPrefix(c.name, "acquire") && l != isolation.SER:
					continue // that both acquired it is a lost update
				}
				if got := r.Judgement(l).Verdict; got == isolation.Unknown || (got == isolation.Accept) != c.accept {
					t.Errorf("%s: %s is %s, want satisfied %t", c.name, l, got, c.accept)
				}
			}
			if len(r.Conflicts) > 0 {
				t.Errorf("%s: %v", c.name, r.Conflicts)
			}
		}
	}
}
