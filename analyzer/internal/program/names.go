package program

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
)

// Role is what a method of a value that statements are sent through does.
type Role uint8

const (
	UnknownRole Role = iota
	ExecRole         // sends a statement: (SQL, arguments …)
	QueryRole        // the same, with rows
	QueryRowRole
	BeginRole
	CommitRole
	RollbackRole
	PrepareRole   // (SQL)
	GetRole       // (destination, SQL, arguments …): one row
	SelectRole    // (destination, SQL, arguments …): all rows
	NamedExecRole // (SQL, struct or map)
	NamedRowsRole
	InTxRole // runs a function in a transaction
	OwnRole  // sends something in a way that its library models
	SameRole // gives its (last) argument
	IdleRole // does nothing that matters
	WithRole // gives a handle like its receiver
)

// Takes reports whether a method of a role may have so many arguments, without a context: one
// of the same name that has fewer is another method.
func (r Role) Takes(args int) bool {
	switch r {
	case ExecRole, QueryRole, QueryRowRole, PrepareRole:
		return args >= 1
	case GetRole, SelectRole, NamedExecRole, NamedRowsRole:
		return args >= 2
	}
	return true
}

// Names says what the names of a library mean for a program. What a library does not
// need stays zero.
type Names struct {
	// Handles are the types that statements are sent through: "db" for a database or
	// connection, "tx" for a transaction, "either" for what may be one or the other.
	Handles map[string]string
	// HandleOf says the same of types that are not known by a name alone.
	HandleOf func(t types.Type) string
	// Paths are the packages that statements are sent through, beside those of handles.
	Paths []string
	// Prepared are the types of prepared statements.
	Prepared []string
	// Drivers are modules of drivers, with the databases that they connect to.
	Drivers map[string]Database
	// Results are the types by which the methods that give them are known.
	Results map[string]Role
	// Methods are methods of whatever statements are sent through, by name. What they
	// return says that they are meant.
	Methods map[string]Role
	// Sends reports whether a method of an interface makes it one that statements are
	// sent through.
	Sends func(m *types.Func) bool
	// Uses are functions that use the database.
	Uses []string
	// UsesMethod says whether a method uses the database, if it is one of the library.
	UsesMethod func(m *types.Func) (uses, known bool)
	// NoRows are the variables with the error of a query without rows.
	NoRows []string
	// Failing are types of values that have an error inside.
	Failing []string
	// Options are types of arguments of a statement that are no values for it.
	Options []string
	// Whole are structs whose fields are not kept apart.
	Whole []string
	// Idle are packages that only write messages, or measure: what they are given is no
	// result that anybody depends on.
	Idle []string
	// Reading are packages whose functions only look at the lists of texts that they get.
	Reading []string
	// Holding are modules that only hold the database that they get, watch it, or migrate it before
	// the program works: what they send is none of its transactions.
	Holding []string
	// Constructors are functions that make a value of their arguments alone, which nobody
	// changes.
	Constructors []string
	// Generated reports whether the library generated a package, which is not read.
	Generated func(pkg *types.Package) bool
	// Generators are programs of the library that generate Go files whose functions the library models: they are read
	// where something calls them, and do not stand for themselves.
	Generators []string
	// Calls reports whether the library calls a function with the transaction of a
	// statement.
	Calls func(f *ssa.Function) bool
	// Look sees each instruction of the program once, before any is interpreted.
	Look func(instr ssa.Instruction)
	// Migrations gives the functions that an instruction registers as migrations.
	Migrations func(instr ssa.Instruction) []*ssa.Function
}

// Knowledge is what the names of all libraries mean.
type Knowledge struct {
	list     []*Names
	handles  map[string]string
	prepared map[string]bool
	Results  map[string]Role
	Methods  map[string]Role
	users    map[string]bool
	NoRows   map[string]bool
	Failing  map[string]bool
	Options  map[string]bool
	idle     map[string]bool
	holding  map[string]bool
	reading  map[string]bool
	// known are the folders of the modules of libraries that are known, nil before that is asked for.
	known map[string]bool
	// Constructors are those of all libraries.
	Constructors map[string]bool
	Paths        map[string]bool
	Layout       gotypes.Layout
}

// NewKnowledge puts together what is known of libraries.
func NewKnowledge(list []*Names) *Knowledge {
	k := &Knowledge{list: list, handles: map[string]string{}, prepared: map[string]bool{}, Results: map[string]Role{}, Methods: map[string]Role{},
		users: map[string]bool{}, NoRows: map[string]bool{}, Failing: map[string]bool{}, Options: map[string]bool{}, idle: map[string]bool{}, holding: map[string]bool{}, reading: map[string]bool{}, Constructors: map[string]bool{}, Paths: map[string]bool{}, Layout: gotypes.Layout{}}
	for _, n := range list {
		for t, kind := range n.Handles {
			k.handles[t] = kind
			k.Paths[t[:strings.LastIndexByte(t, '.')]] = true
		}
		for t, r := range n.Results {
			k.Results[t] = r
		}
		for m, r := range n.Methods {
			k.Methods[m] = r
		}
		for set, all := range map[*map[string]bool][]string{&k.prepared: n.Prepared, &k.users: n.Uses, &k.NoRows: n.NoRows, &k.Failing: n.Failing, &k.Options: n.Options,
			&k.idle: n.Idle, &k.holding: n.Holding, &k.reading: n.Reading, &k.Constructors: n.Constructors, &k.Paths: n.Paths} {
			for _, s := range all {
				(*set)[s] = true
			}
		}
		for _, t := range n.Whole {
			k.Layout[t] = true
		}
	}
	return k
}

// sending reports whether a method is one that sends a statement with its text.
func (k *Knowledge) sending(name string, sig *types.Signature) Role {
	r := k.Methods[name]
	switch r {
	case ExecRole, QueryRole, QueryRowRole:
		if sig.Results().Len() == 0 || k.Results[gotypes.TypeName(sig.Results().At(0).Type())] != r {
			return UnknownRole
		}
		params := sig.Params()
		for i := range params.Len() {
			if b, ok := params.At(i).Type().Underlying().(*types.Basic); ok && b.Info()&types.IsString != 0 {
				return r
			}
		}
		return UnknownRole
	}
	return UnknownRole
}

// namedHandle says whether statements are sent through values of a type, as far as the
// type itself is known.
func (k *Knowledge) namedHandle(t types.Type) string {
	if kind := k.handles[gotypes.TypeName(t)]; kind != "" {
		return kind
	}
	for _, n := range k.list {
		if n.HandleOf != nil {
			if kind := n.HandleOf(t); kind != "" {
				return kind
			}
		}
	}
	return ""
}

// marks reports whether a method of an interface makes it one that statements are sent
// through, or prepared with.
func (k *Knowledge) marks(m *types.Func) bool {
	return k.sending(m.Name(), m.Signature()) != UnknownRole || k.prepares(m) ||
		slices.ContainsFunc(k.list, func(n *Names) bool { return n.Sends != nil && n.Sends(m) })
}

// prepares reports whether a method gives a prepared statement.
func (k *Knowledge) prepares(m *types.Func) bool {
	results := m.Signature().Results()
	return k.Methods[m.Name()] == PrepareRole && results.Len() > 0 && k.IsPrepared(results.At(0).Type())
}

// usesMethod says whether a method uses the database, if it is one that a library
// knows.
func (k *Knowledge) usesMethod(m *types.Func) (uses, known bool) {
	for _, n := range k.list {
		if n.UsesMethod != nil {
			if uses, known := n.UsesMethod(m); known {
				return uses, true
			}
		}
	}
	return false, false
}

// generated reports whether a library generated a package.
func (k *Knowledge) generated(pkg *types.Package) bool {
	return slices.ContainsFunc(k.list, func(n *Names) bool { return n.Generated != nil && n.Generated(pkg) })
}

// Calls reports whether a library calls a function with the transaction of a
// statement.
func (k *Knowledge) Calls(f *ssa.Function) bool {
	return slices.ContainsFunc(k.list, func(n *Names) bool { return n.Calls != nil && n.Calls(f) })
}

// IsPrepared reports whether a type is that of prepared statements, or a pointer to it.
func (k *Knowledge) IsPrepared(t types.Type) bool { return k.prepared[gotypes.TypeName(t)] }

// IsConn reports whether a type is that of one connection: what is sent through it
// while a transaction of the connection is open is part of that.
func (k *Knowledge) IsConn(t types.Type) bool {
	n := gotypes.TypeName(t)
	return k.handles[n] == "db" && strings.HasSuffix(n, ".Conn")
}

// IsIdle reports whether a package only writes messages.
func (k *Knowledge) IsIdle(path string) bool { return within(path, k.idle) }

// within reports whether a package, or a folder that it is in, is one of a set.
func within(path string, set map[string]bool) bool {
	for strings.Contains(path, "/") {
		if set[path] {
			return true
		}
		path = path[:strings.LastIndexByte(path, '/')]
	}
	return set[path]
}

// Concerns reports whether a package may use a database: it imports, directly or
// not, a library that does, and is not part of one.
func (k *Knowledge) Concerns(pkg *types.Package) bool {
	for path := range k.Paths {
		if pkg.Path() == path || strings.HasPrefix(pkg.Path(), path+"/") {
			return false
		}
	}
	seen := map[*types.Package]bool{}
	var visit func(p *types.Package) bool
	visit = func(p *types.Package) bool {
		if seen[p] {
			return false
		}
		seen[p] = true
		return k.Paths[p.Path()] || slices.ContainsFunc(p.Imports(), visit)
	}
	return slices.ContainsFunc(pkg.Imports(), visit)
}
