package replay

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/txrobust/robust/internal/witness"
)

// patience is how long a command may take where the server does not tell whether it
// waits for a lock, and how long all of a run may take.
const (
	untold   = 3 * time.Second
	patience = time.Minute
)

// player takes the steps of a run on a database.
type player struct {
	db     database
	tables []witness.PlanTable
	// levelOf gives the isolation level of a transaction by its label.
	levelOf func(label string) string
	first   []string // what each session runs first
	// waitable lets commands wait and fail: what happens is only watched.
	waitable bool
	// other is the first reply of a watched run that differs from that of the witness, nil if there is none.
	other *difference
	// watch, if not nil, is told what happens, and may take its time for that.
	watch    func(Event) error
	sessions map[int]*session
	// likely are the runs of the model that what has come back so far fits; left are
	// those that were left because they go on with another command.
	likely []*candidate
	left   []*witness.Run
	log    []string
	// outcome is all that was observed, once the run has come to its end.
	outcome string
	stop    context.CancelFunc // of what the sessions do
}

// candidate is a run of the model, with what its values stand for.
type candidate struct {
	run   *witness.Run
	names *renaming
	// shown is what clients have seen so far, by transaction, in a form that does not
	// depend on values that the server chooses; final are the rows at the end.
	shown map[string]string
	final string
}

// outcome is all that was observed of a run, in one text.
func (c *candidate) outcome() string {
	all := maps.Clone(c.shown)
	for _, s := range c.run.Shown {
		row := make([]*witness.Cell, len(s.Values))
		texts := make([]*string, len(s.Values))
		for i := range s.Values {
			row[i], texts[i] = &s.Values[i], &s.Values[i].Text
		}
		all[s.Transaction] += "; " + canonical(row, texts)
	}
	out := ""
	for _, label := range slices.Sorted(maps.Keys(all)) {
		out += label + all[label] + "\n"
	}
	return out + c.final
}

// session is a connection with at most one command under way.
type session struct {
	conn  connection
	label string // of the transaction
	done  chan struct{}
	got   *reply
	err   error
	// waited says that nobody looked at got yet.
	waited bool
	// pending is the number of the step, from 1, whose command waits as the witness says; 0 is none.
	pending int
	// failed says that the transaction has failed: what it would do is left out. failures
	// says why, for all transactions of the session.
	failed   bool
	failures []string
}

// busy reports whether a command is under way.
func (s *session) busy() bool {
	select {
	case <-s.done:
		return false
	default:
		return true
	}
}

// difference is why a server did not do what a run says.
type difference struct {
	outcome witness.Outcome
	text    string
	// atOnce says that it shows before anything runs.
	atOnce bool
}

// play takes the steps of one of the runs, all of which begin with the rows of the
// setup and have the same order. It gives the first difference from all of them, or
// nil. The error is one of the server.
func (p *player) play(ctx context.Context, runs []*witness.Run) (*difference, error) {
	if p.watch == nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, patience)
		defer cancel()
	}
	inner, stop := context.WithCancel(ctx)
	p.stop, p.sessions = stop, map[int]*session{}
	defer p.close()
	for _, r := range runs {
		p.likely = append(p.likely, &candidate{run: r, names: newRenaming(), shown: map[string]string{}})
	}
	var later []int // steps of sessions that wait
	for n := 0; n < len(p.likely[0].run.Steps); n++ {
		p.agree(n)
		if s := p.sessions[p.likely[0].run.Steps[n].Session]; s != nil && s.busy() && s.pending == 0 {
			later = append(later, n)
			continue
		}
		if d, err := p.step(inner, n); err != nil || d != nil {
			return d, err
		}
		var err error
		if later, err = p.again(inner, later); err != nil {
			return nil, err
		}
	}
	for len(later) > 0 {
		if err := p.settle(inner, later); err != nil {
			return nil, err
		}
		var err error
		if later, err = p.again(inner, later); err != nil {
			return nil, err
		}
	}
	if stops := p.likely[0].run.Stops; stops != "" {
		return p.stopped(stops), nil
	}
	return p.end(inner)
}

// again takes the steps whose sessions no longer wait, and gives the others.
func (p *player) again(ctx context.Context, later []int) (rest []int, err error) {
	for _, n := range later {
		session := p.likely[0].run.Steps[n].Session
		waits := slices.ContainsFunc(rest, func(k int) bool { return p.likely[0].run.Steps[k].Session == session })
		if waits || p.sessions[session].busy() {
			rest = append(rest, n)
			continue
		}
		if _, err := p.step(ctx, n); err != nil {
			return nil, err
		}
	}
	return rest, nil
}

// settle returns when the session of some step no longer waits.
func (p *player) settle(ctx context.Context, later []int) error {
	for {
		for _, n := range later {
			if !p.sessions[p.likely[0].run.Steps[n].Session].busy() {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// agree keeps the candidates whose next step is that of the first.
func (p *player) agree(n int) {
	first := p.likely[0].run.Steps[n]
	p.likely = slices.DeleteFunc(p.likely, func(c *candidate) bool {
		other := n >= len(c.run.Steps) || !sameStep(&c.run.Steps[n], &first)
		if other {
			p.left = append(p.left, c.run)
		}
		return other
	})
}

// sameStep reports whether two steps do the same.
func sameStep(a, b *witness.Step) bool {
	if a.Kind != b.Kind || a.Transaction != b.Transaction || (a.Command == nil) != (b.Command == nil) {
		return false
	}
	return a.Command == nil || a.Command.SQL() == b.Command.SQL()
}

// step takes a step, whose session does not wait.
func (p *player) step(ctx context.Context, n int) (*difference, error) {
	st := &p.likely[0].run.Steps[n]
	s, err := p.session(ctx, st)
	if err != nil {
		return nil, err
	}
	if err := p.afterWaiting(s); err != nil {
		return nil, err
	}
	if s.pending > 0 {
		if d, err := p.answered(ctx, s); err != nil || d != nil {
			return d, err
		}
	}
	ends := st.Kind == witness.StepCommit || st.Kind == witness.StepRollback
	if s.failed {
		if !ends {
			return nil, nil
		}
		s.failed = false
		return p.plain(ctx, s, "ROLLBACK")
	}
	switch st.Kind {
	case witness.StepBegin:
		s.label = st.Transaction
		for _, sql := range p.db.begin(p.levelOf(st.Transaction), p.snapshotFollows(n)) {
			if d, err := p.plain(ctx, s, sql); d != nil || err != nil {
				return d, err
			}
		}
		return nil, nil
	case witness.StepSnapshot:
		if sql := p.db.takeSnapshot(); sql != "" {
			return p.plain(ctx, s, sql)
		}
		return nil, nil
	case witness.StepCommit:
		d, err := p.plain(ctx, s, "COMMIT")
		s.failed = false
		return d, err
	case witness.StepRollback:
		return p.plain(ctx, s, "ROLLBACK")
	case witness.StepCommand:
		return p.command(ctx, s, st, n)
	}
	return nil, fmt.Errorf("replay: unknown step %q", st.Kind)
}

// afterWaiting tells what came of a command that had to wait.
func (p *player) afterWaiting(s *session) error {
	defer func() { s.waited = false }()
	if !s.waited || s.got == nil {
		return nil
	}
	if s.got.failed() {
		p.failed(s, "", witness.Position{}, s.got)
	}
	return p.tell(answered(s.label, s.got))
}

// snapshotFollows reports whether the transaction that begins in step n takes its
// snapshot before everything else.
func (p *player) snapshotFollows(n int) bool {
	steps := p.likely[0].run.Steps
	for _, st := range steps[n+1:] {
		if st.Session == steps[n].Session {
			return st.Kind == witness.StepSnapshot
		}
	}
	return false
}

// session gives the session of a step, which the first step opens.
func (p *player) session(ctx context.Context, st *witness.Step) (*session, error) {
	s := p.sessions[st.Session]
	if s != nil {
		return s, s.err
	}
	conn, err := connectWith(ctx, p.db, p.first)
	if err != nil {
		return nil, err
	}
	s = &session{conn: conn, done: make(chan struct{})}
	close(s.done)
	p.sessions[st.Session] = s
	return s, nil
}

// connectWith opens a session that runs statements first.
func connectWith(ctx context.Context, db database, first []string) (connection, error) {
	conn, err := db.connect(ctx)
	if err != nil {
		return nil, lost(ctx, err)
	}
	for _, sql := range first {
		got, err := conn.run(ctx, statement(sql))
		if err == nil && got.failed() {
			err = fmt.Errorf("a session cannot begin with %s: %s", sql, got.failure())
		}
		if err != nil {
			conn.close()
			return nil, err
		}
	}
	return conn, nil
}

// plain runs a statement that is to succeed and gives nothing of interest.
func (p *player) plain(ctx context.Context, s *session, sql string) (*difference, error) {
	p.say("%s: %s", s.label, sql)
	got, d, err := p.told(ctx, s, statement(sql))
	if err != nil || d != nil {
		return d, err
	}
	if got != nil && got.failed() {
		return p.failed(s, sql, witness.Position{}, got), nil
	}
	return nil, nil
}

// failed is the difference where a statement fails that is to succeed.
func (p *player) failed(s *session, sql string, at witness.Position, got *reply) *difference {
	p.say("%s: -> %s", s.label, got.failure())
	s.failed, s.failures = true, append(s.failures, s.label+" fails: "+got.failure())
	if p.waitable || p.likely[0].run.Stops != "" && s.label == last(p.likely[0].run.Order) {
		return nil // it is to stop somewhere
	}
	if got.code == "2D000" { // invalid_transaction_termination
		return &difference{outcome: witness.NotRun, text: fmt.Sprintf("%s ends its transaction itself, so that a client cannot keep it open", where(s.label, sql, at))}
	}
	return &difference{outcome: witness.Refused, text: fmt.Sprintf("%s at %s", got.failure(), where(s.label, sql, at))}
}

// where names a command for people.
func where(label, sql string, at witness.Position) string {
	const most = 100
	text := strings.Join(strings.Fields(sql), " ")
	if len([]rune(text)) > most {
		text = string([]rune(text)[:most]) + " …"
	}
	if at.Line > 0 {
		return fmt.Sprintf("%s: %s (%s)", label, text, at)
	}
	return label + ": " + text
}

func last(list []string) string { return list[len(list)-1] }

// command sends a command and compares what comes back.
func (p *player) command(ctx context.Context, s *session, st *witness.Step, n int) (*difference, error) {
	c := st.Command
	q := requestOf(c, p.likely[0].names, p.db)
	p.say("%s: %s", s.label, c.SQL())
	if st.Waits && !p.waitable {
		s.pending = n + 1
	}
	got, d, err := p.told(ctx, s, q)
	if err != nil || d != nil || got == nil {
		return d, err
	}
	if s.pending > 0 {
		return &difference{outcome: witness.OtherOutcome, text: "it does not wait for the other transaction at " + where(s.label, c.SQL(), c.Position)}, nil
	}
	return p.compare(s, c, got, n)
}

// answered compares what comes back of a command that has waited as the witness says.
func (p *player) answered(ctx context.Context, s *session) (*difference, error) {
	n := s.pending - 1
	s.pending = 0
	select {
	case <-s.done:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if s.err != nil {
		return nil, s.err
	}
	return p.compare(s, p.likely[0].run.Steps[n].Command, s.got, n)
}

// compare compares the reply to a command, which was sent in a step, and leaves the runs that it fits.
func (p *player) compare(s *session, c *witness.Command, got *reply, n int) (*difference, error) {
	if got.failed() {
		return p.failed(s, c.SQL(), c.Position, got), nil
	}
	switch {
	case len(got.types) > 0:
		p.say("%s: -> %s", s.label, rowsText(got.rows))
	case got.count >= 0:
		p.say("%s: -> %d rows", s.label, got.count)
	}
	if p.waitable {
		if _, _, text := compareReply(p.likely[0].names, &c.Want, got); text != "" && p.other == nil {
			p.other = &difference{outcome: witness.OtherOutcome, text: fmt.Sprintf("%s at %s", text, where(s.label, c.SQL(), c.Position))}
		}
		return nil, nil
	}
	var fits []*candidate
	var first *difference
	for _, l := range p.likely {
		want := &l.run.Steps[n].Command.Want
		names, rows, text := compareReply(l.names, want, got)
		if text == "" {
			next := &candidate{run: l.run, names: names, shown: l.shown}
			if want.Shown {
				next.shown = maps.Clone(l.shown)
				next.shown[s.label] += fmt.Sprintf("; %d %s", got.count, rows)
			}
			fits = append(fits, next)
		} else if first == nil {
			first = &difference{outcome: witness.OtherOutcome, text: fmt.Sprintf("%s at %s", text, where(s.label, c.SQL(), c.Position))}
		}
	}
	if fits == nil {
		return first, nil
	}
	p.likely = fits
	return nil, nil
}

// compareReply says how a reply differs from what is wanted, or "".
func compareReply(names *renaming, want *witness.Want, got *reply) (out *renaming, rows []string, text string) {
	if want.Count != nil && got.count >= 0 && got.count != *want.Count {
		return nil, nil, fmt.Sprintf("%d rows, not %d,", got.count, *want.Count)
	}
	if want.Rows == nil {
		return names, nil, ""
	}
	out, rows, ok := matchRows(names, want.Rows, got.rows, got.types, want.Exact)
	if !ok {
		return nil, nil, fmt.Sprintf("%s, not %s,", rowsText(got.rows), wantText(want.Rows))
	}
	return out, rows, ""
}

// requestOf fills the values in, those that the server has given for fresh ones in the
// place of these.
func requestOf(c *witness.Command, names *renaming, db database) request {
	_, isMySQL := db.(*mysqlDatabase)
	q := request{rows: len(c.Want.Rows) > 0}
	params := map[int]*string{}
	for i, part := range c.Text {
		q.sql += part
		if i == len(c.Args) {
			break
		}
		a := &c.Args[i]
		text, known := names.server[a.Value]
		if known = known && a.Value.Soft == witness.Fresh; !known {
			text = a.Value.Text
		}
		switch {
		case a.Number == 0 && known:
			q.sql += "'" + strings.ReplaceAll(text, "'", "''") + "'"
		case a.Number == 0:
			q.sql += a.SQL
		case isMySQL:
			q.sql += "?"
			q.params = append(q.params, parameter(a, text))
		default:
			q.sql += fmt.Sprintf("$%d", a.Number)
			params[a.Number] = parameter(a, text)
		}
	}
	for k := 1; k <= len(params); k++ {
		q.params = append(q.params, params[k])
	}
	return q
}

func parameter(a *witness.Arg, text string) *string {
	if a.Value.Kind == "null" {
		return nil
	}
	return &text
}

// send runs a request until it is over or waits. got is nil where it waits and may.
func (p *player) send(ctx context.Context, s *session, q request) (got *reply, d *difference, err error) {
	s.done, s.got = make(chan struct{}), nil
	go func() {
		defer close(s.done)
		s.got, s.err = s.conn.run(ctx, q)
	}()
	s.waited = false
	began := time.Now()
	for pause := 2 * time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		select {
		case <-s.done:
			return s.got, nil, s.err
		case <-time.After(pause):
		}
		waiting, known := p.db.waits(ctx, s.conn)
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		if !waiting && (known || time.Since(began) < untold) {
			continue
		}
		p.say("%s: -> waits", s.label)
		if s.waited = p.waitable; p.waitable || s.pending > 0 {
			return nil, nil, nil
		}
		return nil, &difference{outcome: witness.Refused, text: "it waits for another transaction at " + where(s.label, q.sql, witness.Position{})}, nil
	}
}

// stopped is the difference where the last transaction commits although it is not to.
func (p *player) stopped(why string) *difference {
	label := last(p.likely[0].run.Order)
	for _, s := range p.sessions {
		if s.label == label && len(s.failures) > 0 {
			return nil
		}
	}
	steps := p.likely[0].run.Steps
	if steps[len(steps)-1].Kind == witness.StepRollback {
		return nil
	}
	return &difference{outcome: witness.OtherOutcome, text: fmt.Sprintf("%s commits, which should not be possible: %s", label, why)}
}

// end compares the rows at the end.
func (p *player) end(ctx context.Context) (*difference, error) {
	conn, err := connectWith(ctx, p.db, p.first)
	if err != nil {
		return nil, err
	}
	defer conn.close()
	var first *difference
	for _, l := range p.likely {
		d, err := p.final(ctx, conn, l)
		if err != nil {
			return nil, err
		}
		if d == nil {
			p.outcome = l.outcome()
			return nil, nil
		}
		if first == nil {
			first = d
		}
	}
	return first, nil
}

// final compares the rows at the end with those of one run.
func (p *player) final(ctx context.Context, conn connection, l *candidate) (*difference, error) {
	names := l.names
	for i, t := range p.tables {
		q := statement(selectAll(p.db, t))
		q.rows = true
		got, err := conn.run(ctx, q)
		if err != nil {
			return nil, err
		}
		if got.failed() {
			return &difference{outcome: witness.OtherOutcome, text: "the rows at the end cannot be read: " + got.failure()}, nil
		}
		want := make([][]*witness.Cell, len(l.run.Final[i]))
		for k, row := range l.run.Final[i] {
			for c := range row {
				want[k] = append(want[k], &row[c])
			}
		}
		var rows []string
		var ok bool
		if names, rows, ok = matchRows(names, want, got.rows, got.types, true); !ok {
			return &difference{outcome: witness.OtherOutcome, text: fmt.Sprintf("%s ends as %s, not %s", t.Name, rowsText(got.rows), wantText(want))}, nil
		}
		l.final += fmt.Sprintln(t.Name, rows)
	}
	return nil, nil
}

func (p *player) say(format string, args ...any) {
	p.log = append(p.log, strings.Join(strings.Fields(fmt.Sprintf(format, args...)), " "))
}

// close ends all sessions.
func (p *player) close() {
	p.stop()
	for _, s := range p.sessions {
		s.conn.close()
	}
	for _, s := range p.sessions {
		<-s.done
	}
}
