package readcommitted_test

import (
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"strings"
)

// This is READ COMMITTED of PostgreSQL for a few kinds of commands on two tables, with
// waiting: a command that needs a row which another transaction holds goes on when that one
// has ended, and looks at the newest version of this row alone. It shares nothing with the
// interpreter.

// command is one command of a transaction.
type command struct {
	kind  string
	tab   int
	id    int
	by    int
	must  bool // the transaction is rolled back where the row is not there
	guard bool // only if what was read last is positive
	last  bool // the key is what was read last, not id
	bump  bool // an update counts the version w up
	marks bool // it notes that it has run
	// when is "marked" or "unmarked": it runs only if a command that marks has run, or has not.
	when string
}

// passes reports whether a session passes over the command.
func (c command) passes(s *session) bool {
	return c.guard && (s.last == nil || *s.last <= 0) || c.when != "" && s.marked != (c.when == "marked")
}

// tableLocks are the modes of LOCK TABLE that are tried, with the modes that each keeps out.
// DML takes "row exclusive", SELECT with a lock "row share".
var tableLocks = []string{"share", "share row exclusive", "exclusive"}

var keepsOut = map[string][]string{
	"row share":           {"exclusive"},
	"row exclusive":       {"share", "share row exclusive", "exclusive"},
	"share":               {"row exclusive", "share row exclusive", "exclusive"},
	"share row exclusive": {"row exclusive", "share", "share row exclusive", "exclusive"},
	"exclusive":           {"row share", "row exclusive", "share", "share row exclusive", "exclusive"},
}

// tableMode is the lock that the command takes of its table, "" if that keeps nobody out.
func (c command) tableMode() string {
	switch c.kind {
	case "table":
		return tableLocks[c.by%3]
	case "lock", "share", "skip", "skip share", "skip key", "lock some", "share some":
		return "row share"
	case "batch", "bump":
		return "row exclusive"
	case "set", "add", "marked", "take", "touch", "all", "insert", "upsert", "nothing", "delete", "confirm", "retry", "grab", "put", "fill":
		return "row exclusive"
	}
	return ""
}

// finds reports whether a row is one that an UPDATE, DELETE or lock is about.
func (c command) finds(s *session, id int, v version) bool {
	switch {
	case c.some():
		return v.v == c.by
	case c.kind != "all" && id != c.key(s):
		return false
	case c.kind == "take":
		return v.v > 0
	case c.kind == "grab":
		return v.v >= c.by
	case c.kind == "marked":
		return v.w == 1
	case c.kind == "confirm" || c.kind == "retry":
		return s.version != nil && v.w == *s.version
	}
	return true
}

// some reports whether the command locks all rows of one value.
func (c command) some() bool { return c.kind == "lock some" || c.kind == "share some" }

// key is the key that the command names, or -1 if that is NULL.
func (c command) key(s *session) int {
	switch {
	case !c.last:
		return c.id
	case s.last == nil:
		return -1
	}
	return *s.last
}

// text is the command in the text form of the IR; each line is a command there.
func (c command) text() string {
	t, k := fmt.Sprintf("t%d", c.tab), fmt.Sprint(c.id)
	if c.last {
		k = "a"
	}
	s := map[string]string{
		"number": fmt.Sprintf("dropped advisory lock 'a number' * number (%s);", map[bool]string{false: fmt.Sprint(c.by), true: "a"}[c.last]),
		"shared": fmt.Sprintf("dropped advisory lock 'a number' * number (%d) shared;", c.by),
		"table":  fmt.Sprintf("lock %s in %s;", t, tableLocks[c.by%3]),
		"skip":   skipText(t, "v", c.by, "update"), "skip share": skipText(t, "v", c.by, "share"), "skip key": skipText(t, "id", c.id, "update"),
		"batch":      fmt.Sprintf("kept := *; (m) := select agg count(*) int from %s where %[1]s.v == %d and \"= any\"(%[1]s.id, kept); assume m == len(kept); update %[1]s set v = %[1]s.v + 1 where %[1]s.v == %[2]d and \"= any\"(%[1]s.id, kept);", t, c.by),
		"see":        fmt.Sprintf("(a, b) := select %s.v, %[1]s.w from %[1]s where %[1]s.id == %s found f;", t, k),
		"confirm":    fmt.Sprintf("(n) := select agg count(*) int from %s where %[1]s.id == %[2]s and %[1]s.w == b; update %[1]s set v = a + %[3]d, w = %[1]s.w + 1 where %[1]s.id == %[2]s and %[1]s.w == b;", t, k, c.by),
		"glance":     fmt.Sprintf("while true { (a, b) := select %s.v, %[1]s.w from %[1]s where %[1]s.id == %s found f; if not f { abort; }", t, k),
		"retry":      fmt.Sprintf("(n) := select agg count(*) int from %s where %[1]s.id == %[2]s and %[1]s.w == b; update %[1]s set v = a + %[3]d, w = %[1]s.w + 1 where %[1]s.id == %[2]s and %[1]s.w == b; if n == 1 { break; } }", t, k, c.by),
		"peek":       fmt.Sprintf("(p) := select %s.v from %[1]s where %[1]s.id == %s found g; if %s { abort; }", t, k, tooFew("p", c.by)),
		"probe":      fmt.Sprintf("(p) := select %s.v from %[1]s where %[1]s.id == %s found g; if %s { emit p; return; }", t, k, tooFew("p", c.by)),
		"quit":       fmt.Sprintf("(p) := select %s.v from %[1]s where %[1]s.id == %s found g; if %s%s { emit 0; return; }", t, k, map[bool]string{true: "not g or "}[c.must], tooFew("p", c.by)),
		"grab":       fmt.Sprintf("(n) := select agg count(*) int from %s where %[1]s.id == %[2]s and %[1]s.v >= %[3]d; update %[1]s set v = %[1]s.v - %[3]d where %[1]s.id == %[2]s and %[1]s.v >= %[3]d; if n == 0 { emit 0; return; } emit 1;", t, k, c.by),
		"unless":     fmt.Sprintf("(h) := select 1 from %s where %[1]s.id == %s found f; if f { emit 0; return; }", t, k),
		"put":        fmt.Sprintf("insert %s (id, v, w) values (%d, %d, 1) on conflict (id) do nothing done f; if not f { emit 0; return; } emit 1;", t, c.id, c.by),
		"fetch":      fmt.Sprintf("(b) := select %s.v from %[1]s where %[1]s.id == %s found g; if g { emit b; return; }", t, k),
		"fill":       fmt.Sprintf("insert %s (id, v, w) values (%d, %d, 1) on conflict (id) do nothing;", t, c.id, c.by),
		"enough":     fmt.Sprintf("if %s { abort; }", tooFew("a", c.by)),
		"sum":        fmt.Sprintf("(a) := select agg sum(%s.w) int from %[1]s where %[1]s.v == %d; a := (if a is null then 0 else a);", t, c.by),
		"bump":       fmt.Sprintf("update %s set w = %[1]s.w + 1 where %[1]s.id == %s;", t, k),
		"lock some":  fmt.Sprintf("lock from %s where %[1]s.v == %d for update;", t, c.by),
		"share some": fmt.Sprintf("lock from %s where %[1]s.v == %d for share;", t, c.by),
		"none":       fmt.Sprintf("(h) := select 1 from %s where %[1]s.v == %d found f;", t, c.by),
		"some":       fmt.Sprintf("(h) := select 1 from %s where %[1]s.v == %d found f;", t, c.by),
		"countv":     fmt.Sprintf("(a) := select agg count(*) int from %s where %[1]s.v == %d;", t, c.by),
		"absent":     fmt.Sprintf("(a) := select %s.v from %[1]s where %[1]s.id == %s found f;", t, k),
		"read":       fmt.Sprintf("(a) := select %s.v from %[1]s where %[1]s.id == %s found f;", t, k),
		"lock":       fmt.Sprintf("(a) := select %s.v from %[1]s where %[1]s.id == %s for update found f;", t, k),
		"share":      fmt.Sprintf("(a) := select %s.v from %[1]s where %[1]s.id == %s for share found f;", t, k),
		"count":      fmt.Sprintf("(a) := select agg count(*) int from %s;", t),
		"set":        fmt.Sprintf("update %s set v = a + %d where %[1]s.id == %[3]s;", t, c.by, k),
		"add":        fmt.Sprintf("update %s set v = %[1]s.v + %d where %[1]s.id == %[3]s;", t, c.by, k),
		"marked":     fmt.Sprintf("update %s set v = %[1]s.v + %d where %[1]s.id == %[3]s and %[1]s.w == 1;", t, c.by, k),
		"take":       fmt.Sprintf("(n) := select agg count(*) int from %s where %[1]s.id == %s and %[1]s.v > 0; update %[1]s set v = %[1]s.v - 1 where %[1]s.id == %[2]s and %[1]s.v > 0;", t, k),
		"touch":      fmt.Sprintf("(n) := select agg count(*) int from %s where %[1]s.id == %s; update %[1]s set w = %[1]s.w where %[1]s.id == %[2]s;", t, k),
		"all":        fmt.Sprintf("update %s set v = %[1]s.v + 1;", t),
		"insert":     fmt.Sprintf("insert %s (id, v, w) values (%d, %d, 1);", t, c.id, c.by),
		"upsert":     fmt.Sprintf("insert %s (id, v, w) values (%d, %d, 1) on conflict (id) do update o set v = o.v + 1;", t, c.id, c.by),
		"nothing":    fmt.Sprintf("insert %s (id, v, w) values (%d, %d, 1) on conflict (id) do nothing done f;", t, c.id, c.by),
		"delete":     fmt.Sprintf("delete %s where %[1]s.id == %s;", t, k),
	}[c.kind]
	if c.bump {
		s = strings.Replace(s, " where", fmt.Sprintf(", w = %s.w + 1 where", t), 1)
		switch c.kind {
		case "all":
			s = strings.TrimSuffix(s, ";") + fmt.Sprintf(", w = %s.w + 1;", t)
		case "upsert":
			s = strings.TrimSuffix(s, ";") + ", w = o.w + 1;"
		case "take":
			s = strings.Replace(s, fmt.Sprintf(", w = %s.w + 1 where", t), " where", 1)
			s = strings.Replace(s, "- 1 where", fmt.Sprintf("- 1, w = %s.w + 1 where", t), 1)
		case "batch":
			s = strings.Replace(s, fmt.Sprintf(", w = %s.w + 1 where", t), " where", 1)
			s = strings.Replace(s, "+ 1 where", fmt.Sprintf("+ 1, w = %s.w + 1 where", t), 1)
		}
	}
	switch c.kind {
	case "read", "lock", "share", "count", "see", "countv", "sum", "absent", "skip", "skip share", "skip key":
		s += " emit a;"
	case "take", "touch", "confirm":
		s += " emit n;"
	case "nothing", "none", "some":
		s += " emit f;"
	}
	if c.must {
		switch c.kind {
		case "peek":
			s += " if not g { abort; }"
		case "probe":
			s += " if not g { return; }"
		case "take", "touch", "confirm":
			s += " if n == 0 { abort; }"
		case "absent", "none":
			s += " if f { abort; }"
		default:
			s += " if not f { abort; }"
		}
	}
	if c.marks {
		s += " mark := 1;"
	}
	switch c.when {
	case "marked":
		s = "if mark == 1 { " + s + " }"
	case "unmarked":
		s = "if mark == 0 { " + s + " }"
	}
	if c.guard {
		return "if a > 0 { " + s + " }"
	}
	return s
}

// tooFew compares a local in the words that other commands use.
func tooFew(local string, by int) string {
	if by == 1 {
		return local + " <= 0"
	}
	return fmt.Sprintf("%s < %d", local, by)
}

// skipText is SKIP LOCKED as the front end translates it.
func skipText(t, col string, by int, mode string) string {
	return fmt.Sprintf("taken := *; (c) := select %s.id from %[1]s where %[1]s.%s == %d and taken found f; assume f == taken; (a) := select %[1]s.id from %[1]s where %[1]s.id == c for %[4]s found f;", t, col, by, mode)
}

// place is a row by table and key; version is one of it. A row that is deleted and inserted
// again is another row.
type place struct{ tab, id int }
type version struct{ row, v, w int }
type rows map[place]version

// values shows the rows without their identity.
func (r rows) values() string {
	var out []string
	for p, v := range r {
		out = append(out, fmt.Sprintf("%d.%d=%d,%d", p.tab, p.id, v.v, v.w))
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// session is a transaction that runs. A write of nil deletes.
type session struct {
	list []command
	pc   int
	last *int
	// version is the w that was seen last.
	version *int
	marked  bool
	numbers map[int]bool // true is exclusive
	tables  map[int][]string
	out     string
	writes  map[place]*version
	locks   map[place]bool // true is exclusive
	ended   bool
	failed  bool
	// A command that waits: what it has found, and how far it is.
	waits bool
	found []place
	seen  rows
	did   int
	begin int // how many have committed before its first command
	// reply is what a server would say to the last command, and changed how many rows it
	// has locked or changed so far.
	reply   string
	changed int
	// picks are the keys that SKIP LOCKED has taken, -1 for none, or one bit for each. Who replays takes them again.
	picks   []int
	replays bool
}

func newSession(list []command) *session {
	return &session{list: list, writes: map[place]*version{}, locks: map[place]bool{}, numbers: map[int]bool{}, tables: map[int][]string{}, begin: -1}
}

func (s *session) clone() *session {
	c := *s
	c.writes, c.locks, c.found = maps.Clone(s.writes), maps.Clone(s.locks), slices.Clone(s.found)
	c.picks = slices.Clone(s.picks)
	c.numbers, c.tables = maps.Clone(s.numbers), maps.Clone(s.tables)
	return &c
}

// world is committed rows and the sessions.
type world struct {
	states   []rows
	sessions []*session
	next     int // the next row
	// lenient lets insertions pass where the key is there.
	lenient bool
	order   []int
}

func (w *world) clone() *world {
	c := &world{states: slices.Clone(w.states), next: w.next, lenient: w.lenient, order: slices.Clone(w.order)}
	for _, s := range w.sessions {
		c.sessions = append(c.sessions, s.clone())
	}
	return c
}

func (w *world) now() rows { return w.states[len(w.states)-1] }

// view is what a session sees: committed rows with its own writes over them.
func (s *session) view(committed rows) rows {
	out := maps.Clone(committed)
	for p, v := range s.writes {
		if delete(out, p); v != nil {
			out[p] = *v
		}
	}
	return out
}

// held reports whether another session keeps one from a row.
func (w *world) held(me *session, p place, exclusive bool) bool {
	return slices.ContainsFunc(w.sessions, func(o *session) bool {
		x, is := o.locks[p]
		return o != me && !o.ended && is && (x || exclusive)
	})
}

// tableHeld reports whether another session keeps one from a table.
func (w *world) tableHeld(me *session, tab int, mode string) bool {
	return slices.ContainsFunc(w.sessions, func(o *session) bool {
		return o != me && !o.ended && slices.ContainsFunc(o.tables[tab], func(m string) bool { return slices.Contains(keepsOut[mode], m) })
	})
}

// number locks a number; false is that it waits.
func (w *world) number(s *session, n int, exclusive bool) bool {
	for _, o := range w.sessions {
		if x, is := o.numbers[n]; is && o != s && !o.ended && (x || exclusive) {
			return false
		}
	}
	s.numbers[n] = s.numbers[n] || exclusive
	return true
}

// step runs the next command of a session, or its COMMIT, as far as it comes.
func (w *world) step(i int) {
	s := w.sessions[i]
	if s.begin < 0 {
		s.begin = len(w.states) - 1
	}
	if s.pc == len(s.list) {
		s.ended = true
		w.states = append(w.states, s.view(w.now()))
		w.order = append(w.order, i)
		return
	}
	c := s.list[s.pc]
	if c.passes(s) {
		s.pc++
		return
	}
	if mode := c.tableMode(); mode != "" {
		// The table is locked before the command looks at it.
		if s.waits = w.tableHeld(s, c.tab, mode); s.waits {
			s.seen = nil
			return
		}
		s.tables[c.tab] = append(slices.Clone(s.tables[c.tab]), mode)
	}
	if s.seen == nil {
		s.seen, s.did, s.found, s.changed = s.view(w.now()), 0, nil, 0
		for _, id := range []int{0, 1} {
			p := place{c.tab, id}
			v, there := s.seen[p]
			if there && c.finds(s, id, v) {
				s.found = append(s.found, p)
			}
		}
	}
	if s.waits = !w.run(s, c); !s.waits {
		s.seen = nil
		if !s.failed {
			s.marked = s.marked || c.marks
			if s.pc++; c.kind == "retry" && s.changed == 0 {
				s.pc = slices.IndexFunc(s.list, func(c command) bool { return c.kind == "glance" })
			}
		}
	}
	if s.failed {
		s.ended = true
	}
}

func (s *session) show(v *int) {
	if s.last = v; v == nil {
		s.out, s.reply = s.out+"null ", "no rows"
		return
	}
	s.reply = fmt.Sprint(*v)
	s.out += s.reply + " "
}

func (s *session) missing(c command) { s.failed = s.failed || c.must }

// run goes on with a command; false is that it waits.
func (w *world) run(s *session, c command) bool {
	p := place{c.tab, c.key(s)}
	switch c.kind {
	case "table":
		s.reply = "LOCK TABLE"
		return true
	case "number", "shared":
		n := c.by
		if s.reply = "f"; c.last && c.kind == "number" {
			if s.last == nil { // a lock of NULL is none
				s.reply = "t"
				return true
			}
			n = *s.last
		}
		return w.number(s, n, c.kind == "number")
	case "see":
		v, there := s.seen[p]
		if s.version = nil; there {
			s.version = &v.w
			s.show(&v.v)
			s.reply = fmt.Sprintf("%d, %d", v.v, v.w)
		} else {
			s.show(nil)
			s.missing(c)
		}
		return true
	case "glance":
		v, there := s.seen[p]
		if s.reply = "no rows"; there {
			s.version, s.last = &v.w, &v.v
			s.reply = fmt.Sprintf("%d, %d", v.v, v.w)
		}
		s.failed = !there
		return true
	case "absent":
		if v, there := s.seen[p]; there {
			s.show(&v.v)
			s.missing(c)
		} else {
			s.show(nil)
		}
		return true
	case "none", "some":
		is := false
		for q, v := range s.seen {
			is = is || q.tab == c.tab && v.v == c.by
		}
		s.reply = map[bool]string{true: "t", false: "f"}[is]
		s.out += s.reply + " "
		if is == (c.kind == "none") {
			s.missing(c)
		}
		return true
	case "sum":
		n := 0
		for q, v := range s.seen {
			if q.tab == c.tab && v.v == c.by {
				n += v.w
			}
		}
		s.show(&n)
		return true
	case "peek":
		v, there := s.seen[p]
		if s.reply = "no rows"; there {
			s.reply = fmt.Sprint(v.v)
			s.failed = v.v < c.by
		} else {
			s.missing(c)
		}
		return true
	case "probe":
		v, there := s.seen[p]
		if s.reply = "no rows"; there {
			s.reply = fmt.Sprint(v.v)
		}
		if there && v.v < c.by {
			s.out += s.reply + " "
		}
		if there && v.v < c.by || !there && c.must {
			s.pc = len(s.list) - 1 // COMMIT is next
		}
		return true
	case "quit", "unless", "fetch":
		v, there := s.seen[p]
		if s.reply = "no rows"; there {
			s.reply = fmt.Sprint(v.v)
		}
		switch {
		case c.kind == "quit" && (there && v.v < c.by || !there && c.must), c.kind == "unless" && there:
			s.out += "0 "
		case c.kind == "fetch" && there:
			s.out += s.reply + " "
		default:
			return true
		}
		s.pc = len(s.list) - 1 // COMMIT is next
		return true
	case "enough":
		s.reply = "1"
		s.failed = s.last != nil && *s.last < c.by
		return true
	case "countv":
		n := 0
		for q, v := range s.seen {
			if q.tab == c.tab && v.v == c.by {
				n++
			}
		}
		s.show(&n)
		return true
	case "read":
		if v, there := s.seen[p]; there {
			s.show(&v.v)
		} else {
			s.show(nil)
			s.missing(c)
		}
		return true
	case "count":
		n := 0
		for q := range s.seen {
			if q.tab == c.tab {
				n++
			}
		}
		s.show(&n)
		return true
	case "skip", "skip share", "skip key":
		w.skip(s, c)
		return true
	case "batch":
		w.batch(s, c)
		return true
	case "insert", "upsert", "nothing", "put", "fill":
		return w.insert(s, c, p)
	}
	exclusive := c.kind != "share" && c.kind != "share some"
	for ; s.did < len(s.found); s.did++ {
		q := s.found[s.did]
		if (c.kind == "set" || c.kind == "confirm" || c.kind == "retry") && s.last == nil { // NULL is refused before it waits
			s.failed, s.reply = true, "23502"
			return true
		}
		if w.held(s, q, exclusive) {
			return false
		}
		now, there := s.view(w.now())[q]
		if !there || now.row != s.seen[q].row || !c.finds(s, q.id, now) {
			continue
		}
		s.locks[q] = s.locks[q] || exclusive
		s.changed++
		put := func(v int) {
			if s.writes[q] = (&version{now.row, v, now.w}); c.bump || c.kind == "confirm" || c.kind == "retry" {
				s.writes[q].w++
			}
		}
		switch c.kind {
		case "lock", "share":
			v := now.v
			s.show(&v)
		case "set", "confirm", "retry":
			put(*s.last + c.by)
		case "add", "marked":
			put(now.v + c.by)
		case "take":
			put(now.v - 1)
		case "grab":
			put(now.v - c.by)
		case "touch":
			put(now.v)
		case "bump":
			s.writes[q] = &version{now.row, now.v, now.w + 1}
		case "all":
			put(now.v + 1)
		case "delete":
			s.writes[q] = nil
		}
	}
	switch c.kind {
	case "lock", "share":
		if s.changed == 0 {
			s.show(nil)
			s.missing(c)
		}
		return true
	case "grab":
		if s.out += fmt.Sprint(s.changed, " "); s.changed == 0 {
			s.pc = len(s.list) - 1
		}
	case "take", "touch", "confirm":
		s.out += fmt.Sprint(s.changed, " ")
		if s.changed == 0 {
			s.missing(c)
		}
	}
	switch {
	case c.some():
		s.reply = fmt.Sprint(s.changed)
	case c.kind == "delete":
		s.reply = fmt.Sprintf("DELETE %d", s.changed)
	default:
		s.reply = fmt.Sprintf("UPDATE %d", s.changed)
	}
	return true
}

func (w *world) insert(s *session, c command, p place) bool {
	if slices.ContainsFunc(w.sessions, func(o *session) bool { _, wrote := o.writes[p]; return o != s && !o.ended && wrote }) {
		return false
	}
	now, there := s.view(w.now())[p]
	if there && w.lenient {
		there = false
	}
	s.reply = "INSERT 0 1"
	switch {
	case !there:
		w.next++
		s.writes[p], s.locks[p] = &version{w.next, c.by, 1}, true
		switch c.kind {
		case "nothing":
			s.out += "true "
		case "put":
			s.out += "1 "
		}
	case c.kind == "insert":
		s.failed, s.reply = true, "23505"
	case c.kind == "fill":
		s.reply = "INSERT 0 0"
	case c.kind == "put":
		s.out, s.reply, s.pc = s.out+"0 ", "INSERT 0 0", len(s.list)-1
	case c.kind == "nothing":
		s.out, s.reply = s.out+"false ", "INSERT 0 0"
		s.missing(c)
	default:
		if w.held(s, p, true) {
			return false
		}
		s.writes[p], s.locks[p] = &version{now.row, now.v + 1, now.w}, true
		if c.bump {
			s.writes[p].w++
		}
	}
	return true
}

// alone runs a transaction on committed rows by itself, with the rows that as has taken of those that it may skip.
func alone(as *session, start rows, lenient bool) (*session, rows) {
	s := newSession(as.list)
	s.picks, s.replays = append(slices.Clone(as.picks), -1), true
	w := &world{states: []rows{start}, sessions: []*session{s}, next: 1000, lenient: lenient}
	for !w.sessions[0].ended {
		w.step(0)
	}
	return w.sessions[0], w.now()
}

// everything goes through the schedules of a world, in a random order, until there were as
// many ends as may be.
func (w *world) everything(r *rand.Rand, ends *int, committed func(w *world, i int), end func(w *world)) {
	if *ends <= 0 {
		return
	}
	progress := false
	for _, i := range r.Perm(len(w.sessions)) {
		if w.sessions[i].ended {
			continue
		}
		c := w.clone()
		c.step(i)
		s := c.sessions[i]
		if s.waits && w.sessions[i].waits && s.did == w.sessions[i].did {
			continue // it waits still
		}
		progress = true
		if s.ended && !s.failed {
			committed(c, i)
		}
		c.everything(r, ends, committed, end)
	}
	if !progress {
		*ends--
		if !slices.ContainsFunc(w.sessions, func(s *session) bool { return !s.ended }) { // else a deadlock
			end(w)
		}
	}
}
