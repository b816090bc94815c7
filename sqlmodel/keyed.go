package sqlmodel

import (
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/value"
)

// byIdentityOnly refuses to tell groups of values apart that may be equal although
// they differ.
func (x *ex) byIdentityOnly(t schema.Type, what string) {
	if t.SQL != nil && t.SQL.Equality() != value.Identity && !x.l.In.MySQL {
		x.refuse("%s by values of type %s, which may be equal although they differ", what, t)
	}
}
