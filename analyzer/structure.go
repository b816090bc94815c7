package analyzer

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// shape is the structure of a function's control flow: which blocks are reached
// by several edges, and which ones begin a loop.
//
// Source: Norman Ramsey, "Beyond Relooper: Recursive Translation of Unstructured
// Control Flow to Structured Control Flow" (ICFP 2022).
type shape struct {
	order  map[*ssa.BasicBlock]int // reverse postorder
	merges map[*ssa.BasicBlock]bool
	heads  map[*ssa.BasicBlock]bool
	// irreducible says that some loop has several entries.
	irreducible bool
}

func shapeOf(fn *ssa.Function) *shape {
	s := &shape{order: map[*ssa.BasicBlock]int{}, merges: map[*ssa.BasicBlock]bool{}, heads: map[*ssa.BasicBlock]bool{}}
	var post []*ssa.BasicBlock
	seen := map[*ssa.BasicBlock]bool{}
	var visit func(b *ssa.BasicBlock)
	visit = func(b *ssa.BasicBlock) {
		seen[b] = true
		for _, c := range b.Succs {
			if !seen[c] {
				visit(c)
			}
		}
		post = append(post, b)
	}
	visit(fn.Blocks[0])
	slices.Reverse(post)
	for i, b := range post {
		s.order[b] = i
	}
	for _, b := range post {
		forward := 0
		for _, p := range b.Preds {
			at, reached := s.order[p]
			switch {
			case !reached:
			case at < s.order[b]:
				forward++
			default:
				s.heads[b] = true
				if !b.Dominates(p) {
					s.irreducible = true
				}
			}
		}
		s.merges[b] = forward > 1
	}
	return s
}

// back reports whether an edge goes back to the head of a loop around it.
func (s *shape) back(from, to *ssa.BasicBlock) bool { return s.order[to] <= s.order[from] }

// after gives the blocks that b dominates at once and several edges reach, the
// last one first.
func (s *shape) after(b *ssa.BasicBlock) []*ssa.BasicBlock {
	var out []*ssa.BasicBlock
	for _, c := range b.Dominees() {
		if _, reached := s.order[c]; reached && s.merges[c] {
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(x, y *ssa.BasicBlock) int { return s.order[y] - s.order[x] })
	return out
}
