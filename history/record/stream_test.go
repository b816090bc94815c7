package record_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/history/codec"
	"github.com/txrobust/robust/history/record"
)

// TestStream: what is written while clients run is the recording.
func TestStream(t *testing.T) {
	var out bytes.Buffer
	r := record.New()
	r.Stream(&out)
	var clients sync.WaitGroup
	for s := range 4 {
		session := r.Session(fmt.Sprintf("client \"%d\"\n", s))
		clients.Go(func() {
			for i := range 50 {
				txn := session.Begin("")
				txn.Read("a key", nil)
				txn.Write(s, 100*s+i)
				txn.Append("list", 100*s+i)
				txn.ReadList("list", 1, "two")
				txn.Add("set", i)
				txn.ReadSet("set", i)
				txn.Increment("counter", int64(i))
				txn.ReadCounter("counter", int64(i))
				txn.Commit()
			}
			session.Begin("").Abort()
			session.Begin("").Write("last", s) // and does not end
		})
	}
	clients.Wait()
	if err := r.StreamErr(); err != nil {
		t.Fatal(err)
	}
	want, err := r.History()
	if err != nil {
		t.Fatal(err)
	}
	got, _, err := codec.Decode(t.Context(), &out, "stream", codec.Options{Format: codec.EDN})
	if err != nil {
		t.Fatal(err)
	}
	// What goes on has no operations in the stream, and sessions may come in another order.
	if got.NumTxns() != want.NumTxns() || got.NumOps()-got.NumKeys() != want.NumOps()-want.NumKeys()-4 {
		t.Errorf("%d transactions and %d operations, want %d and %d less 4", got.NumTxns(), got.NumOps()-got.NumKeys(), want.NumTxns(), want.NumOps()-want.NumKeys())
	}
	ops := func(h *history.History) map[string]string {
		out := map[string]string{}
		for x := history.Txn(1); int(x) < h.NumTxns(); x++ {
			var b strings.Builder
			fmt.Fprint(&b, h.Status(x))
			for o, end := h.Ops(x); o < end && h.Status(x) != history.Unknown; o++ {
				b.WriteString(" " + h.Words(o))
			}
			out[fmt.Sprint(h.SessionName(h.SessionOf(x)), h.Position(x))] = b.String()
		}
		return out
	}
	for at, words := range ops(want) {
		if ops(got)[at] != words {
			t.Fatalf("%s: %s, want %s", at, ops(got)[at], words)
		}
	}
	for x := history.Txn(1); int(x) < got.NumTxns(); x++ {
		if got.Order() != history.RealTime || got.Begin(x) == history.NoBegin {
			t.Fatal("the stream has no order")
		}
	}
}

// broken is a file that cannot be written.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// TestStreamErr: what cannot be written is said, and the recording goes on.
func TestStreamErr(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(r *record.Recorder, s *record.Txn)
		want string
	}{
		"delete": {func(_ *record.Recorder, x *record.Txn) { x.Delete(1) }, "EDN has no delete"},
		"insert": {func(_ *record.Recorder, x *record.Txn) { x.Insert(1, 2) }, "EDN has no insert"},
		"full":   {func(r *record.Recorder, _ *record.Txn) { r.Stream(broken{}) }, "no space left"},
	} {
		r := record.New()
		r.Stream(&bytes.Buffer{})
		x := r.Session("one").Begin("")
		c.do(r, x)
		x.Commit()
		if err := r.StreamErr(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if h, err := r.History(); err != nil || h.NumTxns() != 2 {
			t.Errorf("%s: the recording is lost: %v", name, err)
		}
	}
	r := record.New()
	r.Initial("x", 1)
	if r.Stream(&bytes.Buffer{}); r.StreamErr() == nil {
		t.Error("initial values are lost")
	}
}
