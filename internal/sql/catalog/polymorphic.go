package catalog

import (
	"slices"
	"strings"
)

// polymorphic reports whether a type stands for any of a class of types
// (manual, section 38.2.5).
func polymorphic(t string) bool {
	switch t {
	case "anyelement", "anyarray", "anynonarray", "anyenum", "anyrange", "anymultirange",
		"anycompatible", "anycompatiblearray", "anycompatiblenonarray", "anycompatiblerange", "anycompatiblemultirange":
		return true
	}
	return false
}

// fitsPolymorphic reports whether a type belongs to the class, apart from what
// other arguments ask for.
func (c *Catalog) fitsPolymorphic(from, to string) bool {
	t := c.Type(c.Base(from))
	if t == nil {
		return true
	}
	switch strings.TrimPrefix(strings.TrimPrefix(to, "anycompatible"), "any") {
	case "array":
		return t.Category == 'A'
	case "nonarray":
		return t.Category != 'A'
	case "enum":
		return t.Kind == 'e'
	case "range":
		return t.Kind == 'r'
	case "multirange":
		return t.Kind == 'm'
	}
	return true
}

// element gives the type that anyelement (or anycompatible) stands for when an
// argument declared as declared has type given.
func (c *Catalog) element(declared, given string) string {
	if given == Unknown || given == Untold {
		return given
	}
	switch {
	case strings.HasSuffix(declared, "multirange"):
		if t := c.Type(given); t != nil && t.Kind == 'm' {
			return t.Of
		}
		return Untold
	case strings.HasSuffix(declared, "range"), strings.HasSuffix(declared, "array") && !strings.HasSuffix(declared, "nonarray"):
		if t := c.Type(c.Base(given)); t != nil && t.Of != "" {
			return t.Of
		}
		return Untold
	}
	return given
}

// stand is what the two families of polymorphic types stand for in a call.
type stand struct {
	any, compatible string
	anyUsed, bad    bool
}

// stands finds what the polymorphic types of a call stand for.
func (c *Catalog) stands(f Call, given []string) stand {
	out := stand{any: Unknown, compatible: Unknown}
	var compatible []string
	for i, d := range f.Types {
		if i >= len(given) || !polymorphic(d) {
			continue
		}
		e := c.element(d, given[i])
		if strings.HasPrefix(d, "anycompatible") {
			compatible = append(compatible, e)
			continue
		}
		out.anyUsed = true
		switch {
		case d == "anyenum" && e == Unknown && out.any == Unknown:
			e = "text" // which is no enum, and a later argument may say better
			out.bad = !slices.ContainsFunc(given[i:], func(t string) bool { return t != Unknown })
		case e == Unknown:
		case out.any == Unknown, out.any == Untold:
			out.any = e
		case e != Untold && e != out.any:
			out.bad = true
		}
	}
	if len(compatible) > 0 {
		t, ok := c.Common(compatible)
		out.compatible = t
		out.bad = out.bad || !ok
	}
	return out
}

// consistent reports whether the polymorphic arguments of a call agree.
func (c *Catalog) consistent(f Call, given []string) bool { return !c.stands(f, given).bad }

// concrete replaces the polymorphic types of a call.
func (c *Catalog) concrete(f Call, given []string) (types []string, returns string) {
	s := c.stands(f, given)
	replace := func(t string) string {
		if !polymorphic(t) {
			return t
		}
		e := s.any
		if strings.HasPrefix(t, "anycompatible") {
			e = s.compatible
		}
		if e == Unknown {
			e = "text"
		}
		if e == Untold {
			return Untold
		}
		switch {
		case strings.HasSuffix(t, "array") && !strings.HasSuffix(t, "nonarray"):
			return "_" + e
		case strings.HasSuffix(t, "multirange"):
			return c.rangeOver(e, 'm')
		case strings.HasSuffix(t, "range"):
			return c.rangeOver(e, 'r')
		}
		return e
	}
	for _, t := range f.Types {
		types = append(types, replace(t))
	}
	returns = replace(f.Result)
	// A range stands for itself, not for any other one over its elements.
	for i, d := range f.Types {
		if i < len(given) && d == f.Result && strings.HasSuffix(d, "range") && given[i] != Unknown {
			types[i], returns = given[i], given[i]
		}
	}
	return types, returns
}

// rangeOver gives the range or multirange type of the system over a type.
func (c *Catalog) rangeOver(elem string, kind byte) string {
	for name, t := range system().types {
		if t.Kind == kind && t.Of == elem {
			return name
		}
	}
	return Untold
}

// Common gives the type of CASE, UNION, VALUES, ARRAY and the like for values of
// these types (manual, section 10.5); false where there is none.
func (c *Catalog) Common(types []string) (string, bool) {
	out := Unknown
	same := true
	for _, t := range types {
		same = same && t == types[0]
	}
	if same && len(types) > 0 && types[0] != Unknown {
		return types[0], true
	}
	for _, t := range types {
		t = c.Base(t)
		if t == Untold {
			return Untold, true
		}
		if t == Unknown {
			continue
		}
		if out == Unknown {
			out = t
			continue
		}
		if t == out {
			continue
		}
		a, b := c.Type(out), c.Type(t)
		if a == nil || b == nil {
			return Untold, true
		}
		if a.Category != b.Category {
			return "", false
		}
		if !a.Preferred && c.Implicit(out, t) && !c.Implicit(t, out) {
			out = t
		}
	}
	if out == Unknown {
		return "text", true
	}
	for _, t := range types {
		if !c.Implicit(c.Base(t), out) {
			return "", false
		}
	}
	return out, true
}
