package catalog

import (
	"slices"
	"strings"
	"sync"
)

// Type is an SQL type.
type Type struct {
	// Name is the name in pg_type, such as "int4" and "_int4" for its arrays.
	Name string
	// Kind is pg_type.typtype: b(ase), c(omposite), d(omain), e(num), p(seudo),
	// r(ange) or m(ultirange).
	Kind byte
	// Category is pg_type.typcategory, and Preferred says that the type is the
	// preferred one of its category.
	Category  byte
	Preferred bool
	// Of is the type of the elements of an array, of the bounds of a range or
	// multirange, and the base type of a domain, or "".
	Of string
}

// Column is a column of the rows that a function returns.
type Column struct{ Name, Type string }

// Function is a function, aggregate or window function.
type Function struct {
	Name   string
	Args   []string // names of types
	Result string
	// Kind is pg_proc.prokind: f(unction), a(ggregate), w(indow function) or
	// p(rocedure).
	Kind byte
	// Volatility is pg_proc.provolatile: i(mmutable), s(table) or v(olatile).
	Volatility byte
	// Strict: a NULL argument gives NULL. Set: it returns a set of rows.
	// Variadic: the last argument may be repeated. Ordered: an aggregate WITHIN
	// GROUP.
	Strict, Set, Variadic, Ordered bool
	// Defaults is the number of arguments, from the last one, that may be left
	// out.
	Defaults int
	// Out are the columns of the result, where it has several or named ones.
	Out []Column
	// Symmetric: the two arguments may change places. It is known of functions of
	// operators.
	Symmetric bool
	// Extension is the extension that brings it, or "".
	Extension string
	// Program is for the functions of a Scope.
	Program any
}

// Signature tells the function from all others, such as "age(timestamptz)".
func (f *Function) Signature() string { return f.Name + "(" + strings.Join(f.Args, ",") + ")" }

// Operator is an operator. Left is "" for a prefix operator. Function is the
// name of the function that computes it.
type Operator struct {
	Name, Left, Right, Result, Function string
	// Symmetric: the operands may change places.
	Symmetric bool
	Extension string
}

// Cast is a cast. Context is pg_cast.castcontext: i(mplicit), a(ssignment) or
// e(xplicit); Method is pg_cast.castmethod: f(unction), b(inary) or i(nout).
type Cast struct {
	From, To        string
	Context, Method byte
	Function        string
	// Args is how many arguments the function takes: the second one is the type
	// modifier.
	Args string
}

// builtins is what a server has, indexed.
type builtins struct {
	types     map[string]*Type
	functions map[string][]*Function
	operators map[string][]*Operator
	casts     map[[2]string]*Cast
}

// system reads the generated data once.
var system = sync.OnceValue(func() *builtins {
	b := &builtins{map[string]*Type{}, map[string][]*Function{}, map[string][]*Operator{}, map[[2]string]*Cast{}}
	for _, ext := range append([]string{"", later}, sortedExtensions()...) {
		b.add(ext, builtinData[ext])
	}
	return b
})

func sortedExtensions() []string {
	var out []string
	for ext := range builtinData {
		if ext != "" {
			out = append(out, ext)
		}
	}
	slices.Sort(out)
	return out
}

// later is the name under which what later versions have is kept.
const later = "later"

func (b *builtins) add(ext string, data map[string]string) {
	if ext == later {
		data, ext = map[string]string{"functions": laterFunctions}, ""
	}
	for _, f := range fields(data["types"]) {
		t := &Type{Name: f[0], Kind: f[1][0], Category: f[2][0], Preferred: f[3] == "p", Of: f[4]}
		if b.types[t.Name] == nil {
			b.types[t.Name] = t
		}
	}
	for _, f := range fields(data["functions"]) {
		fn := function(f)
		fn.Extension = ext
		b.functions[fn.Name] = append(b.functions[fn.Name], fn)
	}
	for _, f := range fields(data["operators"]) {
		o := &Operator{Name: f[0], Left: f[1], Right: f[2], Result: f[3], Function: f[4], Symmetric: len(f) > 5, Extension: ext}
		b.operators[o.Name] = append(b.operators[o.Name], o)
	}
	for _, f := range fields(data["casts"]) {
		b.casts[[2]string{f[0], f[1]}] = &Cast{From: f[0], To: f[1], Context: f[2][0], Method: f[2][1], Function: f[3], Args: f[4]}
	}
}

// fields splits data at its lines and tabs.
func fields(data string) [][]string {
	var out [][]string
	for line := range strings.Lines(data) {
		if line = strings.TrimSuffix(line, "\n"); line != "" {
			out = append(out, strings.Split(line, "\t"))
		}
	}
	return out
}

// function reads the fields of a function.
func function(f []string) *Function {
	fn := &Function{Name: f[0], Args: split(f[1]), Result: f[2], Kind: f[3][0], Volatility: f[3][1]}
	for _, c := range f[3][2:] {
		switch c {
		case 'S':
			fn.Strict = true
		case 'R':
			fn.Set = true
		case 'V':
			fn.Variadic = true
		case 'O':
			fn.Ordered = true
		default:
			fn.Defaults = fn.Defaults*10 + int(c-'0')
		}
	}
	if len(f) > 4 {
		for _, c := range split(f[4]) {
			name, t, _ := strings.Cut(c, ":")
			fn.Out = append(fn.Out, Column{name, t})
		}
	}
	return fn
}

func split(list string) []string {
	if list == "" {
		return nil
	}
	return strings.Split(list, ",")
}

// Operators calls f for each operator of a server, in no order.
func Operators(f func(*Operator)) {
	for _, list := range system().operators {
		for _, o := range list {
			f(o)
		}
	}
}

// Casts calls f for each cast of a server, in no order.
func Casts(f func(*Cast)) {
	for _, k := range system().casts {
		f(k)
	}
}
