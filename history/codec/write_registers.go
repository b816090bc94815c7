package codec

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"

	"github.com/txrobust/robust/history"
)

// The formats that have nothing but reads and writes of registers.

// integerRegisters prepares to write registers with integers for names, of which 0
// is the initial value, in a format without times and unknown outcomes.
func (w *writer) integerRegisters() (n *integers, committed []bool, err error) {
	if err := w.registers(); err != nil {
		return nil, nil, err
	}
	if n, err = w.integers(true); err != nil {
		return nil, nil, err
	}
	committed = w.committed()
	w.loseReads(true)
	w.loseOrder()
	w.loseInitials()
	w.loseUnknownInitials()
	if len(w.givens()) == 0 {
		w.loseFirst(committed, history.AllInitial)
	}
	return n, committed, nil
}

func writePlume(w *writer) error {
	h := w.h
	n, committed, err := w.integerRegisters()
	if err != nil {
		return err
	}
	sessions := w.sessionNumbers(false)
	txns := w.txnNumbers(func(t history.Txn) bool { return committed[t] })
	reads, empty := 0, 0
	err = w.file("history.txt", func(out *bufio.Writer) error {
		line := func(kind byte, key, value, session, txn int64) {
			b := append(out.AvailableBuffer(), kind, '(')
			b = strconv.AppendInt(b, key, 10)
			b = strconv.AppendInt(append(b, ','), value, 10)
			b = strconv.AppendInt(append(b, ','), session, 10)
			b = strconv.AppendInt(append(b, ','), txn, 10)
			out.Write(append(b, ")\n"...))
		}
		// The initial transaction is the only one of its session.
		for _, k := range w.givens() {
			line('w', n.key(k), 0, unused(sessions), unused(txns))
		}
		for s := range history.Session(h.NumSessions()) {
			lines, aborted := 0, false
			err := w.every(s, func(t history.Txn) error {
				txn, before := txns[t], lines
				if !committed[t] {
					if h.Status(t) == history.Unknown {
						return nil
					}
					txn = -1
				}
				o, end := h.Ops(t)
				for ; o < end; o++ {
					switch {
					case w.skips(o):
					case h.Kind(o) == history.Write:
						line('w', n.key(h.Key(o)), n.value(o), sessions[s], txn)
						lines++
					case txn == -1:
						reads++
					default:
						line('r', n.key(h.Key(o)), n.value(o), sessions[s], txn)
						lines++
					}
				}
				switch {
				case lines == before:
					empty++
				case txn == -1 && aborted:
					w.lose("Aborted transactions that follow each other become one")
				}
				if lines > before {
					aborted = txn == -1
				}
				return nil
			})
			if err != nil {
				return err
			}
			if lines == 0 {
				w.lose("Sessions without operations are left out")
			}
		}
		return nil
	})
	w.loseIf(reads, "%d reads of aborted transactions are left out")
	w.loseIf(empty, "%d transactions without operations are left out")
	return err
}

// unused is a number that is none of those given.
func unused(numbers []int64) int64 {
	n := int64(0)
	for _, m := range numbers {
		n = max(n, m+1)
	}
	return n
}

func writeAWDIT(w *writer) error {
	h := w.h
	if err := w.registers(); err != nil {
		return err
	}
	var reserved []int64
	initial := w.needsInitial()
	if initial && len(w.givens()) < h.NumKeys() {
		reserved = append(reserved, 0) // written as the initial value below
	}
	n, err := w.integers(false, reserved...)
	if err != nil {
		return err
	}
	committed := w.committed()
	w.loseReads(true)
	w.loseOrder()
	w.loseUnknownInitials()
	w.loseNumbers()
	w.losePositions(initial)
	if !initial {
		w.loseFirst(committed, history.AllKeys)
	}
	a := &awditText{w: w, n: n, committed: committed}
	err = w.file("history.txt", func(out *bufio.Writer) error {
		a.out = out
		if initial {
			a.initial()
		}
		for s := range history.Session(h.NumSessions()) {
			if err := a.session(s); err != nil {
				return err
			}
		}
		return nil
	})
	w.loseIf(a.aborted, "%d aborted transactions are left out, and so reads of their values are from thin air")
	w.loseIf(a.empty, "%d transactions without operations are left out")
	return err
}

// awditText writes the text of AWDIT.
type awditText struct {
	w         *writer
	out       *bufio.Writer
	n         *integers
	committed []bool
	// begun says that there is a session already, which another one is set apart
	// from.
	begun          bool
	aborted, empty int
}

func (a *awditText) line(kind byte, key, value int64) {
	b := append(a.out.AvailableBuffer(), kind, ' ')
	b = strconv.AppendInt(b, key, 10)
	b = strconv.AppendInt(append(b, ' '), value, 10)
	a.out.Write(append(b, '\n'))
}

// initial writes the initial values as a transaction: without it, reads of them
// would be from thin air.
func (a *awditText) initial() {
	h := a.w.h
	for k := range history.Key(h.NumKeys()) {
		if v := h.Value(history.Op(k)); h.InitialGiven(k) && v > history.Initial {
			a.line('w', a.n.key(k), a.n.number(v))
		} else {
			a.w.lose("Initial values are written as a transaction, those without a name as 0")
			a.line('w', a.n.key(k), 0)
		}
	}
	a.begun = true
}

func (a *awditText) session(s history.Session) error {
	w, h := a.w, a.w.h
	begun := false // the session
	err := w.every(s, func(t history.Txn) error {
		if !a.committed[t] {
			if h.Status(t) == history.Aborted {
				a.aborted++
			}
			return nil
		}
		lines := 0
		for o, end := h.Ops(t); o < end; o++ {
			if w.skips(o) {
				continue
			}
			if lines == 0 {
				if begun {
					a.out.WriteString("-----\n")
				} else if a.begun {
					a.out.WriteString("=====\n")
				}
			}
			if h.Kind(o) == history.Write {
				a.line('w', a.n.key(h.Key(o)), a.n.value(o))
			} else {
				a.line('r', a.n.key(h.Key(o)), a.n.value(o))
			}
			lines++
		}
		if lines == 0 {
			a.empty++
		}
		begun = begun || lines > 0
		return nil
	})
	if err != nil {
		return err
	}
	if !begun {
		w.lose("Sessions without operations are left out")
	}
	a.begun = a.begun || begun
	return nil
}

func writeDbcop(w *writer) error {
	h := w.h
	n, committed, err := w.integerRegisters()
	if err != nil {
		return err
	}
	w.loseNumbers()
	givens := w.givens()
	w.losePositions(len(givens) > 0)
	written := func(t history.Txn) bool { return committed[t] || h.Status(t) == history.Aborted }
	if len(givens) == 0 && !w.any(written) {
		return w.nothing()
	}
	txns := func(s history.Session) (count uint64) {
		for t, end := h.Txns(s); t < end; t++ {
			if written(t) {
				count++
			}
		}
		return count
	}
	events := func(t history.Txn) (count uint64) {
		for o, end := h.Ops(t); o < end; o++ {
			if !w.skips(o) {
				count++
			}
		}
		return count
	}
	return w.file("history.bincode", func(out *bufio.Writer) error {
		number := func(n uint64) { out.Write(binary.LittleEndian.AppendUint64(out.AvailableBuffer(), n)) }
		event := func(write byte, key, value int64) {
			b := append(out.AvailableBuffer(), write)
			b = binary.LittleEndian.AppendUint64(b, uint64(key))
			b = binary.LittleEndian.AppendUint64(b, uint64(value))
			out.Write(append(b, 1))
		}
		sessions := uint64(h.NumSessions())
		if len(givens) > 0 {
			sessions++
		}
		most, longest := uint64(0), uint64(0)
		for s := range history.Session(h.NumSessions()) {
			most = max(most, txns(s))
			for t, end := h.Txns(s); t < end; t++ {
				longest = max(longest, events(t))
			}
		}
		for _, n := range []uint64{0, sessions, uint64(h.NumKeys()), most, longest} {
			number(n)
		}
		for _, s := range []string{"", "", ""} { // what nobody recorded
			number(uint64(len(s)))
		}
		number(sessions)
		if len(givens) > 0 {
			number(1)
			number(uint64(len(givens)))
			for _, k := range givens {
				event(1, n.key(k), 0)
			}
			out.WriteByte(1)
		}
		for s := range history.Session(h.NumSessions()) {
			number(txns(s))
			err := w.every(s, func(t history.Txn) error {
				if !written(t) {
					return nil
				}
				number(events(t))
				for o, end := h.Ops(t); o < end; o++ {
					if w.skips(o) {
						continue
					}
					event(bit(h.Kind(o) == history.Write), n.key(h.Key(o)), n.value(o))
				}
				return out.WriteByte(bit(committed[t]))
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func bit(b bool) byte {
	if b {
		return 1
	}
	return 0
}

func writeCobra(w *writer) error {
	h := w.h
	if err := w.registers(); err != nil {
		return err
	}
	if err := w.initialWritten(); err != nil {
		return err
	}
	committed := w.committed()
	w.loseReads(true)
	w.loseUnknownInitials()
	sessions := w.sessionNumbers(true)
	txns := w.txnNumbers(func(t history.Txn) bool { return committed[t] })
	if len(w.givens()) > 0 {
		w.lose("Initial values are written only where they are read")
	}
	c := &cobraLog{w: w, names: w.cobraNames(), txns: txns, timed: w.cobraTimes(committed), src: h.Sources()}
	aborted := 0
	for s := range history.Session(h.NumSessions()) {
		err := w.file(fmt.Sprintf("T%d.log", sessions[s]), func(out *bufio.Writer) error {
			c.out = out
			return w.every(s, func(t history.Txn) error {
				if committed[t] {
					return c.txn(t)
				}
				if h.Status(t) == history.Aborted {
					aborted++
				}
				return nil
			})
		})
		if err != nil {
			return err
		}
	}
	w.loseIf(aborted, "%d aborted transactions are left out, and so reads of their values are from thin air")
	return nil
}

// cobraNames gives numbers for keys and values, which are the names where these are
// integers and none that the format reserves.
func (w *writer) cobraNames() *integers {
	h := w.h
	reserved := []int64{cobraInit, cobraNull, cobraNone}
	names := &integers{w: w, keyed: true, valued: true, values: map[history.Value]int64{}}
	for k := range history.Key(h.NumKeys()) {
		names.keyed = names.keyed && h.KeyName(k).Kind == history.IntName
	}
	if !names.keyed {
		w.lose("Keys are numbered, for the format has no other names")
	}
	for o := range history.Op(h.NumOps()) {
		for _, v := range []history.Value{h.Value(o), h.Version(o)} {
			if v > history.Initial && (h.ValueName(v).Kind != history.IntName || slices.Contains(reserved, h.ValueName(v).Int)) {
				names.valued = false
			}
		}
	}
	if !names.valued {
		w.lose("Values are numbered, for the format has no other names")
	}
	return names
}

// cobraLog writes the log of a session.
type cobraLog struct {
	w     *writer
	out   *bufio.Writer
	names *integers
	txns  []int64 // the numbers of transactions
	timed bool
	src   *history.Sources
}

func (c *cobraLog) record(kind byte, fields ...int64) {
	b := append(c.out.AvailableBuffer(), kind)
	for _, f := range fields {
		b = binary.BigEndian.AppendUint64(b, uint64(f))
	}
	c.out.Write(b)
}

// boundary writes the begin or the end of a transaction.
func (c *cobraLog) boundary(kind byte, t history.Txn, at int64) {
	if c.timed {
		c.record(kind, c.txns[t], at)
	} else {
		c.record(kind, c.txns[t])
	}
}

func (c *cobraLog) txn(t history.Txn) error {
	h := c.w.h
	c.boundary('S', t, h.Begin(t))
	for o, end := h.Ops(t); o < end; o++ {
		if c.w.skips(o) {
			continue
		}
		if err := c.op(o); err != nil {
			return err
		}
	}
	c.boundary('C', t, h.End(t))
	return nil
}

func (c *cobraLog) op(o history.Op) error {
	w, h := c.w, c.w.h
	key, v, id := c.names.key(h.Key(o)), h.Value(o), h.Version(o)
	value := int64(0)
	if v > history.Initial {
		value = c.names.number(v)
	}
	if id > history.Initial && c.names.number(id) == value {
		w.doubt("Identities of versions that are their values are not told from values")
	}
	switch {
	case h.Kind(o) == history.Write && v == history.Initial && id == history.NoValue:
		return w.refuse(o, "a write of the initial value, which the format %s does not have", w.g.name)
	case h.Kind(o) == history.Write && id == history.NoValue:
		c.record('W', value, key, value)
	case h.Kind(o) == history.Write:
		if v == history.Initial {
			w.lose("Values that are not named are written as 0")
		}
		c.record('W', c.names.number(id), key, value)
	case id == history.Initial && v == history.Initial:
		w.lose("That a row did not exist is not told from its initial version")
		c.record('R', cobraNull, cobraNull, key, 0)
	case id == history.Initial, id == history.NoValue && v > history.Initial && h.InitialGiven(h.Key(o)) && v == h.Value(history.Op(h.Key(o))):
		c.record('R', cobraInit, cobraInit, key, value)
	case v == history.Initial && id == history.NoValue:
		c.record('R', cobraNull, cobraNull, key, 0)
	default:
		if v == history.Initial {
			w.lose("Values that are not named are written as 0")
		}
		from := int64(-1)
		for _, f := range c.src.Of(o) {
			from = c.txns[h.TxnOf(f)]
		}
		if id == history.NoValue {
			c.record('R', from, value, key, value)
		} else {
			c.record('R', from, c.names.number(id), key, value)
		}
	}
	return nil
}

// cobraTimes tells whether every transaction has the times that the logs need.
func (w *writer) cobraTimes(committed []bool) bool {
	h := w.h
	timed := h.Order() == history.RealTime && len(committed) > 1
	for t := history.Txn(1); int(t) < len(committed); t++ {
		timed = timed && (!committed[t] || h.Begin(t) != history.NoBegin && h.End(t) != history.NoEnd)
	}
	if !timed {
		w.loseOrder()
		return false
	}
	for t := history.Txn(1); int(t) < len(committed); t++ {
		if started, ended := h.Clock(t); committed[t] && (started != h.Begin(t) || ended != h.End(t)) {
			w.lose("The format has one pair of times, so clocks and stamps become one")
			break
		}
	}
	return true
}
