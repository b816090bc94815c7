// Package cycle finds cycles in small graphs.
package cycle

// Shortest finds a shortest cycle in the graph with the vertices 0 to n-1, as edges in
// order, or gives nil. Of several edges between two vertices the first in the list
// counts.
func Shortest[E any](n int, edges []E, ends func(E) (from, to int)) []E {
	first := map[[2]int]*E{}
	next := make([][]int, n)
	for i := range edges {
		from, to := ends(edges[i])
		k := [2]int{from, to}
		if first[k] == nil {
			first[k] = &edges[i]
			next[from] = append(next[from], to)
		}
	}
	var best []int
	for start := 0; start < n; start++ {
		parent := make([]int, n)
		for i := range parent {
			parent[i] = -1
		}
		queue := []int{start}
	search:
		for len(queue) > 0 {
			v := queue[0]
			queue = queue[1:]
			for _, w := range next[v] {
				if w == start {
					var path []int
					for u := v; u != start; u = parent[u] {
						path = append([]int{u}, path...)
					}
					path = append([]int{start}, path...)
					if best == nil || len(path) < len(best) {
						best = path
					}
					break search
				}
				if parent[w] < 0 {
					parent[w] = v
					queue = append(queue, w)
				}
			}
		}
	}
	var out []E
	for i, v := range best {
		out = append(out, *first[[2]int{v, best[(i+1)%len(best)]}])
	}
	return out
}
