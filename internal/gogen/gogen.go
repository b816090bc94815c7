package gogen

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"math/rand/v2"
	"slices"
	"strings"
)

// Schema declares the tables of all modules.
const Schema = `CREATE TABLE a (k bigint PRIMARY KEY, x bigint, y bigint NOT NULL, s text);
CREATE TABLE b (k bigint PRIMARY KEY, a bigint REFERENCES a, t text NOT NULL, n bigint NOT NULL CHECK (n < 60));
CREATE TABLE c (i bigint, j bigint, v bigint NOT NULL, PRIMARY KEY (i, j));
`

// Options direct the generator.
type Options struct {
	// Funcs is the number of functions, Stmts about how many statements one has.
	Funcs, Stmts int
}

// Module is a Go module.
type Module struct {
	// Files are the texts of its Go files, by their paths.
	Files map[string]string
	Funcs []*Func
}

// Func is a function of package txns that runs a transaction.
type Func struct {
	Name   string
	Params []Param
	Text   string // with the helpers that are its own
}

// Param is a parameter of a Func. Kind is its type in Go: int, string, bool or *int.
type Param struct{ Name, Kind string }

// Run is a call of a function with arguments in JSON, on the rows that Reset makes.
type Run struct {
	Func, Reset string
	Args        []json.RawMessage
}

// Outcome is what a run did: how many transactions it committed, the rows of all tables
// afterwards, as the query that was given makes them, the first result as text, and the
// error, or (Panic) what it panicked with.
type Outcome struct {
	Commits int
	Rows    json.RawMessage
	Result  string
	Err     string
	Panic   bool
}

//go:embed module/main.txt
var mainText string

//go:embed module/driver.txt
var driverText string

//go:embed module/txns.txt
var txnsText string

//go:embed module/help.txt
var helpText string

// New makes a random module.
func New(r *rand.Rand, o Options) *Module {
	var funcs []*Func
	var txns, help strings.Builder
	for i := range o.Funcs {
		f, own, other := function(r, i, o.Stmts)
		funcs = append(funcs, f)
		txns.WriteString(own)
		help.WriteString(other)
	}
	return module(funcs, txns.String(), help.String())
}

// Of makes a module of the declarations in a text, of package txns: those of functions
// whose names begin with F run transactions. The error is that of the parser.
func Of(text string) (*Module, error) {
	file, err := parser.ParseFile(token.NewFileSet(), "", "package txns\n"+text, 0)
	if err != nil {
		return nil, err
	}
	var funcs []*Func
	for _, d := range file.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Recv != nil || !strings.HasPrefix(fn.Name.Name, "F") {
			continue
		}
		f := &Func{Name: fn.Name.Name, Text: text[int(fn.Pos())-len("package txns\n")-1 : int(fn.End())-len("package txns\n")-1]}
		for _, p := range fn.Type.Params.List[2:] {
			for _, name := range p.Names {
				f.Params = append(f.Params, Param{name.Name, types.ExprString(p.Type)})
			}
		}
		funcs = append(funcs, f)
	}
	return module(funcs, text, ""), nil
}

// module puts functions into a module, with the text of both packages.
func module(funcs []*Func, txns, help string) *Module {
	m := &Module{Funcs: funcs}
	var list strings.Builder
	for _, f := range funcs {
		fmt.Fprintf(&list, "\t%q: txns.%s,\n", f.Name, f.Name)
	}
	m.Files = map[string]string{
		"main.go":      mainText,
		"driver.go":    driverText,
		"list.go":      "package main\n\nimport \"gen.test/txns\"\n\nvar funcs = map[string]any{\n" + list.String() + "}\n",
		"txns/txns.go": txnsText + txns,
		"help/help.go": helpText + help,
	}
	return m
}

// kind is the type of a variable.
type kind string

const (
	tInt   kind = "int"
	tText  kind = "string"
	tBool  kind = "bool"
	tPtr   kind = "*int"
	tNull  kind = "sql.NullInt64"
	tTextN kind = "sql.NullString"
	tInts  kind = "[]int"
	tArr   kind = "[3]int"
	tMap   kind = "map[string]int"
	tByInt kind = "map[int]string"
	tItem  kind = "Item"
	tPItem kind = "*Item"
	tErr   kind = "error"
	tFn    kind = "func(int) int"
	tTo    kind = "pointer to a variable"
)

type variable struct {
	name  string
	kind  kind
	fixed bool // nothing is assigned to it
	depth int  // of the scope
}

// gen writes one function.
type gen struct {
	r     *rand.Rand
	n     int // of the function
	out   *strings.Builder
	vars  []variable
	names int
	left  int // statements
	depth int
	pgx   bool
	tx    string // the expression for the transaction
	iface bool   // its type is an interface of the module
	// fail and succeed give the statements that leave the body, with an error and
	// without one. loops are the labels of the loops around.
	fail, succeed func(err string) string
	loops         []string
	helper        bool
	own, other    strings.Builder // helpers, here and in package help
	abroad        bool            // in package help
}

func (g *gen) chance(percent int) bool { return g.r.IntN(100) < percent }

func (g *gen) oneOf(list ...string) string { return list[g.r.IntN(len(list))] }

func (g *gen) name(base string) string {
	g.names++
	return fmt.Sprintf("%s%d", base, g.names)
}

func (g *gen) line(format string, args ...any) {
	fmt.Fprintf(g.out, format+"\n", args...)
}

// declare brings a variable into scope, after the line that declares it.
func (g *gen) declare(name string, k kind) variable {
	v := variable{name: name, kind: k}
	g.bring(v)
	g.line("_ = %s", name)
	return v
}

// bring brings a variable into scope that is declared.
func (g *gen) bring(v variable) {
	v.depth = g.depth
	g.vars = append(g.vars, v)
}

// scope runs f in a scope of its own.
func (g *gen) scope(f func()) {
	n := len(g.vars)
	g.depth++
	f()
	g.depth--
	g.vars = g.vars[:n]
}

// some gives a variable of a kind that can be assigned to or (any) any of the kind.
func (g *gen) some(k kind, any bool) (variable, bool) {
	var list []variable
	for i, v := range g.vars {
		hidden := slices.ContainsFunc(g.vars[i+1:], func(w variable) bool { return w.name == v.name })
		if v.kind == k && !hidden && (any || !v.fixed) {
			list = append(list, v)
		}
	}
	if len(list) == 0 {
		return variable{}, false
	}
	return list[g.r.IntN(len(list))], true
}

// errorValue gives an error that is not nil.
func (g *gen) errorValue() string {
	switch g.r.IntN(7) {
	case 6:
		return fmt.Sprintf("fmt.Errorf(\"no %%v %%d\", ErrStop, %s)", g.int(0))
	case 0:
		return "ErrStop"
	case 1:
		return "ErrSkip"
	case 2:
		return fmt.Sprintf("fmt.Errorf(\"%s %%d: %%w\", %s, %s)", g.oneOf("at", "in"), g.int(0), g.oneOf("ErrStop", "ErrSkip", g.noRows()))
	case 3:
		return fmt.Sprintf("&codeError{%s}", g.int(0))
	case 4:
		return `errors.New("stop")`
	}
	return "errors.Join(ErrStop, nil)"
}

// noRows gives the error of a query without a row.
func (g *gen) noRows() string {
	if g.pgx {
		return "pgx.ErrNoRows"
	}
	return "sql.ErrNoRows"
}
