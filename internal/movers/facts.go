package movers

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/txrobust/robust/internal/cache"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/irwords"
	"github.com/txrobust/robust/internal/prepare"
	"github.com/txrobust/robust/internal/smt"
	"github.com/txrobust/robust/internal/symbolic"
)

// induct finds inductive facts by guess and check (Houdini): of the facts
// guessed from the program's text, it drops those that some transaction can break while
// all that are left hold, and repeats. The program's own invariants take part;
// one of them that is dropped is an error.
//
// It also says why every template keeps every invariant and fact.
//
// A fact holds in every state that serial executions reach from a state in
// which it holds. That it holds initially is an assumption, or checked by the
// caller.
func induct(ctx context.Context, p *ir.Program, opt Options, lanes []*lane, guessed []*ir.Invariant) ([]*ir.Invariant, []Kept, error) {
	var guesses []*ir.Invariant
	for _, g := range guessed {
		if opt.Initially == nil || opt.Initially(g) {
			guesses = append(guesses, g)
		}
	}
	stated := p.Invariants
	known := map[keeping]answer{}
	var mu sync.Mutex // for Progress
	for {
		q := withFacts(p, guesses)
		all := q.Invariants
		if len(all) == 0 {
			return nil, nil, nil
		}
		// Each template and fact is a question. A template that breaks a fact
		// spares the rest for it.
		answers := make([][]answer, len(all))
		m := lanes[0].recall(opt, lanes[0].code(q), fmt.Sprint("keeps ", len(stated)))
		parallel(ctx, len(all), lanes, func(ctx context.Context, i int, l *lane) {
			if opt.Progress != nil {
				mu.Lock()
				opt.Progress(i, len(all), "a fact about all rows")
				mu.Unlock()
			}
			for _, t := range p.Txns {
				if ctx.Err() != nil {
					return
				}
				a, ok := known[keeping{t, all[i]}]
				switch {
				case !mayBreak(t, all[i]):
				case !ok:
					key := cache.Key(l.template(l.code(q), t), text(all[i]))
					if a, ok = m.get(key, true); !ok {
						a = breaks(ctx, l.code(q), opt, l, t, all[i], len(stated))
						m.put(key, a)
					}
				}
				answers[i] = append(answers[i], a)
				if mayBreak(t, all[i]) && a.res != smt.Unsat {
					return
				}
			}
		})
		m.save()
		if ctx.Err() != nil {
			return nil, nil, nil // the caller sees the context's end
		}
		broken := map[*ir.Invariant]bool{}
		var kept []Kept
		for i, inv := range all {
			for k, a := range answers[i] {
				t := p.Txns[k]
				switch {
				case !mayBreak(t, inv):
					continue
				case a.res == smt.Unsat:
					kept = append(kept, Kept{t, i, a.refuted})
					continue
				}
				broken[inv] = true
				if inv.Pos.IsValid() && i < len(stated) {
					why := "transaction " + t.Name + " can break it"
					if a.res == smt.Unknown {
						why = "whether transaction " + t.Name + " keeps it is not known (" + a.reason + ")"
					}
					return nil, nil, ir.Errorf(inv.Pos, "the stated invariant is not inductive: %s; strengthen it or take it out", why)
				}
			}
		}
		if len(broken) == 0 {
			return guesses, kept, nil
		}
		known = map[keeping]answer{}
		guesses = slices.DeleteFunc(guesses, func(g *ir.Invariant) bool { return broken[g] })
		if len(guesses)+len(stated) == len(all) {
			// Only a stated invariant without a position was broken.
			return nil, nil, fmt.Errorf("a stated invariant is not inductive: %s", all[0].Expr.String())
		}
		if !opt.Scripts && !opt.Explain { // these number the facts of a round
			known = stillKept(all, kept, broken)
		}
	}
}

// keeping is the question whether a template keeps a fact.
type keeping struct {
	txn  *ir.Txn
	fact *ir.Invariant
}

// stillKept gives what was found out without the use of a broken fact, for the
// facts that are left.
func stillKept(all []*ir.Invariant, kept []Kept, broken map[*ir.Invariant]bool) map[keeping]answer {
	number := map[int]int{} // new ones by old ones
	for i, inv := range all {
		if !broken[inv] {
			number[i] = len(number)
		}
	}
	out := map[keeping]answer{}
	for _, k := range kept {
		r := *k.Refuted
		r.Uses, r.Topics = nil, nil
		for _, u := range k.Refuted.Uses {
			if n, ok := number[u]; ok {
				r.Uses = append(r.Uses, n)
			}
		}
		if len(r.Uses) == len(k.Refuted.Uses) && !broken[all[k.Fact]] {
			out[keeping{k.Txn, all[k.Fact]}] = answer{res: smt.Unsat, refuted: &r}
		}
	}
	return out
}

// mayBreak reports whether a template does something that can make the fact
// false: it inserts into a table that the fact speaks of or sets a column that it
// names. A fact that says nothing about the presence of rows is kept by whoever
// only deletes some, or sets other columns.
func mayBreak(t *ir.Txn, inv *ir.Invariant) bool {
	columns := map[*ir.Table]map[string]bool{} // of the rows that the fact is about
	wanted := map[*ir.Table]bool{}             // rows may have to be there, or not
	for _, src := range inv.From {
		columns[src.Table] = map[string]bool{}
	}
	ir.WalkExpr(inv.Expr, func(e ir.Expr) {
		switch e := e.(type) {
		case *ir.Col:
			for _, named := range columns {
				named[e.Col] = true
			}
		case *ir.Exists:
			for _, src := range e.Query.From {
				wanted[src.Table] = true
			}
		}
	})
	sets := func(table *ir.Table, cols []int) bool {
		return wanted[table] || slices.ContainsFunc(cols, func(c int) bool { return columns[table][table.Columns[c].Name] })
	}
	found := false
	ir.Walk(t.Body, func(s ir.Stmt) {
		switch s := s.(type) {
		case *ir.Insert:
			found = found || wanted[s.Table] || columns[s.Table] != nil
		case *ir.Update:
			var cols []int
			for _, set := range s.Sets {
				cols = append(cols, set.Col)
			}
			found = found || sets(s.Table, cols)
		case *ir.Delete:
			found = found || wanted[s.Table]
		case *ir.Cascade:
			found = found || sets(s.Table, s.ForeignKey().Columns)
		case *ir.CopyTable:
			found = found || wanted[s.Dst] || columns[s.Dst] != nil
		case *ir.Unmodelled:
			found = found || !s.ReadOnly && (s.Tables == nil || slices.ContainsFunc(s.Tables, func(u *ir.Table) bool { return wanted[u] || columns[u] != nil }))
		}
	})
	return found
}

// guessTerms bounds the terms of a question about a guess, of which there are
// many; those that are stated are worth more.
const guessTerms = 20000

// breaks asks whether the transaction, run alone on a state with all
// invariants, can leave one without this one.
func breaks(ctx context.Context, code *prepare.Code, opt Options, l *lane, t *ir.Txn, inv *ir.Invariant, stated int) answer {
	defer l.forget()
	w := symbolic.NewWorld(code, smt.NewBuilder(), opt.Engine)
	var terms []*smt.Term
	if stopped := w.Within(ctx, opt.maxSteps, func() { terms = breaking(w, t, inv) }); stopped != "" {
		return answer{reason: stopped}
	}
	w.Record = opt.Scripts
	if !inv.Pos.IsValid() {
		w.MaxTerms = guessTerms
	}
	if w.B.And(terms...).IsFalse() {
		return answer{res: smt.Unsat, refuted: &Refutation{Syntactic: true, WithFacts: true}}
	}
	a := w.Ask(ctx, l.solver(), terms...)
	out := answer{res: a.Result, reason: a.Reason}
	if a.Result == smt.Unsat {
		out.refuted = refutation(ctx, l.solver(), opt, &a, stated, true)
	}
	return out
}

// breaking gives the terms of the question of breaks.
func breaking(w *symbolic.World, t *ir.Txn, inv *ir.Invariant) []*smt.Term {
	s := w.Base("s")
	in := w.NewInstance(t, "t")
	w.Unused(s, in)
	run := in.Run(s)
	return []*smt.Term{run.Feasible(), w.Violated(run.Post, inv)}
}

// guess makes candidate facts.
func guess(p *ir.Program) []*ir.Invariant { return append(counters(p), signs(p)...) }

// counters guesses that numbers drawn from a counter lie below it.
func counters(p *ir.Program) []*ir.Invariant {
	var out []*ir.Invariant
	for _, t := range p.Txns {
		out = append(out, drawnBelow(t)...)
	}
	return distinct(out)
}

// signs guesses that numbers are not negative, where the program names no negative ones.
func signs(p *ir.Program) []*ir.Invariant {
	var out []*ir.Invariant
	named := belowZero(p)
	for _, t := range p.Tables {
		for i, c := range t.Columns {
			if c.Type.Kind == ir.KindInt && c.Name != "rowid" && !named[numbered{t, i}] {
				out = append(out, &ir.Invariant{From: []ir.Source{{Table: t, Row: t.Name}},
					Expr: ir.Op(ir.Ge, &ir.Col{Row: t.Name, Col: c.Name}, ir.C(ir.Int(0)))})
			}
		}
	}
	return distinct(out)
}

// distinct gives one of each fact, sorted by its text.
func distinct(list []*ir.Invariant) []*ir.Invariant {
	found := map[string]*ir.Invariant{}
	for _, inv := range list {
		key := inv.Expr.String()
		if found[key] == nil {
			found[key] = inv
		}
	}
	var out []*ir.Invariant
	for _, k := range slices.Sorted(maps.Keys(found)) {
		out = append(out, found[k])
	}
	return out
}

// drawn is a local that was read from a column of one row, found by its key.
type drawn struct {
	table *ir.Table
	col   int
	key   map[int]string // key column -> the text of the value asked for
}

// drawnBelow guesses, for a transaction that reads a number from a row and
// inserts it elsewhere, that the numbers inserted are less than the counter:
// for all rows t, d with matching keys, t.c < d.n.
func drawnBelow(txn *ir.Txn) []*ir.Invariant {
	from := map[string]drawn{}
	var out []*ir.Invariant
	ir.Walk(txn.Body, func(s ir.Stmt) {
		switch s := s.(type) {
		case *ir.Select:
			if len(s.Query.From) != 1 || len(s.Aggs) > 0 {
				return
			}
			src := s.Query.From[0]
			key := keyTexts(src, s.Query.Where)
			if key == nil {
				return
			}
			for i, e := range s.Cols {
				if c, ok := e.(*ir.Col); ok {
					from[s.Into[i]] = drawn{src.Table, src.Table.Column(c.Col), key}
				}
			}
		case *ir.Assign:
			if v, ok := s.Expr.(*ir.Var); ok {
				if d, ok := from[v.Name]; ok {
					from[s.Var] = d
				}
			}
		case *ir.Insert:
			texts := map[string]int{} // value -> column
			for i, e := range s.Values {
				texts[e.String()] = s.Cols[i]
			}
			for i, e := range s.Values {
				v, ok := e.(*ir.Var)
				if !ok {
					continue
				}
				d, ok := from[v.Name]
				if !ok || d.table == s.Table || !s.Table.Columns[s.Cols[i]].Type.Accepts(d.table.Columns[d.col].Type) {
					continue
				}
				if inv := below(s.Table, s.Cols[i], d, texts); inv != nil {
					out = append(out, inv)
				}
			}
		}
	})
	return out
}

// keyTexts gives the value asked for every key column of the row, or nil.
func keyTexts(src ir.Source, where ir.Expr) map[int]string {
	key := map[int]string{}
	for _, cond := range ir.Conjuncts(where) {
		b, ok := cond.(*ir.Binary)
		if !ok || b.Op != ir.Eq {
			continue
		}
		for _, side := range [][2]ir.Expr{{b.X, b.Y}, {b.Y, b.X}} {
			if c, ok := side[0].(*ir.Col); ok && c.Row == src.Row {
				key[src.Table.Column(c.Col)] = side[1].String()
			}
		}
	}
	for _, k := range src.Table.Key {
		if key[k] == "" {
			return nil
		}
	}
	return key
}

// below makes the guess, if the inserted row names the counter's key.
func below(t *ir.Table, c int, d drawn, texts map[string]int) *ir.Invariant {
	row, counter := t.Name, d.table.Name
	var differ ir.Expr
	for _, k := range d.table.Key {
		col, ok := texts[d.key[k]]
		if !ok {
			return nil
		}
		differ = ir.OrE(differ, ir.Op(ir.Ne, &ir.Col{Row: row, Col: t.Columns[col].Name}, &ir.Col{Row: counter, Col: d.table.Columns[k].Name}))
	}
	less := ir.Op(ir.Lt, &ir.Col{Row: row, Col: t.Columns[c].Name}, &ir.Col{Row: counter, Col: d.table.Columns[d.col].Name})
	return &ir.Invariant{From: []ir.Source{{Table: t, Row: row}, {Table: d.table, Row: counter}}, Expr: ir.OrE(differ, less)}
}

// FactString prints a fact for reports.
func FactString(inv *ir.Invariant) string {
	var rows []string
	for _, s := range inv.From {
		row := irwords.Ident(s.Row)
		if s.Row != s.Table.Name {
			row = irwords.Ident(s.Table.Name) + " " + row
		}
		rows = append(rows, row)
	}
	return "for all rows of " + strings.Join(rows, ", ") + ": " + inv.Expr.String()
}
