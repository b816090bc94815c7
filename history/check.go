package history

import "fmt"

// Check verifies the structure of a history: that every index is in range, that
// the operations of each transaction are consecutive, sessions partition the
// transactions, and operations have the type of their key. A History that was
// built passes; what fails is a fault of this package, or of code that wrote the
// compact format.
func (h *History) Check() error {
	for _, check := range []func() error{h.checkLengths, h.checkSessions, h.checkTxns, h.checkValues} {
		if err := check(); err != nil {
			return err
		}
	}
	for o := range h.kind {
		if err := h.checkOp(Op(o)); err != nil {
			return err
		}
	}
	return nil
}

// checkLengths compares the lengths of all columns.
func (h *History) checkLengths() error {
	n, ops, keys := len(h.session), len(h.kind), len(h.types)
	lengths := []struct {
		name      string
		got, want int
		optional  bool
	}{
		{"first operations", len(h.first), n + 1, false},
		{"status", len(h.status), n, false},
		{"numbers", len(h.number), n, true},
		{"begin", len(h.begin), n, true},
		{"end", len(h.end), n, true},
		{"started", len(h.started), n, true},
		{"ended", len(h.ended), n, true},
		{"places", len(h.places), n, true},
		{"keys of operations", len(h.key), ops, false},
		{"values of operations", len(h.value), ops, false},
		{"versions of operations", len(h.version), ops, true},
		{"transactions of operations", len(h.txn), ops, false},
		{"lengths of lists", len(h.listLen), len(h.listFirst), false},
		{"values of rows", len(h.rowValues), len(h.rowKeys), false},
		{"names of keys", h.keys.len(), keys, false},
		{"given initial values", len(h.given), keys, true},
		{"sessions", len(h.sessions), len(h.sessionNames) + 1, false},
	}
	for _, l := range lengths {
		if l.got != l.want && !(l.optional && l.got == 0) {
			return fmt.Errorf("history: %d %s, want %d", l.got, l.name, l.want)
		}
	}
	return nil
}

// checkSessions makes sure of the initial transaction, and that the sessions
// partition the others.
func (h *History) checkSessions() error {
	n := len(h.session)
	if n == 0 || h.session[0] != NoSession || h.status[0] != Committed || h.first[0] != 0 || h.first[1] != Op(len(h.types)) {
		return fmt.Errorf("history: no initial transaction")
	}
	if h.sessions[0] != 1 || h.sessions[len(h.sessions)-1] != Txn(n) {
		return fmt.Errorf("history: the sessions are not those of %d transactions", n)
	}
	for s := range h.sessionNames {
		if h.sessions[s] > h.sessions[s+1] {
			return fmt.Errorf("history: session %d ends before it begins", s)
		}
		for t := h.sessions[s]; t < h.sessions[s+1]; t++ {
			if h.session[t] != Session(s) {
				return fmt.Errorf("history: transaction %d is in session %d, not in %d", t, h.session[t], s)
			}
		}
	}
	return nil
}

// checkTxns makes sure that the operations of each transaction are consecutive.
func (h *History) checkTxns() error {
	n, ops := len(h.session), len(h.kind)
	if h.first[n] != Op(ops) {
		return fmt.Errorf("history: the transactions have %d operations, not %d", h.first[n], ops)
	}
	for t := range n {
		if h.status[t] > Unknown {
			return fmt.Errorf("history: transaction %d has status %d", t, h.status[t])
		}
		if h.first[t] > h.first[t+1] || h.first[t+1] > Op(ops) {
			return fmt.Errorf("history: transaction %d ends before it begins", t)
		}
		for o := h.first[t]; o < h.first[t+1]; o++ {
			if h.txn[o] != Txn(t) {
				return fmt.Errorf("history: operation %d is of transaction %d, not %d", o, h.txn[o], t)
			}
		}
	}
	return nil
}

// checkValues makes sure of lists and ranges, and of the values in them.
func (h *History) checkValues() error {
	for i, at := range h.listFirst {
		if h.listLen[i] < 0 || uint64(at)+uint64(h.listLen[i]) > uint64(len(h.elements)) {
			return fmt.Errorf("history: list %d is out of range", i)
		}
	}
	for _, v := range h.elements {
		if err := h.checkValue(v, Initial); err != nil {
			return err
		}
	}
	for i, r := range h.ranges {
		if r.live < 0 || r.dead < 0 || uint64(r.first)+uint64(r.live)+uint64(r.dead) > uint64(len(h.rowKeys)) {
			return fmt.Errorf("history: range %d is out of range", i)
		}
	}
	for i, k := range h.rowKeys {
		if k < 0 || int(k) >= len(h.types) || h.types[k] != Register {
			return fmt.Errorf("history: row %d has key %d", i, k)
		}
		if err := h.checkValue(h.rowValues[i], Initial); err != nil {
			return err
		}
	}
	return nil
}

func (h *History) checkOp(o Op) error {
	kind, k, v := h.kind[o], h.key[o], h.value[o]
	if kind >= numKinds {
		return fmt.Errorf("history: operation %d has kind %d", o, kind)
	}
	if int(o) < len(h.types) && (kind != Write || k != Key(o) || !h.InitialGiven(k) && v != Initial) {
		return fmt.Errorf("history: operation %d is not the initial write of key %d", o, o)
	}
	if kind == ReadRange {
		if k != -1 || v != NoValue && (v < 0 || int(v) >= len(h.ranges)) {
			return fmt.Errorf("history: operation %d has key %d and range %d", o, k, v)
		}
		return nil
	}
	if k < 0 || int(k) >= len(h.types) {
		return fmt.Errorf("history: operation %d has key %d of %d", o, k, len(h.types))
	}
	if int(o) >= len(h.types) && h.types[k] != typeOf[kind] {
		return fmt.Errorf("history: operation %d is a %s of a %s", o, kind, h.types[k])
	}
	if kind == ReadList || kind == ReadSet {
		if v != NoValue && (v < 0 || int(v) >= len(h.listLen)) {
			return fmt.Errorf("history: operation %d has list %d of %d", o, v, len(h.listLen))
		}
		return nil
	}
	least := NoValue
	if kind.Writes() && int(o) >= len(h.types) {
		least = Initial
	}
	if err := h.checkValue(h.Version(o), NoValue); err != nil {
		return err
	}
	return h.checkValue(v, least)
}

func (h *History) checkValue(v, least Value) error {
	if v < least || v >= firstName && int(v-firstName) >= h.values.len() {
		return fmt.Errorf("history: value %d is out of range", v)
	}
	return nil
}
