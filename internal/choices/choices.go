// Package choices goes through all that a run leaves open, such as which of several rows LIMIT takes: one script of
// choices after the other.
package choices

// Script resolves the choices of a run, and counts the alternatives beyond those that it holds. Its zero value
// takes the first alternative of each.
type Script struct {
	chosen []int
	limits []int
	pos    int
}

// Choose takes one of n alternatives, which are several.
func (s *Script) Choose(n int) int {
	if s.pos == len(s.chosen) {
		s.chosen = append(s.chosen, 0)
		s.limits = append(s.limits, n)
	}
	s.limits[s.pos] = n
	v := s.chosen[s.pos]
	s.pos++
	return v
}

// Restart lets the next choice be the first one again.
func (s *Script) Restart() { s.pos = 0 }

// Next moves to the next script in order, or reports that there is none.
func (s *Script) Next() bool {
	s.chosen = s.chosen[:s.pos]
	s.limits = s.limits[:s.pos]
	for i := len(s.chosen) - 1; i >= 0; i-- {
		if s.chosen[i]+1 < s.limits[i] {
			s.chosen[i]++
			s.chosen, s.limits = s.chosen[:i+1], s.limits[:i+1]
			s.pos = 0
			return true
		}
	}
	return false
}
