package sqlgen

import "slices"

// Shrink makes a piece smaller as long as keep says of the result that it still
// is what is looked for: it leaves out elements of lists and optional pieces, puts
// pieces in the place of those of the same sort around them, and takes the plainest
// text of a sort. keep is asked at most budget times. The piece itself is changed,
// and is one that keep has accepted at the end.
func Shrink(root *Node, budget int, keep func() bool) {
	s := &shrinker{keep: keep, budget: budget}
	for again := true; again && s.budget > 0; {
		again = s.node(root)
	}
}

type shrinker struct {
	keep   func() bool
	budget int
}

// try changes a node, and changes it back if the result is not kept.
func (s *shrinker) try(n *Node, change func()) bool {
	if s.budget <= 0 {
		return false
	}
	s.budget--
	old := *n
	old.Kids = slices.Clone(n.Kids)
	change()
	if s.keep() {
		return true
	}
	*n = old
	return false
}

// node makes a piece smaller, from the outside to the inside.
func (s *shrinker) node(n *Node) bool {
	smaller := false
	if n.Optional && n.len() > 0 && s.try(n, func() { *n = Node{} }) {
		return true
	}
	if n.Simple != "" && n.String() != n.Simple && s.try(n, func() { *n = Node{Sort: n.Sort, Text: n.Simple, Simple: n.Simple} }) {
		return true
	}
	if n.Sort != "" {
		for hoisted := true; hoisted; {
			hoisted = false
			for _, inner := range n.below(n.Sort) {
				if s.try(n, func() { opt, prod := n.Optional, inner.Prod; *n = *inner; n.Optional, n.Prod = opt, prod }) {
					smaller, hoisted = true, true
					break
				}
			}
		}
	}
	if n.List {
		smaller = s.list(n) || smaller
	}
	for _, k := range slices.Clone(n.Kids) {
		smaller = s.node(k) || smaller
	}
	return smaller
}

// len is the length of the text.
func (n *Node) len() int {
	total := len(n.Text) + max(0, len(n.Kids)-1)*len(n.Sep)
	for _, k := range n.Kids {
		total += k.len()
	}
	return total
}

// below gives the outermost pieces of a sort inside of n.
func (n *Node) below(sort string) []*Node {
	var out []*Node
	for _, k := range n.Kids {
		if k.Sort == sort {
			out = append(out, k)
			continue
		}
		out = append(out, k.below(sort)...)
	}
	return out
}

// list leaves out elements: halves first, then single ones.
func (s *shrinker) list(n *Node) bool {
	smaller := false
	for size := len(n.Kids); size >= 1; size /= 2 {
		for from := 0; from < len(n.Kids); {
			to := min(from+size, len(n.Kids))
			if len(n.Kids)-(to-from) >= n.Least && s.try(n, func() { n.Kids = slices.Delete(slices.Clone(n.Kids), from, to) }) {
				smaller = true
				continue
			}
			from = to
		}
	}
	return smaller
}
