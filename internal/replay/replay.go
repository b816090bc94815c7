package replay

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/dbserver"
	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/internal/witness"
)

// Options say where to replay.
type Options struct {
	// Dialect is that of the plans: witness.Postgres or witness.MySQL.
	Dialect string
	// DSN is a connection string: a URL or key=value words for PostgreSQL, and
	// user:password@tcp(host:port)/ or a URL for MySQL and MariaDB. "" starts a private
	// server.
	DSN string
	// Progress, if not nil, is told what is being done.
	Progress func(what string)
}

// Server is where replays run. It is not safe for concurrent use.
type Server struct {
	opt     Options
	server  server
	private *dbserver.Server // nil for a server of somebody else
	kept    *schemaDatabase  // of the last replay, nil if there is none
}

// schemaDatabase is a database that has the schema of a plan.
type schemaDatabase struct {
	database
	schema []witness.Declaration
	// leftOut says which optional declarations the server refused.
	leftOut []string
}

// serves reports whether the database has what a plan needs.
func (d *schemaDatabase) serves(plan *witness.Plan) bool {
	return slices.EqualFunc(d.schema, plan.Schema, func(a, b witness.Declaration) bool {
		return a.SQL == b.SQL && a.Optional == b.Optional
	})
}

// kinds are the private servers of the dialects.
var kinds = map[string]dbserver.Kind{witness.Postgres: dbserver.Postgres, witness.MySQL: dbserver.MariaDB}

// DialectOf guesses the dialect that a connection string is about.
func DialectOf(dsn string) string {
	for _, mark := range []string{"mysql://", "mariadb://", "@tcp(", "@unix("} {
		if strings.Contains(dsn, mark) {
			return witness.MySQL
		}
	}
	return witness.Postgres
}

// Available reports why Open cannot work, as far as that can be told without starting
// anything.
func Available(opt Options) error {
	if opt.DSN != "" {
		if got := DialectOf(opt.DSN); got != opt.Dialect {
			return fmt.Errorf("the connection string is one of %s, but the program is in the dialect %s", got, opt.Dialect)
		}
		return nil
	}
	if err := kinds[opt.Dialect].Installed(); err != nil {
		return fmt.Errorf("%w: install it, or give the connection string of a server", err)
	}
	return nil
}

// Open connects to the server, or starts a private one, which the caller must close.
func Open(ctx context.Context, opt Options) (*Server, error) {
	if opt.Progress == nil {
		opt.Progress = func(string) {}
	}
	if err := Available(opt); err != nil {
		return nil, err
	}
	s := &Server{opt: opt}
	dsn := opt.DSN
	if dsn == "" {
		kind := kinds[opt.Dialect]
		opt.Progress("starting a private " + string(kind))
		var err error
		if s.private, err = kind.Start(ctx); err != nil {
			return nil, err
		}
		dsn = s.private.DSN(map[dbserver.Kind]string{dbserver.Postgres: "postgres"}[kind])
	}
	var err error
	if s.server, err = open(ctx, opt.Dialect, dsn); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Close drops the database of the last replay and ends the connection. A private server
// is stopped, and its folder removed.
func (s *Server) Close() error {
	err := s.forget(context.Background())
	if s.server != nil {
		err = errors.Join(err, s.server.close())
	}
	if s.private != nil {
		err = errors.Join(err, s.private.Close())
	}
	return err
}

// Check makes sure that the server lets a replay have a database.
func (s *Server) Check(ctx context.Context) error {
	db, err := s.database(ctx)
	if err != nil {
		return err
	}
	return db.drop(context.WithoutCancel(ctx))
}

func (s *Server) database(ctx context.Context) (database, error) {
	return s.server.create(ctx, "robust_replay_"+strings.ToLower(rand.Text()[:12]))
}

// forget drops the database of the last replay.
func (s *Server) forget(ctx context.Context) error {
	if s.kept == nil {
		return nil
	}
	db := s.kept
	s.kept = nil
	return db.drop(ctx)
}

// take gives the database of the last replay if a plan has the same schema, and an empty
// one otherwise.
func (s *Server) take(ctx context.Context, plan *witness.Plan) (*schemaDatabase, error) {
	if db := s.kept; db != nil && db.serves(plan) {
		s.kept = nil
		return db, nil
	}
	if err := s.forget(ctx); err != nil {
		return nil, err
	}
	db, err := s.database(ctx)
	return &schemaDatabase{database: db}, err
}

// Replay runs a plan in a database of its own. Where the server does what the plan says,
// the database is kept for a next plan of the same schema, whose setup replaces all rows;
// otherwise it is dropped, also when ctx ends. The error is one of the server or the
// connection: what a server does with the plan is no error.
func (s *Server) Replay(ctx context.Context, plan *witness.Plan) (r *witness.Replay, err error) {
	name, version := s.server.title()
	r = &witness.Replay{Server: name, Version: version, Orders: plan.Orders, Log: []string{}}
	if plan.NotRun != "" {
		r.Outcome, r.Difference = witness.NotRun, plan.NotRun
		return r, nil
	}
	if err := plan.Check(); err != nil {
		return nil, fmt.Errorf("the plan of a replay does not hold together: %w", err)
	}
	s.opt.Progress("replaying on " + name)
	db, err := s.take(ctx, plan)
	if err != nil {
		return nil, err
	}
	defer func() {
		if s.kept = db; err == nil && r.Outcome == witness.AsShown {
			return
		}
		if gone := s.forget(context.WithoutCancel(ctx)); gone != nil && err == nil {
			err = gone
		}
	}()
	j := &judge{db: db.database, made: db, plan: plan, r: r, progress: s.opt.Progress}
	return r, j.judge(ctx)
}

// judge compares what a server does with a plan.
type judge struct {
	db       database
	made     *schemaDatabase // db with its schema
	plan     *witness.Plan
	r        *witness.Replay
	outcome  string // of the execution
	progress func(what string)
}

func (j *judge) judge(ctx context.Context) error {
	d, err := j.schema(ctx)
	if d == nil && err == nil {
		d, err = j.execution(ctx)
	}
	if d == nil && err == nil {
		d, err = j.serial(ctx)
	}
	if err != nil {
		return err
	}
	j.r.Outcome = witness.AsShown
	if d != nil {
		j.r.Outcome, j.r.Difference = d.outcome, d.text
		if d.outcome != witness.NotRun && !d.atOnce && len(j.plan.Depends) > 0 {
			j.r.Outcome = witness.NotRun
			j.r.Difference = "it depends on " + strings.Join(j.plan.Depends, ", ") + ", which nobody but the server decides; this time it gave " + d.text
		}
	}
	return nil
}

// schema makes the tables and functions, unless the database has them. A statement that
// fails may need what comes later: it is tried again.
func (j *judge) schema(ctx context.Context) (*difference, error) {
	defer func() { j.r.Log = append(j.r.Log, j.made.leftOut...) }()
	if j.made.schema != nil {
		return nil, nil
	}
	conn, err := j.db.connect(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.close()
	left := j.plan.Schema
	for {
		var failed []witness.Declaration
		var why []string
		for _, d := range left {
			got, err := conn.run(ctx, statement(d.SQL))
			if err != nil {
				return nil, err
			}
			if got.failed() {
				failed = append(failed, d)
				why = append(why, fmt.Sprintf("%s at %s", got.failure(), where("schema", d.SQL, d.Position)))
			}
		}
		if 0 < len(failed) && len(failed) < len(left) {
			left = failed
			continue
		}
		for i, d := range failed {
			if !d.Optional {
				return &difference{outcome: witness.NotRun, text: "the schema cannot be made: " + why[i]}, nil
			}
			j.made.leftOut = append(j.made.leftOut, "left out of the schema: "+why[i])
		}
		j.made.schema = j.plan.Schema
		return nil, nil
	}
}

// setup makes the rows to start with.
func (j *judge) setup(ctx context.Context) (*difference, error) {
	conn, err := connectWith(ctx, j.db, j.plan.Session)
	if err != nil {
		return nil, err
	}
	defer conn.close()
	for _, sql := range j.plan.Setup {
		got, err := conn.run(ctx, statement(sql))
		if err != nil {
			return nil, err
		}
		if !got.failed() {
			continue
		}
		d := &difference{outcome: witness.NotRun, atOnce: true, text: fmt.Sprintf("the rows to start with cannot be made: %s at %s", got.failure(), where("setup", sql, witness.Position{}))}
		if broken(got.code) {
			d.outcome = witness.Refused
		}
		return d, nil
	}
	return nil, nil
}

// broken reports whether an error says that a constraint is broken: SQLSTATE class 23, or
// MariaDB's 1062 (a key), 1048 (NULL), 4025 (a check).
func broken(code string) bool {
	return len(code) == 5 && strings.HasPrefix(code, "23") || slices.Contains([]string{"1062", "1048", "4025", "3819"}, code)
}

// play runs runs of one order from the rows of the setup on.
func (j *judge) play(ctx context.Context, level func(label string) string, waitable bool, runs []*witness.Run) (*player, *difference, error) {
	if d, err := j.setup(ctx); d != nil || err != nil {
		return nil, d, err
	}
	p := &player{db: j.db, tables: j.plan.Tables, levelOf: level, first: j.db.session(j.plan), waitable: waitable}
	d, err := p.play(ctx, runs)
	return p, d, err
}

// execution runs the execution of the witness, and at SERIALIZABLE again.
func (j *judge) execution(ctx context.Context) (*difference, error) {
	p, d, err := j.play(ctx, j.plan.LevelOf, false, []*witness.Run{&j.plan.Execution})
	if p != nil {
		j.r.Log = append(j.r.Log, p.log...)
	}
	if d != nil || err != nil {
		return d, err
	}
	j.outcome = p.outcome
	p, d, err = j.play(ctx, func(string) string { return "SERIALIZABLE" }, true, []*witness.Run{&j.plan.Execution})
	if err != nil && ctx.Err() != nil {
		return nil, err
	}
	j.r.Serializable = serializable(p, d, err)
	return nil, nil
}

// serializable says what happened at SERIALIZABLE.
func serializable(p *player, d *difference, err error) string {
	if err != nil {
		return "nothing is known of SERIALIZABLE: " + err.Error()
	}
	var failed []string
	for _, n := range sortedKeys(p.sessions) {
		failed = append(failed, p.sessions[n].failures...)
	}
	if failed != nil {
		return "at SERIALIZABLE " + strings.Join(failed, ", ")
	}
	if d == nil { // the values of later commands are those of the witness
		d = p.other
	}
	if d != nil {
		return "at SERIALIZABLE all commit, with another outcome: " + d.text
	}
	return "at SERIALIZABLE all commit, too, with the same outcome: the server does not see it"
}

// serial runs the serial orders. Each is to do what the model says, which differs from
// the execution.
func (j *judge) serial(ctx context.Context) (*difference, error) {
	for _, runs := range alternatives(j.plan.Serial) {
		j.progress(fmt.Sprintf("replaying serial orders: %d of %d", j.r.OrdersTried, j.plan.Orders))
		d, err := j.order(ctx, runs)
		if d != nil || err != nil {
			return d, err
		}
		j.r.OrdersTried += j.orders(runs)
	}
	j.r.OrdersTried = min(j.r.OrdersTried, j.plan.Orders)
	return nil, nil
}

// alternatives puts the runs of one order together. One that ends early, since a
// transaction does not commit, belongs to those that go on.
func alternatives(all []witness.Run) [][]*witness.Run {
	prefix := func(a, b []string) bool { return len(a) <= len(b) && slices.Equal(a, b[:len(a)]) }
	var out [][]*witness.Run
	seen := map[string]bool{}
	for i := range all {
		order := all[i].Order
		key := strings.Join(order, " ")
		longer := slices.ContainsFunc(all, func(r witness.Run) bool { return len(r.Order) > len(order) && prefix(order, r.Order) })
		if seen[key] || longer {
			continue
		}
		seen[key] = true
		var runs []*witness.Run
		for k := range all {
			if prefix(all[k].Order, order) {
				runs = append(runs, &all[k])
			}
		}
		out = append(out, runs)
	}
	return out
}

// orders counts the orders of all transactions that begin as runs do.
func (j *judge) orders(runs []*witness.Run) int {
	longest := 0
	for _, r := range runs {
		longest = max(longest, len(r.Order))
	}
	n := 1
	for k := len(j.plan.Execution.Order) - longest; k > 1; k-- {
		n *= k
	}
	return n
}

// order runs one serial order, for which the model may have several runs.
func (j *judge) order(ctx context.Context, runs []*witness.Run) (*difference, error) {
	for {
		p, d, err := j.play(ctx, j.plan.LevelOf, false, runs)
		if err != nil {
			return nil, err
		}
		if d == nil {
			if p.outcome == j.outcome {
				d = &difference{outcome: witness.OtherOutcome, text: "the serial order " + strings.Join(runs[0].Order, ", ") + " has the same outcome"}
			}
			return d, nil
		}
		if p == nil || len(p.left) == 0 {
			j.r.Log = append(j.r.Log, "the serial order "+strings.Join(runs[0].Order, ", ")+":")
			if p != nil {
				j.r.Log = append(j.r.Log, p.log...)
			}
			d.text = "in the serial order " + strings.Join(runs[0].Order, ", ") + ", which the model tells otherwise: " + d.text
			if d.outcome == witness.Refused {
				d.outcome = witness.OtherOutcome
			}
			return d, nil
		}
		runs = p.left // what the first ones say did not happen
	}
}

// selectAll reads a table.
func selectAll(db database, t witness.PlanTable) string {
	dialect := quote.Postgres
	if _, is := db.(*mysqlDatabase); is {
		dialect = quote.MySQL
	}
	cols := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		cols[i] = dialect.Ident(c)
	}
	if len(cols) == 0 {
		cols = []string{"1"}
	}
	return "SELECT " + strings.Join(cols, ", ") + " FROM " + dialect.Name(t.Name)
}

func sortedKeys(m map[int]*session) []int {
	var out []int
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
