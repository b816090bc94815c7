package analyzer

import (
	"fmt"
	"strings"
	"testing"
)

// TestNeverBoxed: a call through an interface is none of a method whose type nothing puts into an interface, such as that of a
// double for tests. Whatever may put it there counts.
func TestNeverBoxed(t *testing.T) {
	const program = `package main

import (
	"database/sql"
	"fmt"
	"sync/atomic"
)

type locker interface{ Lock(tx *sql.Tx, id int) error }

type rows struct{}

func (rows) Lock(tx *sql.Tx, id int) error {
	_, err := tx.Exec("SELECT n FROM t WHERE id = $1 FOR UPDATE", id)
	return err
}

type double struct{}

func (double) Lock(tx *sql.Tx, id int) error {
	_, err := tx.Exec("DELETE FROM t WHERE id = $1", id)
	return err
}

type service struct {
	db *sql.DB
	l  locker
}

func (s *service) run(id int) error {
	tx, err := s.db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := s.l.Lock(tx, id); err != nil {
		return err
	}
	return tx.Commit()
}

func main() {
	db, _ := sql.Open("", "")
	var chosen locker = rows{}
	var held atomic.Value
	USE
	held.Store(1)
	fmt.Println((&service{db, chosen}).run(1))
}

var _ = fmt.Sprint
MORE
`
	for _, tc := range []struct {
		name, use, more string
		counts          bool
	}{
		{"nobody has one", "", "", false},
		{"one is made, and no interface has it", "_ = double{}", "", false},
		{"its method is called", "_ = double.Lock(double{}, nil, 1)", "", false},
		{"an interface has it", "if db != nil { chosen = double{} }", "", true},
		{"an interface has a pointer", "if db != nil { chosen = &double{} }", "", true},
		{"any has it", "held.Store(double{})", "", true},
		{"an interface has what embeds it", "if db != nil { chosen = around{} }", "type around struct{ *double }", true},
		{"an interface has what has it in a field", "held.Store(around{})", "type around struct{ list []double }", true},
		{"an interface has what gives it", "held.Store(maker{})", "type maker struct{}\nfunc (maker) Make() double { return double{} }", true},
		{"generic code has its type", "if db != nil { chosen = of[double]() }", "func of[T locker]() locker { var t T; return t }", true},
		{"a generic type has its type", "_ = cell", "var cell atomic.Pointer[double]", true},
		{"a function that nobody calls has it in an interface", "", "func give() locker { return double{} }", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			res := loadFiles(t, Options{}, map[string]string{"main.go": strings.NewReplacer("USE", tc.use, "MORE", tc.more).Replace(program)})
			var text strings.Builder
			for _, x := range res.Txns {
				text.WriteString(x.String())
			}
			if !strings.Contains(text.String(), "FOR UPDATE") || strings.Contains(text.String(), "DELETE") != tc.counts {
				t.Errorf("want the method of double: %v, got\n%s", tc.counts, text.String())
			}
		})
	}
}

// TestBoxedStays: a repository in an interface stays what it is where the paths through one of its methods meet, such
// as the one on which it translates an error. Where two paths have different ones, it is not known which.
func TestBoxedStays(t *testing.T) {
	const program = `package main

import (
	"database/sql"
	"errors"
	"os"
)

var errNone = errors.New("none")

type rows interface {
	Read(id int) (int, error)
	Write(id, n int) error
}

type repo struct{ tx *sql.Tx }

func (r repo) Read(id int) (n int, err error) {
	err = r.tx.QueryRow("SELECT n FROM t WHERE id = $1 FOR UPDATE", id).Scan(&n)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, errNone
	}
	return n, err
}

func (r repo) Write(id, n int) error {
	_, err := r.tx.Exec("UPDATE t SET n = $2 WHERE id = $1", id, n)
	return err
}

type other repo

func (o other) Read(id int) (int, error) { return repo(o).Read(id) }

func (o other) Write(id, _ int) error {
	_, err := o.tx.Exec("DELETE FROM t WHERE id = $1", id)
	return err
}

type work struct{ rows rows }

func within(db *sql.DB, loud bool, f func(w *work) error) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	w := &work{MAKE}
	if loud {
		CHANGE
	}
	if err := f(w); err != nil {
		return err
	}
	return tx.Commit()
}

func add(db *sql.DB, id int, loud bool) error {
	return within(db, loud, func(w *work) error {
		n, err := w.rows.Read(id)
		if err != nil {
			return err
		}
		return w.rows.Write(id, n+1)
	})
}

func main() {
	db, _ := sql.Open("", "")
	_ = add(db, 1, len(os.Args) > 1)
}
`
	for _, tc := range []struct {
		name, make, change string
		known              bool
	}{
		{"a value", "repo{tx}", "println()", true},
		{"a pointer", "&repo{tx}", "println()", true},
		{"a value that is set again", "repo{tx}", "w.rows = repo{tx}", true},
		{"one of two types", "repo{tx}", "w.rows = other{tx}", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			res := loadFiles(t, Options{}, map[string]string{"main.go": strings.NewReplacer("MAKE", tc.make, "CHANGE", tc.change).Replace(program)})
			known := len(res.Txns) == 1
			for _, x := range res.Txns {
				text := x.String()
				read, write := strings.Index(text, "FOR UPDATE"), strings.Index(text, "UPDATE t SET")
				known = known && 0 < read && read < write && !strings.Contains(text, "choice") && !strings.Contains(text, "unknown")
			}
			if all := fmt.Sprint(res.Txns); !tc.known && !strings.Contains(all, "UPDATE t SET") && !strings.Contains(all, "unknown") {
				t.Errorf("a write is missing in %s", all)
			}
			if known != tc.known {
				t.Errorf("want one transaction that reads and writes: %v, got %v", tc.known, res.Txns)
			}
		})
	}
}
