package outside_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/txrobust/robust/checker/judge"
	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/history/codec"
	"github.com/txrobust/robust/internal/checker/historytest"
	"github.com/txrobust/robust/internal/checker/simdb"
	"github.com/txrobust/robust/internal/checker/view"
	"github.com/txrobust/robust/isolation"
)

// page is a page about a history.
type page struct {
	name string
	html []byte
	data *shown
}

// shown is what a page says that it shows.
type shown struct {
	Levels, Lanes, Reads []any
	Txns                 []struct {
		Name       string
		Lane       int
		Operations []string
	}
	Anomalies []struct {
		Txns  []int
		Text  []string
		Edges []struct {
			From, To int
			Type     string
			Because  bool
		}
	}
}

var pageData = regexp.MustCompile(`(?s)<script type="application/json" id="data">(.*?)</script>`)

// manySessions is a history of 200 sessions. Those numbered 7 and 181 lose an update.
func manySessions() string {
	var b strings.Builder
	for s := range 200 {
		key, value := fmt.Sprint("k", s), s
		if s == 7 || s == 181 {
			key = "x"
		}
		fmt.Fprintf(&b, "{:type :ok, :process %d, :value [[:r %s nil] [:w %[2]s %d]]}\n", s, key, value+1)
	}
	return b.String()
}

// pages are pages of all kinds.
func pages(t *testing.T) []page {
	t.Helper()
	var out []page
	add := func(name string, rep *view.Report) {
		var b bytes.Buffer
		if err := view.HTML(&b, rep); err != nil {
			t.Fatal(err)
		}
		p := page{name, b.Bytes(), &shown{}}
		m := pageData.FindSubmatch(p.html)
		if m == nil {
			t.Fatalf("%s: the page has no data", name)
		}
		if err := json.Unmarshal(m[1], p.data); err != nil {
			t.Fatal(err)
		}
		out = append(out, p)
	}
	judged := func(name, title, format string, h *history.History) {
		r, err := judge.Check(t.Context(), h, judge.Options{})
		if err != nil {
			t.Fatal(err)
		}
		add(name, view.New(title, format, h, 0, r))
	}
	for _, f := range historytest.Files(t, "../checker/view/testdata/*.history") {
		judged(f.Name, f.Name, string(f.Format), f.History)
	}
	judged("hostile", historytest.Evil, "edn", historytest.Hostile(t))
	judged("large", "large", "compact", simdb.Generate(simdb.Options{Seed: 7, Level: isolation.CC, Sessions: 12, Txns: 600, Ops: 60, Keys: 200, Reads: 0.5, Faults: 0.0005}))
	h, _, err := codec.Decode(t.Context(), strings.NewReader(manySessions()), "many.edn", codec.Options{Format: codec.EDN})
	if err != nil {
		t.Fatal(err)
	}
	judged("many", "many", "edn", h)
	add("unread", view.New("unread", "", nil, 0, judge.Unknown(nil, "The time ran out.")))
	return out
}
