package compare

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
)

// Values of the model that stand for values that are not known there: FRESH ones,
// which the interpreter draws from fresh up, and results of opaque functions,
// which are drawn from marked up. Texts have a word instead.
//
// Times are whole days from markedDay up, far from those of any application.
const (
	fresh      = ir.FirstFresh
	marked     = 1 << 50
	day        = 24 * 60 * 60 * 1_000_000
	markedDay  = day << 23
	freshWord  = "fresh"
	markedWord = "\x01opaque"
	freshUUID  = "00000000-0000-4000-8000-01"
)

// marker gives the results of opaque functions: a mark for each function and its
// arguments.
type marker struct {
	marks map[string]int
	used  bool
}

func (m *marker) apply(c *ir.Call, args []ir.Value, v ir.Value) ir.Value {
	m.used = true
	term := c.Name + " " + c.Type.String()
	parts := make([]string, len(args))
	for i, a := range args {
		parts[i] = a.String()
	}
	if c.Symmetric() {
		slices.Sort(parts)
	}
	term += strings.Join(parts, ",")
	n, ok := m.marks[term]
	if !ok {
		n = len(m.marks)
		m.marks[term] = n
	}
	switch c.Type.Kind {
	case ir.KindInt:
		return ir.Int(marked + int64(n))
	case ir.KindNum:
		return ir.Int(marked + int64(n)).Convert(c.Type)
	case ir.KindTime:
		return ir.Time(markedDay + day*int64(n))
	case ir.KindBool, ir.KindArray:
		return v
	}
	return ir.Value{Kind: c.Type.Kind, S: fmt.Sprintf("%s%d", markedWord, n)}
}

// unknown reports whether a value stands for one that the model does not know,
// or is made of such a one.
func unknown(v ir.Value) (is, bijective bool) {
	switch v.Kind {
	case ir.KindInt:
		return v.I >= fresh/2 || -v.I >= fresh/2, v.I >= fresh && v.I < fresh+1<<30
	case ir.KindTime:
		return v.I >= markedDay/2 && v.I < markedDay*2, false
	case ir.KindNum:
		return v.Rat().Num().CmpAbs(big.NewInt(fresh/2)) >= 0 && v.Rat().IsInt(), false
	case ir.KindText, ir.KindOpaque, ir.KindArray:
		if strings.HasPrefix(v.S, freshUUID) {
			return true, true
		}
		if strings.Contains(v.S, markedWord) || strings.Contains(v.S, "10995116") || strings.Contains(v.S, "11258999") {
			return true, strings.HasPrefix(v.S, freshWord)
		}
	}
	return false, false
}

// bindings are the values of the server that unknown values of the model stand
// for.
type bindings struct {
	to   map[ir.Value]string
	back map[string]ir.Value
}

func newBindings() *bindings {
	return &bindings{to: map[ir.Value]string{}, back: map[string]ir.Value{}}
}

func (b *bindings) clone() *bindings { return &bindings{maps.Clone(b.to), maps.Clone(b.back)} }

// cell reports whether a value of the model may be what the server has. undo takes
// back what it has bound.
func (b *bindings) cell(v ir.Value, text *string, d ir.Domain) (ok bool, undo func()) {
	none := func() {}
	if text == nil || v.IsNull() {
		if v.IsNull() {
			return text == nil, none
		}
		is, _ := unknown(v)
		return is && !strings.HasPrefix(v.S, freshWord), none // an opaque function may give NULL
	}
	is, bijective := unknown(v)
	if !is {
		return same(v, *text, d), none
	}
	if old, bound := b.to[v]; bound {
		return old == *text, none
	}
	if bijective {
		if _, taken := b.back[*text]; taken {
			return false, none
		}
		b.back[*text] = v
	}
	b.to[v] = *text
	return true, func() {
		delete(b.to, v)
		if bijective {
			delete(b.back, *text)
		}
	}
}

// same reports whether a known value of the model is what the server prints for a value
// of a domain, which is nil where it is not known.
func same(v ir.Value, text string, d ir.Domain) bool {
	if d == nil {
		if v.Kind == ir.KindArray {
			return sameArray(v, text)
		}
		w, ok := read(&text, ir.Type{Kind: v.Kind})
		if !ok && v.Kind == ir.KindInt { // one of several numbers, of which others have digits after the point
			w, ok = read(&text, ir.NumType)
			return ok && ir.Compare(w, v) == 0
		}
		return ok && w == v
	}
	w, ok := d.Read(text)
	if ok && w.Kind == ir.KindText && v.Kind == ir.KindText && w != v { // texts of equal numbers are equal: a premise of sqlmodel
		x, okX := new(big.Rat).SetString(v.S)
		y, okY := new(big.Rat).SetString(w.S)
		return okX && okY && x.Cmp(y) == 0
	}
	numbers := func(k ir.Kind) bool { return k == ir.KindInt || k == ir.KindNum }
	return ok && (w == v || numbers(w.Kind) && numbers(v.Kind) && ir.Compare(w, v) == 0)
}

// sameArray compares an array, whose value does not tell the type of its elements.
func sameArray(v ir.Value, text string) bool {
	w, ok := readArray(text, ir.TextType)
	if !ok {
		return false
	}
	a, b := v.Elems(ir.KindText), w.Elems(ir.KindText)
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		x, okX := new(big.Rat).SetString(a[i].S)
		y, okY := new(big.Rat).SetString(b[i].S)
		same := a[i] == b[i] || okX && okY && x.Cmp(y) == 0 || a[i].S == "true" && b[i].S == "t" || a[i].S == "false" && b[i].S == "f"
		if !same {
			return false
		}
	}
	return true
}

func (b *bindings) row(row []ir.Value, r record) (ok bool, undo func()) {
	var undos []func()
	undo = func() {
		for _, u := range undos {
			u()
		}
	}
	if len(row) != len(r.texts) {
		return false, undo
	}
	for i, v := range row {
		ok, u := b.cell(v, r.texts[i], r.types[i])
		undos = append(undos, u)
		if !ok {
			return false, undo
		}
	}
	return true, undo
}

// bag is rows of the model and of the server that must be the same, in some order.
type bag struct {
	model  [][]ir.Value
	server []record
	// any is how many rows of the server may be anything.
	any int
}

// match reports whether all bags are the same, with one meaning of the unknown
// values. budget bounds the work.
func (b *bindings) match(bags []bag, budget *int) bool {
	if *budget--; *budget < 0 {
		return false
	}
	if len(bags) == 0 {
		return true
	}
	first, rest := bags[0], bags[1:]
	if len(first.model)+first.any != len(first.server) {
		return false
	}
	if len(first.model) == 0 {
		return b.match(rest, budget)
	}
	at := 0 // a row that is known if there is one: it has one place
	for i, row := range first.model {
		if !slices.ContainsFunc(row, func(v ir.Value) bool { is, _ := unknown(v); return is }) {
			at = i
			break
		}
	}
	row := first.model[at]
	exact := !slices.ContainsFunc(row, func(v ir.Value) bool { is, _ := unknown(v); return is })
	for i, texts := range first.server {
		ok, undo := b.row(row, texts)
		if ok {
			left := bag{without(first.model, at), without(first.server, i), first.any}
			if b.match(append([]bag{left}, rest...), budget) {
				return true
			}
		}
		undo()
		if ok && exact {
			return false
		}
	}
	return false
}

func without[T any](list []T, i int) []T {
	return append(slices.Clone(list[:i]), list[i+1:]...)
}

// emitted is what a run gives to its client.
func emitted(run *interp.Run) [][]ir.Value {
	var out [][]ir.Value
	for _, step := range run.Steps {
		out = append(out, step.Emitted...)
	}
	return out
}
