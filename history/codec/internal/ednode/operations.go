package ednode

// Keyed tells whether the value of an operation is a key and a value, as Jepsen's independent keys
// have it: such operations look like those on one object that holds vectors.
func Keyed(value Node, f string, invoked bool) bool {
	vector := func(n Node) bool { return n.Shape() == ListNode || n.Shape() == IntsNode }
	if !vector(value) {
		return false
	}
	return f == "write" || f == "read" && invoked || f == "cas" && value.Count() == 2 && vector(value.First().Next())
}

// Completes tells whether b may complete a: the same operations on the same
// keys, with the same values but for reads.
func Completes(a, b Node) bool {
	if a.Shape() != ListNode || b.Shape() != ListNode {
		return a.String() == b.String()
	}
	x, y := a.First(), b.First()
	for x.In(a) && y.In(b) {
		if !sameOp(x, y) {
			return false
		}
		x, y = x.Next(), y.Next()
	}
	return !x.In(a) && !y.In(b)
}

func sameOp(a, b Node) bool {
	if a.Shape() != ListNode || b.Shape() != ListNode || a.Count() != 3 || b.Count() != 3 {
		return a.String() == b.String()
	}
	f, k := a.First(), a.First().Next()
	g, l := b.First(), b.First().Next()
	return f.String() == g.String() && k.String() == l.String() && (f.Is("r") || k.Next().String() == l.Next().String())
}
