package analyzer

import (
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
