package apart

import (
	"context"
	"database/sql"
)

type holding struct {
	id      int64
	balance int
	version int
}

// holdings collects rows.
func (s *Store) holdings(ctx context.Context) ([]holding, error) {
	rows, err := s.db.QueryContext(ctx, "SELECT id, balance, version FROM accounts")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []holding
	for rows.Next() {
		var h holding
		if err := rows.Scan(&h.id, &h.balance, &h.version); err != nil {
			return nil, err
		}
		out = append(out, h)
	}
	return out, rows.Err()
}

// Interest writes the rows of a list one by one.
func (s *Store) Interest(ctx context.Context) error {
	list, err := s.holdings(ctx)
	if err != nil {
		return err
	}
	for _, h := range list {
		if _, err := s.db.ExecContext(ctx, "UPDATE accounts SET balance = $1 WHERE id = $2", h.balance+h.balance/100, h.id); err != nil { // RB4001 balance
			return err
		}
	}
	return nil
}

// InterestInSQL lets the statement compute.
func (s *Store) InterestInSQL(ctx context.Context) error {
	list, err := s.holdings(ctx)
	if err != nil {
		return err
	}
	for _, h := range list {
		if _, err := s.db.ExecContext(ctx, "UPDATE accounts SET balance = balance + balance / 100 WHERE id = $1", h.id); err != nil {
			return err
		}
	}
	return nil
}

// InterestVersioned compares a version.
func (s *Store) InterestVersioned(ctx context.Context) error {
	list, err := s.holdings(ctx)
	if err != nil {
		return err
	}
	for _, h := range list {
		if _, err := s.db.ExecContext(ctx, "UPDATE accounts SET balance = $1, version = version + 1 WHERE id = $2 AND version = $3", h.balance+1, h.id, h.version); err != nil {
			return err
		}
	}
	return nil
}

// Report reads the list only, and writes what callers give.
func (s *Store) Report(ctx context.Context, given []holding) (n int, err error) {
	list, err := s.holdings(ctx)
	for _, h := range list {
		n += h.balance
	}
	for _, h := range given {
		if _, err := s.db.ExecContext(ctx, "UPDATE accounts SET balance = $1 WHERE id = $2", h.balance, h.id); err != nil {
			return 0, err
		}
	}
	return n, err
}

// Bump keeps values in a map.
func Bump(ctx context.Context, db *sql.DB, ids []int64) error {
	m := map[int64]int{}
	for _, id := range ids {
		var n int
		if err := db.QueryRowContext(ctx, "SELECT balance FROM accounts WHERE id = $1", id).Scan(&n); err != nil {
			return err
		}
		m[id] = n
	}
	for id, n := range m {
		if _, err := db.ExecContext(ctx, "UPDATE accounts SET balance = $1 WHERE id = $2", n+1, id); err != nil { // RB4001 balance
			return err
		}
	}
	return nil
}

// BumpGuarded compares them.
func BumpGuarded(ctx context.Context, db *sql.DB, ids []int64) error {
	m := map[int64]int{}
	for _, id := range ids {
		var n int
		if err := db.QueryRowContext(ctx, "SELECT balance FROM accounts WHERE id = $1", id).Scan(&n); err != nil {
			return err
		}
		m[id] = n
	}
	for id, n := range m {
		if _, err := db.ExecContext(ctx, "UPDATE accounts SET balance = $1 WHERE id = $2 AND balance = $3", n+1, id, n); err != nil {
			return err
		}
	}
	return nil
}

// Stream has one goroutine that reads, and another one that writes.
func Stream(ctx context.Context, db *sql.DB, ids []int64) error {
	list, done := make(chan holding), make(chan error, 1)
	go func() {
		for h := range list {
			if _, err := db.ExecContext(ctx, "UPDATE accounts SET balance = $1 WHERE id = $2", h.balance, h.id); err != nil { // RB4001 balance
				done <- err
				return
			}
		}
		done <- nil
	}()
	for _, id := range ids {
		var n int
		if err := db.QueryRowContext(ctx, "SELECT balance FROM accounts WHERE id = $1", id).Scan(&n); err != nil {
			return err
		}
		list <- holding{id: id, balance: n + 1}
	}
	close(list)
	return <-done
}

// queued collects the keys of jobs.
func queued(ctx context.Context, db *sql.DB) (list []int64, err error) {
	rows, err := db.QueryContext(ctx, "SELECT id FROM jobs WHERE state = 'queued' ORDER BY id LIMIT 10")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		list = append(list, id)
	}
	return list, rows.Err()
}

// Drain marks the jobs of a list.
func Drain(ctx context.Context, db *sql.DB, work func(int64)) error {
	list, err := queued(ctx, db)
	if err != nil {
		return err
	}
	for _, id := range list {
		work(id)
		if _, err := db.ExecContext(ctx, "UPDATE jobs SET state = 'done' WHERE id = $1", id); err != nil { // RB4002 state
			return err
		}
	}
	return nil
}

// DrainClaimed claims each first.
func DrainClaimed(ctx context.Context, db *sql.DB) error {
	list, err := queued(ctx, db)
	if err != nil {
		return err
	}
	for _, id := range list {
		if _, err := db.ExecContext(ctx, "UPDATE jobs SET state = 'done' WHERE id = $1 AND state = 'queued'", id); err != nil {
			return err
		}
	}
	return nil
}
