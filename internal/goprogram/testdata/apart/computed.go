package apart

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"strings"
)

// Notes has notes that are computed from what they were.
type Notes struct{ db *sql.DB }

func (n *Notes) load(ctx context.Context, id int64) (s string, err error) {
	err = n.db.QueryRowContext(ctx, "SELECT note FROM accounts WHERE id = $1", id).Scan(&s)
	return s, err
}

var following = map[string]string{"new": "paid", "paid": "shipped"}

// Advance looks the next one up.
func (n *Notes) Advance(ctx context.Context, id int64) error {
	s, err := n.load(ctx, id)
	if err != nil {
		return err
	}
	next, ok := following[s]
	if !ok {
		return errors.New("the last one")
	}
	_, err = n.db.ExecContext(ctx, "UPDATE accounts SET note = $1 WHERE id = $2", next, id) // RB4001 note
	return err
}

// AdvanceGuarded compares the old one.
func (n *Notes) AdvanceGuarded(ctx context.Context, id int64) error {
	s, err := n.load(ctx, id)
	if err != nil {
		return err
	}
	next, ok := following[s]
	if !ok {
		return errors.New("the last one")
	}
	_, err = n.db.ExecContext(ctx, "UPDATE accounts SET note = $1 WHERE id = $2 AND note = $3", next, id, s)
	return err
}

// Tag splits and joins.
func (n *Notes) Tag(ctx context.Context, id int64, tag string) error {
	s, err := n.load(ctx, id)
	if err != nil {
		return err
	}
	list := append(strings.Split(s, ","), tag)
	_, err = n.db.ExecContext(ctx, "UPDATE accounts SET note = $1 WHERE id = $2", strings.Join(list, ","), id) // RB4001 note
	return err
}

type document struct{ Hits int }

// Hit decodes and encodes.
func (n *Notes) Hit(ctx context.Context, id int64) error {
	s, err := n.load(ctx, id)
	if err != nil {
		return err
	}
	var d document
	if err := json.Unmarshal([]byte(s), &d); err != nil {
		return err
	}
	d.Hits++
	text, err := json.Marshal(d)
	if err != nil {
		return err
	}
	_, err = n.db.ExecContext(ctx, "UPDATE accounts SET note = $1 WHERE id = $2", string(text), id) // RB4001 note
	return err
}

// Reset writes what does not depend on what it has read.
func (n *Notes) Reset(ctx context.Context, id int64) (string, error) {
	s, err := n.load(ctx, id)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(document{})
	if err != nil {
		return "", err
	}
	_, err = n.db.ExecContext(ctx, "UPDATE accounts SET note = $1 WHERE id = $2", string(text), id)
	return strings.ToUpper(s), err
}

type phase interface{ next() (string, error) }
type started struct{}
type ended struct{}

func (started) next() (string, error) { return "ended", nil }
func (ended) next() (string, error)   { return "", errors.New("it has ended") }

func phaseOf(s string) phase {
	if s == "started" {
		return started{}
	}
	return ended{}
}

// Proceed decides by the type of a value.
func (n *Notes) Proceed(ctx context.Context, id int64) error {
	s, err := n.load(ctx, id)
	if err != nil {
		return err
	}
	next, err := phaseOf(s).next()
	if err != nil {
		return err
	}
	_, err = n.db.ExecContext(ctx, "UPDATE accounts SET note = $1 WHERE id = $2", next, id) // RB4002 note
	return err
}

// fetcher asks another service, which its context shows.
type fetcher interface {
	Fetch(ctx context.Context, h string) (string, error)
}

// Refresh writes what another service says.
func (n *Notes) Refresh(ctx context.Context, f fetcher, id int64) error {
	s, err := n.load(ctx, id)
	if err != nil {
		return err
	}
	text, err := f.Fetch(ctx, s)
	if err != nil {
		return err
	}
	_, err = n.db.ExecContext(ctx, "UPDATE accounts SET note = $1 WHERE id = $2", text, id)
	return err
}
