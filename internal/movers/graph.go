package movers

import (
	"github.com/txrobust/robust/internal/commits"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/walk"
)

// node is a transaction of a session.
type node struct {
	txn     *ir.Txn
	process *ir.Process // nil: any session
	index   int         // in the process
	// reads and writes are what it touches; see touch.
	reads, writes []string
}

// single reports whether the node runs at most once.
func (n *node) single() bool { return n.process != nil && n.process.Copies == 1 }

// elem is a node in a chain.
type elem struct {
	node int
	kind walk.Kind
}

// nodes are the vertices of a program. With once, a template that is like one
// before it is left out if it has no finding of its own, since no run of it can be
// executed to a commit that writes: whatever it does, the other one may do.
func nodes(p *ir.Program, once bool) []*node {
	var out []*node
	if len(p.Processes) == 0 {
		like := map[string]bool{}
		for _, t := range p.Txns {
			if once && !commits.Of(t).Writing {
				if k := likeness(t); like[k] {
					continue
				} else {
					like[k] = true
				}
			}
			out = append(out, &node{txn: t})
		}
		return out
	}
	for _, pr := range p.Processes {
		for i, t := range pr.Txns {
			out = append(out, &node{txn: t, process: pr, index: i})
		}
	}
	return out
}
