package acyclic

import (
	"cmp"
	"slices"
)

// queue gives the undecided variable that was moved to its front last: a linked list
// of all variables, where decided ones are skipped. At the start, lower numbers
// are nearer to the front.
type queue struct {
	back, front []int32 // of variables: the next one to the back, to the front; -1 at the ends
	moved       []int64 // when it was moved: more to the front is later
	first       int32
	now         int64
	// at is where to look for an undecided variable: none is nearer to the front.
	at int32
}

func newQueue(n int) queue {
	q := queue{back: make([]int32, n), front: make([]int32, n), moved: make([]int64, n), now: int64(n)}
	for i := range n {
		q.front[i], q.back[i], q.moved[i] = int32(i)-1, int32(i)+1, int64(n-i)
	}
	if n > 0 {
		q.back[n-1] = -1
	}
	return q
}

// next gives the undecided variable nearest to the front, -1 if there is none.
func (q *queue) next(undecided func(v int32) bool) int32 {
	for len(q.back) > 0 && q.at >= 0 {
		if undecided(q.at) {
			return q.at
		}
		if q.back[q.at] < 0 {
			return -1
		}
		q.at = q.back[q.at]
	}
	return -1
}

// undecide says that a variable is undecided again.
func (q *queue) undecide(v int32) {
	if q.moved[v] > q.moved[q.at] {
		q.at = v
	}
}

// bump moves decided variables to the front, in the order that they had.
func (q *queue) bump(vars []int32) {
	slices.SortFunc(vars, func(v, w int32) int { return cmp.Compare(q.moved[v], q.moved[w]) })
	for _, v := range vars {
		q.now++
		q.moved[v] = q.now
		if v == q.first {
			continue
		}
		b, f := q.back[v], q.front[v]
		if v == q.at {
			// It stays where it was; those between are decided.
			if q.at = b; b < 0 {
				q.at = f
			}
		}
		q.back[f] = b
		if b >= 0 {
			q.front[b] = f
		}
		q.back[v], q.front[v] = q.first, -1
		q.front[q.first] = v
		q.first = v
	}
}
