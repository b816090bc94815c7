package replay

import (
	"context"
	"errors"
	"fmt"

	"github.com/txrobust/robust/internal/witness"
)

// EventKind is what happens while an execution is watched.
type EventKind string

const (
	// Sends: a session is about to send a command.
	Sends EventKind = "sends"
	// Answers: the server has answered, by rows, a count or an error.
	Answers EventKind = "answers"
	// Waits: the command waits for another session.
	Waits EventKind = "waits"
)

// Event is something that happens while an execution is watched.
type Event struct {
	Kind EventKind
	// Transaction is a label.
	Transaction string
	SQL         string // of Sends
	// Columns and Rows are what came back; nil is NULL. Count is the number of rows, or -1.
	Columns []string
	Rows    [][]*string
	Count   int
	// Code and Message are those of an error, "" if there is none.
	Code, Message string
}

// Table are the rows of a table in the end.
type Table struct {
	Name    string
	Columns []string
	Rows    [][]*string
}

// Watch runs the execution of a plan with all transactions at one level, in the words of
// SQL. What is to come back is not compared: commands may wait, and fail. watch is told what
// happens, and its error ends the run. The database is dropped.
func (s *Server) Watch(ctx context.Context, plan *witness.Plan, level string, watch func(Event) error) (final []Table, err error) {
	if plan.NotRun != "" {
		return nil, fmt.Errorf("no client can run this: %s", plan.NotRun)
	}
	if err := plan.Check(); err != nil {
		return nil, fmt.Errorf("the plan does not hold together: %w", err)
	}
	db, err := s.take(ctx, plan)
	if err != nil {
		return nil, err
	}
	s.kept = db
	defer func() { err = errors.Join(err, s.forget(context.WithoutCancel(ctx))) }()
	j := &judge{db: db.database, made: db, plan: plan, r: &witness.Replay{}, progress: s.opt.Progress}
	d, err := j.schema(ctx)
	if d == nil && err == nil {
		d, err = j.setup(ctx)
	}
	if err != nil {
		return nil, err
	}
	if d != nil {
		return nil, errors.New(d.text)
	}
	p := &player{db: db.database, tables: plan.Tables, first: plan.Session, waitable: true, watch: watch, levelOf: func(string) string { return level }}
	if _, err := p.play(ctx, []*witness.Run{&plan.Execution}); err != nil {
		return nil, err
	}
	return tablesOf(ctx, db.database, plan)
}

// tablesOf reads all tables of a plan.
func tablesOf(ctx context.Context, db database, plan *witness.Plan) ([]Table, error) {
	conn, err := connectWith(ctx, db, plan.Session)
	if err != nil {
		return nil, err
	}
	defer conn.close()
	var out []Table
	for _, t := range plan.Tables {
		q := statement(selectAll(db, t))
		q.rows = true
		got, err := conn.run(ctx, q)
		if err != nil {
			return nil, err
		}
		if got.failed() {
			return nil, fmt.Errorf("the rows of %s cannot be read: %s", t.Name, got.failure())
		}
		out = append(out, Table{t.Name, t.Columns, got.rows})
	}
	return out, nil
}

// tell tells who watches what happens.
func (p *player) tell(e Event) error {
	if p.watch == nil {
		return nil
	}
	return p.watch(e)
}

// told sends a request, and tells of that and of what comes back.
func (p *player) told(ctx context.Context, s *session, q request) (*reply, *difference, error) {
	if err := p.tell(Event{Kind: Sends, Transaction: s.label, SQL: q.sql, Count: -1}); err != nil {
		return nil, nil, err
	}
	got, d, err := p.send(ctx, s, q)
	switch {
	case err != nil || d != nil:
		return got, d, err
	case got == nil:
		return got, nil, p.tell(Event{Kind: Waits, Transaction: s.label, Count: -1})
	}
	return got, nil, p.tell(answered(s.label, got))
}

// answered is the event of a reply.
func answered(label string, got *reply) Event {
	e := Event{Kind: Answers, Transaction: label, Columns: got.columns, Rows: got.rows, Count: got.count, Code: got.code, Message: got.message}
	if got.rolledBack {
		e.Message = got.failure()
	}
	return e
}
