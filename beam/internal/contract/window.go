package contract

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/txrobust/robust/checker/judge"
	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/isolation"
)

// Verdict is what is known of a window.
type Verdict struct {
	Window, Ops        int
	Accepted, Rejected []string
	Why                map[string]string // of levels of a whole history that are unknown
	Findings           []Finding
	// Source is the first transaction that the window reads from, if Reads.
	Source Pos
	Reads  bool
}

// Finding is an anomaly, in words.
type Finding struct {
	Kind      string   `json:"anomaly"`
	Violates  []string `json:"violates"`
	Cycle     string   `json:"cycle,omitempty"`
	Sentences []string `json:"sentences"`
	// Places are those of the transactions: "S3.1 is transaction 512 of session 3, at file:12".
	Places []string `json:"places"`
}

// window is a part of the candidate order, with what surrounds it.
type window struct {
	*Job
	bodies []*body
	states []*keyState
	lists  map[string]bool
	state  map[string]*keyState
}

// judge judges a window.
func (j *Job) judge(ctx context.Context, number int, blobs [][]byte) ([]byte, error) {
	w := &window{Job: j, lists: map[string]bool{}, state: map[string]*keyState{}}
	v := Verdict{Window: number}
	for _, b := range blobs {
		for r := reader(b); len(r) > 0; {
			tag := r[0]
			r.skip(1)
			if tag == bodyRecord {
				w.bodies = append(w.bodies, decodeBody(&r))
				v.Ops += len(w.bodies[len(w.bodies)-1].ops)
				continue
			}
			s := decodeState(&r)
			w.states = append(w.states, s)
			w.state[s.key], w.lists[s.key] = s, s.list
			if s.reads && (!v.Reads || s.source.before(v.Source)) {
				v.Source, v.Reads = s.source, true
			}
		}
	}
	slices.SortFunc(w.bodies, func(a, b *body) int {
		return cmp.Or(cmp.Compare(a.session, b.session), cmp.Compare(a.at, b.at))
	})
	slices.SortFunc(w.states, func(a, b *keyState) int { return cmp.Compare(a.key, b.key) })
	open := map[isolation.Level]bool{}
	for _, name := range j.Levels {
		l, err := isolation.ParseLevel(name)
		if err != nil {
			return nil, err
		}
		open[l] = true
	}
	if err := w.decide(ctx, &v, open); err != nil {
		return nil, err
	}
	return json.Marshal(v)
}

// decide asks the checkers about the closed part, and about what it does not satisfy about
// open parts.
func (w *window) decide(ctx context.Context, v *Verdict, open map[isolation.Level]bool) error {
	if w.Whole {
		return w.ask(ctx, v, open, whole, true, true)
	}
	if !w.Open {
		if err := w.ask(ctx, v, open, closed, true, false); err != nil {
			return err
		}
	}
	// What is left of a list says more at the levels of snapshots: see doc.go.
	for _, view := range []view{openVersions, openElements} {
		some := map[isolation.Level]bool{}
		for l := range open {
			if snapshot := l == isolation.SI || l == isolation.SER; snapshot == (view == openElements) {
				some[l] = true
			}
		}
		if err := w.ask(ctx, v, some, view, false, true); err != nil {
			return err
		}
		for l := range open {
			if slices.Contains(v.Rejected, l.String()) {
				delete(open, l)
			}
		}
	}
	return nil
}

// view is a way to make a history of a window.
type view int

const (
	closed       view = iota // between what was before and what is read after: it is accepted for the whole
	openVersions             // with what its reads say by themselves, at any level
	openElements             // the same for SI and SER
	whole                    // all that there is
)

// ask asks the checkers about a view of the window, and keeps what counts.
func (w *window) ask(ctx context.Context, v *Verdict, open map[isolation.Level]bool, as view, accepts, rejects bool) error {
	if len(open) == 0 {
		return nil
	}
	h, numbers, fits, err := w.build(as)
	if err != nil || !fits {
		return err
	}
	var levels []isolation.Level
	for l := range open {
		levels = append(levels, l)
	}
	slices.Sort(levels)
	r, err := judge.Check(ctx, h, judge.Options{Levels: levels, Limit: w.Limit, First: as == closed})
	if err != nil {
		return err
	}
	rejected := len(v.Rejected)
	for _, x := range r.Judgements {
		switch {
		case x.Verdict == isolation.Accept && accepts:
			v.Accepted = append(v.Accepted, x.Level.String())
			delete(open, x.Level)
		case x.Verdict == isolation.Reject && rejects:
			v.Rejected = append(v.Rejected, x.Level.String())
		case x.Verdict == isolation.Unknown && as == whole:
			if v.Why == nil {
				v.Why = map[string]string{}
			}
			v.Why[x.Level.String()] = x.Why
		}
	}
	if rejects && len(v.Rejected) > rejected && len(r.Anomalies) == 0 {
		// A cycle may be listed under a stronger level than it was found for.
		if r, err = judge.Check(ctx, h, judge.Options{Levels: Levels(), Limit: w.Limit}); err != nil {
			return err
		}
	}
	if rejects {
		for _, a := range r.Anomalies {
			v.Findings = append(v.Findings, w.finding(h, numbers, a))
		}
	}
	return nil
}

func (w *window) finding(h *history.History, numbers []*body, a judge.Anomaly) Finding {
	f := Finding{Kind: a.Kind.String(), Sentences: a.Sentences()}
	for _, l := range a.Violates {
		f.Violates = append(f.Violates, l.String())
	}
	if len(a.Cycle) > 0 {
		f.Cycle = a.Path(h)
	}
	for _, t := range a.Txns {
		if b := numbers[t]; b != nil {
			one := judge.Anomaly{Txns: []history.Txn{t}}
			f.Places = append(f.Places, fmt.Sprintf("%s is transaction %d of session %s, at %s", one.Path(h), b.position, sessionText(b), b.place))
		}
	}
	return f
}

func sessionText(b *body) string {
	if b.session != "" && b.session[0] == 0 {
		r := reader(b.session[1:])
		r.uint()
		return fmt.Sprintf("%d", r.uint())
	}
	return decodeName(b.session).String()
}

// build makes the history of a view. fits is false if the window does not begin with what was
// before it.
func (w *window) build(as view) (h *history.History, numbers []*body, fits bool, err error) {
	b := &builder{Builder: history.NewBuilder(), window: w, as: as}
	for _, s := range w.states {
		first := s.first
		if as == closed && !s.list {
			first = s.before[0]
		}
		if first != "" && !s.list {
			b.SetInitial(b.key(s.key), b.value(first))
		}
	}
	numbers = []*body{nil}
	var sessions []history.Session
	for i, t := range w.bodies {
		if i == 0 || t.session != w.bodies[i-1].session {
			if as == closed && i > 0 {
				b.closeSession(sessions)
				numbers = append(numbers, nil, nil)
			}
			name := history.Name{}
			if t.session == "" || t.session[0] != 0 {
				name = decodeName(t.session)
			}
			sessions = append(sessions, b.Session(name))
		}
		n := b.Txn(sessions[len(sessions)-1], t.status)
		if t.numbered {
			b.SetNumber(n, t.number)
		}
		numbers = append(numbers, t)
		b.add(t)
	}
	if as == closed && len(w.bodies) > 0 {
		b.closeSession(sessions)
		b.closeAll(sessions)
		numbers = append(numbers, nil, nil, nil)
	}
	h, err = b.Build()
	if err != nil {
		err = fmt.Errorf("%w; name the shards in the order of their sessions, or correct the recording", err)
	}
	return h, numbers, !b.broken, err
}

type builder struct {
	*history.Builder
	*window
	as     view
	broken bool
}

func (b *builder) key(k string) history.Key     { return b.Builder.Key(decodeName(k)) }
func (b *builder) value(v string) history.Value { return b.Builder.Value(decodeName(v)) }
func (b *builder) marker(session int) history.Key {
	return b.Builder.Key(history.Name{Kind: history.TextName, Text: fmt.Sprintf("\x00%d", session)})
}

// add adds the operations of a transaction.
func (b *builder) add(t *body) {
	own := map[string][]string{}
	for _, o := range t.ops {
		k := b.key(o.key)
		list := b.lists[o.key]
		switch {
		case o.kind.Writes():
			b.Op(o.kind, k, b.value(o.values[0]))
			own[o.key] = append(own[o.key], o.values[0])
		case !o.known || t.status == history.Aborted:
			b.silent(k, list)
		case list:
			b.addList(k, o, own[o.key])
		default:
			b.addRead(k, o, own[o.key])
		}
	}
}

func (b *builder) silent(k history.Key, list bool) {
	kind := history.Read
	if list {
		kind = history.ReadList
	}
	b.Op(kind, k, history.NoValue)
}

func (b *builder) addRead(k history.Key, o operation, own []string) {
	v := o.values[0]
	s := b.state[o.key]
	if (b.as == openVersions || b.as == openElements) && s != nil && slices.Contains(s.outside, v) {
		b.silent(k, false)
		return
	}
	b.Read(k, b.value(v))
}

// addList adds a list read, without what is not of the window.
func (b *builder) addList(k history.Key, o operation, own []string) {
	elements := o.values
	if o.kind == history.Read {
		elements = nil
	}
	s := b.state[o.key]
	if s == nil {
		s = &keyState{}
	}
	switch b.as {
	case closed:
		n := len(s.before)
		if len(elements) < n || !slices.Equal(elements[:n], s.before) {
			b.broken = true
			return
		}
		elements = elements[n:]
	case openVersions, openElements:
		last := len(elements) - 1
		for i := len(own) - 1; i >= 0 && last >= 0 && own[i] == elements[last]; i-- {
			last--
		}
		if b.as == openVersions && last >= 0 && slices.Contains(s.outside, elements[last]) {
			b.silent(k, true)
			return
		}
		var left []string
		for _, e := range elements {
			if _, outside := slices.BinarySearch(s.outside, e); !outside {
				left = append(left, e)
			}
		}
		elements = left
	}
	out := make([]history.Value, len(elements))
	for i, e := range elements {
		out[i] = b.value(e)
	}
	b.List(history.ReadList, k, out)
}

// closeSession ends a session with a transaction that reads what is read after the window.
func (b *builder) closeSession(sessions []history.Session) {
	last := len(sessions) - 1
	b.Txn(sessions[last], history.Committed)
	b.readClosing()
	b.Txn(sessions[last], history.Committed)
	b.Write(b.marker(last), b.IntValue(1))
}

// closeAll ends the window with a transaction after all others that reads the same.
func (b *builder) closeAll(sessions []history.Session) {
	b.Txn(b.Session(history.Name{}), history.Committed)
	for i := range sessions {
		b.Read(b.marker(i), b.IntValue(1))
	}
	b.readClosing()
}

// readClosing reads all twice, so that each read comes after each other one.
func (b *builder) readClosing() {
	for range 2 {
		for _, s := range b.states {
			switch k := b.key(s.key); {
			case !s.closes:
			case s.list:
				out := make([]history.Value, len(s.closing))
				for i, e := range s.closing {
					out[i] = b.value(e)
				}
				b.List(history.ReadList, k, out)
			default:
				b.Read(k, b.value(s.closing[0]))
			}
		}
	}
}
