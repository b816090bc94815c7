package follow_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker/follow"
)

// parse reads transactions, one a line: session, an outcome ! for aborted and ? for unknown, and
// operations: r1=2 reads 2 from key 1 and r1= the initial value, w1=2 writes, a1=2 appends, l1=2,3
// reads a list.
func parse(t *testing.T, text string) (*history.History, []follow.Txn) {
	t.Helper()
	value := func(s string) history.Name {
		if s == "" {
			return history.Name{}
		}
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		return history.Int(int64(n))
	}
	b := history.NewBuilder()
	var txns []follow.Txn
	for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
		words := strings.Fields(line)
		name := strings.TrimRight(words[0], "!?")
		x := follow.Txn{Session: history.String(name), Place: int64(i + 1)}
		x.Status = map[string]history.Status{"!": history.Aborted, "?": history.Unknown}[strings.TrimPrefix(words[0], name)]
		b.Txn(b.Session(x.Session), x.Status)
		for _, w := range words[1:] {
			k, v, _ := strings.Cut(w[1:], "=")
			o := follow.Op{Kind: map[byte]history.Kind{'r': history.Read, 'w': history.Write, 'a': history.Append, 'l': history.ReadList}[w[0]], Key: value(k)}
			if o.Kind == history.ReadList {
				var list []history.Value
				for _, e := range strings.FieldsFunc(v, func(c rune) bool { return c == ',' }) {
					o.List = append(o.List, value(e))
					list = append(list, b.Value(value(e)))
				}
				b.List(o.Kind, b.Key(o.Key), list)
			} else {
				o.Value = value(v)
				b.Op(o.Kind, b.Key(o.Key), b.Value(o.Value))
			}
			x.Ops = append(x.Ops, o)
		}
		txns = append(txns, x)
	}
	h, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return h, txns
}

// TestMended: histories that once got a wrong answer, each with a twin beside it.
func TestMended(t *testing.T) {
	for name, text := range map[string]string{
		// A part of a list read has another last element, whose writer is not what the reader saw.
		"the last element is not recorded yet":       "9 w9=1\n9 r9=\n0 l4=10,16 l2=\n1 a4=10 a2=11\n1 a4=16",
		"the last element is recorded":               "9 w9=1\n9 r9=\n1 a4=10 a2=11\n0 l4=10 l2=\n1 a4=16",
		"the reader saw the writer":                  "1 a4=10 a2=11\n1 a4=16\n0 l4=10,16 l2=",
		"nobody knew that it took effect":            "2? r0= w0=1\n2? r0=1\n0 w0=2\n0 r0=1 r0=2 r0=1",
		"it took effect":                             "2 r0= w0=1\n2? r0=1\n0 w0=2\n0 r0=1 r0=2 r0=1",
		"nobody knew that it took effect, twin":      "2? r0= w0=1\n2? r0=1\n0 w0=2\n0 r0=2 r0=2 r0=2",
		"what took effect later had read too little": "0 l1=1,2\n0 l0=\n1 l1= a1=1 l0=\n1? a1=2\n1 l1=1,2 l0=\n0? a1=3 l1=1,3 l0=\n1 a1=4\n1 l0= a1=5 l1=1,2,3,4,5",
		"what took effect later had read enough":     "0 l1=1,2\n0 l0=\n1 l1= a1=1 l0=\n1? a1=2\n1 l1=1,2 l0=\n0? a1=3 l1=1,2,3 l0=\n1 a1=4\n1 l0= a1=5 l1=1,2,3,4,5",
		"an old snapshot that writes":                "0 w1=1 w2=2\n1 w1=3\n2 r1=1 w3=4\n3 r3= w3=5\n0 r3=4",
		"an old snapshot":                            "0 w1=1 w2=2\n1 w1=3\n2 r1=1 w3=4\n3 r3=4 w3=5\n0 r3=5",
		"a value that is written again":              "0 w1=1\n1 w1=2\n2 r1=2 r1=1\n3 w1=3\n3 w1=4\n4 w1=1\n4 w1=2",
		// Who wrote the version that is read is closed, and so may be what its session wrote before and was seen.
		"an old version of a closed writer":  "1 r2=1\n1\n2 w2=2\n2?\n2? w2=1\n2\n2\n2\n2\n2?\n1\n1 r2=2\n1?\n1",
		"a newer version of a closed writer": "1 r2=2\n1\n2 w2=2\n2?\n2? w2=1\n2\n2\n2\n2\n2?\n1\n1 r2=1\n1?\n1",
		"the first writes initial values":    "0 w1=\n1 w1=1\n1 r1=1\n2 r1=1\n2 r1=",
		"the first does not":                 "0 w1=2\n1 w1=1\n1 r1=1\n2 r1=1\n2 r1=",
	} {
		h, txns := parse(t, text)
		for _, window := range []int{2, 3, 4, 5, 9, 100} {
			compare(t, name, h, txns, window, nil, map[string]*tally{})
		}
	}
}
