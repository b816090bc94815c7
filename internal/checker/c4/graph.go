package c4

import (
	"context"

	"github.com/txrobust/robust/history"
)

// inEdges are edges into transactions, in chunks of one key: a linked list of
// chunks per transaction, which takes 4 bytes an edge and needs no sorting.
type inEdges struct {
	head []int32 // of transactions: where the last chunk is; 0 is none
	data []int32 // of chunks: the next one, the key, the number of edges, where they come from
}

const chunkHead = 3

func newInEdges(txns int) *inEdges {
	return &inEdges{head: make([]int32, txns), data: make([]int32, 1)}
}

// add adds edges to a transaction; all come from writers of one key.
func (e *inEdges) add(to history.Txn, k history.Key, from ...history.Txn) {
	at := int32(len(e.data))
	if at < 0 {
		panic("c4: more than 2³¹ edges")
	}
	e.data = append(e.data, e.head[to], int32(k), int32(len(from)))
	for _, t := range from {
		e.data = append(e.data, int32(t))
	}
	e.head[to] = at
}

// graph is a relation on transactions, by predecessors: session order, WR, and
// edges that were concluded. The initial transaction is left out: it is before
// all.
type graph struct {
	*analysis
	extra []*inEdges
}

// cursor goes over the predecessors of a transaction.
type cursor struct {
	t     history.Txn
	stage int32 // 0 session, 1 reads, 2 + i extra[i]
	pos   int32
	left  int32
}

// label says why there is an edge.
type label struct {
	read int32       // the read of a WR edge, or -1
	key  history.Key // of a concluded edge, or -1
}

// next gives the next predecessor, 0 at the end.
func (g *graph) next(c *cursor) (history.Txn, label) {
	if c.stage == 0 {
		c.stage, c.pos = 1, g.first[c.t]
		if g.h.Position(c.t) > 0 {
			return c.t - 1, label{-1, -1}
		}
	}
	if c.stage == 1 {
		for end := g.first[c.t+1]; c.pos < end; {
			c.pos++
			if p := g.reads[c.pos-1].from; p != history.InitialTxn && !g.cut[c.pos-1] {
				return p, label{c.pos - 1, -1}
			}
		}
		c.stage, c.pos, c.left = 2, 0, 0
		if len(g.extra) > 0 {
			c.pos = g.extra[0].head[c.t]
		}
	}
	for int(c.stage-2) < len(g.extra) {
		// pos is a chunk, left how many of its edges were given.
		e := g.extra[c.stage-2]
		if c.pos == 0 {
			c.stage++
			if int(c.stage-2) < len(g.extra) {
				c.pos, c.left = g.extra[c.stage-2].head[c.t], 0
			}
			continue
		}
		if c.left == e.data[c.pos+2] {
			c.pos, c.left = e.data[c.pos], 0
			continue
		}
		c.left++
		return history.Txn(e.data[c.pos+chunkHead+c.left-1]), label{-1, history.Key(e.data[c.pos+1])}
	}
	return history.InitialTxn, label{-1, -1}
}

// components are the strongly connected components of a graph, with an order
// in which predecessors come first where there is no cycle.
type components struct {
	order []history.Txn
	// of is, for transactions on a cycle, the number of the component from 1;
	// nil if there is no cycle.
	of    []int32
	count int32
}

// same tells whether two transactions are on one cycle.
func (c *components) same(t, u history.Txn) bool {
	return c.of != nil && c.of[t] != 0 && c.of[t] == c.of[u]
}

func (c *components) cyclic() bool { return c.count > 0 }

// components are computed by Tarjan's algorithm, without recursion.
func (g *graph) components(ctx context.Context) (*components, error) {
	n := g.h.NumTxns()
	out := &components{order: make([]history.Txn, 0, n-1)}
	index := make([]int32, n) // 0 is not visited yet
	low := make([]int32, n)
	const done = 1 << 30 // low of those whose component is complete
	var stack []history.Txn
	var frames []cursor
	number := int32(0)
	visit := func(t history.Txn) {
		number++
		index[t], low[t] = number, number
		stack = append(stack, t)
		frames = append(frames, cursor{t: t})
	}
	for root := history.Txn(1); int(root) < n; root++ {
		if index[root] != 0 {
			continue
		}
		if root&0xffff == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		visit(root)
		for len(frames) > 0 {
			c := &frames[len(frames)-1]
			t := c.t
			if p, _ := g.next(c); p != history.InitialTxn {
				if index[p] == 0 {
					visit(p)
				} else if low[p] < done {
					low[t] = min(low[t], index[p])
				}
				continue
			}
			frames = frames[:len(frames)-1]
			if len(frames) > 0 {
				up := frames[len(frames)-1].t
				low[up] = min(low[up], low[t])
			}
			out.order = append(out.order, t)
			if low[t] != index[t] {
				continue
			}
			top := len(stack) - 1
			if stack[top] != t {
				out.count++
				if out.of == nil {
					out.of = make([]int32, n)
				}
			}
			for alone := stack[top] == t; ; top-- {
				u := stack[top]
				low[u] = done
				if !alone {
					out.of[u] = out.count
				}
				if u == t {
					break
				}
			}
			stack = stack[:top]
		}
	}
	return out, nil
}
