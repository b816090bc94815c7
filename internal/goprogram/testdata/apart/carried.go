package apart

import (
	"context"
	"database/sql"
	"errors"
	"net/http"
	"strconv"
	"sync"
)

const (
	readBalance  = "SELECT balance FROM accounts WHERE id = $1"
	writeBalance = "UPDATE accounts SET balance = $1 WHERE id = $2"
)

func (s *Store) get(ctx context.Context, id int64, n *int) error {
	return s.in(ctx, func(tx *sql.Tx) error { return tx.QueryRowContext(ctx, readBalance, id).Scan(n) })
}

// DepositNested gives what it has read to itself.
func (s *Store) DepositNested(ctx context.Context, id int64, n int, read bool) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if !read {
		if err := tx.QueryRowContext(ctx, readBalance, id).Scan(&n); err != nil {
			return err
		}
		if err := tx.Commit(); err != nil {
			return err
		}
		return s.DepositNested(ctx, id, n, true)
	}
	if _, err := tx.ExecContext(ctx, writeBalance, n+1, id); err != nil { // RB4001 balance
		return err
	}
	return tx.Commit()
}

// DepositRetried gives what it has read to the next attempt, which does not read again.
func (s *Store) DepositRetried(ctx context.Context, id int64, row account, left int) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if row.id != id {
		if err := tx.QueryRowContext(ctx, readBalance, id).Scan(&row.balance); err != nil {
			return err
		}
		row.id = id
	}
	_, err = tx.ExecContext(ctx, writeBalance, row.balance+1, id) // RB4001 balance
	if err == nil {
		err = tx.Commit()
	}
	if err != nil && left > 0 {
		return s.DepositRetried(ctx, id, row, left-1)
	}
	return err
}

type account struct {
	id      int64
	balance int
}

// DepositRetriedAfresh reads in every attempt.
func (s *Store) DepositRetriedAfresh(ctx context.Context, id int64, left int) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var n int
	if err := tx.QueryRowContext(ctx, readBalance, id).Scan(&n); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, writeBalance, n+1, id)
	if err == nil {
		err = tx.Commit()
	}
	if err != nil && left > 0 {
		return s.DepositRetriedAfresh(ctx, id, left-1)
	}
	return err
}

// later gives a function that writes what was read here.
func (s *Store) later(ctx context.Context, id int64) (func() error, error) {
	var n int
	if err := s.get(ctx, id, &n); err != nil {
		return nil, err
	}
	return func() error {
		return s.in(ctx, func(tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, writeBalance, n+2, id) // RB4001 balance
			return err
		})
	}, nil
}

// DepositLater calls such a function.
func (s *Store) DepositLater(ctx context.Context, id int64) error {
	f, err := s.later(ctx, id)
	if err != nil {
		return err
	}
	return f()
}

// laterAgain gives a function that reads, too.
func (s *Store) laterAgain(ctx context.Context, id int64) (func() error, error) {
	var n int
	if err := s.get(ctx, id, &n); err != nil {
		return nil, err
	}
	return func() error {
		return s.in(ctx, func(tx *sql.Tx) error {
			if err := tx.QueryRowContext(ctx, readBalance+" FOR UPDATE", id).Scan(&n); err != nil {
				return err
			}
			_, err := tx.ExecContext(ctx, writeBalance, n+2, id)
			return err
		})
	}, nil
}

// DepositLaterAgain calls such a function.
func (s *Store) DepositLaterAgain(ctx context.Context, id int64) error {
	f, err := s.laterAgain(ctx, id)
	if err != nil {
		return err
	}
	return f()
}

// DepositWaited reads in a goroutine, and waits for it.
func (s *Store) DepositWaited(ctx context.Context, id int64) error {
	var n int
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		_ = s.get(ctx, id, &n)
	}()
	wg.Wait()
	return s.in(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, writeBalance, n+3, id) // RB4001 balance
		return err
	})
}

// DepositSynchronized reads in a function that a library calls.
func (s *Store) DepositSynchronized(ctx context.Context, id int64, once *sync.Once) error {
	var n int
	once.Do(func() { _ = s.get(ctx, id, &n) })
	return s.in(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, writeBalance, n+4, id) // RB4001 balance
		return err
	})
}

// SetWaited waits for a goroutine that reads, and writes what it was given.
func (s *Store) SetWaited(ctx context.Context, id int64, n int) (int, error) {
	var old int
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		_ = s.get(ctx, id, &old)
	}()
	wg.Wait()
	return old, s.in(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, writeBalance, n, id)
		return err
	})
}

// page keeps what it shows.
type page struct {
	s *Store
	account
}

func (p *page) load(ctx context.Context, id int64) error {
	p.id = id
	return p.s.get(ctx, id, &p.balance)
}

func (p *page) save(ctx context.Context) error {
	return p.s.in(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, writeBalance, p.balance+5, p.id) // RB4001 balance
		return err
	})
}

// EditPage loads and saves.
func EditPage(ctx context.Context, s *Store, id int64) error {
	p := &page{s: s}
	if err := p.load(ctx, id); err != nil {
		return err
	}
	return p.save(ctx)
}

// set saves what it is given, in the row that was loaded.
func (p *page) set(ctx context.Context, n int) error {
	return p.s.in(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, writeBalance, n, p.id)
		return err
	})
}

// SetPage loads, and sets.
func SetPage(ctx context.Context, s *Store, id int64, n int) error {
	p := &page{s: s}
	if err := p.load(ctx, id); err != nil {
		return err
	}
	return p.set(ctx, n)
}

var shown account

func (s *Store) show(ctx context.Context, id int64) error {
	var n int
	if err := s.get(ctx, id, &n); err != nil {
		return err
	}
	shown = account{id, n}
	return nil
}

// DepositShown writes what a package variable has.
func (s *Store) DepositShown(ctx context.Context, id int64) error {
	if err := s.show(ctx, id); err != nil {
		return err
	}
	return s.in(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, writeBalance, shown.balance+6, shown.id) // RB4001 balance
		return err
	})
}

// DepositTried writes what a package variable has, even where nothing was read.
func (s *Store) DepositTried(ctx context.Context, id int64) error {
	return errors.Join(s.show(ctx, id), s.in(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, writeBalance, shown.balance+7, shown.id) // RB4001 balance
		return err
	}))
}

// ResetShown uses the id alone.
func (s *Store) ResetShown(ctx context.Context, id int64, n int) error {
	return errors.Join(s.show(ctx, id), s.in(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, writeBalance, n, shown.id)
		return err
	}))
}

// DepositSent writes what comes through a channel.
func (s *Store) DepositSent(ctx context.Context, id int64) error {
	ch := make(chan int, 1)
	var n int
	if err := s.get(ctx, id, &n); err != nil {
		return err
	}
	ch <- n
	return s.in(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, writeBalance, <-ch+8, id) // RB4001 balance
		return err
	})
}

func (s *Store) produce(ctx context.Context, id int64, out chan<- account) {
	var n int
	if err := s.get(ctx, id, &n); err == nil {
		out <- account{id, n}
	}
	close(out)
}

func (s *Store) consume(ctx context.Context, from <-chan account) error {
	for a := range from {
		if err := s.in(ctx, func(tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, writeBalance, a.balance+9, a.id) // RB4001 balance
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

// Pipe has a goroutine that reads.
func (s *Store) Pipe(ctx context.Context, id int64) error {
	ch := make(chan account)
	go s.produce(ctx, id, ch)
	return s.consume(ctx, ch)
}

func (s *Store) consumeUntil(ctx context.Context, from <-chan account) {
	for {
		select {
		case <-ctx.Done():
			return
		case a := <-from:
			_ = s.in(ctx, func(tx *sql.Tx) error {
				_, err := tx.ExecContext(ctx, writeBalance, a.balance+10, a.id) // RB4001 balance
				return err
			})
		}
	}
}

// Drain has a goroutine that writes, which waits for what is read later.
func (s *Store) Drain(ctx context.Context, id int64) {
	ch := make(chan account)
	go s.consumeUntil(ctx, ch)
	s.produce(ctx, id, ch)
}

// PipeIDs sends the ids alone: the other side reads again.
func (s *Store) PipeIDs(ctx context.Context, id int64) error {
	ch := make(chan int64)
	go func() {
		var n int
		if s.get(ctx, id, &n) == nil {
			ch <- id
		}
		close(ch)
	}()
	for id := range ch {
		if err := s.in(ctx, func(tx *sql.Tx) error {
			var n int
			if err := tx.QueryRowContext(ctx, readBalance+" FOR UPDATE", id).Scan(&n); err != nil {
				return err
			}
			_, err := tx.ExecContext(ctx, writeBalance, n+1, id)
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

// Copy writes to one account what another one has, through a channel.
func (s *Store) Copy(ctx context.Context, from, to int64) error {
	ch := make(chan int, 1)
	var n int
	if err := s.get(ctx, from, &n); err != nil {
		return err
	}
	ch <- n
	return s.in(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, writeBalance, <-ch, to)
		return err
	})
}

var cached account

// Serve has handlers that pass on what was read by a package variable.
func Serve(s *Store) {
	http.HandleFunc("GET /account", func(w http.ResponseWriter, r *http.Request) {
		id, _ := strconv.ParseInt(r.FormValue("id"), 10, 64)
		var n int
		if s.get(r.Context(), id, &n) == nil {
			cached = account{id, n}
		}
	})
	http.HandleFunc("POST /account", func(w http.ResponseWriter, r *http.Request) {
		_ = s.in(r.Context(), func(tx *sql.Tx) error {
			_, err := tx.ExecContext(r.Context(), writeBalance, cached.balance+11, cached.id) // RB4001 balance
			return err
		})
	})
}

// ServeAgain has handlers that get what they write from the request.
func ServeAgain(s *Store) {
	http.HandleFunc("GET /balance", func(w http.ResponseWriter, r *http.Request) {
		id, _ := strconv.ParseInt(r.FormValue("id"), 10, 64)
		var n int
		_ = s.get(r.Context(), id, &n)
		_, _ = w.Write([]byte(strconv.Itoa(n)))
	})
	http.HandleFunc("POST /balance", func(w http.ResponseWriter, r *http.Request) {
		id, _ := strconv.ParseInt(r.FormValue("id"), 10, 64)
		n, _ := strconv.Atoi(r.FormValue("n"))
		_ = s.in(r.Context(), func(tx *sql.Tx) error {
			_, err := tx.ExecContext(r.Context(), writeBalance, n, id)
			return err
		})
	})
}
