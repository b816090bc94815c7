package viper

// heap is numbers, of which the least one is taken first.
type heap []int32

func (h *heap) push(x int32) {
	*h = append(*h, x)
	a := *h
	i := len(a) - 1
	for i > 0 {
		up := (i - 1) / 2
		if a[up] <= x {
			break
		}
		a[i] = a[up]
		i = up
	}
	a[i] = x
}

// pop gives the least number, -1 if there is none.
func (h *heap) pop() int32 {
	a := *h
	if len(a) == 0 {
		return -1
	}
	least, x := a[0], a[len(a)-1]
	a = a[:len(a)-1]
	*h = a
	i := 0
	for {
		down := 2*i + 1
		if down >= len(a) {
			break
		}
		if down+1 < len(a) && a[down+1] < a[down] {
			down++
		}
		if a[down] >= x {
			break
		}
		a[i] = a[down]
		i = down
	}
	if len(a) > 0 {
		a[i] = x
	}
	return least
}
