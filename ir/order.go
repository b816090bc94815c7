package ir

import "strings"

// This file finds which values a program compares by order although transactions
// draw them without regard to commits: those of sequences, and the times at which
// transactions begin. A poller that asks for the rows behind the last one that it
// has seen misses those of a transaction that drew its value early and commits late.

// sourceNode is a place that values flow through: a column or a local.
type sourceNode struct {
	table  *Table
	column int
	txn    *Txn
	local  string
}

// places joins places that may hold the same values (union-find).
type places struct{ up map[sourceNode]sourceNode }

func (f places) root(n sourceNode) sourceNode {
	for {
		m, ok := f.up[n]
		if !ok || m == n {
			return n
		}
		n = m
	}
}

func (f places) join(a, b sourceNode) {
	if a, b = f.root(a), f.root(b); a != b {
		f.up[a] = b
	}
}

// OrderOfDraws tells where a program compares, by order, values of one source that
// transactions draw: those of a sequence, or the times at which they begin. Compared are
// places where both sides come from the database, so that the order of the draws matters
// to the program. Premises are about comparisons where it is taken not to matter: with a
// value that a client gives, which may be the last one that it has seen, and with a
// transaction's own time.
func OrderOfDraws(p *Program) (compared, premises []Note) {
	f := places{map[sourceNode]sourceNode{}}
	for _, t := range p.Txns {
		f.txn(t)
	}
	o := &ordering{f: f, drawn: map[sourceNode]string{}, given: map[sourceNode]bool{}}
	for _, t := range p.Txns {
		each(t, func(h *Havoc) {
			if source := h.Source(); source != "" {
				o.drawn[f.root(sourceNode{txn: t, local: h.Var})] = source
			}
		})
		for _, q := range t.Params {
			o.given[f.root(sourceNode{txn: t, local: q.Name})] = true
		}
	}
	if len(o.drawn) == 0 {
		return nil, nil
	}
	for _, t := range p.Txns {
		o.txn(t)
	}
	return o.compared, o.premises
}

// each calls f for the Havocs of a transaction.
func each(t *Txn, f func(*Havoc)) {
	Walk(t.Body, func(s Stmt) {
		if h, ok := s.(*Havoc); ok {
			f(h)
		}
	})
}

// txn joins what the statements of a transaction assign.
func (f places) txn(t *Txn) {
	local := func(name string) sourceNode { return sourceNode{txn: t, local: name} }
	Walk(t.Body, func(s Stmt) {
		rows := rowsOf(s)
		into := func(to sourceNode, e Expr) {
			for _, n := range carried(t, rows, e) {
				f.join(n, to)
			}
		}
		switch s := s.(type) {
		case *Assign:
			into(local(s.Var), s.Expr)
		case *Select:
			for i, e := range s.Cols {
				if i < len(s.Into) && s.Into[i] != "" {
					into(local(s.Into[i]), e)
				}
			}
			for i, a := range s.Aggs {
				if i < len(s.Into) && s.Into[i] != "" && a.Arg != nil && a.Fn != "count" && a.Fn != "sum" {
					into(local(s.Into[i]), a.Arg)
				}
			}
		case *Foreach:
			for i, e := range s.Cols {
				if i < len(s.Into) && s.Into[i] != "" {
					into(local(s.Into[i]), e)
				}
			}
		case *Insert:
			for i, c := range s.Cols {
				into(sourceNode{table: s.Table, column: c}, s.Values[i])
			}
			if s.Conflict != nil {
				for _, set := range s.Conflict.Sets {
					into(sourceNode{table: s.Table, column: set.Col}, set.Expr)
				}
			}
		case *Update:
			for _, set := range s.Sets {
				into(sourceNode{table: s.Table, column: set.Col}, set.Expr)
			}
		}
	})
}

// rowsOf gives the tables of the row variables of a statement.
func rowsOf(s Stmt) map[string]*Table {
	rows := map[string]*Table{}
	for _, src := range Reads(s) {
		rows[src.Row] = src.Table
	}
	switch s := s.(type) {
	case *Update:
		rows[s.Row] = s.Table
	case *Delete:
		rows[s.Row] = s.Table
	case *Insert:
		if s.Conflict != nil {
			rows[s.Conflict.Row], rows[Excluded] = s.Table, s.Table
		}
	}
	return rows
}

// carried gives the places whose values may be the value of an expression, or close
// to it: a sum with something else is.
func carried(t *Txn, rows map[string]*Table, e Expr) []sourceNode {
	var out []sourceNode
	WalkExpr(e, func(e Expr) {
		switch e := e.(type) {
		case *Var:
			out = append(out, sourceNode{txn: t, local: e.Name})
		case *Col:
			if table := rows[e.Row]; table != nil {
				if c := table.Column(e.Col); c >= 0 {
					out = append(out, sourceNode{table: table, column: c})
				}
			}
		}
	})
	return out
}

// ordering looks for comparisons by order. The keys of its maps are roots.
type ordering struct {
	f                  places
	drawn              map[sourceNode]string // a source whose values get there
	given              map[sourceNode]bool   // a client gives values that get there
	compared, premises []Note
}

// side is what is known of one operand of a comparison.
type side struct {
	at     sourceNode // the root of places whose values are drawn
	source string     // from which, or ""
	given  bool       // a client may give the value
	own    bool       // the transaction draws it itself
	used   bool       // it is no constant
}

func (o *ordering) side(t *Txn, rows map[string]*Table, own map[string]bool, e Expr) side {
	var out side
	for _, n := range carried(t, rows, e) {
		out.used = true
		root := o.f.root(n)
		if s := o.drawn[root]; s != "" {
			out.at, out.source = root, s
		}
		out.own = out.own || n.txn != nil && own[n.local]
		out.given = out.given || o.given[root]
	}
	return out
}

// txn looks at the comparisons of a transaction.
func (o *ordering) txn(t *Txn) {
	own := map[string]bool{} // locals that hold what the transaction draws
	each(t, func(h *Havoc) {
		if h.Source() != "" {
			own[h.Var] = true
		}
	})
	Walk(t.Body, func(s Stmt) {
		rows := rowsOf(s)
		for _, e := range Exprs(s) {
			WalkExpr(e, func(e Expr) {
				if b, ok := e.(*Binary); ok && b.Op >= Lt && b.Op <= Ge {
					x, y := o.side(t, rows, own, b.X), o.side(t, rows, own, b.Y)
					if b.Op == Lt || b.Op == Le { // the larger one first
						x, y = y, x
					}
					o.compare(s.Position(), x, y)
				}
			})
		}
	})
}

// Clock is the source of the times at which transactions begin.
const Clock = "now()"

// NextvalOf is what gives the values of a sequence.
func NextvalOf(sequence string) string { return "nextval(" + sequence + ")" }

// Source is what the value is drawn from, "" if that has no order: values of one source
// grow in the order in which they are drawn, whichever transaction commits first.
func (h *Havoc) Source() string {
	if h.Of == Clock || strings.HasPrefix(h.Of, "nextval(") {
		return h.Of
	}
	return ""
}

// compare looks at larger > smaller.
func (o *ordering) compare(pos Pos, larger, smaller side) {
	source := larger.source
	if source == "" {
		source = smaller.source
	}
	if source == "" || !larger.used || !smaller.used {
		return
	}
	switch {
	case source == Clock && (larger.own || smaller.own):
		add(&o.premises, pos, "what transactions compare with their own now() may be of any order: the times of transactions that run at once are close")
	case larger.source != "" && larger.at == smaller.at:
		add(&o.compared, pos, "values of "+source+" are compared by their order")
	case larger.given || smaller.given:
		add(&o.premises, pos, "no client asks with the last value of "+source+" that it has seen for what came later: it would miss the rows of transactions that drew a value earlier and commit later")
	}
}

// add adds a note with a text that is not yet there.
func add(list *[]Note, pos Pos, text string) {
	for _, n := range *list {
		if n.Text == text {
			return
		}
	}
	*list = append(*list, Note{Pos: pos, Text: text})
}
