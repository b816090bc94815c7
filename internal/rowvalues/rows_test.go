package rowvalues

import (
	"slices"
	"strconv"
	"testing"
)

// TestRounds: rows of a circle count once, or never end.
func TestRounds(t *testing.T) {
	follow := map[int][]int{1: {2, 3}, 2: {3}, 3: {1}}
	next := func(last []int) (out []int) {
		for _, n := range last {
			out = append(out, follow[n]...)
		}
		return out
	}
	if got, ok := Rounds([]int{1, 1}, next, strconv.Itoa, 100); !ok || !slices.Equal(got, []int{1, 2, 3}) {
		t.Errorf("each once: %v, %v", got, ok)
	}
	if got, ok := Rounds([]int{1}, next, nil, 100); ok {
		t.Errorf("a circle ends: %v", got)
	}
	delete(follow, 3)
	if got, ok := Rounds([]int{1, 1}, next, nil, 100); !ok || !slices.Equal(got, []int{1, 1, 2, 3, 2, 3, 3, 3}) {
		t.Errorf("each way: %v, %v", got, ok)
	}
}
