package historytest_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/history/codec"
	"github.com/txrobust/robust/history/record"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/checker/historytest"
	"github.com/txrobust/robust/internal/mariatest"
	"github.com/txrobust/robust/internal/pgtest"
	"github.com/txrobust/robust/isolation"
)

// client is a connection to a server with a table r of an id and an integer v.
type client interface {
	exec(ctx context.Context, text string) error
	// value gives the v of a row.
	value(ctx context.Context, id int) (int, error)
}

type pgClient struct{ *pgx.Conn }

func (c pgClient) exec(ctx context.Context, text string) error {
	_, err := c.Exec(ctx, text)
	return err
}

func (c pgClient) value(ctx context.Context, id int) (v int, err error) {
	err = c.QueryRow(ctx, fmt.Sprintf("SELECT v FROM r WHERE id = %d", id)).Scan(&v)
	return v, err
}

type mariaClient struct{ *sql.Conn }

func (c mariaClient) exec(ctx context.Context, text string) error {
	_, err := c.ExecContext(ctx, text)
	return err
}

func (c mariaClient) value(ctx context.Context, id int) (v int, err error) {
	err = c.QueryRowContext(ctx, fmt.Sprintf("SELECT v FROM r WHERE id = %d", id)).Scan(&v)
	return v, err
}

// rows are the ids of the table.
const rows = 9

// setup makes the table.
func setup() (out []string) {
	out = []string{"DROP TABLE IF EXISTS r", "CREATE TABLE r (id int PRIMARY KEY, v int NOT NULL)"}
	for id := range rows {
		out = append(out, fmt.Sprintf("INSERT INTO r VALUES (%d, 0)", id))
	}
	return out
}

// server is a database at a level of isolation.
type server struct {
	folder, source string
	// begin begins a transaction.
	begin []string
	// level is the one of package isolation that the database documents. Readers of InnoDB
	// have a snapshot, and writers may overwrite what is not in theirs.
	level isolation.Level
	// readersLock is set where those who read hold locks until they commit.
	readersLock bool
	// open gives a new client of the database, whose table is as setup makes it if first.
	open func(t *testing.T, first bool) client
}

func servers() (out []server) {
	var dsn string
	pg := func(t *testing.T, first bool) client {
		s := pgtest.Open(t)
		if first {
			dsn = s.Database(t)
			s.Exec(t, dsn, setup()...)
		}
		return pgClient{s.Conn(t, dsn)}
	}
	for _, l := range []struct {
		folder, name string
		level        isolation.Level
	}{
		{"read-committed", "READ COMMITTED", isolation.RC}, {"repeatable-read", "REPEATABLE READ", isolation.SI}, {"serializable", "SERIALIZABLE", isolation.SER},
	} {
		out = append(out, server{"postgresql/" + l.folder, "PostgreSQL", []string{"BEGIN ISOLATION LEVEL " + l.name}, l.level, false, pg})
	}
	for _, l := range []struct {
		folder, name, snapshots string
		level                   isolation.Level
	}{
		{"read-committed", "READ COMMITTED", "OFF", isolation.RC}, {"repeatable-read", "REPEATABLE READ", "OFF", isolation.PC},
		{"snapshot-isolation", "REPEATABLE READ", "ON", isolation.SI}, {"serializable", "SERIALIZABLE", "OFF", isolation.SER},
	} {
		open := func(t *testing.T, first bool) client {
			c := mariaClient{mariatest.Open(t).Session(t)}
			texts := []string{"USE cases", "SET SESSION innodb_lock_wait_timeout = 5", "SET SESSION innodb_snapshot_isolation = " + l.snapshots,
				"SET SESSION TRANSACTION ISOLATION LEVEL " + l.name}
			if first {
				texts = append(texts, setup()...)
			}
			for _, text := range texts {
				if err := c.exec(t.Context(), text); err != nil {
					t.Fatalf("%s: %v", text, err)
				}
			}
			return c
		}
		out = append(out, server{"mariadb/" + l.folder, "MariaDB", []string{"START TRANSACTION"}, l.level, l.level == isolation.SER, open})
	}
	return out
}

// work is a transaction that runs on a server and is recorded.
type work struct {
	c    client
	txn  *record.Txn
	dead bool // the server has refused a statement
}

// start begins a transaction.
func (s server) start(t *testing.T, c client, session *record.Session, label string) *work {
	w := &work{c: c, txn: session.Begin(label)}
	for _, text := range s.begin {
		if err := c.exec(t.Context(), text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	return w
}

// failed tells whether a statement was refused: the transaction is rolled back then.
func (w *work) failed(t *testing.T, err error) bool {
	if err == nil {
		return false
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	w.dead = true
	if err := w.c.exec(t.Context(), "ROLLBACK"); err != nil {
		t.Error(err)
	}
	w.txn.Abort()
	return true
}

func (w *work) read(t *testing.T, id int) {
	if w.dead {
		return
	}
	v, err := w.c.value(t.Context(), id)
	switch {
	case w.failed(t, err):
	case v == 0:
		w.txn.Read(id, nil)
	default:
		w.txn.Read(id, v)
	}
}

func (w *work) write(t *testing.T, id, v int) {
	if !w.dead && !w.failed(t, w.c.exec(t.Context(), fmt.Sprintf("UPDATE r SET v = %d WHERE id = %d", v, id))) {
		w.txn.Write(id, v)
	}
}

func (w *work) commit(t *testing.T) {
	if !w.dead && !w.failed(t, w.c.exec(t.Context(), "COMMIT")) {
		w.txn.Commit()
	}
}

// scenario is an anomaly as two transactions would make it that run at the same time: each
// reads first, then each goes on while the other one may be waiting.
type scenario struct {
	name     string
	reads    [2][]int
	writes   [2][]int
	again    [2][]int          // what is read at the end
	excluded []isolation.Level // of servers; at others the anomaly shows
}

// scenarios are those of the sample.
func scenarios() []scenario {
	return []scenario{
		{name: "lost-update", reads: [2][]int{{0}, {0}}, writes: [2][]int{{0}, {0}}, excluded: []isolation.Level{isolation.SI, isolation.SER}},
		{name: "write-skew", reads: [2][]int{{0, 1}, {0, 1}}, writes: [2][]int{{0}, {1}}, excluded: []isolation.Level{isolation.SER}},
		{name: "read-skew", reads: [2][]int{{0}, nil}, writes: [2][]int{nil, {0, 1}}, again: [2][]int{{1}, nil},
			excluded: []isolation.Level{isolation.PC, isolation.SI, isolation.SER}},
	}
}

// patience is how long the first transaction waits for the second one, which may be waiting
// for its locks, and deadline how long it waits where it has none.
const (
	patience = 100 * time.Millisecond
	deadline = time.Minute
)

// run runs a scenario on two clients. Their transactions are in sessions of their own, and
// the rows are those from base on. Both read; then the second one goes on, and the first
// one does when the second one has ended or waits for it.
func (c scenario) run(t *testing.T, s server, r *record.Recorder, clients [2]client, base int) {
	var both [2]*work
	for i := range both {
		both[i] = s.start(t, clients[i], r.Session(fmt.Sprintf("%s %d", c.name, i+1)), c.name)
		for _, id := range c.reads[i] {
			both[i].read(t, base+id)
		}
	}
	finish := func(i int) {
		for n, id := range c.writes[i] {
			both[i].write(t, base+id, 100*(1+base)+10*i+n+1)
		}
		for _, id := range c.again[i] {
			both[i].read(t, base+id)
		}
		both[i].commit(t)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		finish(1)
	}()
	wait := deadline
	if s.readersLock {
		wait = patience
	}
	select {
	case <-ended:
	case <-time.After(wait):
		if !s.readersLock {
			t.Errorf("%s: the second transaction does not end", c.name)
		}
	}
	finish(0)
	<-ended
}

// conclude reads the rows from base on, in a transaction of its own.
func (s server) conclude(t *testing.T, r *record.Recorder, c client, ids ...int) {
	w := s.start(t, c, r.Session("reader"), "read all")
	for _, id := range ids {
		w.read(t, id)
	}
	w.commit(t)
}

// recordScenario gives the history of one scenario.
func recordScenario(t *testing.T, s server, c scenario) *history.History {
	t.Helper()
	clients := [2]client{s.open(t, true), s.open(t, false)}
	r := record.New()
	c.run(t, s, r, clients, 0)
	s.conclude(t, r, clients[0], 0, 1)
	return recorded(t, r)
}

func recorded(t *testing.T, r *record.Recorder) *history.History {
	t.Helper()
	h, err := r.History()
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// plantedIn are the first rows of the scenarios in a workload.
const plantedIn = 5

// recordWorkload gives the history of four clients with random transactions, and of the
// scenarios of a lost update and of write skew on rows of their own.
func recordWorkload(t *testing.T, s server) *history.History {
	t.Helper()
	clients := []client{s.open(t, true)}
	for range 5 {
		clients = append(clients, s.open(t, false))
	}
	r := record.New()
	var all sync.WaitGroup
	for n, c := range clients[:4] {
		session := r.Session(fmt.Sprintf("client %d", n))
		random := rand.New(rand.NewPCG(sampleSeed, uint64(n)))
		all.Go(func() {
			for i := range 15 {
				w := s.start(t, c, session, "random")
				for o := range 1 + random.IntN(3) {
					if id := random.IntN(plantedIn); random.IntN(2) == 0 {
						w.read(t, id)
					} else {
						w.write(t, id, 100_000*(n+1)+10*i+o+1)
					}
				}
				w.commit(t)
			}
		})
	}
	for i, c := range scenarios()[:2] {
		c.run(t, s, r, [2]client(clients[4:]), plantedIn+2*i)
	}
	all.Wait()
	return recorded(t, r)
}

// piece is a history of the server, with a promise if it is too large for the definitions.
func (s server) piece(name string, f codec.Format) piece {
	p := piece{path: s.folder + "/" + name + endings[f], format: f, source: s.source}
	if name == workloadName {
		p.promise = &promise{level: s.level}
		for id := plantedIn; id < rows; id++ {
			p.promise.planted = append(p.promise.planted, history.Int(int64(id)))
		}
	}
	return p
}

const workloadName = "workload"

// recordedIn gives the format of the i-th history: both hold the order in real time.
func recordedIn(i int) codec.Format { return []codec.Format{codec.EDN, codec.Compact}[i%2] }

// recordings are the histories that servers gave.
func recordings() (out []piece) {
	for i, s := range servers() {
		for j, c := range scenarios() {
			p := s.piece(c.name, recordedIn(j))
			if !slices.Contains(c.excluded, s.level) {
				p.anomaly = c.name
			}
			out = append(out, p)
		}
		out = append(out, s.piece(workloadName, recordedIn(i)))
	}
	return out
}

// TestRecordOnServers records what the sample has of servers again. Anomalies show at just
// the levels that do not exclude them, and the verdicts are those of the sample.
func TestRecordOnServers(t *testing.T) {
	for i, s := range servers() {
		t.Run(s.folder, func(t *testing.T) {
			for j, c := range scenarios() {
				h := recordScenario(t, s, c)
				shows := defined(t, h, isolation.SER) == checker.Violated
				if shows == slices.Contains(c.excluded, s.level) {
					t.Errorf("%s: it shows: %v", c.name, shows)
				}
				s.compare(t, c.name, recordedIn(j), h)
			}
			h := recordWorkload(t, s)
			if h.NumTxns()-1 != 4*15+4 {
				t.Errorf("%d transactions", h.NumTxns()-1)
			}
			s.compare(t, workloadName, recordedIn(i), h)
		})
	}
}

// compare makes sure that a history has the verdicts of the sample. With -update it becomes
// that of the sample.
func (s server) compare(t *testing.T, name string, f codec.Format, h *history.History) {
	t.Helper()
	p := s.piece(name, f)
	fresh, kept := filepath.Join(t.TempDir(), name+endings[f]), filepath.Join(historytest.SampleFolder(), filepath.FromSlash(p.path))
	losses, err := codec.Save(t.Context(), fresh, h, f)
	if err != nil || len(losses) > 0 && f == codec.Compact {
		t.Fatalf("%s: error %v, losses %q", name, err, losses)
	}
	if *update {
		if err := os.MkdirAll(filepath.Dir(kept), 0o777); err != nil {
			t.Fatal(err)
		}
		same(t, fresh, kept)
		return
	}
	if got, want := p.row(t, fresh), p.row(t, kept); got != want {
		t.Errorf("now    %s\nsample %s", got, want)
	}
}
