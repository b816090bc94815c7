package ir

import "github.com/txrobust/robust/internal/irnames"

// Source is what the value is drawn from, "" if that has no order: values of one source
// grow in the order in which they are drawn, whichever transaction commits first.
func (h *Havoc) Source() string {
	if h.Of == irnames.Clock || irnames.IsNextval(h.Of) {
		return h.Of
	}
	return ""
}
