package historytest_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/history/codec"
)

// dbcopYAML is a format that has no constant of its own.
const dbcopYAML codec.Format = "dbcop-yaml"

// printers write histories of registers whose keys and values are integers, in the
// formats that package codec only reads. They follow what the tools publish about their
// formats, and not the readers.
var printers = map[codec.Format]func(t *testing.T, h *history.History) string{
	codec.DbcopJSON: printDbcopJSON, codec.DbcopText: printDbcopText, dbcopYAML: printDbcopYAML, codec.ElleJSON: printElleJSON,
	codec.JepsenLog: printJepsenLog, codec.Chronos: printChronos,
}

// operation is one of a register; value is nil if it is the initial one.
type operation struct {
	write bool
	key   int64
	value *int64
}

// transaction is one of a history for printing.
type transaction struct {
	session, position int
	status            history.Status
	ops               []operation
}

// sessionsOf gives the transactions of all sessions.
func sessionsOf(t *testing.T, h *history.History) [][]transaction {
	t.Helper()
	var out [][]transaction
	for s := range history.Session(h.NumSessions()) {
		var txns []transaction
		first, end := h.Txns(s)
		for x := first; x < end; x++ {
			c := transaction{session: int(s), position: int(x - first), status: h.Status(x)}
			from, to := h.Ops(x)
			for o := from; o < to; o++ {
				op := operation{write: h.Kind(o) == history.Write, key: h.KeyName(h.Key(o)).Int}
				if !op.write && h.Kind(o) != history.Read {
					t.Fatalf("no register: %s", h.Words(o))
				}
				if v := h.Value(o); v != history.Initial {
					n := h.ValueName(v).Int
					op.value = &n
				}
				c.ops = append(c.ops, op)
			}
			txns = append(txns, c)
		}
		out = append(out, txns)
	}
	return out
}

func toJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// printDbcopJSON prints an object with the sessions of dbcop.
func printDbcopJSON(t *testing.T, h *history.History) string {
	type object = map[string]any
	data := [][]object{}
	for _, s := range sessionsOf(t, h) {
		txns := []object{}
		for _, x := range s {
			events := []object{}
			for _, o := range x.ops {
				kind := "Read"
				if o.write {
					kind = "Write"
				}
				events = append(events, object{kind: object{"variable": o.key, "version": o.value}})
			}
			txns = append(txns, object{"events": events, "committed": x.status == history.Committed})
		}
		data = append(data, txns)
	}
	return toJSON(t, object{"data": data}) + "\n"
}

// printDbcopYAML prints a list of sessions below data, in block style.
func printDbcopYAML(t *testing.T, h *history.History) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("data:\n")
	for _, s := range sessionsOf(t, h) {
		lead := "- "
		if len(s) == 0 {
			b.WriteString("- []\n")
		}
		for _, x := range s {
			fmt.Fprintf(&b, "%s- events:", lead)
			if len(x.ops) == 0 {
				b.WriteString(" []")
			}
			b.WriteByte('\n')
			for _, o := range x.ops {
				kind, version := "Read", "null"
				if o.write {
					kind = "Write"
				}
				if o.value != nil {
					version = fmt.Sprint(*o.value)
				}
				fmt.Fprintf(&b, "    - %s:\n        variable: %d\n        version: %s\n", kind, o.key, version)
			}
			fmt.Fprintf(&b, "    committed: %t\n", x.status == history.Committed)
			lead = "  "
		}
	}
	return b.String()
}

// printDbcopText prints transactions in brackets, and a line of dashes between sessions.
func printDbcopText(t *testing.T, h *history.History) string {
	var sessions []string
	for _, s := range sessionsOf(t, h) {
		var b strings.Builder
		for _, x := range s {
			var ops []string
			for _, o := range x.ops {
				switch {
				case o.write:
					ops = append(ops, fmt.Sprintf("x%d:=%d", o.key, *o.value))
				case o.value == nil:
					ops = append(ops, fmt.Sprintf("x%d==?", o.key))
				default:
					ops = append(ops, fmt.Sprintf("x%d==%d", o.key, *o.value))
				}
			}
			b.WriteString("[" + strings.Join(ops, " ") + "]")
			if x.status == history.Aborted {
				b.WriteByte('!')
			}
			b.WriteByte('\n')
		}
		sessions = append(sessions, b.String())
	}
	return strings.Join(sessions, "---\n")
}

// rounds calls visit for the transactions of each position, first for all invocations and
// then for all completions: those of different sessions are concurrent.
func rounds(sessions [][]transaction, visit func(x transaction, done bool)) {
	for position, more := 0, true; more; position++ {
		more = false
		for _, done := range []bool{false, true} {
			for _, s := range sessions {
				if position < len(s) {
					visit(s[position], done)
					more = true
				}
			}
		}
	}
}

// completion is the type of Jepsen for how a transaction ended, or of its invocation.
func completion(x transaction, done bool) string {
	if !done {
		return "invoke"
	}
	return map[history.Status]string{history.Committed: "ok", history.Aborted: "fail", history.Unknown: "info"}[x.status]
}

// printElleJSON prints an array of the events of Jepsen.
func printElleJSON(t *testing.T, h *history.History) string {
	var events []string
	rounds(sessionsOf(t, h), func(x transaction, done bool) {
		ops := [][]any{}
		for _, o := range x.ops {
			switch {
			case o.write:
				ops = append(ops, []any{"w", o.key, o.value})
			case done:
				ops = append(ops, []any{"r", o.key, o.value})
			default:
				ops = append(ops, []any{"r", o.key, nil})
			}
		}
		events = append(events, fmt.Sprintf(`{"index": %d, "type": %q, "process": %d, "f": "txn", "value": %s}`,
			len(events), completion(x, done), x.session, toJSON(t, ops)))
	})
	return "[" + strings.Join(events, ",\n ") + "]\n"
}

// printJepsenLog prints lines of the log of Jepsen.
func printJepsenLog(t *testing.T, h *history.History) string {
	var b strings.Builder
	rounds(sessionsOf(t, h), func(x transaction, done bool) {
		var ops []string
		for _, o := range x.ops {
			kind, v := ":r", "nil"
			if o.write {
				kind = ":w"
			}
			if o.value != nil && (done || o.write) {
				v = fmt.Sprint(*o.value)
			}
			ops = append(ops, fmt.Sprintf("[%s %d %s]", kind, o.key, v))
		}
		fmt.Fprintf(&b, "INFO  jepsen.util - %d\t:%s\t:txn\t[%s]\n", x.session, completion(x, done), strings.Join(ops, " "))
	})
	return b.String()
}

// printChronos prints an array of transactions with stamps of the database: those of
// different sessions are concurrent, round by round.
func printChronos(t *testing.T, h *history.History) string {
	var out []string
	for _, s := range sessionsOf(t, h) {
		for _, x := range s {
			ops := []map[string]any{}
			for _, o := range x.ops {
				kind := "r"
				if o.write {
					kind = "w"
				}
				ops = append(ops, map[string]any{"t": kind, "k": o.key, "v": o.value})
			}
			begin := fmt.Sprintf(`{"p": %d, "l": %d}`, 1000+10*x.position, 0)
			end := fmt.Sprintf(`{"p": %d, "l": %d}`, 1008+10*x.position, x.session)
			out = append(out, fmt.Sprintf(`{"tid": %d, "sid": %d, "sts": %s, "cts": %s, "ops": %s}`, len(out), x.session, begin, end, toJSON(t, ops)))
		}
	}
	return "[" + strings.Join(out, ",\n ") + "]\n"
}
