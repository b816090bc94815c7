package demo

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/ansi"
	"github.com/txrobust/robust/internal/levels"
	"github.com/txrobust/robust/internal/replay"
	"github.com/txrobust/robust/internal/witness"
)

// wide is the least width of a terminal in which each session has a pane of its own.
const wide = 100

// Live plays the execution of a scene on a server, then at SERIALIZABLE, and at last
// compares all of it, serial orders included, with what was told.
func (p *Performance) Live(ctx context.Context, stage Stage, server *replay.Server) error {
	plan := p.found.witness.Plan
	if plan.NotRun != "" {
		return fmt.Errorf("-live: no client can run this scene: %s", plan.NotRun)
	}
	t := &teller{Stage: stage, ctx: ctx}
	for _, level := range []levels.Level{p.Scene.Level, levels.Serializable} {
		t.heading(fmt.Sprintf("On the server at %s", level))
		final, err := server.Watch(ctx, plan, string(level), p.watcher(t))
		if err != nil {
			return err
		}
		t.heading("The rows in the end, as the server has them")
		for _, table := range final {
			t.table(table.Name, table.Columns, textsOf(table.Rows))
		}
		t.pause()
	}
	r, err := server.Replay(ctx, plan)
	if err != nil {
		return err
	}
	t.print("", "")
	s := capital(r.String()) + "."
	if r.Outcome == witness.AsShown {
		s += fmt.Sprintf(" The server ran %d of %d serial orders: none had this outcome.", r.OrdersTried, r.Orders)
	}
	t.para(ansi.Bold, "", s)
	return t.err
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// watcher shows what sessions of a server send and get: in panes, or one below the other.
func (p *Performance) watcher(t *teller) func(replay.Event) error {
	var labels []string
	for _, x := range p.found.witness.Transactions {
		labels = append(labels, x.Label)
	}
	l := lanes{labels: labels, single: true, width: width - gutter - 4}
	if t.Width >= wide {
		l = newLanes(labels, t.Width)
	}
	t.heads(&l, p.who())
	n := 0
	last := ""
	return func(e replay.Event) error {
		switch e.Kind {
		case replay.Sends:
			if n > 0 {
				t.pause()
			}
			n++
			last = e.Transaction
			t.said(&l, n, e.Transaction, strings.TrimSuffix(strings.TrimSpace(e.SQL), ";")+";")
		case replay.Waits:
			t.said(&l, 0, e.Transaction, "-> waits for another session")
		case replay.Answers:
			who := "-> "
			if e.Transaction != last { // it had to wait
				who = "-> " + e.Transaction + ": "
			}
			for _, a := range serverAnswer(e) {
				t.said(&l, 0, e.Transaction, who+a)
			}
		}
		return t.err
	}
}

// serverAnswer is an answer of a server in lines.
func serverAnswer(e replay.Event) []string {
	if e.Message != "" {
		return []string{strings.TrimSpace("ERROR " + e.Code + ": " + e.Message)}
	}
	if len(e.Rows) > 0 && len(e.Columns) > 0 {
		var out []string
		for _, row := range textsOf(e.Rows) {
			var cells []string
			for i, c := range row {
				cells = append(cells, e.Columns[i]+" = "+c)
			}
			out = append(out, strings.Join(cells, ", "))
		}
		return out
	}
	if e.Count >= 0 {
		return []string{counted(e.Count)}
	}
	return nil
}

// textsOf writes rows of a server, sorted: a table has no order.
func textsOf(rows [][]*string) [][]string {
	out := [][]string{}
	for _, r := range rows {
		var row []string
		for _, c := range r {
			if c == nil {
				row = append(row, "NULL")
			} else {
				row = append(row, *c)
			}
		}
		out = append(out, row)
	}
	slices.SortFunc(out, slices.Compare)
	return out
}
