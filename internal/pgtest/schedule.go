package pgtest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Isolation levels of Schedule, as SQL writes them.
const (
	ReadCommitted  = "READ COMMITTED"
	RepeatableRead = "REPEATABLE READ"
	Serializable   = "SERIALIZABLE"
)

// Step is one statement of one session. A session is a connection; it is
// opened for the first step that names it.
type Step struct {
	Session string
	SQL     string
}

// Schedule is an order of steps. A step whose SQL is BEGIN starts its
// transaction at Level.
type Schedule struct {
	Level string
	Steps []Step
}

// Result is what one step did.
type Result struct {
	Step
	Rows    [][]string // in text form, NULL as "NULL" and empty as "''"
	Tag     string     // the command tag, such as "UPDATE 1"; "" after an error
	Code    string     // SQLSTATE of the error, or ""
	Message string     // of the error
	Blocked bool       // the statement waited for a lock before it ended

	status byte // of the transaction afterwards: I idle, T open, E failed
}

// String is the outcome in one line: the SQLSTATE, or the rows with " | "
// between them, or "no rows", or the command tag; "blocks, " comes first when
// the statement waited.
func (r Result) String() string {
	s := r.Tag
	switch {
	case r.Code != "":
		s = r.Code
	case r.Tag == "SELECT 0":
		s = "no rows"
	case len(r.Rows) > 0:
		rows := make([]string, len(r.Rows))
		for i, row := range r.Rows {
			rows[i] = strings.Join(row, ", ")
		}
		s = strings.Join(rows, " | ")
	}
	if r.Blocked {
		s = "blocks, " + s
	}
	return s
}

// Outcome is what a schedule did.
type Outcome struct {
	Results   []Result        // one for each step, in their order
	Committed map[string]bool // session: its last transaction committed
}

// All reports whether every session committed.
func (o *Outcome) All() bool {
	for _, ok := range o.Committed {
		if !ok {
			return false
		}
	}
	return true
}

// Codes gives the distinct SQLSTATEs of the errors, sorted. 25P02, by which a
// failed transaction refuses further statements, is left out.
func (o *Outcome) Codes() []string {
	set := map[string]bool{}
	for _, r := range o.Results {
		if r.Code != "" && r.Code != "25P02" {
			set[r.Code] = true
		}
	}
	return slices.Sorted(maps.Keys(set))
}

// Run executes a schedule on the database at dsn. A step ends when its
// statement does, or when the statement is seen to wait for a lock; then the
// statement ends at some later step. A step of a session that still waits is
// taken when its wait is over, by a deadlock error for instance. Errors of SQL
// are results; the error of Run is a failure of the schedule itself, such as
// a session that waits for ever.
func Run(ctx context.Context, dsn string, sch Schedule) (*Outcome, error) {
	monitor, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return nil, err
	}
	r := &runner{monitor: monitor, sessions: map[string]*session{}}
	defer r.close()

	out := &Outcome{Results: make([]Result, len(sch.Steps)), Committed: map[string]bool{}}
	for i, step := range sch.Steps {
		res := &out.Results[i]
		res.Step = step
		if err := r.take(ctx, dsn, sch.Level, res); err != nil {
			return nil, fmt.Errorf("step %d (%s: %s): %w", i+1, step.Session, step.SQL, err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.sessions)) {
		if err := r.sessions[name].wait(ctx); err != nil {
			return nil, fmt.Errorf("at the end, session %s: %w", name, err)
		}
	}
	for _, res := range out.Results {
		out.Committed[res.Session] = res.status == 'I' && res.Code == "" && res.Tag != "ROLLBACK"
	}
	return out, nil
}

type runner struct {
	monitor  *pgx.Conn
	sessions map[string]*session
}

// session is a connection with at most one statement under way.
type session struct {
	conn *pgx.Conn
	res  *Result       // of the latest statement; exec fills it in until done
	done chan struct{} // closed when the statement is over
}

func (r *runner) close() {
	for _, s := range r.sessions {
		// A statement that never ends is left to the server, which ends it
		// with the connection.
		s.conn.PgConn().Conn().Close()
	}
	for _, s := range r.sessions {
		<-s.done
	}
	r.monitor.Close(context.Background())
}

// take starts the statement of res, and returns when every session is either
// idle or waits for a lock.
func (r *runner) take(ctx context.Context, dsn, level string, res *Result) error {
	s := r.sessions[res.Session]
	if s == nil {
		conn, err := pgx.Connect(ctx, dsn)
		if err != nil {
			return err
		}
		s = &session{conn: conn, done: make(chan struct{})}
		close(s.done)
		r.sessions[res.Session] = s
	}
	if err := s.wait(ctx); err != nil {
		return err
	}
	sql := res.SQL
	if strings.EqualFold(sql, "BEGIN") {
		sql = "BEGIN ISOLATION LEVEL " + level
	}
	s.res, s.done = res, make(chan struct{})
	go func() {
		defer close(s.done)
		s.exec(ctx, sql)
	}()
	// A statement that ends may end the wait of a session that was looked at before.
	for again := true; again; {
		again = false
		for _, name := range slices.Sorted(maps.Keys(r.sessions)) {
			s := r.sessions[name]
			busy := !s.idle()
			if err := r.settle(ctx, s); err != nil {
				return err
			}
			again = again || busy && s.idle()
		}
	}
	return nil
}

// idle reports whether no statement is under way.
func (s *session) idle() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// wait returns when the session is idle.
func (s *session) wait(ctx context.Context) error {
	select {
	case <-s.done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("the session still waits for a lock in: %s", s.res.SQL)
	}
}

// settle returns when the session is idle or waits for a lock.
func (r *runner) settle(ctx context.Context, s *session) error {
	for pause := 2 * time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		select {
		case <-s.done:
			return nil
		case <-time.After(pause):
		}
		var blocked bool
		err := r.monitor.QueryRow(ctx, "SELECT cardinality(pg_blocking_pids($1)) > 0", int32(s.conn.PgConn().PID())).Scan(&blocked)
		if err != nil {
			return err
		}
		if blocked {
			s.res.Blocked = true // the only field that exec does not write
			return nil
		}
	}
}

// exec runs one statement to its end and fills the result in.
func (s *session) exec(ctx context.Context, sql string) {
	conn := s.conn.PgConn()
	results, err := conn.Exec(ctx, sql).ReadAll()
	res := s.res
	res.status = conn.TxStatus()
	if err == nil && len(results) != 1 {
		err = errors.New("a step is one statement")
	}
	if err != nil {
		res.Code, res.Message = "XX000", err.Error()
		if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
			res.Code, res.Message = pg.Code, pg.Message
		}
		return
	}
	res.Tag = results[0].CommandTag.String()
	res.Rows = TextRows(results[0].Rows)
}

// TextRows gives rows in text form as Result has them.
func TextRows(rows [][][]byte) [][]string {
	var out [][]string
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			switch {
			case cell == nil:
				cells[i] = "NULL"
			case len(cell) == 0:
				cells[i] = "''"
			default:
				cells[i] = string(cell)
			}
		}
		out = append(out, cells)
	}
	return out
}
