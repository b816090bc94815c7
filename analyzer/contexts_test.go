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
