package elle

import (
	"fmt"
	"slices"
	"strings"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker/anomalies"
	"github.com/txrobust/robust/internal/checker/explain"
	"github.com/txrobust/robust/isolation"
)

// maxShown bounds how many operations of a transaction an explanation shows.
const maxShown = 24

// cycle reports a cycle with an explanation of each of its edges.
func (a *analysis) cycle(k isolation.Anomaly, hops []hop) {
	an := Anomaly{Kind: k, Form: k, Read: -1, Key: -1}
	for _, s := range hops {
		an.Txns = append(an.Txns, history.Txn(s.node))
		an.Steps = append(an.Steps, Step{Kind: s.kind.dependency(), Key: -1, Read: -1})
	}
	an.Form = a.form(&an)
	if !a.wants(k) && !a.wants(an.Form) {
		return
	}
	a.count[k]++
	a.forms[an.Form] = true
	if a.count[k] > a.o.Instances {
		return
	}
	names := map[history.Txn]string{}
	for _, t := range an.Txns {
		names[t] = explain.TxnName(a.h, t)
	}
	var text strings.Builder
	text.WriteString("Let:\n")
	for _, t := range an.Txns {
		fmt.Fprintf(&text, "  %s = %s\n", names[t], a.full(t))
	}
	text.WriteString("Then:\n")
	for i, s := range hops {
		t, u := an.Txns[i], an.Txns[(i+1)%len(hops)]
		step := &an.Steps[i]
		a.why(step, t, u, s.kind, names)
		if i+1 < len(hops) {
			fmt.Fprintf(&text, "  - %s < %s, because %s.\n", names[t], names[u], step.Why)
		} else {
			fmt.Fprintf(&text, "  - However, %s < %s, because %s: a contradiction!", names[t], names[u], step.Why)
		}
	}
	an.Text = text.String()
	a.anomalies = append(a.anomalies, an)
}

// form gives the special case that a cycle is.
func (a *analysis) form(an *Anomaly) isolation.Anomaly {
	var kinds []isolation.Dependency
	for _, s := range an.Steps {
		kinds = append(kinds, s.Kind)
	}
	switch {
	case explain.HasForm(kinds, anomalies.WriteSkew):
		// Each overwrote what the other read. If that was one key, it is
		// rather a lost update.
		k, ok := a.overwrites(an.Txns[0], an.Txns[1])
		l, ok2 := a.overwrites(an.Txns[1], an.Txns[0])
		if ok && ok2 && k != l {
			return anomalies.WriteSkew
		}
	case explain.HasForm(kinds, anomalies.LongFork):
		return anomalies.LongFork
	}
	return an.Kind
}

// overwrites gives the first key that t read and u overwrote.
func (a *analysis) overwrites(t, u history.Txn) (history.Key, bool) {
	r, _, ok := a.antidependency(t, u)
	if !ok {
		return 0, false
	}
	return a.h.Key(r), true
}

// why explains an edge. Any pair of operations that shows it will do; the first
// is taken.
func (a *analysis) why(s *Step, t, u history.Txn, kind edges, names map[history.Txn]string) {
	h, nt, nu := a.h, names[t], names[u]
	say := func(format string, args ...any) { s.Why = fmt.Sprintf(format, args...) }
	switch kind {
	case so:
		say("process %s executed %s before %s", a.session(t), nt, nu)
		return
	case rt:
		say("%s ended before %s began", nt, nu)
		return
	case ww, based:
		w, x, ok := a.overwrite(t, u)
		if !ok {
			break
		}
		s.Key = h.Key(w)
		k, v, later := a.key(s.Key), a.value(w), a.value(x)
		switch {
		case h.Kind(w) != history.Append:
			say("%s wrote %s to key %s after %s was done with %s, and keys are said to be linearizable", nu, later, k, nt, v)
		case a.lists.place[x] > 0:
			s.Read = a.lists.longest[s.Key]
			say("%s appended %s after %s appended %s to key %s", nu, later, nt, v, k)
		case kind == ww:
			s.Read = a.lists.longest[s.Key]
			say("%s appended %s after %s appended %s to key %s: reads of %s do not show %s before it", nu, later, nt, v, k, v, later)
		default:
			say("%s appended %s after %s appended %s to key %s, for nothing came between what %s read of it and its append", nu, later, nt, v, k, nt)
		}
		return
	case wr:
		w, r, ok := a.dependency(t, u)
		if !ok {
			break
		}
		s.Key, s.Read = h.Key(w), r
		k, v := a.key(s.Key), a.value(w)
		switch h.Kind(w) {
		case history.Append, history.Add:
			say("%s observed %s's %s of %s to key %s", nu, nt, h.Kind(w), v, k)
		default:
			say("%s read key %s = %s, which %s wrote", nu, k, v, nt)
		}
		return
	case rw, missed:
		r, w, ok := a.antidependency(t, u)
		if !ok {
			break
		}
		s.Key, s.Read = h.Key(w), r
		k, v := a.key(s.Key), a.value(w)
		switch h.Kind(w) {
		case history.Append, history.Add:
			say("%s did not observe %s's %s of %s to key %s", nt, nu, h.Kind(w), v, k)
		case history.ReadCounter:
			say("%s read the counter %s as %s, %s as %s, and it only goes that way", nt, k, a.value(r), nu, v)
		default:
			if ws := a.readSources(r, s.Key); h.TxnOf(ws[0]) != history.InitialTxn {
				say("%s read key %s = %s, which %s overwrote with %s", nt, k, a.value(ws[0]), nu, v)
			} else {
				say("%s read the initial version of key %s, which %s overwrote with %s", nt, k, nu, v)
			}
		}
		return
	}
	panic(fmt.Sprintf("elle: no reason for the edge %s from transaction %d to %d", kind.dependency(), t, u))
}

// overwrite finds a write of t and one of u of a later version of the same key.
func (a *analysis) overwrite(t, u history.Txn) (w, x history.Op, ok bool) {
	h := a.h
	return a.pairOf(t, u, func(w, x history.Op) bool {
		if h.Type(h.Key(w)) == history.Register {
			// The transaction may have read or written the first version.
			ws := []history.Op{w}
			if h.Kind(w).Reads() {
				ws = a.readSources(w, h.Key(x))
			}
			return len(ws) == 1 && slices.ContainsFunc(a.regs.next(ws[0]), func(p pair) bool { return p.linear && p.after == x })
		}
		if h.Kind(w) != history.Append || h.Kind(x) != history.Append {
			return false
		}
		p, q := a.lists.place[w], a.lists.place[x]
		return p > 0 && q > p || q == 0 && p >= 0
	})
}

// dependency finds a write of t that a read of u shows.
func (a *analysis) dependency(t, u history.Txn) (w, r history.Op, ok bool) {
	h := a.h
	first, end := h.Ops(u)
	for r := first; r < end; r++ {
		if !a.says(r) {
			continue
		}
		var sources [][]history.Op
		switch h.Kind(r) {
		case history.Read:
			sources = append(sources, a.of(r))
		case history.ReadList, history.ReadSet:
			for i := range h.List(r) {
				sources = append(sources, a.element(r, i))
			}
			slices.Reverse(sources) // the last element is of the version that was read
		case history.ReadRange:
			g := h.Range(r)
			for i := range len(g.LiveKeys) + len(g.DeadKeys) {
				sources = append(sources, a.row(r, i))
			}
		}
		for _, ws := range sources {
			if len(ws) == 1 && h.TxnOf(ws[0]) == t {
				return ws[0], r, true
			}
		}
	}
	return 0, 0, false
}

// antidependency finds a read of t and a write of u of a later version of the
// key; or, of counters, two reads.
func (a *analysis) antidependency(t, u history.Txn) (r, w history.Op, ok bool) {
	h := a.h
	return a.pairOf(t, u, func(r, w history.Op) bool {
		if !a.says(r) {
			return false
		}
		switch h.Kind(r) {
		case history.ReadList:
			n, ok := a.trustedRead(r)
			if h.Kind(w) != history.Append || !ok {
				return false
			}
			p := a.lists.place[w]
			return p == 0 || int(p) > n
		case history.ReadSet:
			if h.Kind(w) != history.Add {
				return false
			}
			for _, v := range h.List(r) {
				if v == h.Value(w) {
					return false
				}
			}
			return true
		case history.ReadCounter:
			return h.Kind(w) == history.ReadCounter && a.says(w) && h.Value(r) != h.Value(w)
		}
		if !h.Kind(w).Writes() {
			return false
		}
		ws := a.readSources(r, h.Key(w))
		if len(ws) != 1 {
			return false
		}
		return slices.Contains(a.laterVersions(ws[0]), w)
	})
}

// readSources gives where a read of a register or a range has its version of a
// key from.
func (a *analysis) readSources(r history.Op, k history.Key) []history.Op {
	h := a.h
	switch h.Kind(r) {
	case history.Read:
		return a.of(r)
	case history.ReadRange:
		g := h.Range(r)
		for i, l := range g.LiveKeys {
			if l == k {
				return a.row(r, i)
			}
		}
		for i, l := range g.DeadKeys {
			if l == k {
				return a.row(r, len(g.LiveKeys)+i)
			}
		}
	}
	return nil
}

// pairOf finds the first operations of t and u on one key that fit.
func (a *analysis) pairOf(t, u history.Txn, fit func(x, y history.Op) bool) (x, y history.Op, ok bool) {
	h := a.h
	ts, te := h.Ops(t)
	us, ue := h.Ops(u)
	for x := ts; x < te; x++ {
		for y := us; y < ue; y++ {
			if (h.Key(x) == h.Key(y) || h.Kind(x) == history.ReadRange) && fit(x, y) {
				return x, y, true
			}
		}
	}
	return 0, 0, false
}

func (a *analysis) key(k history.Key) string {
	if n := a.h.KeyName(k); n.Kind != history.NilName {
		return n.String()
	}
	return "(the only one)"
}

func (a *analysis) name(v history.Value) string { return a.h.ValueName(v).String() }

func (a *analysis) session(t history.Txn) string {
	s := a.h.SessionOf(t)
	if n := a.h.SessionName(s); n.Kind != history.NilName {
		return n.String()
	}
	return fmt.Sprintf("(number %d)", s)
}

// value prints what an operation reads or writes.
func (a *analysis) value(o history.Op) string {
	if h := a.h; h.Kind(o) == history.ReadRange && h.Known(o) {
		return fmt.Sprintf("%d rows", len(h.Range(o).LiveKeys))
	}
	return explain.Value(a.h, o)
}

// functions are what operations are called in the words of Jepsen.
var functions = map[history.Kind]string{
	history.Read: ":r", history.ReadList: ":r", history.ReadSet: ":r", history.ReadCounter: ":r",
	history.Write: ":w", history.Append: ":append", history.Add: ":add", history.Increment: ":inc",
	history.Insert: ":insert", history.Delete: ":delete", history.ReadRange: ":range",
}

// full prints a transaction: where it is, and what it did.
func (a *analysis) full(t history.Txn) string {
	h := a.h
	var b strings.Builder
	if p := h.Locate(h.Place(t)); p != "" {
		fmt.Fprintf(&b, "%s ", p)
	} else if n, ok := h.Number(t); ok {
		fmt.Fprintf(&b, "transaction %d ", n)
	} else {
		fmt.Fprintf(&b, "transaction %d of session %s ", h.Position(t), a.session(t))
	}
	first, end := h.Ops(t)
	b.WriteByte('[')
	for o := first; o < end; o++ {
		if o > first {
			b.WriteByte(' ')
		}
		if o-first == maxShown {
			b.WriteString("…")
			break
		}
		f, ok := functions[h.Kind(o)]
		if !ok {
			panic(fmt.Sprintf("elle: unknown kind of operation %d", h.Kind(o)))
		}
		if h.Key(o) < 0 || h.KeyName(h.Key(o)).Kind == history.NilName {
			fmt.Fprintf(&b, "[%s %s]", f, a.value(o))
			continue
		}
		fmt.Fprintf(&b, "[%s %s %s]", f, h.KeyName(h.Key(o)), a.value(o))
	}
	b.WriteByte(']')
	return b.String()
}
