package judge

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/txrobust/robust/history/codec"
)

// litMaker makes a random tiny history: what clients of a database saw whose snapshots may be
// old and whose answers may be wrong.
type litMaker struct {
	*rand.Rand
	h      *litHistory
	states [][][]int // after each commit
	values int
	unique bool
	next   []int // of each key, where values are unique
	faults float64
	plain  bool // no infos
	knows  bool // one register, with the operations of Knossos
	mutex  bool
}

func randomLiteral(seed uint64) *litHistory {
	r := rand.New(rand.NewPCG(seed, 29))
	m := &litMaker{Rand: r, values: 2 + r.IntN(2), unique: r.IntN(2) == 0, faults: []float64{0, 0.1, 0.5}[r.IntN(3)], plain: r.IntN(3) == 0}
	m.h = &litHistory{types: []byte([]string{"w", "ww", "ww", "a", "aa", "aw", "s", "sw", "i", "iw", "www", "p"}[r.IntN(12)])}
	if m.knows = len(m.h.types) == 1 && m.h.types[0] == 'w' && r.IntN(4) > 0; m.knows {
		m.mutex = r.IntN(4) == 0
	}
	m.next = make([]int, len(m.h.types))
	m.states = [][][]int{m.h.start()}
	clock := 0
	left, running, dead := 2+r.IntN(4), map[int]*litTxn{}, map[int]bool{}
	sessions := 1 + r.IntN(3)
	for left > 0 || len(running) > 0 {
		s := r.IntN(sessions)
		switch t := running[s]; {
		case t != nil:
			clock++
			t.end = clock
			m.finish(t)
			delete(running, s)
			dead[s] = t.outcome == litInfo
		case left > 0 && dead[s]:
			left-- // nobody else takes its place
		case left > 0:
			clock++
			left--
			running[s] = &litTxn{session: s, begin: clock}
			m.h.txns = append(m.h.txns, running[s])
		}
	}
	for _, t := range m.h.txns {
		for i := range t.ops {
			o := &t.ops[i] // nil says nothing about a read of unknown outcome
			o.open = o.open || t.told && o.f == 'r' && m.h.kind(o.key) == 'w' && o.got[0] == 0
		}
	}
	return m.h
}

// finish executes a transaction.
func (m *litMaker) finish(t *litTxn) {
	snapshot := m.states[len(m.states)-1]
	if m.IntN(4) == 0 {
		snapshot = m.states[m.IntN(len(m.states))]
	}
	t.outcome = litOK
	if x := m.IntN(8); x == 0 {
		t.outcome = litFail
	} else if x < 3 && !m.plain {
		t.outcome = litInfo
		t.silent = m.IntN(2) == 0
		t.told = !t.silent && !m.knows && m.IntN(2) == 0
	}
	t.f = "txn"
	switch {
	case m.knows:
		m.simple(t, snapshot)
	case m.h.types[0] == 'p':
		m.onString(t)
	default:
		for range 1 + m.IntN(3) {
			k := m.IntN(len(m.h.types))
			if m.IntN(2) == 0 {
				t.ops = append(t.ops, litOp{f: 'r', key: k})
			} else {
				t.ops = append(t.ops, litOp{f: m.h.types[k], key: k, v: m.value(k)})
			}
		}
	}
	for i := range t.ops {
		if o := &t.ops[i]; o.f == 'r' && o.got == nil {
			if o.got = slices.Clone(t.after(snapshot[o.key], o.key, i)); m.Float64() < m.faults {
				m.spoil(o)
			}
			o.open = t.outcome == litInfo && !t.told
		}
	}
	if t.outcome == litOK || t.outcome == litInfo && m.IntN(2) == 0 {
		state := slices.Clone(m.states[len(m.states)-1])
		for k := range state {
			state[k] = t.after(state[k], k, len(t.ops))
		}
		m.states = append(m.states, state)
	}
}

func (m *litMaker) value(key int) int {
	if m.unique {
		m.next[key]++
		return m.next[key]
	}
	return 1 + m.IntN(m.values)
}

// onString makes an operation on a string: a put of a digit, or nothing, or an append of a letter, which occurs once.
func (m *litMaker) onString(t *litTxn) {
	switch m.IntN(5) {
	case 0:
		t.f, t.ops = "put", []litOp{{f: 'p', v: m.IntN(3)}}
	case 1, 2:
		m.next[0]++
		t.f, t.ops = "append", []litOp{{f: 'a', v: 9 + m.next[0]}}
	default:
		t.f, t.ops, t.told = "get", []litOp{{f: 'r'}}, false
	}
}

// text gives the string of a put, an append or a get.
func text(parts ...int) string {
	out := ""
	for _, v := range parts {
		if v > 0 {
			out += strconv.FormatInt(int64(v), 36)
		}
	}
	return strconv.Quote(out)
}

// simple makes an operation of Knossos.
func (m *litMaker) simple(t *litTxn, snapshot [][]int) {
	found := snapshot[0]
	if m.Float64() < m.faults {
		found = []int{m.IntN(m.values + 1)}
	}
	swap := func(f string, old, v int) {
		t.f, t.ops = f, []litOp{{f: 'r', got: []int{old}}, {f: 'w', v: v}}
		if old != found[0] && t.outcome == litOK {
			t.outcome = litFail
		}
	}
	switch x := m.IntN(3); {
	case m.mutex && found[0] == 0 && x > 0:
		swap("acquire", 0, 1)
	case m.mutex:
		swap("release", 1, 0)
	case x == 0:
		t.f, t.ops = "write", []litOp{{f: 'w', v: m.value(0)}}
	case x == 1:
		t.f, t.ops = "read", []litOp{{f: 'r'}}
	default:
		old := found[0]
		if m.IntN(3) == 0 || old == 0 {
			old = 1 + m.IntN(m.values)
		}
		swap("cas", old, m.value(0))
	}
	if t.outcome == litFail && t.f != "write" {
		t.ops[0].open = true
	}
}

// spoil changes what a read returned.
func (m *litMaker) spoil(o *litOp) {
	switch m.h.types[o.key] {
	case 'w', 'i':
		o.got = []int{m.IntN(m.values + 1)}
	case 's':
		if v := 1 + m.IntN(m.values); !slices.Contains(o.got, v) {
			o.got = append(o.got, v)
			slices.Sort(o.got)
		} else {
			o.got = slices.DeleteFunc(o.got, func(w int) bool { return v == w })
		}
	case 'a', 'p':
		switch n := len(o.got); {
		case n > 0 && m.IntN(2) == 0:
			o.got = o.got[:m.IntN(n)]
		case n > 1 && m.IntN(2) == 0:
			o.got[0], o.got[n-1] = o.got[n-1], o.got[0]
		default:
			o.got = append(o.got, 1+m.IntN(m.values))
		}
	}
}

// registers tells whether all keys are registers.
func (h *litHistory) registers() bool { return strings.Trim(string(h.types), "w") == "" }

// certain tells whether all outcomes are known, and no operation is one of Knossos.
func (h *litHistory) certain() bool {
	return !slices.ContainsFunc(h.txns, func(t *litTxn) bool { return t.outcome == litInfo || t.f != "txn" })
}

// litEvents calls f with the lines of a recording, in their order.
func (h *litHistory) events(f func(t *litTxn, kind string)) {
	at := map[int]func(){}
	last := 0
	for _, t := range h.txns {
		at[t.begin] = func() { f(t, "invoke") }
		if t.outcome != litInfo || !t.silent {
			at[t.end] = func() { f(t, string(t.outcome)) }
		}
		last = max(last, t.end)
	}
	for i := range last + 1 {
		if at[i] != nil {
			at[i]()
		}
	}
}

// litSyntax is EDN or JSON.
type litSyntax struct {
	word, set         func(s string) string
	separator, null   string
	field             func(name, value string) string
	open, close, line string
}

var (
	litEDN = litSyntax{word: func(s string) string { return ":" + s }, set: func(s string) string { return "#{" + s + "}" }, separator: " ", null: "nil",
		field: func(name, value string) string { return ":" + name + " " + value }, line: "\n"}
	litJSON = litSyntax{word: func(s string) string { return `"` + s + `"` }, set: func(s string) string { return "[" + s + "]" }, separator: ",", null: "null",
		field: func(name, value string) string { return `"` + name + `":` + value }, open: "[", close: "]", line: ",\n"}
)

// value is the :value of an event.
func (y litSyntax) value(h *litHistory, t *litTxn, kind string) string {
	number := func(v int) string {
		if v == 0 {
			return y.null
		}
		return fmt.Sprint(v)
	}
	told := kind == "ok" || kind == "info" && t.told
	switch t.f {
	case "acquire", "release":
		return y.null
	case "write":
		return number(t.ops[0].v)
	case "put", "append":
		return text(t.ops[0].v)
	case "get":
		if !told {
			return y.null
		}
		return text(t.ops[0].got...)
	case "cas":
		return "[" + fmt.Sprint(t.ops[0].got[0]) + y.separator + number(t.ops[1].v) + "]"
	case "read":
		if !told {
			return y.null
		}
		return number(t.ops[0].got[0])
	}
	var ops []string
	for _, o := range t.ops {
		f, v := map[byte]string{'r': "r", 'w': "w", 'a': "append", 's': "add", 'i': "inc"}[o.f], number(o.v)
		if o.f == 'r' {
			if v = y.null; told {
				v = y.result(h.kind(o.key), o.got)
			}
		}
		ops = append(ops, "["+y.word(f)+y.separator+fmt.Sprint(o.key)+y.separator+v+"]")
	}
	return "[" + strings.Join(ops, y.separator) + "]"
}

// kind is the type of a key as a recording shows it: a counter that nobody increments is none.
func (h *litHistory) kind(key int) byte {
	if t := h.types[key]; t != 'i' || slices.ContainsFunc(h.txns, func(t *litTxn) bool { return t.writes(key) }) {
		return t
	}
	return 'w'
}

// result is what a read returned.
func (y litSyntax) result(kind byte, got []int) string {
	all := strings.Trim(strings.ReplaceAll(fmt.Sprint(got), " ", y.separator), "[]")
	switch {
	case kind == 'i':
		return all
	case kind == 's':
		return y.set(all)
	case kind == 'a':
		return "[" + all + "]"
	case got[0] == 0:
		return y.null
	}
	return all
}

// events writes a history for Elle or Knossos.
func (y litSyntax) events(h *litHistory) string {
	var lines []string
	h.events(func(t *litTxn, kind string) {
		fields := []string{y.field("type", y.word(kind)), y.field("f", y.word(t.f)), y.field("process", fmt.Sprint(t.session)), y.field("value", y.value(h, t, kind))}
		if h.types[0] == 'p' {
			fields = append(fields, y.field("key", `"k"`))
		}
		lines = append(lines, "{"+strings.Join(fields, y.separator)+"}")
	})
	return y.open + strings.Join(lines, y.line) + y.close
}

// litLog writes what Jepsen logs.
func litLog(h *litHistory, blank string) string {
	var b strings.Builder
	h.events(func(t *litTxn, kind string) {
		fmt.Fprintf(&b, "INFO  jepsen.util - %d%s:%s%s:%s%s%s\n", t.session, blank, kind, blank, t.f, blank, litEDN.value(h, t, kind))
	})
	return b.String()
}

// sessions gives the transactions of every session, in their order.
func (h *litHistory) sessions() [][]*litTxn {
	var out [][]*litTxn
	for s := range 3 {
		var of []*litTxn
		for _, t := range h.txns {
			if t.session == s {
				of = append(of, t)
			}
		}
		slices.SortFunc(of, func(t, u *litTxn) int { return t.begin - u.begin })
		if of != nil {
			out = append(out, of)
		}
	}
	return out
}

const litYAML = codec.Format("dbcop-yaml")

// litDbcop writes JSON, YAML (block style) or text of dbcop.
func litDbcop(h *litHistory, f codec.Format) string {
	var sessions []string
	for _, s := range h.sessions() {
		var txns []string
		for _, t := range s {
			var ops []string
			for _, o := range t.ops {
				v, word, sign := fmt.Sprint(o.v), "Write", ":="
				if o.f == 'r' {
					v, word, sign = fmt.Sprint(o.got[0]), "Read", "=="
				}
				if v == "0" {
					v = map[codec.Format]string{codec.DbcopJSON: "null", codec.DbcopText: "?", litYAML: "~"}[f]
				}
				switch f {
				case codec.DbcopJSON:
					ops = append(ops, fmt.Sprintf(`{"%s":{"variable":%d,"version":%s}}`, word, o.key, v))
				case litYAML:
					ops = append(ops, fmt.Sprintf("        - %s:\n            variable: %d\n            version: %s\n", word, o.key, v))
				default:
					ops = append(ops, fmt.Sprintf("x%d%s%s", o.key, sign, v))
				}
			}
			ok := t.outcome == litOK
			switch f {
			case codec.DbcopJSON:
				txns = append(txns, fmt.Sprintf(`{"events":[%s],"committed":%t}`, strings.Join(ops, ","), ok))
			case litYAML:
				txns = append(txns, fmt.Sprintf("    - events:\n%s      committed: %t\n", strings.Join(ops, ""), ok))
			default:
				txns = append(txns, "["+strings.Join(ops, " ")+"]"+map[bool]string{false: "!"}[ok])
			}
		}
		sessions = append(sessions, strings.Join(txns, map[codec.Format]string{codec.DbcopJSON: ",", codec.DbcopText: "\n"}[f]))
	}
	switch f {
	case codec.DbcopJSON:
		return `{"data":[[` + strings.Join(sessions, "],[") + "]]}"
	case litYAML:
		out := "---\ndata:\n"
		for _, s := range sessions {
			out += "  - " + strings.TrimPrefix(s, "    ")
		}
		return out
	}
	return strings.Join(sessions, "\n---\n") + "\n"
}

// litPlume writes the text of Plume; it has no words for transactions that only read and aborted.
func litPlume(h *litHistory) string {
	var b strings.Builder
	for n, t := range h.txns {
		if t.outcome != litOK {
			n = -1
		}
		for _, o := range t.ops {
			v := o.v
			if o.f == 'r' {
				v = o.got[0]
			}
			fmt.Fprintf(&b, "%c(%d,%d,%d,%d)\n", map[bool]byte{true: 'r', false: 'w'}[o.f == 'r'], o.key, v, t.session, n)
		}
	}
	return b.String()
}

// litChronos writes JSON of Chronos, with times: stamps are strings, numbers, or hybrid; what keys
// held initially is null, or 0, or what a transaction of that name says.
func litChronos(h *litHistory, style int) string {
	stamp := []string{`"%d"`, `%d`, `{"p":%d,"l":0}`, `{"p":1,"l":%d}`}[style%4]
	initial := []string{"null", "0", "7"}[style/4%3]
	if strings.Contains(string(h.types), "a") {
		initial = "null"
	}
	var txns []string
	if initial == "7" {
		var ops []string
		for k := range h.types {
			ops = append(ops, fmt.Sprintf(`{"t":"w","k":"%d","v":7}`, k))
		}
		txns = append(txns, fmt.Sprintf(`{"tid":"initial","sid":"9","sts":`+stamp+`,"cts":`+stamp+`,"ops":[%s]}`, 0, 0, strings.Join(ops, ",")))
	}
	for n, t := range h.txns {
		var ops []string
		for _, o := range t.ops {
			f, v := string(o.f), fmt.Sprint(o.v)
			if o.f == 'r' {
				if f, v = "r", litJSON.result(h.types[o.key], o.got); v == "null" {
					v = initial
				}
			}
			ops = append(ops, fmt.Sprintf(`{"t":"%s","k":"%d","v":%s}`, f, o.key, v))
		}
		txns = append(txns, fmt.Sprintf(`{"tid":"%d","sid":"%d","sts":`+stamp+`,"cts":`+stamp+`,"ops":[%s]}`, n, t.session, t.begin, t.end, strings.Join(ops, ",")))
	}
	return "[" + strings.Join(txns, ",\n") + "]"
}
