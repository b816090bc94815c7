package schema

// Types gives what is known of the types of the variables, by name, and the
// variables that some path uses without a value.
func (f *Function) Types() (types map[string]Type, open map[int]bool) {
	if f.Program != nil {
		return f.Program.Types, nil
	}
	return f.Script.Types, f.Script.Open
}

// CommonType is the type of a variable for all of list: the widest of numbers,
// or else the first. A text that stands beside others gives way, unless texts
// are values of the variable.
func CommonType(list []Type, texts bool) Type {
	out := list[0]
	for _, t := range list {
		switch {
		case out.Name == NInt && t.Numeric(), out.Name == NNumeric && t.Name == NFloat, out.Name == NDate && t.Name == NStamp,
			out.Name == NText && !texts, t.Name == NText && texts:
			out = t
		}
	}
	return out.Plain()
}
