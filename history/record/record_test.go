package record_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/history/record"
)

// store is a database with one transaction at a time.
type store struct {
	mu   sync.Mutex
	rows map[string]int
}

var errConflict = errors.New("serialization failure")

// transfer moves an amount, and tells the recorder about it.
func (s *store) transfer(session *record.Session, from, to string, version int) error {
	t := session.Begin("transfer")
	s.mu.Lock()
	defer s.mu.Unlock()
	t.Read(from, s.rows[from])
	t.Read(to, s.rows[to])
	if s.rows[from] == s.rows[to] {
		t.Abort()
		return errConflict
	}
	s.rows[from], s.rows[to] = 2*version, 2*version+1
	t.Write(from, s.rows[from])
	t.Write(to, s.rows[to])
	t.Commit()
	return nil
}

func Example() {
	r := record.New()
	r.Initial("x", 0)
	r.Initial("y", 1)
	db := &store{rows: map[string]int{"x": 0, "y": 1}}
	if err := db.transfer(r.Session("alice"), "x", "y", 1); err != nil {
		panic(err)
	}
	lost := r.Session("bob").Begin("")
	lost.Write("x", 7)
	lost.Unknown()

	h, err := r.History()
	if err != nil {
		panic(err)
	}
	for t := history.Txn(1); int(t) < h.NumTxns(); t++ {
		fmt.Println(h.SessionName(h.SessionOf(t)), h.Label(t), h.Status(t))
		for o, end := h.Ops(t); o < end; o++ {
			fmt.Println("\t" + h.Words(o))
		}
	}
	// Output:
	// alice transfer committed
	// 	read "x" = 0
	// 	read "y" = 1
	// 	write "x" 2
	// 	write "y" 3
	// bob  unknown
	// 	write "x" 7
}

// TestConcurrent: what several clients record at the same time is complete, every
// read has its source, and the stamps agree with the order in which the store
// executed.
func TestConcurrent(t *testing.T) {
	r := record.New()
	r.Initial("x", 0)
	r.Initial("y", 1)
	db := &store{rows: map[string]int{"x": 0, "y": 1}}
	const clients, txns = 8, 50
	var wg sync.WaitGroup
	for c := range clients {
		wg.Go(func() {
			s := r.Session(fmt.Sprint(c))
			for i := range txns {
				if err := db.transfer(s, "x", "y", 1+c*txns+i); err != nil {
					t.Error(err)
				}
				if i == txns/2 {
					if _, err := r.History(); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
	h, err := r.History()
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Check(); err != nil {
		t.Fatal(err)
	}
	if h.NumSessions() != clients || h.NumTxns() != 1+clients*txns || h.Order() != history.RealTime {
		t.Fatalf("%d sessions, %d transactions", h.NumSessions(), h.NumTxns())
	}
	for o := history.Op(h.NumKeys()); int(o) < h.NumOps(); o++ {
		if h.Kind(o) != history.Read {
			continue
		}
		w, ok := h.Sources().One(o)
		if !ok {
			t.Fatalf("%s has no source", h.Words(o))
		}
		if h.Precedes(h.TxnOf(o), h.TxnOf(w)) {
			t.Errorf("%s precedes its source", h.Words(o))
		}
	}
	for s := range history.Session(clients) {
		first, end := h.Txns(s)
		for u := first; u+1 < end; u++ {
			if !h.Precedes(u, u+1) {
				t.Errorf("transaction %d does not precede the next of its session", u)
			}
			if started, ended := h.Clock(u); started > ended || ended > int64(time.Hour) {
				t.Errorf("transaction %d ran from %d to %d", u, started, ended)
			}
		}
	}
}

// TestKinds: everything that can be recorded arrives.
func TestKinds(t *testing.T) {
	r := record.New()
	s := r.Session("s")
	x := s.Begin("")
	x.Insert("row", []byte("a"))
	x.Read("row", "a")
	x.Delete("row")
	x.Read("row", nil)
	x.Append(int32(1), int64(5))
	x.ReadList(1, 5, "six")
	x.Add("set", uint32(3))
	x.ReadSet("set", 3, 2)
	x.Increment("n", -4)
	x.ReadCounter("n", -4)
	x.Write("float", 1.5)
	x.Commit()
	y := s.Begin("")
	y.Write("row2", 1)
	y.Abort()
	s.Begin("open")
	h, err := r.History()
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	for o, end := h.Ops(1); o < end; o++ {
		words = append(words, h.Words(o))
	}
	want := `insert "row" "a"; read "row" = "a"; delete "row" nil; read "row" = nil; append 1 5; read-list 1 = [5 "six"]; add "set" 3; read-set "set" = {2 3}; increment "n" -4; read-counter "n" = -4; write "float" "1.5"`
	if got := strings.Join(words, "; "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if h.Status(1) != history.Committed || h.Status(2) != history.Aborted || h.Status(3) != history.Unknown || h.End(3) != history.NoEnd {
		t.Error("outcomes are lost")
	}
	if src := h.Sources().Of(history.Op(h.NumKeys()) + 3); len(src) != 2 {
		t.Errorf("no row is read from %d", src)
	}

	y = s.Begin("")
	y.Append("float", 1)
	if _, err := r.History(); err == nil || !strings.Contains(err.Error(), "float") {
		t.Errorf("a register is a list: %v", err)
	}
	y.Commit()
	defer func() {
		if recover() == nil {
			t.Error("a transaction ends twice")
		}
	}()
	y.Commit()
}

// TestRange: range reads have rows and tombstones, each with its version.
func TestRange(t *testing.T) {
	r := record.New()
	s := r.Session("a")
	one := s.Begin("")
	one.Insert(1, 10)
	one.Insert(2, 11)
	one.Bury(2, 12)
	one.Commit()
	two := s.Begin("")
	two.ReadRange(1, 3, [][2]any{{1, 10}}, [][2]any{{2, 12}})
	two.Commit()
	h, err := r.History()
	if err != nil {
		t.Fatal(err)
	}
	o, _ := h.Ops(2)
	got := h.Range(o)
	text := fmt.Sprint(h.ValueName(got.Low), h.ValueName(got.High))
	for i, k := range got.LiveKeys {
		text += fmt.Sprint(" live ", h.KeyName(k), "=", h.ValueName(got.LiveValues[i]))
	}
	for i, k := range got.DeadKeys {
		text += fmt.Sprint(" dead ", h.KeyName(k), "=", h.ValueName(got.DeadRows[i]))
	}
	if want := "1 3 live 1=10 dead 2=12"; text != want {
		t.Errorf("got %s, want %s", text, want)
	}
}
