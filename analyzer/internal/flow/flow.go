// Package flow finds the structure of a function's control flow.
//
// Source: Norman Ramsey, "Beyond Relooper: Recursive Translation of Unstructured
// Control Flow to Structured Control Flow" (ICFP 2022). A flow that is not
// reducible has no such structure, and is said to be so.
package flow

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// Shape says which blocks of a function are reached by several edges, and which
// ones begin a loop.
type Shape struct {
	order  map[*ssa.BasicBlock]int // reverse postorder
	Merges map[*ssa.BasicBlock]bool
	Heads  map[*ssa.BasicBlock]bool
	// Irreducible says that some loop has several entries.
	Irreducible bool
}

// Of gives the shape of a function that has a body.
func Of(fn *ssa.Function) *Shape {
	s := &Shape{order: map[*ssa.BasicBlock]int{}, Merges: map[*ssa.BasicBlock]bool{}, Heads: map[*ssa.BasicBlock]bool{}}
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
				s.Heads[b] = true
				if !b.Dominates(p) {
					s.Irreducible = true
				}
			}
		}
		s.Merges[b] = forward > 1
	}
	return s
}

// Back reports whether an edge goes back to the head of a loop around it.
func (s *Shape) Back(from, to *ssa.BasicBlock) bool { return s.order[to] <= s.order[from] }

// After gives the blocks that b dominates at once and several edges reach, the
// last one first.
func (s *Shape) After(b *ssa.BasicBlock) []*ssa.BasicBlock {
	var out []*ssa.BasicBlock
	for _, c := range b.Dominees() {
		if _, reached := s.order[c]; reached && s.Merges[c] {
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(x, y *ssa.BasicBlock) int { return s.order[y] - s.order[x] })
	return out
}

// AfterLoop splits After of the head of a loop: the blocks of the loop, and those
// behind it.
func (s *Shape) AfterLoop(head *ssa.BasicBlock) (inside, behind []*ssa.BasicBlock) {
	loop := s.Loop(head)
	for _, b := range s.After(head) {
		if loop[b] {
			inside = append(inside, b)
		} else {
			behind = append(behind, b)
		}
	}
	return inside, behind
}

// InLoop reports whether a block is part of a loop.
func (s *Shape) InLoop(b *ssa.BasicBlock) bool {
	for head := range s.Heads {
		if s.Loop(head)[b] {
			return true
		}
	}
	return false
}

// Loop gives the blocks of the loop with a head.
func (s *Shape) Loop(head *ssa.BasicBlock) map[*ssa.BasicBlock]bool {
	loop := map[*ssa.BasicBlock]bool{head: true}
	var visit func(b *ssa.BasicBlock)
	visit = func(b *ssa.BasicBlock) {
		if _, reached := s.order[b]; !reached || loop[b] {
			return
		}
		loop[b] = true
		for _, p := range b.Preds {
			visit(p)
		}
	}
	for _, p := range head.Preds {
		if _, reached := s.order[p]; reached && s.Back(p, head) {
			visit(p)
		}
	}
	return loop
}
