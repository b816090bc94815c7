package history

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Diff tells the first difference between two histories, or nothing if they
// record the same: the same sessions with the same names in the same order, with
// the same transactions and operations. Numbers that only this program gives,
// places, and labels do not count.
func Diff(a, b *History) string {
	if n, m := a.NumSessions(), b.NumSessions(); n != m {
		return fmt.Sprintf("%d and %d sessions", n, m)
	}
	if a.order != b.order {
		return fmt.Sprintf("orders %d and %d", a.order, b.order)
	}
	if d := diffInitials(a, b); d != "" {
		return d
	}
	for s := range Session(a.NumSessions()) {
		if n, m := a.SessionName(s), b.SessionName(s); n != m {
			return fmt.Sprintf("session %d is %s and %s", s, n, m)
		}
		t, end := a.Txns(s)
		u, end2 := b.Txns(s)
		if end-t != end2-u {
			return fmt.Sprintf("session %s has %d and %d transactions", a.SessionName(s), end-t, end2-u)
		}
		for ; t < end; t, u = t+1, u+1 {
			if d := diffTxn(a, b, t, u); d != "" {
				return fmt.Sprintf("session %d (%s), transaction %d: %s", s, a.SessionName(s), a.Position(t), d)
			}
		}
	}
	return diffStamps(a, b)
}

func diffInitials(a, b *History) string {
	initials := func(h *History) map[Name]Name {
		m := map[Name]Name{}
		for k := range Key(h.NumKeys()) {
			if h.InitialGiven(k) {
				m[h.KeyName(k)] = h.ValueName(h.Value(Op(k)))
			}
		}
		return m
	}
	x, y := initials(a), initials(b)
	if len(x) != len(y) {
		return fmt.Sprintf("%d and %d initial values", len(x), len(y))
	}
	for k, v := range x {
		if w, ok := y[k]; !ok || v != w {
			return fmt.Sprintf("the initial value of %s is %s and %s", k, v, w)
		}
	}
	return ""
}

func diffTxn(a, b *History, t, u Txn) string {
	if a.Status(t) != b.Status(u) {
		return fmt.Sprintf("%s and %s", a.Status(t), b.Status(u))
	}
	n, ok := a.Number(t)
	m, ok2 := b.Number(u)
	if ok && ok2 && n != m {
		return fmt.Sprintf("numbers %d and %d", n, m)
	}
	x, xEnd := a.Ops(t)
	y, yEnd := b.Ops(u)
	if xEnd-x != yEnd-y {
		return fmt.Sprintf("%d and %d operations", xEnd-x, yEnd-y)
	}
	for i := range xEnd - x {
		if !sameOp(a, b, x+i, y+i) {
			return fmt.Sprintf("operation %d is %s and %s", i, a.Words(x+i), b.Words(y+i))
		}
	}
	return ""
}

func sameOp(a, b *History, o, p Op) bool {
	if a.Kind(o) != b.Kind(p) || a.Known(o) != b.Known(p) {
		return false
	}
	switch a.Kind(o) {
	case ReadList, ReadSet, ReadRange:
		return a.Words(o) == b.Words(p)
	}
	v, w := a.Version(o), b.Version(p)
	return a.KeyName(a.Key(o)) == b.KeyName(b.Key(p)) && a.ValueName(a.Value(o)) == b.ValueName(b.Value(p)) &&
		a.ValueName(v) == b.ValueName(w) && (v == NoValue) == (w == NoValue)
}

// diffStamps compares which transactions precede which, whatever the stamps, and
// the clock times.
func diffStamps(a, b *History) string {
	n := a.NumTxns()
	for t := range Txn(n) {
		s1, e1 := a.Clock(t)
		s2, e2 := b.Clock(t)
		if s1 != s2 || e1 != e2 {
			return fmt.Sprintf("transaction %d at %d–%d and %d–%d", t, s1, e1, s2, e2)
		}
	}
	// What precedes a transaction in a is the beginning of this list, up to a
	// place: then in b all of these have to end before it, and no others.
	byEnd := make([]Txn, n)
	for t := range byEnd {
		byEnd[t] = Txn(t)
	}
	slices.SortFunc(byEnd, func(t, u Txn) int { return cmp.Or(cmp.Compare(a.End(t), a.End(u)), cmp.Compare(t, u)) })
	last := make([]int64, n+1)  // of the ends in b of the first ones
	first := make([]int64, n+1) // of the ends in b of the others
	last[0], first[n] = math.MinInt64, math.MaxInt64
	for i, t := range byEnd {
		last[i+1] = max(last[i], b.End(t))
	}
	for i := n - 1; i >= 0; i-- {
		first[i] = min(first[i+1], b.End(byEnd[i]))
	}
	for t := range Txn(n) {
		i, _ := slices.BinarySearchFunc(byEnd, a.Begin(t), func(u Txn, begin int64) int { return cmp.Compare(a.End(u), begin) })
		if i > 0 && last[i] >= b.Begin(t) || first[i] < b.Begin(t) {
			return fmt.Sprintf("other transactions precede transaction %d", t)
		}
	}
	return ""
}

func words(h *History, t Txn) []string {
	var out []string
	for o, end := h.Ops(t); o < end; o++ {
		out = append(out, h.Words(o))
	}
	return out
}

// Words prints an operation: "read x = 1", "append l 3", "read-list l = [1 2]".
func (h *History) Words(o Op) string {
	var b strings.Builder
	kind := h.Kind(o)
	b.WriteString(kind.String())
	if k := h.Key(o); k >= 0 && h.KeyName(k).Kind != NilName {
		fmt.Fprintf(&b, " %s", quote(h.KeyName(k)))
	}
	switch {
	case !h.Known(o):
		b.WriteString(" = ?")
	case kind == ReadList || kind == ReadSet:
		var elements []string
		for _, v := range h.List(o) {
			elements = append(elements, quote(h.ValueName(v)))
		}
		if kind == ReadSet {
			slices.Sort(elements)
			fmt.Fprintf(&b, " = {%s}", strings.Join(elements, " "))
		} else {
			fmt.Fprintf(&b, " = [%s]", strings.Join(elements, " "))
		}
	case kind == ReadRange:
		r := h.Range(o)
		fmt.Fprintf(&b, " %s–%s =", quote(h.ValueName(r.Low)), quote(h.ValueName(r.High)))
		for i, k := range r.LiveKeys {
			fmt.Fprintf(&b, " %s:%s", quote(h.KeyName(k)), quote(h.ValueName(r.LiveValues[i])))
		}
		b.WriteString(" dead")
		for i, k := range r.DeadKeys {
			fmt.Fprintf(&b, " %s:%s", quote(h.KeyName(k)), quote(h.ValueName(r.DeadRows[i])))
		}
	case kind.Reads():
		fmt.Fprintf(&b, " = %s", quote(h.ValueName(h.Value(o))))
	default:
		fmt.Fprintf(&b, " %s", quote(h.ValueName(h.Value(o))))
	}
	switch v := h.Version(o); v {
	case NoValue:
	case Initial:
		b.WriteString(" @initial")
	default:
		fmt.Fprintf(&b, " @%s", quote(h.ValueName(v)))
	}
	return b.String()
}

// quote prints a name so that no two print alike.
func quote(n Name) string {
	switch n.Kind {
	case StringName:
		return fmt.Sprintf("%q", n.Text)
	case TextName:
		return "#" + n.Text
	default:
		return n.String()
	}
}
