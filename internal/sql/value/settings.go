package value

import "strings"

// textOrders are the functions of the order of texts, but for those of relations and
// of polymorphic types, by the beginnings of their names.
var textOrders = []string{"text_l", "text_g", "text_smaller", "bpcharl", "bpcharg", "bpchar_larger", "bpchar_smaller", "citext_l", "citext_g", "citext_smaller",
	"jsonb_l", "jsonb_g", "textl", "textg", "namelttext", "nameletext", "namegttext", "namegetext"}

// settingsOf reports whether a function depends on settings: on the order of texts,
// or, as the catalog says, on other ones, which matter to some types alone where the
// function takes any.
func settingsOf(signature string, args []*Type) bool {
	name, _, _ := strings.Cut(signature, "(")
	for _, prefix := range textOrders {
		if strings.HasPrefix(name, prefix) && name != "textlen" && name != "textlike" {
			return true
		}
	}
	ordered := strings.HasPrefix(name, "array_") || name == "width_bucket" || name == "max" || name == "min" || name == "percentile_disc" || name == "mode"
	for _, t := range args {
		if ordered && t.collated() {
			return true
		}
	}
	for _, f := range Builtin.All(name) {
		if f.Signature() != signature || f.Volatility != 's' {
			continue
		}
		if !strings.Contains(signature, "any") {
			return true
		}
		for _, t := range args {
			if t.written() {
				return true
			}
		}
	}
	return false
}

// collated reports whether the order of the values depends on a collation.
func (t *Type) collated() bool {
	if t.Elem != nil {
		return t.Elem.collated()
	}
	switch t.Name {
	case "text", "varchar", "bpchar", "citext", "jsonb":
		return true
	}
	return false
}

// written reports whether settings say how the values are written.
func (t *Type) written() bool {
	if t.Elem != nil {
		return t.Elem.written()
	}
	switch t.Name {
	case "date", "timestamp", "timestamptz", "interval", "float4", "float8", "bytea", "daterange", "tsrange", "tstzrange":
		return true
	}
	return false
}
