package check

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/txrobust/robust/internal/findings"
	"github.com/txrobust/robust/internal/levels"
	"github.com/txrobust/robust/internal/movers"
	"github.com/txrobust/robust/internal/proof"
	"github.com/txrobust/robust/internal/smt"
	"github.com/txrobust/robust/internal/symbolic"
	"github.com/txrobust/robust/internal/walk"
	"github.com/txrobust/robust/report"
)

// explain completes the report with an explanation and the graph, where these
// were asked for.
func (c *check) explain() {
	if c.opt.Explain {
		c.rep.Explanation = c.explanation()
	}
	if c.opt.Graph {
		c.rep.Graph = c.graph()
	}
}

func (c *check) explanation() *report.Explanation {
	e := &report.Explanation{Refuted: []report.RefutedPiece{}, NeverDelayed: []report.Because{}, Facts: []report.NeededFact{}, Walks: []report.SearchedWalk{}, Settle: []string{}, Pairs: []report.PairGroup{}, Advice: []report.Advice{}}
	switch r := c.tried.result; {
	case c.rep.Verdict != report.Robust && atCommitted(c.rep):
		e.Summary = "At READ COMMITTED there is no graph: pairs of transactions are searched for an execution in which one runs between two commands of the other"
	case levels.Model(c.opt.Isolation) != "":
		e.Summary = map[report.Verdict]string{
			report.Robust:    "The proof, or the interpretation of all executions, decided",
			report.NotRobust: "The execution was found by going through all that small sets of transactions may see of each other",
			report.Unknown:   "Neither the proof nor the search decided",
		}[c.rep.Verdict]
	case c.rep.Verdict == report.Robust && (r == nil || r.Evidence == nil):
		e.Summary = "Nothing had to be proved for all sessions: " + strings.TrimPrefix(c.rep.Proof.Method, "certificate: ")
	case c.rep.Verdict == report.Robust && r.Certificate != "":
		e.Summary = "No question had to be asked: " + r.Certificate
	case c.rep.Verdict == report.Robust:
		c.explainProof(e, r)
	case c.rep.Verdict == report.NotRobust && r == nil:
		e.Summary = "The execution was found by going through all executions, without a walk to search"
	default:
		e.Summary = "No proof excludes the walks below, which were searched for an execution"
		walks := c.tried.walks
		if c.rep.Verdict == report.NotRobust {
			e.Summary = "The execution was found on one of the walks below, from the snapshot of the first transaction to its commit"
		}
		if len(walks) == 0 {
			e.Summary = "No walk was looked at to its end"
		}
		for _, w := range walks {
			e.Walks = append(e.Walks, c.searched(w))
		}
	}
	if c.rep.Open != nil {
		e.Settle = append(e.Settle, c.rep.Open.Settle...)
	}
	return e
}

// explainProof says what each step of a proof in the graph needs.
func (c *check) explainProof(e *report.Explanation, r *movers.Result) {
	ev := r.Evidence
	graph := ev.Graph()
	for _, v := range ev.Steady {
		e.NeverDelayed = append(e.NeverDelayed, report.Because{Transaction: graph[v].Name, Text: "reads only rows that it writes, or what nobody writes, so that it may as well begin when it commits"})
	}
	uses := map[int][]string{}
	keeps := map[int][]string{}
	solver := 0
	var asked []movers.Asked
	for _, a := range ev.Asked {
		if !a.Needed {
			continue
		}
		asked = append(asked, a)
		p := report.RefutedPiece{Question: a.Words(graph), Text: c.sentence(a.Question, ev), By: proof.BySyntax, Needs: []string{}}
		if !a.Refuted.Syntactic {
			p.By = proof.BySolver
			solver++
			p.Needs = append(p.Needs, c.needs(a.Refuted, ev, r.Mode, graph[a.Delayed].Name)...)
		}
		for _, f := range a.Refuted.Uses {
			uses[f] = append(uses[f], p.Question)
		}
		e.Refuted = append(e.Refuted, p)
	}
	for _, k := range ev.Kept {
		keeps[k.Fact] = append(keeps[k.Fact], k.Txn.Name)
		for _, f := range k.Refuted.Uses {
			if f != k.Fact {
				uses[f] = append(uses[f], k.Txn.Name+" keeps: "+movers.FactString(ev.Facts[k.Fact].Invariant))
			}
		}
	}
	for i, f := range ev.Facts {
		if f.Needed {
			e.Facts = append(e.Facts, report.NeededFact{Text: movers.FactString(f.Invariant), Stated: f.Stated, For: append([]string{}, uses[i]...), Keeps: append([]string{}, keeps[i]...)})
		}
	}
	e.Pairs = c.pairGroups(r, e.Refuted, asked)
	e.Summary = fmt.Sprintf("Every walk from the snapshot of a transaction to its commit contains one of the pieces below, which are impossible: %d by the solver, %d as they are built", solver, len(e.Refuted)-solver)
}

// sentence says what is impossible.
func (c *check) sentence(q proof.Question, ev *movers.Evidence) string {
	name := func(v int) string { return ev.Vertices[v].Name }
	d := name(q.Delayed)
	var list []string
	for _, e := range q.Elements {
		n := name(e.Vertex)
		if e.Kind == proof.Issued {
			n += " (still running)"
		}
		list = append(list, n)
	}
	common := func(a, b int) string {
		if len(findings.Meetings(c.p, ev.Vertices[a].Txn, ev.Vertices[b].Txn)) == 0 {
			return ": they touch nothing in common"
		}
		return ""
	}
	switch n := len(q.Elements); {
	case n == 0:
		if !ev.Writes(q.Delayed) {
			return d + " writes nothing, so that it may as well begin when it commits"
		}
		return d + " would do the same if it began when it commits, whoever committed in between"
	case n == 1 && q.First && q.Last:
		return list[0] + " alone cannot hold " + d + ": it moves out of the window of " + d + " on one side" + common(q.Elements[0].Vertex, q.Delayed)
	case n == 1 && q.First:
		return d + " does the same after " + list[0] + " as before it" + common(q.Elements[0].Vertex, q.Delayed)
	case n == 1:
		return list[0] + " can come after the commit of " + d + ", which does not need it" + common(q.Elements[0].Vertex, q.Delayed)
	case n == 2 && !q.First && !q.Last:
		return list[0] + " and then " + list[1] + " can be swapped in the window of " + d + common(q.Elements[0].Vertex, q.Elements[1].Vertex)
	}
	where := "in the window of " + d
	if q.First {
		where += ", right after its snapshot"
	}
	if q.Last {
		where += ", right before its commit"
	}
	return strings.Join(list, ", then ") + " do not hold each other " + where
}

// needs puts the topics of a refutation in words.
func (c *check) needs(r *movers.Refutation, ev *movers.Evidence, mode symbolic.Granularity, delayed string) []string {
	var out []string
	for _, t := range r.Topics {
		switch t {
		case symbolic.TopicWindow:
			out = append(out, fmt.Sprintf("what %s writes or locks stays as in its snapshot: who writes the same %s is excluded", delayed, exclusion(mode)))
		case movers.TopicExclusion:
			out = append(out, "the database excludes transactions in each other's windows that write the same "+exclusion(mode))
		case symbolic.TopicConstant:
			out = append(out, "columns, rows and tables that no template changes stay as in the snapshot")
		case symbolic.TopicFresh:
			out = append(out, "fresh values have not been used before")
		case movers.TopicAgree:
			out = append(out, "each transaction does the same wherever it is moved")
		case movers.TopicCommit:
			out = append(out, "the keys and references with which "+delayed+" commits")
		default:
			if table, ok := strings.CutPrefix(t, symbolic.TopicTable); ok {
				out = append(out, "keys, references and checks of "+table)
			}
			if k, ok := strings.CutPrefix(t, symbolic.TopicInvariant); ok {
				if i, err := strconv.Atoi(k); err == nil && i < len(ev.Facts) {
					out = append(out, "the fact "+movers.FactString(ev.Facts[i].Invariant))
				}
			}
		}
	}
	slices.Sort(out)
	return out
}

// searched says what is known of a walk.
func (c *check) searched(w *walk.Walk) report.SearchedWalk {
	out := report.SearchedWalk{Transactions: []string{}, Text: w.String() + ": possible, as far as the solver can tell", Example: append([]string{}, w.Example...), Unmodelled: []report.Havoc{}}
	if w.Unknown != "" {
		out.Text = w.String() + ": not known to be possible: " + w.Unknown
	}
	for _, t := range w.Templates() {
		out.Transactions = append(out.Transactions, t.Name)
	}
	for _, h := range c.rep.Havocs {
		if slices.Contains(out.Transactions, h.Transaction) {
			out.Unmodelled = append(out.Unmodelled, h)
		}
	}
	return out
}

// graph gives the dependency graph, with what is known of its edges.
func (c *check) graph() *report.Graph {
	g := &report.Graph{Edges: findings.Dependencies(c.p)}
	notes := map[string]string{}
	if r := c.tried.result; r != nil && r.Evidence != nil && (c.levels == nil || c.rep.Verdict == report.Robust) {
		c.excluded(g, r.Evidence, notes)
	}
	for _, t := range c.p.Txns {
		g.Nodes = append(g.Nodes, report.Node{Name: t.Name, File: t.Pos.File, Line: t.Pos.Line, Note: notes[t.Name]})
	}
	g.Mark(c.rep.Findings, c.rep.Open)
	return g
}

// excluded finds the RW edges that lead to no transaction which commits before the one
// that has read: the piece of a walk that begins with the edge is refuted for all that
// run the two templates. It notes who is never delayed.
func (c *check) excluded(g *report.Graph, ev *movers.Evidence, notes map[string]string) {
	why := map[[2]int]string{}
	never := map[int]string{}
	for _, v := range ev.Steady {
		never[v] = ev.Vertices[v].Name + " reads only rows that it writes, or what nobody writes"
	}
	for _, a := range ev.Asked {
		switch {
		case a.Result != smt.Unsat:
		case len(a.Elements) == 0:
			never[a.Delayed] = c.sentence(a.Question, ev)
		case len(a.Elements) == 1 && a.First && !a.Last:
			why[[2]int{a.Delayed, a.Elements[0].Vertex}] = c.sentence(a.Question, ev)
		}
	}
	of := map[string][]int{}
	for v := range ev.Vertices {
		of[ev.Vertices[v].Txn.Name] = append(of[ev.Vertices[v].Txn.Name], v)
	}
	for name, all := range of {
		if !slices.ContainsFunc(all, func(v int) bool { return never[v] == "" }) {
			notes[name] = "never delayed"
		}
	}
	for i := range g.Edges {
		e := &g.Edges[i]
		if e.Type != "RW" || len(of[e.From]) == 0 || len(of[e.To]) == 0 {
			continue
		}
		excluded := ""
		for _, v := range of[e.From] {
			for _, w := range of[e.To] {
				if excluded = cmp.Or(never[v], why[[2]int{v, w}]); excluded == "" {
					break
				}
			}
			if excluded == "" {
				break
			}
		}
		e.Vulnerable, e.Why = excluded == "", excluded
	}
}

// helpersFlag is the flag of the search for an execution.
const helpersFlag = "-helpers"

// largerBound is a bound that may have kept a check from a verdict.
type largerBound struct {
	flag, text string
	set        func(*Options)
}

// larger gives larger bounds in place of those that ran out.
func (c *check) larger() []largerBound {
	o := c.opt
	out := []largerBound{{helpersFlag, fmt.Sprintf("a search with more transactions (%s %d)", helpersFlag, o.Helpers+2), func(n *Options) { n.Helpers = o.Helpers + 2 }}}
	for _, b := range []movers.Bound{movers.BoundWindow, movers.BoundQuestions, movers.BoundSolver} {
		if !slices.Contains(c.tried.bounds, b) {
			continue
		}
		switch b {
		case movers.BoundWindow:
			out = append(out, largerBound{"-window", fmt.Sprintf("questions about more transactions of a walk at once (-window %d)", o.Window+2), func(n *Options) { n.Window = o.Window + 2 }})
		case movers.BoundQuestions:
			out = append(out, largerBound{"-questions", fmt.Sprintf("more questions about each transaction (-questions %d)", 4*o.Questions), func(n *Options) { n.Questions = 4 * o.Questions }})
		case movers.BoundSolver:
			more := fmt.Sprintf("-query-limit %d", 4*o.QueryLimit)
			if o.QueryTimeout > 0 {
				more += fmt.Sprintf(", -query-timeout %v", 4*o.QueryTimeout)
			}
			out = append(out, largerBound{"-query-limit", "more effort of the solver for each question (" + more + ")", func(n *Options) {
				n.QueryLimit, n.QueryTimeout = 4*o.QueryLimit, 4*o.QueryTimeout
			}})
		}
	}
	return out
}
