package program

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/analyzer/internal/comments"
	"github.com/txrobust/robust/analyzer/internal/flow"
	"github.com/txrobust/robust/analyzer/internal/gotypes"
)

// Program is the source that is analysed, and what is known of it.
type Program struct {
	fset *token.FileSet
	// dir is what file names are relative to.
	dir string
	// Funcs are the functions with a body that stand for themselves, in the order
	// of the source.
	Funcs   []*ssa.Function
	Pkgs    []*ssa.Package
	shapes  map[*ssa.Function]*flow.Shape
	handles map[*types.Interface]string
	// constants are what package variables hold that are set once.
	constants map[*ssa.Global]*ssa.Const
	// embedded are the files of the variables that have their texts, by their places.
	embedded map[token.Pos]string
	// generators are the programs that generated files, by the names of the files.
	generators map[string]string
	sentinels  map[string]int
	// touches are the functions that use the database themselves; relevant those
	// that reach one of them.
	touches, Relevant map[*ssa.Function]bool
	// Parametric says of a function why its callers have to be looked at.
	Parametric map[*ssa.Function]string
	// Textual are the places of functions that send what their callers give.
	Textual map[*ssa.Function]map[token.Pos]bool
	// TooLarge are the functions whose own interpretation took too many steps: that of a
	// caller would, too, so that they are not interpreted with it.
	TooLarge map[*ssa.Function]bool
	// Recursive are functions that were found to call themselves.
	Recursive map[*ssa.Function]bool
	// Users are the functions that mention a function.
	Users map[*ssa.Function][]*ssa.Function
	// byName are the methods of the program by name.
	byName map[string][]*ssa.Function
	Calls  map[Call]bool
	// values are the functions that the program uses other than by calling them.
	values []*ssa.Function
	// starts are the places where calls are written, by their parentheses.
	starts map[token.Pos]token.Pos
	smalls map[*ssa.Function]bool
	// Literals are the function literals that an interpretation came upon, in order, ran the
	// functions that were interpreted.
	Literals []*ssa.Function
	Ran      map[*ssa.Function]bool
	// evaluations are what functions return, by them and their arguments.
	evaluations map[string]evaluation
	Places      Places
	// migrations are how often functions are registered as such, mentions how often
	// they are mentioned at all.
	migrations, mentions map[*ssa.Function]int
	lists                map[*ssa.Global]*textList
	settled              map[*ssa.Global]*settled
	// altered are the names of types of structs that somebody changes through a pointer.
	altered map[string]bool
	// Know is what is known of libraries.
	Know *Knowledge
	// MySQL says that the program runs on MySQL.
	MySQL bool
	Notes *comments.Comments
	// Sessions are the places that set the isolation level of sessions. Which sessions,
	// and whether they ever run, is not known.
	Sessions []SessionLevel
	// handed are the types whose methods somebody outside may call, nil before that is looked for.
	handed map[*types.TypeName]bool
	// boxed are the types of which interfaces may hold values, nil before that is looked for.
	boxed map[*types.TypeName]bool
	// Holders tell what may hold a transaction: of a database, and of one connection.
	holders  [2]*Holders
	contexts *bool // whether PutsIntoContexts; nil before that is looked for
	held     *inContexts
	// fields are those that functions set, nil before that is looked for.
	fields map[*types.Var]bool
}

// Call says that a function of the program calls another one, with what kind of
// handle among its arguments.
type Call struct {
	From, To *ssa.Function
	How      CallKind
}

// CallKind says what a call gives to the function that it calls.
type CallKind uint8

const (
	Plainly CallKind = iota // with the database, or no handle at all
	Passing                 // with what its own caller gives
	Within                  // with a transaction
)

// New collects what is known of packages. libraries says what the names of
// libraries mean.
func New(fset *token.FileSet, dir string, pkgs []*ssa.Package, files []*ast.File, libraries func(p *Program) []*Names) (*Program, error) {
	p := &Program{fset: fset, dir: dir, Pkgs: pkgs, shapes: map[*ssa.Function]*flow.Shape{}, handles: map[*types.Interface]string{},
		constants: map[*ssa.Global]*ssa.Const{}, embedded: embedded(fset, files), generators: generators(fset, files), sentinels: map[string]int{},
		touches: map[*ssa.Function]bool{}, Relevant: map[*ssa.Function]bool{}, Parametric: map[*ssa.Function]string{}, TooLarge: map[*ssa.Function]bool{}, Textual: map[*ssa.Function]map[token.Pos]bool{},
		Users: map[*ssa.Function][]*ssa.Function{}, byName: map[string][]*ssa.Function{},
		Calls: map[Call]bool{}, starts: map[token.Pos]token.Pos{}, smalls: map[*ssa.Function]bool{}, Ran: map[*ssa.Function]bool{}, Recursive: map[*ssa.Function]bool{}, evaluations: map[string]evaluation{}, lists: map[*ssa.Global]*textList{}, settled: map[*ssa.Global]*settled{}, altered: map[string]bool{},
		migrations: map[*ssa.Function]int{}, mentions: map[*ssa.Function]int{},
		Places: Places{Open: map[Place]bool{}, Writers: map[*ssa.Function][]Place{}}}
	p.Places.p = p
	p.Know = NewKnowledge(libraries(p))
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			if c, ok := n.(*ast.CallExpr); ok {
				at := c.Fun.Pos()
				if s, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr); ok {
					at = s.Sel.Pos()
				}
				p.starts[c.Lparen] = at
			}
			return true
		})
	}
	for _, pkg := range pkgs {
		p.collect(pkg)
	}
	p.keepApart()
	slices.SortStableFunc(p.Funcs, p.ByPlace)
	p.index()
	p.Sessions = p.sessionLevels()
	var err error
	p.Notes, err = comments.Read(fset, p.Position, files)
	return p, err
}

// outermostFuncs gives the functions that are no literals, with those that set package variables.
func (p *Program) outermostFuncs() []*ssa.Function {
	var out []*ssa.Function
	for _, pkg := range p.Pkgs {
		if f := pkg.Func("init"); f != nil {
			out = append(out, f)
		}
	}
	for _, f := range p.Funcs {
		if f.Parent() == nil {
			out = append(out, f)
		}
	}
	return out
}

// collect finds the functions of a package.
func (p *Program) collect(pkg *ssa.Package) {
	add := func(f *ssa.Function) {
		if f != nil && len(f.Blocks) > 0 && f.Synthetic == "" {
			p.Funcs = append(p.Funcs, f)
		}
	}
	names := make([]string, 0, len(pkg.Members))
	for name := range pkg.Members {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		switch m := pkg.Members[name].(type) {
		case *ssa.Function:
			add(m)
		case *ssa.Type:
			n, ok := types.Unalias(m.Type()).(*types.Named)
			if !ok {
				continue
			}
			for i := range n.NumMethods() {
				add(pkg.Prog.FuncValue(n.Method(i)))
			}
		}
	}
}

// index finds out who uses whom, and who uses the database.
func (p *Program) index() {
	stores := map[*ssa.Global]int{}
	for _, f := range p.Funcs {
		p.mention(f, stores)
		if f.Signature.Recv() != nil {
			p.byName[f.Name()] = append(p.byName[f.Name()], f)
		}
	}
	for _, pkg := range p.Pkgs {
		if f := pkg.Func("init"); f != nil {
			p.mention(f, stores)
		}
	}
	for _, pkg := range p.Pkgs {
		for _, m := range pkg.Members {
			if g, ok := m.(*ssa.Global); ok {
				if c, ok := p.embeddedText(g); ok {
					stores[g]++
					p.constants[g] = c
				}
			}
		}
	}
	for g := range p.constants {
		if stores[g] != 1 {
			delete(p.constants, g)
		}
	}
	// Calls through interfaces may mean each method of the name.
	for _, f := range p.Funcs {
		p.invokes(f)
		if f.Parent() == nil {
			p.callsValues(f)
		}
	}
	var reach func(f *ssa.Function)
	reach = func(f *ssa.Function) {
		if p.Relevant[f] {
			return
		}
		p.Relevant[f] = true
		for _, u := range p.Users[f] {
			reach(u)
		}
	}
	for f := range p.touches {
		reach(f)
	}
	for _, f := range p.Funcs {
		p.look(f)
	}
	for _, pkg := range p.Pkgs {
		if f := pkg.Func("init"); f != nil {
			p.look(f)
		}
	}
}

// mention finds what a function, and those in it, mention: other functions, the database,
// and package variables, of which stores counts how often they are set.
func (p *Program) mention(f *ssa.Function, stores map[*ssa.Global]int) {
	gotypes.EachInstr(f, func(instr ssa.Instruction) {
		f := instr.Parent()
		if s, ok := instr.(*ssa.Store); ok {
			if g, isGlobal := s.Addr.(*ssa.Global); isGlobal {
				stores[g]++
				if c, isConst := s.Val.(*ssa.Const); isConst {
					p.constants[g] = c
				}
			}
		}
		if c, ok := instr.(ssa.CallInstruction); ok && p.uses(c.Common()) && !(f.Pkg != nil && p.Know.generated(f.Pkg.Pkg)) {
			p.touches[f] = true
		}
		for _, op := range instr.Operands(nil) {
			if op == nil || *op == nil {
				continue
			}
			switch v := (*op).(type) {
			case *ssa.Function:
				p.use(v, f)
				if c, isCall := instr.(ssa.CallInstruction); !isCall || op != &c.Common().Value {
					p.values = append(p.values, v)
				}
			case *ssa.Global:
				if _, isStore := instr.(*ssa.Store); isStore {
					continue
				}
				if u, isLoad := instr.(*ssa.UnOp); !isLoad || u.Op != token.MUL {
					stores[v] += 2 // its address is known
				}
			}
		}
	})
}

// look looks at all instructions of a function.
func (p *Program) look(f *ssa.Function) {
	gotypes.EachInstr(f, func(instr ssa.Instruction) {
		p.Places.placeUses(instr.Parent(), instr)
		p.listUses(instr.Parent(), instr)
		p.settles(instr.Parent(), instr)
		p.findMigrations(instr)
		for _, n := range p.Know.list {
			if n.Look != nil {
				n.Look(instr)
			}
		}
	})
}

func (p *Program) invokes(f *ssa.Function) {
	for _, b := range f.Blocks {
		for _, instr := range b.Instrs {
			if c, ok := instr.(ssa.CallInstruction); ok && c.Common().IsInvoke() {
				for _, m := range p.Implementers(c.Common().Method) {
					p.use(m, f)
				}
			}
			if c, ok := instr.(ssa.CallInstruction); ok {
				if g := c.Common().StaticCallee(); g != nil && g.Origin() != nil {
					p.invokesOf(g)
				}
			}
		}
	}
	for _, g := range f.AnonFuncs {
		p.invokes(g)
	}
}

// invokesOf finds the methods that an instance of a generic function calls through interfaces with its type arguments:
// whoever uses the function may call them.
func (p *Program) invokesOf(instance *ssa.Function) {
	gotypes.EachInstr(instance, func(instr ssa.Instruction) {
		if c, ok := instr.(ssa.CallInstruction); ok && c.Common().IsInvoke() {
			for _, m := range p.Implementers(c.Common().Method) {
				p.use(m, instance.Origin())
			}
		}
	})
}

// Unwrapped gives the function of the program that a function is an instance or a wrapper of, such as the value of a
// method, or the function itself.
func Unwrapped(f *ssa.Function) *ssa.Function {
	if o := f.Origin(); o != nil {
		f = o
	}
	if f.Synthetic != "" {
		if m, ok := f.Object().(*types.Func); ok {
			if g := f.Prog.FuncValue(m); g != nil {
				return g
			}
		}
	}
	return f
}

// use records that user mentions f.
func (p *Program) use(f, user *ssa.Function) {
	f = Unwrapped(f)
	if f != user && !slices.Contains(p.Users[f], user) {
		p.Users[f] = append(p.Users[f], user)
	}
}

// uses reports whether a call has to do with the database.
func (p *Program) uses(c *ssa.CallCommon) bool {
	if p.Foreign(c) {
		return true
	}
	var m *types.Func
	if c.IsInvoke() {
		m = c.Method
	} else if f := c.StaticCallee(); f != nil {
		if p.Know.users[gotypes.FullName(f)] {
			return true
		}
		m, _ = f.Object().(*types.Func)
	}
	if m == nil {
		return false
	}
	recv := m.Signature().Recv()
	if recv == nil {
		return false
	}
	if uses, known := p.Know.usesMethod(m); known {
		return uses
	}
	if p.Know.IsPrepared(recv.Type()) {
		return p.Know.Methods[m.Name()] != IdleRole
	}
	if p.HandleType(recv.Type()) == "" {
		return p.OnlyBegins(m)
	}
	switch p.Know.Methods[m.Name()] {
	case IdleRole, SameRole, WithRole, CommitRole, RollbackRole, UnknownRole:
		return false
	case BeginRole:
		return p.Begins(m.Signature())
	}
	return true
}

// Matters reports whether a function reaches the database.
func (p *Program) Matters(f *ssa.Function) bool {
	return p.Relevant[Unwrapped(f)]
}

// Small reports whether a function is simple enough to be interpreted with its
// caller: without loops, short, and without the database, unless it gives a
// function that has to do with it.
func (p *Program) Small(f *ssa.Function) bool {
	if s, ok := p.smalls[f]; ok {
		return s
	}
	p.smalls[f] = false
	n := 0
	for _, b := range f.Blocks {
		n += len(b.Instrs)
	}
	p.smalls[f] = (n <= 60 || n <= 600 && givesMap(f)) && len(p.Shape(f).Heads) == 0 && (!p.Relevant[f] || givesFunction(f))
	return p.smalls[f]
}

// givesMap reports whether a function gives a map with texts as keys, such as the values of the parameters of a
// statement: each entry takes several instructions.
func givesMap(f *ssa.Function) bool {
	for v := range f.Signature.Results().Variables() {
		if m, ok := v.Type().Underlying().(*types.Map); ok && types.Identical(m.Key(), types.Typ[types.String]) {
			return true
		}
	}
	return false
}

// givesFunction reports whether a function gives another one, which somebody else
// calls: what it captures matters then.
func givesFunction(f *ssa.Function) bool {
	r := f.Signature.Results()
	for i := range r.Len() {
		if _, ok := r.At(i).Type().Underlying().(*types.Signature); ok {
			return true
		}
	}
	return false
}

// Shape gives the control flow of a function.
func (p *Program) Shape(f *ssa.Function) *flow.Shape {
	if s, ok := p.shapes[f]; ok {
		return s
	}
	s := flow.Of(f)
	p.shapes[f] = s
	return s
}

// Implementers gives the methods of the program that a call through an interface
// may mean.
func (p *Program) Implementers(m *types.Func) []*ssa.Function {
	i, ok := m.Signature().Recv().Type().Underlying().(*types.Interface)
	if !ok {
		return nil
	}
	var out []*ssa.Function
	for _, f := range p.byName[m.Name()] {
		if t := f.Signature.Recv().Type(); types.Implements(t, i) || types.Implements(types.NewPointer(t), i) {
			if !p.neverBoxed(t) {
				out = append(out, f)
			}
		} else if g := p.instance(t, m, i); g != nil {
			out = append(out, g)
		}
	}
	return out
}

// instance gives the method m of a generic type t that implements the interface i,
// made of the type arguments of i's own type.
func (p *Program) instance(t types.Type, m *types.Func, i *types.Interface) *ssa.Function {
	generic, wanted := gotypes.NamedOf(t), gotypes.NamedOf(m.Signature().Recv().Type())
	if generic == nil || wanted == nil || generic.TypeParams().Len() == 0 || generic.TypeParams().Len() != wanted.TypeArgs().Len() {
		return nil
	}
	inst, err := types.Instantiate(nil, generic.Origin(), slices.Collect(wanted.TypeArgs().Types()), true)
	if err != nil {
		return nil
	}
	pt := types.NewPointer(inst)
	if !types.Implements(pt, i) {
		return nil
	}
	f := p.Pkgs[0].Prog.LookupMethod(pt, m.Pkg(), m.Name())
	if f == nil || len(f.Blocks) == 0 {
		return nil
	}
	return f
}

// OtherImplementer reports whether a type of the program other than t, and those that
// embed it or an interface, implements an interface.
func (p *Program) OtherImplementer(i *types.Interface, t types.Type) bool {
	method := func(t types.Type) types.Object {
		m := i.Method(0)
		o, _, _ := types.LookupFieldOrMethod(types.NewPointer(t), true, m.Pkg(), m.Name())
		return o
	}
	forwards := func(o types.Object) bool {
		f, ok := o.(*types.Func)
		return ok && types.IsInterface(f.Signature().Recv().Type())
	}
	for _, pkg := range p.Pkgs {
		for _, m := range pkg.Members {
			named, ok := m.(*ssa.Type)
			if !ok || types.IsInterface(named.Type()) {
				continue
			}
			if o := method(named.Type()); o == method(gotypes.NamedOf(t)) || forwards(o) {
				continue
			}
			if types.Implements(named.Type(), i) || types.Implements(types.NewPointer(named.Type()), i) {
				return true
			}
		}
	}
	return false
}

// MethodOf gives the method that a call through an interface means for values of
// type t.
func (p *Program) MethodOf(t types.Type, m *types.Func) *ssa.Function {
	if len(p.Pkgs) == 0 || types.IsInterface(t) {
		return nil
	}
	return p.Pkgs[0].Prog.LookupMethod(t, m.Pkg(), m.Name())
}

// Sentinel numbers the error variables, and the places where errors are made.
func (p *Program) Sentinel(name string) int {
	if k, ok := p.sentinels[name]; ok {
		return k
	}
	k := len(p.sentinels)
	p.sentinels[name] = k
	return k
}

// ConstantOf gives what a package variable holds that is set once, to a constant.
func (p *Program) ConstantOf(g *ssa.Global) *ssa.Const {
	c := p.constants[g]
	if c == nil || c.Value == nil || c.Value.Kind() != constant.String {
		return nil
	}
	return c
}

// MayUse reports whether a call uses the database, or is one through an interface of a
// method that may do so.
func (p *Program) MayUse(c *ssa.CallCommon) bool {
	return p.uses(c) || c.IsInvoke() && slices.ContainsFunc(p.Implementers(c.Method), p.Matters)
}

// Callable reports whether nobody calls a function with a transaction, as far as
// is known: what it sends through a handle that may be one is sent by itself then.
func (p *Program) Callable(f *ssa.Function) bool {
	for c := range p.Calls {
		if c.To == f && c.How != Plainly {
			return false
		}
	}
	return true
}

// WorksWithin reports whether a function gets a transaction from its caller.
func (p *Program) WorksWithin(f *ssa.Function) bool {
	return slices.ContainsFunc(f.Params, func(v *ssa.Parameter) bool { return p.HandleType(v.Type()) == "tx" })
}

// Declares reports whether the interface of a method is one of the packages that were read,
// and cannot be implemented in one that was not.
func (p *Program) Declares(m *types.Func) bool {
	if !slices.ContainsFunc(p.Pkgs, func(pkg *ssa.Package) bool { return pkg.Pkg == m.Pkg() }) {
		return false
	}
	n := gotypes.NamedOf(m.Signature().Recv().Type())
	return p.Places.Whole || n != nil && !n.Obj().Exported()
}

// OnlyPassesOn reports whether a function uses the database for nothing but to begin a
// transaction.
func (p *Program) OnlyPassesOn(f *ssa.Function) bool {
	only := len(f.AnonFuncs) == 0
	gotypes.EachInstr(f, func(instr ssa.Instruction) {
		c, ok := instr.(ssa.CallInstruction)
		if !ok {
			return
		}
		m := c.Common().Method
		g := c.Common().StaticCallee()
		if g != nil {
			m, _ = g.Object().(*types.Func)
		}
		if p.uses(c.Common()) && (m == nil || p.Know.Methods[m.Name()] != BeginRole) || g != nil && p.Matters(g) {
			only = false
		}
	})
	return only
}
