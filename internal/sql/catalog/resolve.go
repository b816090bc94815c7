package catalog

import (
	"slices"
	"strings"
)

// Names of types with a role of their own in resolution.
const (
	// Unknown is the type of a quoted literal or NULL.
	Unknown = "unknown"
	// Untold is the type of a value whose type the caller does not know. It fits
	// everywhere, and leaves open what cannot be told without it.
	Untold = ""
)

// Scope is what a program declares besides.
type Scope interface {
	// Type gives a type that the program declares, or nil.
	Type(name string) *Type
	// Functions gives its functions of a name.
	Functions(name string) []*Function
}

// None is the empty Scope.
type None struct{}

func (None) Type(string) *Type            { return nil }
func (None) Functions(string) []*Function { return nil }

// Catalog resolves names for one program.
type Catalog struct {
	Scope Scope
	// Extensions are those that the program creates. A name that only others have
	// is taken to be theirs: the schema may leave out what an administrator did.
	Extensions map[string]bool
}

// inUse gives what belongs to the server or to an extension of the program, or
// all of it if nothing does.
func inUse[T any](c *Catalog, list []T, extension func(T) string) []T {
	var out []T
	for _, x := range list {
		if ext := extension(x); ext == "" || c.Extensions[ext] {
			out = append(out, x)
		}
	}
	if len(out) == 0 {
		return list
	}
	return out
}

func (c *Catalog) systemOperators(name string) []*Operator {
	return inUse(c, system().operators[name], func(o *Operator) string { return o.Extension })
}

// Type finds a type by its name in pg_type, or gives nil.
func (c *Catalog) Type(name string) *Type {
	if t := c.Scope.Type(name); t != nil {
		return t
	}
	if t := system().types[name]; t != nil {
		return t
	}
	if elem, ok := strings.CutPrefix(name, "_"); ok && elem != "" && c.Type(elem) != nil {
		return &Type{Name: name, Kind: 'b', Category: 'A', Of: elem}
	}
	return nil
}

// Base gives the type below a domain, and every other type itself.
func (c *Catalog) Base(name string) string {
	for range 32 { // a domain of a domain
		t := c.Type(name)
		if t == nil || t.Kind != 'd' {
			break
		}
		name = t.Of
	}
	return name
}

// Known reports whether a function of this name exists in the system or in an
// extension.
func Known(name string) bool { return len(system().functions[name]) > 0 }

// IsAggregate reports whether a function of this name in the system is an aggregate.
func IsAggregate(name string) bool {
	return slices.ContainsFunc(system().functions[name], func(f *Function) bool { return f.Kind == 'a' })
}

// All gives the functions of a name, those of the program first.
func (c *Catalog) All(name string) []*Function {
	builtin := inUse(c, system().functions[name], func(f *Function) string { return f.Extension })
	return slices.Concat(c.Scope.Functions(name), builtin)
}

// Arg is an argument of a call: the name of its type, and the name by which it is
// given ("=>"), or "".
type Arg struct{ Type, Name string }

// Call is a resolved call.
type Call struct {
	*Function
	// Types are the declared types of the arguments that are given, with
	// polymorphic ones replaced and a variadic one repeated.
	Types []string
	// Returns is the type of the result, Untold where it cannot be told.
	Returns string
}

// Outcome says how a resolution ended.
type Outcome uint8

const (
	// Found: there is exactly one.
	Found Outcome = iota
	// Missing: no function of the name takes these arguments.
	Missing
	// Ambiguous: several do, and no rule prefers one.
	Ambiguous
	// Conversion: the name is that of a type, and the call converts to it.
	Conversion
)

// Function resolves a call of a function (manual, section 10.3). variadic says
// that the last argument stands behind VARIADIC. Where types are not known, all
// functions that are left are given, of which the call is one.
func (c *Catalog) Function(name string, args []Arg, variadic bool) ([]Call, Outcome) {
	calls, outcome := c.Among(c.All(name), args, variadic)
	given := make([]string, len(args))
	for i, a := range args {
		given[i] = a.Type
	}
	if outcome == Found && exact(calls[0].Types, given) || !c.converts(name, given) {
		return calls, outcome
	}
	return nil, Conversion
}

// Among is Function for candidates that are given.
func (c *Catalog) Among(candidates []*Function, args []Arg, variadic bool) ([]Call, Outcome) {
	var fits []Call
	for _, f := range candidates {
		if types := arguments(f, args, variadic); types != nil {
			fits = append(fits, Call{Function: f, Types: types})
		}
	}
	given := make([]string, len(args))
	for i, a := range args {
		given[i] = a.Type
	}
	// A function that is not variadic hides one that becomes equal to it.
	fits = slices.DeleteFunc(fits, func(v Call) bool {
		return v.Variadic && !variadic && slices.ContainsFunc(fits, func(o Call) bool { return !o.Variadic && slices.Equal(o.Types, v.Types) })
	})
	return c.choose(fits, given)
}

// converts reports whether a call of a function with the name of a type is a
// conversion.
func (c *Catalog) converts(name string, given []string) bool {
	t := c.Type(name)
	if t == nil || len(given) != 1 {
		return false
	}
	if given[0] == Unknown {
		return true
	}
	k := c.Cast(c.Base(given[0]), name)
	return c.Base(given[0]) == name || k != nil && (k.Method == 'b' || k.Method == 'i' && (k.Function == "" || t.Category == 'S'))
}

// arguments gives the declared types of the given arguments, in the order in
// which they are given; nil where the function cannot be called that way.
func arguments(f *Function, args []Arg, variadic bool) []string {
	positional := slices.IndexFunc(args, func(a Arg) bool { return a.Name != "" })
	if positional < 0 {
		positional = len(args)
	}
	declared := f.Args
	if f.Variadic && !variadic && positional == len(args) && len(args) >= len(declared) {
		last := strings.TrimPrefix(declared[len(declared)-1], "_")
		switch declared[len(declared)-1] {
		case "any", "anyarray", "anycompatiblearray":
			last = map[string]string{"any": "any", "anyarray": "anyelement", "anycompatiblearray": "anycompatible"}[declared[len(declared)-1]]
		}
		declared = slices.Clone(declared[:len(declared)-1])
		for len(declared) < len(args) {
			declared = append(declared, last)
		}
	} else if f.Variadic && !variadic && positional == len(args) && f.Args[len(f.Args)-1] != "any" {
		if len(args) != len(declared)-1 || f.Defaults == 0 {
			return nil
		}
	}
	if len(args) > len(declared) {
		return nil
	}
	taken := make([]bool, len(declared))
	types := make([]string, 0, len(args))
	names := f.ArgNames()
	for i, a := range args {
		at := i
		if a.Name != "" {
			if at = slices.Index(names, a.Name); at < 0 {
				return nil
			}
		}
		if taken[at] {
			return nil
		}
		taken[at] = true
		types = append(types, declared[at])
	}
	for i, t := range taken {
		if !t && i < len(declared)-f.Defaults {
			return nil
		}
	}
	if types == nil {
		types = []string{}
	}
	return types
}

// ArgNames gives the names of the arguments, as far as a Scope gives them.
func (f *Function) ArgNames() []string {
	if p, ok := f.Program.(interface{ ArgNames() []string }); ok {
		return p.ArgNames()
	}
	return nil
}

// Operator resolves an operator (manual, section 10.2). left is nil for a prefix
// operator. The calls have the functions of the operators.
func (c *Catalog) Operator(name string, left *string, right string) ([]Call, Outcome) {
	given := []string{right}
	if left != nil {
		given = []string{*left, right}
		// A literal takes the type of the other side if there is such an operator.
		l, r := *left, right
		if l == Unknown {
			l = r
		} else if r == Unknown {
			r = l
		}
		l, r = c.Base(l), c.Base(r)
		for _, o := range c.systemOperators(name) {
			if l == r && l != Unknown && l != Untold && o.Left == l && o.Right == r {
				return []Call{operatorCall(o)}, Found
			}
		}
	}
	var fits []Call
	for _, o := range c.systemOperators(name) {
		if (o.Left == "") == (left == nil) {
			fits = append(fits, operatorCall(o))
		}
	}
	return c.choose(fits, given)
}

func operatorCall(o *Operator) Call {
	types := []string{o.Right}
	if o.Left != "" {
		types = []string{o.Left, o.Right}
	}
	f := &Function{Name: o.Function, Args: types, Result: o.Result, Kind: 'f', Volatility: 'i', Strict: true, Extension: o.Extension}
	for _, g := range system().functions[o.Function] {
		if slices.Equal(g.Args, types) {
			copied := *g
			f = &copied
		}
	}
	f.Symmetric = o.Symmetric
	return Call{Function: f, Types: types, Returns: f.Result}
}

// HasOperator reports whether there is an operator of that name at all.
func HasOperator(name string) bool { return len(system().operators[name]) > 0 }

// choose is func_select_candidate of PostgreSQL's parser.
func (c *Catalog) choose(fits []Call, given []string) ([]Call, Outcome) {
	given = slices.Clone(given)
	for i, t := range given {
		given[i] = c.Base(t)
	}
	for _, f := range fits { // the program's types may be domains in its functions
		if exact(f.Types, given) {
			return c.finish([]Call{f}, given)
		}
	}
	fits = slices.DeleteFunc(slices.Clone(fits), func(f Call) bool {
		for i, t := range given {
			if !c.Implicit(t, f.Types[i]) {
				return true
			}
		}
		return !c.consistent(f, given)
	})
	if len(fits) < 2 {
		return c.finish(fits, given)
	}
	best := func(score func(f Call) int) {
		top := -1
		for _, f := range fits {
			top = max(top, score(f))
		}
		if top > 0 {
			fits = slices.DeleteFunc(fits, func(f Call) bool { return score(f) < top })
		}
	}
	best(func(f Call) int { return c.matches(f, given, false) })
	if len(fits) == 1 {
		return c.finish(fits, given)
	}
	best(func(f Call) int { return c.matches(f, given, true) })
	if len(fits) == 1 || slices.Contains(given, Untold) || !slices.Contains(given, Unknown) {
		return c.finish(fits, given)
	}
	fits = c.byCategory(fits, given)
	if len(fits) > 1 {
		fits = c.literalsAlike(fits, given)
	}
	return c.finish(fits, given)
}

func exact(types, given []string) bool {
	for i, t := range given {
		if types[i] != t || t == Unknown || t == Untold {
			return false
		}
	}
	return true
}

// matches counts the arguments that have exactly the declared type, or, with
// preferred, also those that become a preferred type.
func (c *Catalog) matches(f Call, given []string, preferred bool) int {
	n := 0
	for i, t := range given {
		if t == Unknown || t == Untold {
			continue
		}
		d := f.Types[i]
		if d == t || preferred && c.isPreferred(d, t) {
			n++
		}
	}
	return n
}

// isPreferred reports whether d is the preferred type of the category of t.
func (c *Catalog) isPreferred(d, t string) bool {
	dt, tt := c.Type(d), c.Type(t)
	return dt != nil && tt != nil && dt.Preferred && dt.Category == tt.Category
}

// byCategory chooses, at each literal, the candidates of one category: that of
// strings if some candidate has it, else the one that all have.
func (c *Catalog) byCategory(fits []Call, given []string) []Call {
	type choice struct {
		category  byte
		preferred bool
	}
	slots := map[int]choice{}
	for i, t := range given {
		if t != Unknown {
			continue
		}
		var slot choice
		conflict := false
		for k, f := range fits {
			d := c.Type(f.Types[i])
			if d == nil {
				conflict = true
				continue
			}
			switch {
			case k == 0:
				slot = choice{d.Category, d.Preferred}
			case d.Category == slot.category:
				slot.preferred = slot.preferred || d.Preferred
			case d.Category == 'S':
				slot = choice{'S', d.Preferred}
				conflict = false
			case slot.category != 'S':
				conflict = true
			}
			if d.Category == 'S' && slot.category == 'S' {
				conflict = false
			}
		}
		if conflict && slot.category != 'S' {
			return fits
		}
		slots[i] = slot
	}
	kept := slices.DeleteFunc(slices.Clone(fits), func(f Call) bool {
		for i, slot := range slots {
			d := c.Type(f.Types[i])
			if d == nil || d.Category != slot.category || slot.preferred && !d.Preferred {
				return true
			}
		}
		return false
	})
	if len(kept) > 0 {
		return kept
	}
	return fits
}

// literalsAlike takes literals for the one type that all other arguments have.
func (c *Catalog) literalsAlike(fits []Call, given []string) []Call {
	common := Unknown
	for _, t := range given {
		if t == Unknown {
			continue
		}
		if common != Unknown && common != t {
			return fits
		}
		common = t
	}
	if common == Unknown {
		return fits
	}
	var kept []Call
	alike := slices.Repeat([]string{common}, len(given))
	for _, f := range fits {
		all := c.consistent(f, alike)
		for i := range given {
			all = all && c.Implicit(common, f.Types[i])
		}
		if all {
			kept = append(kept, f)
		}
	}
	if len(kept) == 1 {
		return kept
	}
	return fits
}

// finish sets the results.
func (c *Catalog) finish(fits []Call, given []string) ([]Call, Outcome) {
	for i := range fits {
		fits[i].Types, fits[i].Returns = c.concrete(fits[i], given)
	}
	switch len(fits) {
	case 0:
		return nil, Missing
	case 1:
		return fits, Found
	}
	return fits, Ambiguous
}

// Implicit reports whether a value of one type is converted to another one
// without being asked.
func (c *Catalog) Implicit(from, to string) bool {
	if from == to || from == Untold || to == Untold || from == Unknown || to == "any" {
		return true
	}
	if polymorphic(to) {
		return c.fitsPolymorphic(from, to)
	}
	from = c.Base(from)
	if from == to || from == "record" && c.composite(to) || to == "record" && c.composite(from) {
		return true
	}
	k := c.Cast(from, to)
	return k != nil && k.Context == 'i'
}

// composite reports whether a type is that of rows.
func (c *Catalog) composite(name string) bool {
	t := c.Type(name)
	return t != nil && t.Kind == 'c'
}

// Cast gives the cast between two types, or nil. Casts to and from text by way
// of the text form have Method i.
func (c *Catalog) Cast(from, to string) *Cast {
	if k := system().casts[[2]string{from, to}]; k != nil {
		return k
	}
	ft, tt := c.Type(from), c.Type(to)
	if ft == nil || tt == nil {
		return nil
	}
	switch {
	case strings.HasPrefix(from, "_") && strings.HasPrefix(to, "_") && ft.Of != "" && tt.Of != "":
		if ft.Of == tt.Of {
			return &Cast{From: from, To: to, Context: 'i', Method: 'b'}
		}
		if k := c.Cast(c.Base(ft.Of), c.Base(tt.Of)); k != nil {
			return &Cast{From: from, To: to, Context: k.Context, Method: 'a', Function: k.Function}
		}
	case (ft.Kind == 'c' || from == "record") && to == "record":
		return &Cast{From: from, To: to, Context: 'i', Method: 'b'}
	case tt.Category == 'S':
		return &Cast{From: from, To: to, Context: 'a', Method: 'i'}
	case ft.Category == 'S':
		return &Cast{From: from, To: to, Context: 'e', Method: 'i'}
	}
	return nil
}

// OperatorResult is the type of the results of all operators of a name, or "" where
// they differ.
func OperatorResult(name string) string {
	out := ""
	for _, o := range system().operators[name] {
		if out != "" && o.Result != out {
			return ""
		}
		out = o.Result
	}
	return out
}
