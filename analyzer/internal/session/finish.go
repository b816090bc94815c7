package session

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/client/simplify"
	"github.com/txrobust/robust/ir"
)

// EachQuery calls f for what is sent to the database.
func EachQuery(list []client.Stmt, f func(client.Stmt)) {
	client.Walk(list, func(s client.Stmt) {
		switch s.(type) {
		case *client.Query, *client.ForRows, *client.Unknown:
			f(s)
		default: // it stays in the program
		}
	})
}

// FinishTxn completes what was written.
func (in *Session) FinishTxn(t *client.Txn) {
	in.RowLoops(t)
	in.chooseTexts(t)
	havocAtBegin(t)
	in.endings(t)
	in.showResults(t)
	in.showAtCommit(t)
	simplify.Abandoned(t, in.mayEnd)
	simplify.Elements(t, in.Lost)
	simplify.Txn(t, func(base string) string { return in.Temp(base, client.Int, false) })
}

// RowLoops makes loops over the rows of queries of those that call Next.
func (in *Session) RowLoops(t *client.Txn) {
	t.Body = client.Rewrite(t.Body, func(list []client.Stmt) []client.Stmt {
		for i, s := range list {
			if l, ok := s.(*client.Loop); ok && in.RowsLoops[l] != nil {
				r := in.RowsLoops[l]
				r.Query.At.Pos = r.Pos
				list[i] = &client.ForRows{At: client.At{Pos: r.Pos}, Label: l.Label, Query: r.Query, Body: l.Body}
			}
		}
		return list
	})
}

// alternative is a text that is one of several.
type alternative struct {
	text  client.Expr
	texts []string
}

// chooseTexts makes of a statement that may have several texts a choice of
// statements, or of loops over their rows.
func (in *Session) chooseTexts(t *client.Txn) {
	t.Body = client.Rewrite(t.Body, func(list []client.Stmt) []client.Stmt {
		var out []client.Stmt
		for _, s := range list {
			switch q := s.(type) {
			case *client.Query:
				if a := in.alternatives[q]; a.texts != nil {
					out = append(out, in.chooseText(t, q.At, a, func(text string) client.Stmt { return withText(q, text) })...)
					continue
				}
			case *client.ForRows:
				if a := in.alternatives[q.Query]; a.texts != nil && len(a.texts) <= maxLoopTexts {
					out = append(out, in.chooseText(t, q.At, a, func(text string) client.Stmt {
						return &client.ForRows{At: q.At, Label: q.Label, Query: withText(q.Query, text), Body: client.Clone(q.Body)}
					})...)
					continue
				}
			default: // it has no text
			}
			out = append(out, s)
		}
		return out
	})
}

// maxLoopTexts bounds the texts of a query with a loop over its rows: each has one of
// its own.
const maxLoopTexts = 4

// withText gives a copy of a query with another text.
func withText(q *client.Query, text string) *client.Query {
	out := client.CloneQuery(q)
	out.SQL = text
	return out
}

// chooseText makes a choice of one statement: by its text, or, if a part of that is
// not known, one that may depend on all that the text depends on.
func (in *Session) chooseText(t *client.Txn, at client.At, a alternative, with func(text string) client.Stmt) []client.Stmt {
	var before, choice []client.Stmt
	is := func(i int) client.Expr { return memory.Op("==", a.text, client.C(ir.Text(a.texts[i]))) }
	if slices.ContainsFunc(a.texts, func(s string) bool { return strings.Contains(s, client.Hole) }) {
		v := in.Temp("text", client.Int, false)
		t.Vars = append(t.Vars, client.Var{Name: v, Kind: client.Int})
		before = []client.Stmt{&client.Emit{At: at, Exprs: []client.Expr{a.text}}, &client.Havoc{At: at, Var: v}}
		is = func(i int) client.Expr { return memory.Op("==", client.V(v), memory.ConstInt(int64(i))) }
	}
	for i, text := range slices.Backward(a.texts) {
		one := with(text)
		if choice == nil {
			choice = []client.Stmt{one}
			continue
		}
		choice = []client.Stmt{&client.If{At: at, Cond: is(i), Then: []client.Stmt{one}, Else: choice}}
	}
	return append(before, choice...)
}

// endings makes a commit of each end of a transaction that was never seen to
// commit.
func (in *Session) endings(t *client.Txn) {
	commits := false
	client.Walk(t.Body, func(s client.Stmt) {
		_, is := s.(*client.Commit)
		commits = commits || is
	})
	if commits {
		return
	}
	t.Body = client.Rewrite(t.Body, func(list []client.Stmt) []client.Stmt {
		for i, s := range list {
			if r, ok := s.(*client.Rollback); ok {
				list[i] = cmp.Or(in.unkept[r], &client.Commit{At: r.At})
			}
		}
		return list
	})
	maps.Copy(in.Shown, in.Unkept)
	in.Result.Notes = append(in.Result.Notes, ir.Note{Pos: t.Pos, Text: "no commit of this transaction was found: it is taken to commit wherever it ends"})
}

// havocAtBegin makes the variables unknown that a loop around the begin changes:
// only one of its rounds is the transaction.
func havocAtBegin(t *client.Txn) {
	var around []*client.Loop
	var visit func(list []client.Stmt) []client.Stmt
	visit = func(list []client.Stmt) []client.Stmt {
		var out []client.Stmt
		for _, s := range list {
			switch s := s.(type) {
			case *client.If:
				s.Then, s.Else = visit(s.Then), visit(s.Else)
			case *client.Loop:
				around = append(around, s)
				s.Body = visit(s.Body)
				around = around[:len(around)-1]
			case *client.ForRows:
				s.Body = visit(s.Body)
			case *client.Block:
				if s.Label == beginLabel {
					if len(around) > 0 {
						for _, v := range client.Assigned(around[0].Body) {
							out = append(out, &client.Havoc{At: s.At, Var: v})
						}
					}
					continue
				}
				s.Body = visit(s.Body)
			default: // it has no statements in it
			}
			out = append(out, s)
		}
		return out
	}
	t.Body = visit(t.Body)
}

// showAtCommit observes at the commit what the program looks at later.
func (in *Session) showAtCommit(t *client.Txn) {
	for more := true; more; {
		more = false
		client.Walk(t.Body, func(s client.Stmt) {
			a, ok := s.(*client.Assign)
			if !ok || !in.Shown[a.Var] {
				return
			}
			client.EachVar(a.Expr, func(name string) {
				if !in.Shown[name] {
					in.Shown[name], more = true, true
				}
			})
		})
	}
	var exprs []client.Expr
	for _, v := range t.Vars {
		if in.Shown[v.Name] {
			exprs = append(exprs, client.V(v.Name))
		}
	}
	if len(exprs) == 0 {
		return
	}
	t.Body = client.Rewrite(t.Body, func(list []client.Stmt) []client.Stmt {
		for i, s := range list {
			if c, ok := s.(*client.Commit); ok {
				return slices.Insert(list, i, client.Stmt(&client.Emit{At: c.At, Exprs: slices.Clone(exprs)}))
			}
		}
		return list
	})
}
