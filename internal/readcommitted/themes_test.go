package readcommitted_test

import (
	"math/rand"
	"slices"
)

// themes are ways in which the transactions of a program work together that random commands hardly meet. Each draws
// one of these transactions.
var themes = map[string]func(*rand.Rand) []command{
	// Rows of the first table belong to those of the second one, which their v names, and which stands for them.
	"parents": func(r *rand.Rand) []command {
		id := r.Intn(2)
		return [][]command{
			{{kind: "read", id: id, must: true}, {kind: "lock", tab: 1, last: true, must: true}, {kind: "bump", id: id}},
			{{kind: "read", id: id, must: true}, {kind: "lock", tab: 1, last: true, must: true}, {kind: "delete", id: id}},
			{{kind: "see", id: id, must: true}, {kind: "lock", tab: 1, last: true, must: true}, {kind: "sum", by: 1}, {kind: "bump", id: id}},
			{{kind: "lock", tab: 1, id: 1, must: true}, {kind: "sum", by: 1}, {kind: "bump", tab: 1, id: 1}},
			{{kind: "lock", tab: 1, id: 1, must: true}, {kind: "none", by: 1, must: true}, {kind: "insert", id: id, by: 1}},
		}[r.Intn(5)]
	},
	// All rows of one v are locked before they are read.
	"sets": func(r *rand.Rand) []command {
		tab, id, by := r.Intn(2), r.Intn(2), 1+r.Intn(2)
		return [][]command{
			{{kind: "lock some", tab: tab, by: by}, {kind: "sum", tab: tab, by: by}, {kind: "bump", tab: tab, id: id}},
			{{kind: "share some", tab: tab, by: by}, {kind: "sum", tab: tab, by: by}, {kind: "sum", tab: tab, by: by}},
			{{kind: "share some", tab: 0, by: by}, {kind: "share some", tab: 1, by: by}, {kind: "sum", tab: 1, by: by}, {kind: "countv", tab: 0, by: by}},
			{{kind: "bump", tab: tab, id: id}, {kind: "bump", tab: 1 - tab, id: id}},
			{{kind: "delete", tab: tab, id: id}},
		}[r.Intn(5)]
	},
	// What was read decides only whether the transaction aborts, or ends, and is checked again.
	"checked": func(r *rand.Rand) []command {
		tab, id, by := r.Intn(2), r.Intn(2), 1+r.Intn(2)
		peek := []string{"peek", "probe"}[r.Intn(2)]
		return [][]command{
			{{kind: peek, tab: tab, id: id, by: by, must: r.Intn(2) == 0}, {kind: "lock", tab: tab, id: id, must: true}, {kind: "enough", by: by}, {kind: "bump", tab: tab, id: id}},
			{{kind: peek, tab: tab, id: id, by: 1}, {kind: "take", tab: tab, id: id, must: true}},
			{{kind: peek, tab: tab, id: id, by: 1}, {kind: "bump", tab: 1 - tab, id: id}, {kind: "take", tab: tab, id: id, must: true}},
			{{kind: "take", tab: tab, id: id, must: true}, {kind: "bump", tab: 1 - tab, id: id}},
			{{kind: "add", tab: tab, id: id, by: by}},
			{{kind: "delete", tab: tab, id: id}, {kind: "insert", tab: tab, id: id, by: by}},
		}[r.Intn(6)]
	},
	// Where what was read ends the transaction, it ends as it would later.
	"alike": func(r *rand.Rand) []command {
		tab, id, by := r.Intn(2), r.Intn(2), 1+r.Intn(2)
		return [][]command{
			{{kind: "quit", tab: tab, id: id, by: by, must: r.Intn(2) == 0}, {kind: "grab", tab: tab, id: id, by: by}},
			{{kind: "quit", tab: tab, id: id, by: by, must: r.Intn(2) == 0}, {kind: "grab", tab: tab, id: id, by: by}, {kind: "bump", tab: 1 - tab, id: id}},
			{{kind: "unless", tab: tab, id: id}, {kind: "put", tab: tab, id: id, by: by}},
			{{kind: "unless", tab: tab, id: id}, {kind: "put", tab: tab, id: id, by: by}, {kind: "bump", tab: 1 - tab, id: id}},
			{{kind: "fetch", tab: tab, id: id}, {kind: "fill", tab: tab, id: id, by: by}, {kind: "read", tab: tab, id: id, must: r.Intn(4) > 0}},
			{{kind: "quit", tab: tab, id: id, by: by}, {kind: "unless", tab: 1 - tab, id: id}, {kind: []string{"grab", "put"}[r.Intn(2)], tab: r.Intn(2), id: id, by: by}},
			{{kind: "bump", tab: tab, id: id}},
			{{kind: []string{"add", "bump", "bump"}[r.Intn(3)], tab: tab, id: id, by: by}},
			{{kind: []string{"delete", "bump", "bump", "bump"}[r.Intn(4)], tab: tab, id: id}},
		}[r.Intn(9)]
	},
	// One command runs only where another one has not, or has.
	"branches": func(r *rand.Rand) []command {
		tab, id, by, when := r.Intn(2), r.Intn(2), 1+r.Intn(2), []string{"marked", "unmarked"}[r.Intn(2)]
		first := [][]command{
			{{kind: "lock", tab: 1 - tab, id: id, must: true}, {kind: "lock", tab: tab, id: id, guard: true, marks: true, must: r.Intn(2) == 0}},
			{{kind: "read", tab: 1 - tab, id: id}, {kind: "bump", tab: tab, id: id, guard: true, marks: true}},
			{{kind: "lock", tab: 1 - tab, id: id}, {kind: "take", tab: tab, id: id, guard: true, marks: true, must: r.Intn(2) == 0}},
			{{kind: "lock", tab: 1 - tab, id: id, must: true}, {kind: "nothing", tab: tab, id: id, by: by, guard: true, marks: true}},
		}[r.Intn(4)]
		return append(first, [][]command{
			{{kind: "read", tab: tab, id: id, when: when}, {kind: "set", tab: tab, id: id, by: by, when: when}},
			{{kind: "lock", tab: tab, id: id, when: when}, {kind: "set", tab: tab, id: id, by: by, when: when}},
			{{kind: "add", tab: tab, id: id, by: by, when: when}},
			{{kind: "sum", tab: tab, by: by, when: when}},
		}[r.Intn(4)]...)
	},
	// A row is put there unless it is there, and completed by who has put it.
	"keys": func(r *rand.Rand) []command {
		tab, id, by := r.Intn(2), r.Intn(2), 1+r.Intn(2)
		return [][]command{
			{{kind: "nothing", tab: tab, id: id, by: by, must: r.Intn(4) > 0}, {kind: []string{"add", "bump", "take"}[r.Intn(3)], tab: tab, id: id, by: by}, {kind: "read", tab: 1 - tab, id: id}},
			{{kind: "insert", tab: tab, id: id, by: by}, {kind: "bump", tab: tab, id: id}, {kind: "bump", tab: 1 - tab, id: id}},
			{{kind: "nothing", tab: tab, id: id, by: by}, {kind: "see", tab: tab, id: id}, {kind: "bump", tab: 1 - tab, id: id}},
			{{kind: "nothing", tab: tab, id: id, by: by}, {kind: "read", tab: tab, id: id}},
			{{kind: "none", tab: tab, by: by, must: true}, {kind: "insert", tab: tab, id: id, by: by}},
		}[r.Intn(5)]
	},
	// A version is asked for again, and all is done again where another one has it.
	"attempts": func(r *rand.Rand) []command {
		tab, id, by := r.Intn(2), r.Intn(2), 1+r.Intn(2)
		try := []command{{kind: "glance", tab: tab, id: id}, {kind: "retry", tab: tab, id: id, by: by}}
		other := []command{{kind: "bump", tab: 1 - tab, id: id}, {kind: "read", tab: tab, id: id}, {kind: "lock", tab: 1 - tab, id: id}, {kind: "sum", tab: tab, by: by}}[r.Intn(4)]
		return [][]command{
			try,
			append(try, other),
			{other, try[0], try[1]},
			{try[0], {kind: []string{"bump", "read", "peek"}[r.Intn(3)], tab: 1 - tab, id: id, by: by}, try[1]},
			{{kind: "set", tab: tab, id: id, by: by, bump: r.Intn(3) > 0}},
			{{kind: "add", tab: tab, id: id, by: by, bump: r.Intn(3) > 0}},
			{{kind: "delete", tab: tab, id: id}},
		}[r.Intn(7)]
	},
	// More is done only where the row was there.
	"found": func(r *rand.Rand) []command {
		tab, id := r.Intn(2), r.Intn(2)
		return [][]command{
			{{kind: "lock", tab: tab, id: id}, {kind: "bump", tab: 1 - tab, id: id, guard: true}, {kind: "delete", tab: tab, id: id, guard: true}},
			{{kind: "lock", tab: tab, id: id}, {kind: "bump", tab: tab, id: id, guard: true}, {kind: "sum", tab: 1 - tab, by: 1, guard: true}},
			{{kind: "bump", tab: tab, id: id}, {kind: "bump", tab: 1 - tab, id: id}},
			{{kind: "insert", tab: tab, id: id, by: 1}, {kind: "bump", tab: 1 - tab, id: id}},
			{{kind: "none", tab: tab, by: 1}},
		}[r.Intn(5)]
	},
}

// changedAtRandom makes what nearly is a transaction of a theme of some of them.
func changedAtRandom(r *rand.Rand, list []command) []command {
	if r.Intn(2) == 0 || len(list) < 2 || slices.ContainsFunc(list, func(c command) bool { return c.kind == "glance" }) {
		return list
	}
	i := r.Intn(len(list))
	switch c := &list[i]; r.Intn(8) {
	case 0:
		return slices.Delete(list, i, i+1)
	case 1:
		k := r.Intn(len(list))
		list[i], list[k] = list[k], list[i]
	case 2:
		c.id = 1 - c.id
	case 3:
		c.must = !c.must && slices.Contains([]string{"read", "see", "lock", "none", "peek", "probe", "take"}, c.kind)
	case 4:
		c.by = 3 - max(c.by, 1)
	case 5:
		c.guard = !c.guard
	case 6:
		c.tab = 1 - c.tab
	case 7:
		c.when = map[string]string{"": "unmarked", "unmarked": "marked", "marked": ""}[c.when]
	}
	return list
}
