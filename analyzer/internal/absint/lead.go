package absint

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/analyzer/internal/hole"
	"github.com/txrobust/robust/internal/client"
)

// leadOf is the key of a slot whose text begins with something else in a later round.
type leadOf struct{ key any }

// takeLead takes what a text begins with in front of a loop for what it begins with in every
// round, until one is seen that does not.
func (s *slot) takeLead(in *interp, e client.Expr) {
	if s.kind != client.Text {
		return
	}
	begin := hole.Common(in.TextsOf(e))
	if s.lead = strings.TrimSuffix(begin, client.Hole); s.lead != "" {
		in.Texts[s.v] = []string{begin}
	}
}

// keepsLead reports whether a text begins with what it began with in front of the loop.
func (s *slot) keepsLead(in *interp, e client.Expr) bool {
	return !slices.ContainsFunc(in.TextsOf(e), func(t string) bool { return !strings.HasPrefix(t, s.lead) })
}
