package load

import "github.com/txrobust/robust/internal/sql/schema"

// AsOwner reports whether functions that call one another run with the rights of one who is not bound by the row level
// security of t: one of them is SECURITY DEFINER. That its owner is the owner of t, or a superuser, is taken for
// granted, and told by granted.
func AsOwner(calls []*schema.Function, t *schema.Table, granted func(text string)) bool {
	if t.Forced {
		return false
	}
	for _, f := range calls {
		if f.Definer {
			granted("row level security of " + t.Name + " does not bind the owner of " + f.Name + ", which is SECURITY DEFINER")
			return true
		}
	}
	return false
}

// BuiltinOnly reports whether functions that are called are none that is declared here.
func BuiltinOnly(calls map[string]bool, in *schema.Resolver) bool {
	for name := range calls {
		if fns, sure := in.Functions(name); len(fns) > 0 || !sure {
			return false
		}
	}
	return true
}
