package view

import (
	_ "embed"
	"io"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker/explain"
	"github.com/txrobust/robust/internal/page"
	"github.com/txrobust/robust/internal/quote"
)

var (
	//go:embed body.html
	body string
	//go:embed style.css
	style string
	//go:embed script.js
	script string
)

// drawing is what the script draws.
type drawing struct {
	Levels    []pageLevel   `json:"levels"`
	Lanes     []string      `json:"lanes"`
	Txns      []pageTxn     `json:"txns"`
	Reads     []pageEdge    `json:"reads"`
	Anomalies []pageAnomaly `json:"anomalies"`
	Left      int           `json:"left"` // transactions that are not drawn
}

type pageLevel struct {
	Name    string `json:"name"`
	Long    string `json:"long"`
	Verdict string `json:"verdict"`
	Why     string `json:"why"`
}

type pageTxn struct {
	Txn
	Lane   int `json:"lane"`
	Column int `json:"column"`
	// Keys are those of the operations, empty for ranges.
	Keys []string `json:"keys"`
	// Skipped is how many transactions of the session before it are not drawn.
	Skipped int `json:"skipped"`
}

type pageAnomaly struct {
	Name     string     `json:"name"`
	What     string     `json:"what"`
	Names    string     `json:"names"`
	Violates []string   `json:"violates"`
	Txns     []int      `json:"txns"`
	Keys     []string   `json:"keys"`
	Edges    []pageEdge `json:"edges"`
	Text     []string   `json:"text"`
	// Missing are transactions of it that are not drawn.
	Missing int `json:"missing"`
}

// pageEdge leads from one transaction of drawing.Txns to another.
type pageEdge struct {
	From    int    `json:"from"`
	To      int    `json:"to"`
	Type    string `json:"type"` // empty: they have to do with each other
	Key     string `json:"key"`
	Why     string `json:"why"`
	Because bool   `json:"because"` // only what an edge was concluded from
}

// HTML writes a report as a page of its own, without links.
func HTML(w io.Writer, rep *Report) error {
	return page.Write(w, page.Page{
		Title: rep.History, Body: page.All(rep.header(), page.HTML(body), rep.footer()), Style: style, Script: script, Data: rep.drawing(),
		Without: "The drawing needs JavaScript. robust history check -format text says the same in words.",
	})
}

// header says what was read, and which levels hold.
func (rep *Report) header() page.HTML {
	size := []page.HTML{"not read"}
	if s := rep.Stats; rep.h != nil {
		size = page.Each([]string{number(s.Transactions, "transaction"), number(s.Sessions, "session"), number(s.Operations, "operation"), number(s.Keys, "key")}, page.Text)
	}
	strong := func(class string, levels page.HTML) page.HTML {
		return page.Element("strong", page.Attrs{"class", class}, levels)
	}
	levels := page.All("strongest level that holds: ", strong("accept", page.Text(orNone(rep.StrongestLevels))))
	if len(rep.WeakestViolated) > 0 {
		levels += page.All(";\n  weakest level violated: ", strong("reject", page.Between(", ", page.Each(rep.WeakestViolated, page.Text))))
	}
	return page.Element("header", nil,
		page.Element("h1", nil, page.Text(rep.History)),
		page.Element("p", page.Attrs{"class", "size"}, page.Between(" · ", size)),
		page.Element("p", nil, levels),
		page.All(page.Each(rep.Disagreements, func(fault string) page.HTML {
			return page.Element("p", page.Attrs{"class", "fault"}, page.Text("fault: "+fault))
		})...),
		page.Element("ul", page.Attrs{"id", "levels", "aria-label", "isolation levels"}))
}

// footer has the notes, if there are any.
func (rep *Report) footer() page.HTML {
	if len(rep.Notes) == 0 {
		return ""
	}
	return page.Element("footer", nil, page.Each(rep.Notes, func(note string) page.HTML { return page.Element("p", nil, page.Text(note)) })...)
}

// drawing collects what is drawn.
func (rep *Report) drawing() *drawing {
	p := &drawing{Levels: []pageLevel{}, Lanes: []string{}, Txns: []pageTxn{}, Reads: []pageEdge{}, Anomalies: []pageAnomaly{}}
	for _, j := range rep.r.Judgements {
		p.Levels = append(p.Levels, pageLevel{j.Level.String(), j.Level.Long(), j.Verdict.String(), j.Why})
	}
	if rep.h == nil {
		return p
	}
	txns, left := chosen(rep.h, rep.r.Anomalies)
	p.Left = left
	reads := readsAmong(rep.h, txns)
	at := p.place(rep.h, txns, columns(rep.h, txns, reads))
	for _, r := range reads {
		p.Reads = append(p.Reads, pageEdge{From: at[r.from], To: at[r.to], Type: "WR", Key: quote.Line(explain.KeyName(rep.h, r.key))})
	}
	named := map[string]int{}
	for t, i := range at {
		named[txnName(rep.h, t)] = i
	}
	for i := range rep.Anomalies {
		p.Anomalies = append(p.Anomalies, rep.pageAnomaly(i, named))
	}
	return p
}

// place makes a lane of every session with something to draw, and gives the index of
// each transaction in p.Txns.
func (p *drawing) place(h *history.History, txns []history.Txn, columns []int) map[history.Txn]int {
	at := map[history.Txn]int{}
	session := history.Session(-2)
	for i, t := range txns {
		x := pageTxn{Txn: describe(h, t), Column: columns[i], Keys: []string{}}
		first, _ := h.Ops(t)
		for n := range x.Operations {
			key := ""
			if k := h.Key(first + history.Op(n)); k >= 0 {
				key = quote.Line(explain.KeyName(h, k))
			}
			x.Keys = append(x.Keys, key)
		}
		if s := h.SessionOf(t); s != session {
			name := "initial"
			if t != history.InitialTxn {
				name = "session " + quote.Line(explain.SessionName(h, s))
				first, _ := h.Txns(s)
				x.Skipped = int(t - first)
			}
			p.Lanes = append(p.Lanes, name)
			session = s
		} else {
			x.Skipped = int(t-txns[i-1]) - 1
		}
		x.Lane = len(p.Lanes) - 1
		at[t] = len(p.Txns)
		p.Txns = append(p.Txns, x)
	}
	return at
}

// pageAnomaly is what the page shows of an anomaly.
func (rep *Report) pageAnomaly(i int, named map[string]int) pageAnomaly {
	a := &rep.Anomalies[i]
	out := pageAnomaly{Name: a.Name, What: a.What, Names: a.otherNames(), Violates: a.Violates, Txns: []int{}, Keys: a.Keys, Edges: []pageEdge{}, Text: sentences(rep.h, rep.r.Anomalies[i])}
	for _, name := range a.Txns {
		if n, ok := named[name]; ok {
			out.Txns = append(out.Txns, n)
		} else {
			out.Missing++
		}
	}
	var add func(es []Edge, because bool)
	add = func(es []Edge, because bool) {
		for _, e := range es {
			from, ok := named[e.From]
			to, ok2 := named[e.To]
			if ok && ok2 {
				out.Edges = append(out.Edges, pageEdge{from, to, e.Type, e.Key, e.Explanation, because})
			}
			add(e.Because, true)
		}
	}
	add(a.Edges, false)
	if len(a.Edges) == 0 {
		add(rep.between(&rep.r.Anomalies[i]), false)
	}
	return out
}
