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
