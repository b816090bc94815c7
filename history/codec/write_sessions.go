package codec

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/history/codec/internal/ednode"
)

// writeViper writes one file per session.
func writeViper(w *writer) error {
	h := w.h
	if err := w.registers(history.Insert, history.Delete, history.ReadRange); err != nil {
		return err
	}
	committed := w.committed()
	if len(w.givens()) == 0 && !w.any(func(t history.Txn) bool { return committed[t] }) {
		return w.nothing()
	}
	w.loseReads(true)
	w.loseOrder()
	w.loseNumbers()
	w.jsonNames()
	w.loseIdentities()
	w.loseUnknownInitials()
	sessions := w.sessionNumbers(true)
	src := h.Sources()
	aborted := 0
	// Values from nowhere are from thin air unless the file says what was loaded.
	initial := len(w.givens()) > 0
	for o := range history.Op(h.NumOps()) {
		left := func(f history.Op) bool { return committed[h.TxnOf(f)] }
		initial = initial || h.Kind(o) == history.Read && h.Known(o) && !slices.ContainsFunc(src.Of(o), left)
	}
	if initial {
		// A file of its own, which is no session.
		err := w.file(fmt.Sprintf("J%d.log", unused(sessions)), func(out *bufio.Writer) error {
			out.WriteString(`{"value": [`)
			for i, k := range w.givens() {
				b := out.AvailableBuffer()
				if i > 0 {
					b = append(b, ", "...)
				}
				b = appendJSON(append(b, `["w", `...), h.KeyName(k))
				b = appendJSON(append(b, ", "...), h.ValueName(h.Value(history.Op(k))))
				out.Write(append(b, ", true]"...))
			}
			_, err := out.WriteString("], \"isInitial\": true}\n")
			return err
		})
		if err != nil {
			return err
		}
	}
	for s := range history.Session(h.NumSessions()) {
		err := w.file(fmt.Sprintf("J%d.log", sessions[s]), func(out *bufio.Writer) error {
			return w.every(s, func(t history.Txn) error {
				if !committed[t] {
					if h.Status(t) == history.Aborted {
						aborted++
					}
					return nil
				}
				out.WriteString(`{"value": [`)
				first := true
				for o, end := h.Ops(t); o < end; o++ {
					if w.skips(o) {
						continue
					}
					b := out.AvailableBuffer()
					if !first {
						b = append(b, ", "...)
					}
					first = false
					next := o + 1
					b, o = w.viperOp(b, o, next < end && !w.skips(next), src)
					out.Write(b)
				}
				_, err := out.WriteString("]}\n")
				return err
			})
		})
		if err != nil {
			return err
		}
	}
	w.loseIf(aborted, "%d aborted transactions are left out, and so reads of their values are from thin air")
	return nil
}

// viperOp appends an operation, together with the next one if both are the two
// halves of an insert or delete. It gives the last operation that it wrote.
func (w *writer) viperOp(b []byte, o history.Op, more bool, src *history.Sources) ([]byte, history.Op) {
	h := w.h
	value := func(o history.Op) history.Name {
		if h.Version(o) == history.Initial {
			return h.ValueName(h.Value(history.Op(h.Key(o))))
		}
		return h.ValueName(h.Value(o))
	}
	op := func(f string, names ...history.Name) {
		b = append(append(append(b, `["`...), f...), '"')
		for _, n := range names {
			b = appendJSON(append(b, ", "...), n)
		}
	}
	dead := false
	if h.Kind(o) == history.Read {
		if from, ok := src.One(o); ok {
			dead = h.Kind(from) == history.Delete
		}
	}
	letter := map[history.Kind]string{history.Insert: "i", history.Delete: "d"}
	switch kind := h.Kind(o); kind {
	case history.Read:
		if next := o + 1; more && letter[h.Kind(next)] != "" && h.Key(next) == h.Key(o) {
			op(letter[h.Kind(next)], h.KeyName(h.Key(o)), value(next), value(o))
			b = strconv.AppendBool(append(b, ", "...), dead)
			return append(b, ", true]"...), next
		}
		op("r", h.KeyName(h.Key(o)), value(o))
		return append(strconv.AppendBool(append(b, ", "...), dead), ']'), o
	case history.Write:
		op("w", h.KeyName(h.Key(o)), value(o))
		return append(b, ", true]"...), o
	case history.Insert, history.Delete:
		op(letter[kind], h.KeyName(h.Key(o)), value(o))
		return append(b, ']'), o
	case history.ReadRange:
		r := h.Range(o)
		op("range", h.ValueName(r.Low), h.ValueName(r.High))
		rows := func(keys []history.Key, values []history.Value) {
			b = append(b, ", ["...)
			for i, k := range keys {
				if i > 0 {
					b = append(b, ", "...)
				}
				b = appendJSON(append(b, `{"id": `...), h.KeyName(k))
				b = append(appendJSON(append(b, `, "val": `...), h.ValueName(values[i])), '}')
			}
			b = append(b, ']')
		}
		rows(r.LiveKeys, r.LiveValues)
		rows(r.DeadKeys, r.DeadRows)
		return append(b, ", false]"...), o
	}
	panic(fmt.Sprintf("codec: operation %s in the format viper", h.Kind(o)))
}

// jsonNames says which names JSON cannot tell from others.
func (w *writer) jsonNames() {
	text := func(n history.Name) string { return string(appendJSON(nil, n)) }
	w.loseNames(text, func(n history.Name) bool { return n.Kind != history.KeywordName && n.Kind != history.TextName }, "Keywords and other names become strings")
}

// loseNames says that names are lost, and whether two of keys or of values become one. text is
// how names are written, and reads tells which are read back.
func (w *writer) loseNames(text func(history.Name) string, reads func(history.Name) bool, what string) {
	h := w.h
	lost, same := false, false
	keys, values := map[string]history.Name{}, map[string]history.Name{}
	see := func(seen map[string]history.Name, n history.Name) {
		old, ok := seen[text(n)]
		seen[text(n)] = n
		lost, same = lost || !reads(n), same || ok && old != n
	}
	for k := range history.Key(h.NumKeys()) {
		see(keys, h.KeyName(k))
	}
	for o := range history.Op(h.NumOps()) {
		switch h.Kind(o) {
		case history.ReadRange:
		case history.ReadList, history.ReadSet:
			for _, v := range h.List(o) {
				see(values, h.ValueName(v))
			}
		default:
			see(values, h.ValueName(h.Value(o)))
		}
	}
	switch {
	case same:
		w.doubt("%s, and different ones the same", what)
	case lost:
		w.lose("%s", what)
	}
}

func appendJSON(b []byte, n history.Name) []byte {
	switch n.Kind {
	case history.NilName:
		return append(b, "null"...)
	case history.IntName:
		return strconv.AppendInt(b, n.Int, 10)
	}
	return ednode.AppendString(b, n.Text)
}

// loseIdentities says that identities of versions are lost, and whether values alone say
// which versions were read.
func (w *writer) loseIdentities() {
	h, src := w.h, w.h.Sources()
	type version struct {
		key   history.Key
		value history.Value
	}
	writes := map[version]int{}
	some := false
	for o := range history.Op(h.NumOps()) {
		some = some || int(o) >= h.NumKeys() && h.Version(o) != history.NoValue
		if h.Kind(o).Writes() {
			writes[version{h.Key(o), h.Value(o)}]++
		}
	}
	if !some {
		return
	}
	clear := true
	for o := range history.Op(h.NumOps()) {
		if h.Kind(o) != history.Read || h.Version(o) <= history.Initial {
			continue
		}
		from := src.Of(o)
		clear = clear && len(from) == writes[version{h.Key(o), h.Value(o)}] &&
			!slices.ContainsFunc(from, func(f history.Op) bool { return h.Value(f) != h.Value(o) })
	}
	if clear {
		w.lose("The format has no identities of versions, only values")
	} else {
		w.doubt("The format has no identities of versions, and values alone do not tell them apart")
	}
}

// writeEDN writes what Jepsen would have recorded: invocations and completions in
// the order of their stamps, or, if no order is known, completions alone.
func writeEDN(w *writer) error {
	h := w.h
	for o := range history.Op(h.NumOps()) {
		switch h.Kind(o) {
		case history.Insert, history.Delete, history.ReadRange:
			return w.refuse(o, "%s, which the format %s does not have", w.h.Words(o), w.g.name)
		}
	}
	// Initial values are nil: as writes of a transaction they would not come before all others.
	w.loseInitials()
	w.loseUnknownInitials()
	if err := w.initialWritten(); err != nil {
		return err
	}
	w.loseReads(false)
	w.loseNumbers()
	w.loseIdentities()
	w.loseTypes()
	w.ednNames()
	ordered := h.Order() == history.RealTime
	if h.Order() == history.Database {
		w.doubt("The stamps of the database are left out")
	}
	processes := w.processes()
	events := w.events(ordered)
	index := int64(0)
	return w.file("history.edn", func(out *bufio.Writer) error {
		line := func(kind string, process int64, t history.Txn, time int64) {
			b := append(append(out.AvailableBuffer(), "{:index "...), strconv.FormatInt(index, 10)...)
			b = append(append(append(b, ", :type :"...), kind...), ", :process "...)
			b = strconv.AppendInt(b, process, 10)
			if time != history.NoTime {
				b = strconv.AppendInt(append(b, ", :time "...), time, 10)
			}
			if read, write, ok := w.swap(t); ok {
				b = appendEDN(append(b, ", :f :cas, :value ["...), w.ednValue(read))
				b = appendEDN(append(b, ' '), h.ValueName(h.Value(write)))
			} else {
				b = w.ednOps(append(b, ", :f :txn, :value ["...), t, kind)
			}
			out.Write(append(b, "]}\n"...))
			index++
		}
		for i, e := range events {
			if i%1024 == 0 && w.ctx.Err() != nil {
				return w.ctx.Err()
			}
			started, ended := h.Clock(e.txn)
			process := processes[h.SessionOf(e.txn)]
			if e.begin {
				line("invoke", process, e.txn, started)
			} else {
				line(map[history.Status]string{history.Committed: "ok", history.Aborted: "fail", history.Unknown: "info"}[h.Status(e.txn)], process, e.txn, ended)
			}
		}
		return nil
	})
}

// initialWritten makes sure that no transaction writes what its key held initially, for
// formats that say of reads that they are of the initial version.
func (w *writer) initialWritten() error {
	h := w.h
	for o := history.Op(h.NumKeys()); int(o) < h.NumOps(); o++ {
		k := h.Key(o)
		if k < 0 || !h.Kind(o).Writes() || !h.InitialGiven(k) {
			continue
		}
		if given := h.Value(history.Op(k)); given > history.Initial && h.Value(o) == given {
			return w.refuse(o, "the value %s of the key %s is the initial one and written, too, which the format %s cannot tell apart", h.ValueName(given), h.KeyName(k), w.g.name)
		}
	}
	return nil
}

// ednValue is what an operation that has one value read or wrote: nil is what a register
// held initially.
func (w *writer) ednValue(o history.Op) history.Name {
	h := w.h
	k := h.Key(o)
	if h.Version(o) == history.Initial || h.Kind(o) == history.Read && h.InitialGiven(k) && h.Value(o) == h.Value(history.Op(k)) {
		return history.Name{}
	}
	return h.ValueName(h.Value(o))
}

// processes gives sessions the numbers of processes.
func (w *writer) processes() []int64 {
	numbers := make([]int64, w.h.NumSessions())
	seen := map[int64]bool{}
	named := true
	for s := range numbers {
		name := w.h.SessionName(history.Session(s))
		named = named && name.Kind == history.IntName && !seen[name.Int]
		numbers[s], seen[name.Int] = name.Int, true
	}
	if !named {
		w.lose("Processes have numbers, so names of sessions are left out")
		for s := range numbers {
			numbers[s] = int64(s)
		}
	}
	return numbers
}

// ednEvent is an invocation or a completion.
type ednEvent struct {
	txn   history.Txn
	begin bool
	at    int64
	rank  int // of events with the same stamp
}

// events gives the lines of the recording in their order. Where the lines cannot
// say what the stamps say, they say less: no transaction precedes another in the
// recording that does not in the history.
func (w *writer) events(ordered bool) []ednEvent {
	const (
		info = iota // says nothing about order, and has to be before the next begin
		begin
		end // what begins at the same stamp is not preceded
	)
	h := w.h
	var events []ednEvent
	empty, lost, begun := false, false, false
	for s := range history.Session(h.NumSessions()) {
		t, stop := h.Txns(s)
		empty = empty || t == stop
		last := history.NoBegin // stamp of the line before, of this process
		for ; t < stop; t++ {
			started, _ := h.Clock(t)
			if !ordered {
				lost = lost || started != history.NoTime
				events = append(events, ednEvent{txn: t})
				continue
			}
			if at := h.Begin(t); at > last {
				events = append(events, ednEvent{t, true, at, begin})
				last, begun = at, true
			} else {
				lost = lost || at != history.NoBegin || started != history.NoTime
			}
			at, rank := h.End(t), end
			if h.Status(t) == history.Unknown {
				lost = lost || at != history.NoEnd
				at = history.NoEnd
				if t+1 < stop {
					if at, rank = h.Begin(t+1), info; at <= last {
						at, rank = last, end
					}
				}
			} else {
				lost = lost || at < last || at == history.NoEnd
			}
			last = max(at, last)
			events = append(events, ednEvent{t, false, last, rank})
			if rank == info {
				last-- // the begin is at the same stamp
			}
		}
	}
	if empty {
		w.lose("Sessions without transactions are left out")
	}
	if lost || ordered && !begun {
		w.doubt("Some stamps contradict the order of sessions, or have no partner, and so are left out")
	}
	slices.SortStableFunc(events, func(a, b ednEvent) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.rank, b.rank))
	})
	return events
}

// swap gives the two operations of a compare-and-set of unknown outcome, which has no
// key. As a transaction it could not say that the value it found was the initial one.
func (w *writer) swap(t history.Txn) (read, write history.Op, ok bool) {
	h := w.h
	read, end := h.Ops(t)
	write = read + 1
	ok = h.Status(t) == history.Unknown && end-read == 2 && h.Kind(read) == history.Read && h.Known(read) && h.Kind(write) == history.Write &&
		h.Key(read) == h.Key(write) && h.KeyName(h.Key(read)).Kind == history.NilName
	return read, write, ok
}

// ednOps appends the operations of a transaction as a line of a kind has them.
func (w *writer) ednOps(b []byte, t history.Txn, kind string) []byte {
	h := w.h
	first := true
	for o, end := h.Ops(t); o < end; o++ {
		k := h.Key(o)
		done := kind == "ok" || kind == "info" && h.Kind(o).Reads() && h.Known(o)
		if h.Kind(o).Reads() && !h.Known(o) && h.Status(t) == history.Committed {
			continue
		}
		if !first {
			b = append(b, ' ')
		}
		first = false
		b = append(b, '[')
		switch h.Kind(o) {
		case history.Read, history.ReadList, history.ReadSet, history.ReadCounter:
			b = append(b, ":r "...)
		case history.Write:
			b = append(b, ":w "...)
		case history.Append:
			b = append(b, ":append "...)
		case history.Add:
			b = append(b, ":add "...)
		case history.Increment:
			b = append(b, ":inc "...)
		default:
			panic(fmt.Sprintf("codec: operation %s in the format edn", h.Kind(o)))
		}
		b = append(appendEDN(b, h.KeyName(k)), ' ')
		switch {
		case h.Kind(o).Reads() && !done:
			b = append(b, "nil"...)
		case h.Kind(o) == history.ReadList || h.Kind(o) == history.ReadSet:
			if h.Kind(o) == history.ReadSet {
				b = append(b, "#{"...)
			} else {
				b = append(b, '[')
			}
			for i, e := range h.List(o) {
				if i > 0 {
					b = append(b, ' ')
				}
				b = appendEDN(b, h.ValueName(e))
			}
			if h.Kind(o) == history.ReadSet {
				b = append(b, '}')
			} else {
				b = append(b, ']')
			}
		default:
			b = appendEDN(b, w.ednValue(o))
		}
		b = append(b, ']')
	}
	return b
}

func appendEDN(b []byte, n history.Name) []byte {
	switch n.Kind {
	case history.NilName:
		return append(b, "nil"...)
	case history.IntName:
		return strconv.AppendInt(b, n.Int, 10)
	case history.StringName:
		return ednode.AppendString(b, strings.ToValidUTF8(n.Text, "\uFFFD"))
	}
	if !ednReads(n) {
		return ednode.AppendString(b, strings.ToValidUTF8(n.Text, "\uFFFD"))
	}
	if n.Kind == history.KeywordName {
		b = append(b, ':')
	}
	return append(b, n.Text...)
}

// ednReads tells whether a name that is no number reads back as what it is.
func ednReads(n history.Name) bool {
	text := n.Text
	switch n.Kind {
	case history.NilName, history.IntName:
		return true
	case history.StringName:
		return utf8.ValidString(text)
	case history.KeywordName:
		text = ":" + text
	}
	p := &parser{input: newInput(context.Background(), strings.NewReader(text), "", 0)}
	a, err := p.read()
	// A collection would be read as what a read of a list returned.
	return err == nil && a.Name() == n && a.Shape() != ednode.ListNode && a.Shape() != ednode.SetNode && p.end() == nil
}

// ednNames says which names the format cannot hold.
func (w *writer) ednNames() {
	w.loseNames(func(n history.Name) string { return string(appendEDN(nil, n)) }, ednReads, "Names that are no values of EDN become strings")
}

// loseTypes says which data types the format does not show: those of keys that
// are only read, and where nothing or one value was read. It also says that
// results of reads are lost where nobody knows that they count.
func (w *writer) loseTypes() {
	h := w.h
	shown := make([]bool, h.NumKeys())
	results, initial := false, false
	for o := history.Op(h.NumKeys()); int(o) < h.NumOps(); o++ {
		kind := h.Kind(o)
		committed := h.Status(h.TxnOf(o)) == history.Committed
		if k := h.Key(o); k >= 0 && (kind.Writes() || committed && h.Known(o) && (kind == history.ReadList || kind == history.ReadSet)) {
			shown[k] = true
		}
		results = results || kind.Reads() && h.Known(o) && h.Status(h.TxnOf(o)) == history.Aborted
	}
	for t := range history.Txn(h.NumTxns()) {
		if _, _, ok := w.swap(t); ok || h.Status(t) != history.Unknown {
			continue
		}
		for o, end := h.Ops(t); o < end; o++ {
			initial = initial || h.Kind(o) == history.Read && h.Value(o) == history.Initial
		}
	}
	if initial {
		w.doubt("Reads of the initial value in transactions of unknown outcome are written as reads whose result is not known")
	}
	if results {
		w.lose("Results of reads in aborted transactions are left out")
	}
	for k, ok := range shown {
		if t := h.Type(history.Key(k)); !ok && t != history.Register && t != history.Untyped {
			w.lose("The data types of keys that are only read are left out")
			return
		}
	}
}
