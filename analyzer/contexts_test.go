package analyzer

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust/analyzer/internal/session"
	"github.com/txrobust/robust/internal/client"
)

// accounts has transactions in contexts, and a function that uses that of the context, or else the database.
const accounts = `package main

import (
	"context"
	"os"
	"path/filepath"
	"context"
	"database/sql"
	"net"
	"net/http"
)

type key struct{}

type runner interface {
	QueryRowContext(context.Context, string, ...any) *sql.Row
	ExecContext(context.Context, string, ...any) (sql.Result, error)
}

var db *sql.DB

func conn(ctx context.Context) runner {
	if tx, ok := ctx.Value(key{}).(*sql.Tx); ok {
		return tx
	}
	return db
}

func spend(ctx context.Context, id int64) error {
	var n int64
	if err := conn(ctx).QueryRowContext(ctx, "SELECT n FROM accounts WHERE id = $1", id).Scan(&n); err != nil {
		return err
	}
	_, err := conn(ctx).ExecContext(ctx, "UPDATE accounts SET n = $1 WHERE id = $2", n-1, id)
	return err
}

func begin(ctx context.Context) context.Context {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return ctx
	}
	return context.WithValue(ctx, key{}, tx)
}

func handle(w http.ResponseWriter, r *http.Request) { spend(r.Context(), 1) }
`

// TestContextsOutside gives a function that puts a transaction into a context to code that is not read: what others send
// by the transaction of the context, or else the database, may be in it then.
func TestContextsOutside(t *testing.T) {
	for _, c := range []struct {
		name, main string
		together   bool
	}{
		{"inside", `func main() {
	http.HandleFunc("/", handle)
	http.Handle("/begun", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { begin(r.Context()) }))
	_ = net.Dial
}`, false},
		{"value", `func main() {
	s := http.Server{Handler: http.HandlerFunc(handle), ConnContext: func(ctx context.Context, c net.Conn) context.Context { return begin(ctx) }}
	s.ListenAndServe()
}`, true},
		{"literal", `func main() {
	s := http.Server{Handler: http.HandlerFunc(handle), ConnContext: func(ctx context.Context, c net.Conn) context.Context {
		tx, _ := db.BeginTx(ctx, nil)
		return context.WithValue(ctx, key{}, tx)
	}}
	s.ListenAndServe()
}`, true},
	} {
		res := loadFiles(t, Options{}, map[string]string{"main.go": accounts + c.main})
		together := slices.ContainsFunc(res.Txns, func(x *client.Txn) bool {
			texts := ""
			session.EachQuery(x.Body, func(s client.Stmt) {
				if q, ok := s.(*client.Query); ok {
					texts += q.SQL
				}
			})
			return strings.Contains(texts, "SELECT") && strings.Contains(texts, "UPDATE")
		})
		if together != c.together {
			t.Errorf("%s: one transaction reads and writes: %v", c.name, together)
		}
	}
}

// TestJoined: a helper that uses the transaction of the context, or else begins one, begins it where its caller has none. What it
// is given sends nothing by itself then. Where contexts go elsewhere than from call to call, or the key is not known to be
// that of transactions, it may be in one already.
func TestJoined(t *testing.T) {
	const helper = `
func within(ctx context.Context, f func(ctx context.Context) error) error {
	if _, ok := ctx.Value(KEY).(*sql.Tx); ok {
		return f(ctx)
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := f(context.WithValue(ctx, KEY, tx)); err != nil {
		return err
	}
	return tx.Commit()
}

func use(ctx context.Context) runner {
	if tx, ok := ctx.Value(KEY).(*sql.Tx); ok {
		return tx
	}
	return db
}

func take(ctx context.Context, id int64) error {
	return within(ctx, func(ctx context.Context) error {
		_, err := use(ctx).ExecContext(ctx, "UPDATE accounts SET n = n - 1 WHERE id = $1", id)
		if err != nil {
			return err
		}
		return note(ctx, id)
	})
}

func note(ctx context.Context, id int64) error {
	_, err := use(ctx).ExecContext(ctx, "INSERT INTO notes (account) VALUES ($1)", id)
	return err
}

type named string

var pointer = new(int)

var _ = net.Dial
`
	for _, c := range []struct {
		name, key, more string
		alone           int // statements outside of transactions
	}{
		{"a struct", "key{}", "", 0},
		{"a constant", `named("tx")`, "", 0},
		{"another constant is another key", `named("tx")`, `func user(ctx context.Context) context.Context { return context.WithValue(ctx, named("user"), 1) }`, 0},
		{"a pointer", "pointer", "", 2},
		{"a context in a field", "key{}", "type job struct{ ctx context.Context }\nfunc later(ctx context.Context) *job { j := &job{}; j.ctx = ctx; return j }", 2},
		{"a context in a channel", "key{}", "func later(ctx context.Context, to chan context.Context) { to <- ctx }", 2},
		{"somebody notes outside", "key{}", "func init() { note(context.Background(), 1) }", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			main := strings.ReplaceAll(helper, "KEY", c.key) + c.more + `
func main() {
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { take(r.Context(), 1) })
}
`
			res := loadFiles(t, Options{}, map[string]string{"main.go": accounts + main})
			alone, together := 0, 0
			for _, x := range res.Txns {
				if text := x.String(); !strings.Contains(text, "notes") && !strings.Contains(text, "n - 1 WHERE") {
					continue // of the functions that all cases have
				} else if x.Auto {
					alone++
				} else if strings.Contains(text, "notes") && strings.Contains(text, "n - 1 WHERE") {
					together++
				}
			}
			if alone != c.alone || together == 0 {
				t.Errorf("%d statements by themselves, want %d, and %d transactions in %v", alone, c.alone, together, res.Txns)
			}
		})
	}
}

// TestOpened: what GORM opens is a database, and no transaction, although both have one type. What is sent by it
// inside of a transaction is not part of that.
func TestOpened(t *testing.T) {
	env := append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
	res, err := Load(context.Background(), []string{"./..."}, Options{Dir: filepath.Join("testdata", "src", "gormmore"), Env: env})
	if err != nil {
		t.Fatal(err)
	}
	traces, err := res.Traces(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(traces, func(x *Trace) bool { return x.Name == "Elsewhere" })
	if i < 0 {
		t.Fatal("Elsewhere has no trace")
	}
	if sent := traces[i].Sent; len(sent) != 2 || !sent[0].Alone() || !sent[1].Alone() {
		t.Errorf("statements of Elsewhere: %v, want two by themselves", sent)
	}
}
