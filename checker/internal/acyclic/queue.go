package acyclic

// queue gives the variable of the highest score: a binary heap. Among equals, the
// one with the lowest number comes first.
type queue struct {
	score []float64
	heap  []int32
	place []int32 // in the heap; -1 if it is not there
}

func newQueue(n int) queue {
	q := queue{score: make([]float64, n), heap: make([]int32, n), place: make([]int32, n)}
	for i := range n {
		q.heap[i], q.place[i] = int32(i), int32(i)
	}
	return q
}

func (q *queue) len() int { return len(q.heap) }

func (q *queue) before(v, w int32) bool {
	if q.score[v] != q.score[w] {
		return q.score[v] > q.score[w]
	}
	return v < w
}

func (q *queue) set(i int, v int32) { q.heap[i], q.place[v] = v, int32(i) }

func (q *queue) up(i int) {
	v := q.heap[i]
	for i > 0 {
		parent := (i - 1) / 2
		if !q.before(v, q.heap[parent]) {
			break
		}
		q.set(i, q.heap[parent])
		i = parent
	}
	q.set(i, v)
}

func (q *queue) down(i int) {
	v := q.heap[i]
	for {
		child := 2*i + 1
		if child >= len(q.heap) {
			break
		}
		if child+1 < len(q.heap) && q.before(q.heap[child+1], q.heap[child]) {
			child++
		}
		if !q.before(q.heap[child], v) {
			break
		}
		q.set(i, q.heap[child])
		i = child
	}
	q.set(i, v)
}

func (q *queue) pop() int32 {
	v := q.heap[0]
	last := q.heap[len(q.heap)-1]
	q.heap = q.heap[:len(q.heap)-1]
	q.place[v] = -1
	if len(q.heap) > 0 {
		q.set(0, last)
		q.down(0)
	}
	return v
}

func (q *queue) push(v int32) {
	if q.place[v] < 0 {
		q.heap = append(q.heap, v)
		q.up(len(q.heap) - 1)
	}
}

// bump raises the score of a variable.
func (q *queue) bump(v int32, by float64) {
	q.score[v] += by
	if i := q.place[v]; i >= 0 {
		q.up(int(i))
	}
}

// scale multiplies all scores.
func (q *queue) scale(by float64) {
	for i := range q.score {
		q.score[i] *= by
	}
}
