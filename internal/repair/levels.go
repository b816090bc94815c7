package repair

import (
	"fmt"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/gosource"
	"github.com/txrobust/robust/report"
)

// level is an isolation level to which a transaction may be raised: as -level, SQL and Go call it.
type level struct {
	sql    string
	golang gosource.Level
}

var levelNames = map[string]level{
	"rr":           {"REPEATABLE READ", gosource.RepeatableRead},
	"serializable": {"SERIALIZABLE", gosource.Serializable},
}

// levels runs transactions of the finding at a higher level: each alone, and all of them.
func (m *maker) levels(list []string, inSource bool) {
	var cycle []string
	for _, e := range m.f.Edges {
		for _, name := range []string{e.FromName, e.ToName} {
			if t := m.prog.Txn(name); t != nil && !slices.Contains(cycle, name) {
				cycle = append(cycle, name)
			}
		}
	}
	slices.Sort(cycle)
	sets := [][]string{cycle}
	if len(cycle) > 1 {
		for _, name := range cycle {
			sets = append(sets, []string{name})
		}
	}
	for i, name := range list {
		for _, set := range sets {
			m.raise(set, name, (costLevel+i)*len(set), inSource)
		}
	}
}

// raise runs some transactions at a level.
func (m *maker) raise(set []string, name string, cost int, inSource bool) {
	l := levelNames[name]
	c := Change{Kind: Level, Blocks: []string{}, cost: cost, Levels: map[string]string{}, levels: map[string]string{},
		Text: fmt.Sprintf("%s %s at %s, and whoever runs %s tries again after SQLSTATE 40001", strings.Join(set, " and "), plural(set, "runs", "run"), l.sql, plural(set, "it", "them"))}
	var outside []string
	for _, txn := range set {
		pos := m.prog.Txn(txn).Pos
		at := report.Position{File: pos.File, Line: pos.Line, Col: pos.Col}
		if c.Position.File == "" {
			c.Position = at
		}
		c.Levels[txn] = name
		edits, ok := []Edit(nil), false
		if inSource {
			edits, ok = m.begin(txn, at, l)
		}
		switch {
		case ok:
			c.edits = append(c.edits, edits...)
			c.statements++
		case m.ed.client != nil && inSource:
			return
		default:
			c.levels[txn] = name
			outside = append(outside, txn)
		}
	}
	if len(outside) > 0 {
		c.Text += fmt.Sprintf("; where %s %s called says so (BEGIN ISOLATION LEVEL %s), and robust check is told by", strings.Join(outside, " and "), plural(outside, "is", "are"), l.sql)
		for _, txn := range outside {
			c.Text += fmt.Sprintf(" -level %s=%s", txn, name)
		}
	}
	m.out = append(m.out, c)
}

func plural(list []string, one, more string) string {
	if len(list) == 1 {
		return one
	}
	return more
}

// begin gives the edits by which the source begins a transaction at a level.
func (m *maker) begin(txn string, at report.Position, l level) (out []Edit, ok bool) {
	var list []Edit
	if m.ed.client == nil {
		list, ok = m.beginSQL(at, l)
	} else {
		auto := false
		for _, t := range m.ed.client {
			if t.Name == txn {
				auto = t.Auto
				list, ok = m.ed.golang.Raise(gosource.Position{File: t.Pos.File, Line: t.Pos.Line, Col: t.Pos.Col}, l.golang)
			}
		}
		if !ok && !auto {
			m.notes = append(m.notes, fmt.Sprintf("%s:%d:%d: the level of %s is not changed, since it does not begin here in a form that is known: it is the isolation level in the options of its transaction", at.File, at.Line, at.Col, txn))
		}
	}
	if out = m.backAll(list); out == nil {
		return nil, false
	}
	return out, ok
}

// beginSQL raises a transaction of a script, which begins with BEGIN or START TRANSACTION without a level.
func (m *maker) beginSQL(at report.Position, l level) ([]Edit, bool) {
	s := m.ed.statement(at)
	if s == nil {
		return nil, false
	}
	if w := s.toks[0].Text; w != "begin" && w != "start" || s.says("isolation") {
		return nil, false
	}
	end := s.toks[0].End
	if len(s.toks) > 1 && slices.Contains([]string{"transaction", "work"}, s.toks[1].Text) {
		end = s.toks[1].End
	}
	return []Edit{{File: s.file, At: end, End: end, Text: " ISOLATION LEVEL " + l.sql}}, true
}
