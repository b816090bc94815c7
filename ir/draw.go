package ir

import "strings"

// Clock is the source of the times at which transactions begin.
const Clock = "now()"

// NextvalOf is what gives the values of a sequence.
func NextvalOf(sequence string) string { return "nextval(" + sequence + ")" }

// Source is what the value is drawn from, "" if that has no order: values of one source
// grow in the order in which they are drawn, whichever transaction commits first.
func (h *Havoc) Source() string {
	if h.Of == Clock || strings.HasPrefix(h.Of, "nextval(") {
		return h.Of
	}
	return ""
}
