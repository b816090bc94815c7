package judge

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/history/codec"
	"github.com/txrobust/robust/isolation"
)

// litText is a history in the words of a format.
type litText struct {
	format codec.Format
	text   string
	// untimed: the format has no times.
	untimed bool
}

// texts writes a history in the formats that can say all of it.
func (h *litHistory) texts(style int) []litText {
	out := []litText{{format: codec.EDN, text: litEDN.events(h)}, {format: codec.JepsenLog, text: litLog(h, "\t")}, {format: codec.JepsenLog, text: litLog(h, "  ")}}
	if h.types[0] == 'p' { // logs have no keys
		out = out[:1]
	}
	if !strings.ContainsAny(string(h.types), "s") { // a set is a list there
		out = append(out, litText{format: codec.ElleJSON, text: litJSON.events(h)})
	}
	if !h.certain() {
		return out
	}
	if h.registers() {
		for _, f := range []codec.Format{codec.DbcopJSON, litYAML, codec.DbcopText} {
			out = append(out, litText{f, litDbcop(h, f), true})
		}
		out = append(out, litText{codec.Plume, litPlume(h), true})
	}
	aborts := slices.ContainsFunc(h.txns, func(t *litTxn) bool { return t.outcome == litFail })
	if !aborts && strings.Trim(string(h.types), "wa") == "" {
		out = append(out, litText{format: codec.Chronos, text: litChronos(h, style)})
	}
	return out
}

// litTally counts what was compared.
type litTally struct {
	histories, texts, verdicts, accepted, converted int
	unknown                                         map[isolation.Level]int
}

// TestLiteral compares the verdicts about random tiny histories, read in every format that can
// say them and converted to another one, with definitions that share nothing
// with package history and the checkers.
func TestLiteral(t *testing.T) {
	runs := *randomRuns * 10
	t.Logf("%d histories from seed %d", runs, *randomSeed)
	n := litTally{unknown: map[isolation.Level]int{}}
	for seed := *randomSeed; seed < *randomSeed+runs && !t.Failed(); seed++ {
		n.compare(t, seed)
	}
	t.Logf("%d histories, %d texts, %d converted, %d verdicts, %d accept, unknown: %v", n.histories, n.texts, n.converted, n.verdicts, n.accepted, n.unknown)
	if n.accepted < n.verdicts/10 || n.accepted > n.verdicts*9/10 {
		t.Error("hardly any verdict is another one than the others")
	}
}

func (n *litTally) compare(t *testing.T, seed uint64) {
	lit := randomLiteral(seed)
	if !slices.ContainsFunc(lit.txns, func(t *litTxn) bool { return t.outcome != litFail || t.f == "txn" }) {
		return
	}
	n.histories++
	want := map[isolation.Level]bool{}
	for _, l := range isolation.Levels() {
		if lit.defined(l) {
			want[l] = lit.satisfies(l)
		}
	}
	texts := lit.texts(int(seed / 7 % 12))
	if len(texts) > 2 { // EDN, and another one
		texts = []litText{texts[0], texts[1+seed%uint64(len(texts)-1)]}
	}
	for i, text := range texts {
		n.texts++
		name := fmt.Sprintf("seed %d, %s:\n%s", seed, text.format, text.text)
		h, _, err := codec.Decode(t.Context(), strings.NewReader(text.text), "h", codec.Options{Format: text.format})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		n.verdictsOf(t, name, h, want, text.untimed, seed%16 == 0)
		if i == 0 {
			n.convert(t, name, h, want, seed)
		}
	}
}

// convert writes a history in a format, and compares the verdicts about what is read back.
func (n *litTally) convert(t *testing.T, name string, h *history.History, want map[isolation.Level]bool, seed uint64) {
	names := codec.Names(true)
	f := codec.Format(names[seed%uint64(len(names))])
	doubts, err := f.Doubts(t.Context(), h)
	if err != nil || len(doubts) > 0 {
		return
	}
	path := filepath.Join(t.TempDir(), "converted")
	if _, err := codec.Save(t.Context(), path, h, f); err != nil {
		t.Fatalf("%s in %s: %v", name, f, err)
	}
	back, _, err := codec.Read(t.Context(), []string{path}, codec.Options{Format: f})
	if err != nil {
		t.Fatalf("%s in %s: %v", name, f, err)
	}
	n.converted++
	n.verdictsOf(t, fmt.Sprintf("%s\nconverted to %s", name, f), back, want, back.Order() == history.NoOrder && h.Order() == history.NoOrder, false)
}

func (n *litTally) verdictsOf(t *testing.T, name string, h *history.History, want map[isolation.Level]bool, untimed, cross bool) {
	t.Helper()
	r := judged(t, h, Options{Cross: cross})
	consistent(t, name, r)
	for _, j := range r.Judgements {
		if j.Verdict == isolation.Unknown {
			n.unknown[j.Level]++
			continue
		}
		n.verdicts++
		if j.Verdict == isolation.Accept {
			n.accepted++
		}
		l := j.Level
		if untimed {
			l = timeless(l)
		}
		if w, ok := want[l]; ok && w != (j.Verdict == isolation.Accept) {
			t.Errorf("%s\n%s is %s by %s (%s), want satisfied %t", name, j.Level, j.Verdict, j.Checker, j.Why, w)
		}
	}
}
