package analyzer

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/analyzer/internal/comments"
	"github.com/txrobust/robust/analyzer/internal/flow"
	"github.com/txrobust/robust/internal/gormmodel"
	"github.com/txrobust/robust/ir"
)

// program is the source that is analysed, and what is known of it.
type program struct {
	fset *token.FileSet
	// dir is what file names are relative to.
	dir string
	// funcs are the functions with a body that stand for themselves, in the order
	// of the source.
	funcs   []*ssa.Function
	pkgs    []*ssa.Package
	shapes  map[*ssa.Function]*flow.Shape
	handles map[*types.Interface]string
	globals map[*ssa.Global]*cell
	// constants are what package variables hold that are set once.
	constants map[*ssa.Global]*ssa.Const
	sentinels map[string]int
	// touches are the functions that use the database themselves; relevant those
	// that reach one of them.
	touches, relevant map[*ssa.Function]bool
	// parametric says of a function why its callers have to be looked at.
	parametric map[*ssa.Function]string
	// textual are the places of functions that send what their callers give.
	textual map[*ssa.Function]map[token.Pos]bool
	// users are the functions that mention a function.
	users map[*ssa.Function][]*ssa.Function
	// byName are the methods of the program by name.
	byName map[string][]*ssa.Function
	calls  map[call]bool
	// values are the functions that the program uses other than by calling them.
	values []*ssa.Function
	// starts are the places where calls are written, by their parentheses.
	starts map[token.Pos]token.Pos
	smalls map[*ssa.Function]bool
	// literals are the function literals that an interpretation came upon, in order, ran the
	// functions that were interpreted.
	literals []*ssa.Function
	ran      map[*ssa.Function]bool
	// evaluations are what functions return, by them and their arguments.
	evaluations map[string]evaluation
	places      places
	// migrations are how often functions are registered as such, mentions how often
	// they are mentioned at all.
	migrations, mentions map[*ssa.Function]int
	lists                map[*ssa.Global]*textList
	// mysql says that the program runs on MySQL, gorp which tables it registers there.
	mysql bool
	gorp  gorpTables
	// gorm are the structs that GORM stores, noted those that statements are about.
	gorm   *gormmodel.Parser
	config gormConfig
	noted  []Model
	notes  *comments.Comments
	// level is the isolation level of sessions, "" if nothing is known of it, and
	// levelAt where it is set.
	level   string
	levelAt token.Pos
	// holders tell what may hold a transaction: of a database, and of one connection.
	holders [2]*holders
}

// call says that a function of the program calls another one, with what kind of
// handle among its arguments.
type call struct {
	from, to *ssa.Function
	how      callKind
}

type callKind uint8

const (
	plainly callKind = iota // with the database, or no handle at all
	passing                 // with what its own caller gives
	within                  // with a transaction
)

// newProgram collects what is known of packages.
func newProgram(fset *token.FileSet, dir string, pkgs []*ssa.Package, files []*ast.File) (*program, error) {
	p := &program{fset: fset, dir: dir, pkgs: pkgs, shapes: map[*ssa.Function]*flow.Shape{}, handles: map[*types.Interface]string{},
		globals: map[*ssa.Global]*cell{}, constants: map[*ssa.Global]*ssa.Const{}, sentinels: map[string]int{},
		touches: map[*ssa.Function]bool{}, relevant: map[*ssa.Function]bool{}, parametric: map[*ssa.Function]string{}, textual: map[*ssa.Function]map[token.Pos]bool{},
		users: map[*ssa.Function][]*ssa.Function{}, byName: map[string][]*ssa.Function{},
		calls: map[call]bool{}, starts: map[token.Pos]token.Pos{}, smalls: map[*ssa.Function]bool{}, ran: map[*ssa.Function]bool{}, evaluations: map[string]evaluation{}, lists: map[*ssa.Global]*textList{},
		migrations: map[*ssa.Function]int{}, mentions: map[*ssa.Function]int{},
		places: places{open: map[place]bool{}, writers: map[*ssa.Function]bool{}, kept: map[place][]keptStmt{}}}
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
		p.gorp.used = p.gorp.used || slices.ContainsFunc(pkg.Pkg.Imports(), func(i *types.Package) bool { return isGorpPath(i.Path()) })
		p.collect(pkg)
	}
	slices.SortStableFunc(p.funcs, p.byPlace)
	p.index()
	p.level, p.levelAt = defaultLevel(files)
	var err error
	p.notes, err = comments.Read(fset, p.position, files)
	return p, err
}

// collect finds the functions of a package.
func (p *program) collect(pkg *ssa.Package) {
	add := func(f *ssa.Function) {
		if f != nil && len(f.Blocks) > 0 && f.Synthetic == "" {
			p.funcs = append(p.funcs, f)
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
func (p *program) index() {
	stores := map[*ssa.Global]int{}
	var look func(f *ssa.Function)
	look = func(f *ssa.Function) {
		for _, b := range f.Blocks {
			for _, instr := range b.Instrs {
				if s, ok := instr.(*ssa.Store); ok {
					if g, isGlobal := s.Addr.(*ssa.Global); isGlobal {
						stores[g]++
						if c, isConst := s.Val.(*ssa.Const); isConst {
							p.constants[g] = c
						}
					}
				}
				if c, ok := instr.(ssa.CallInstruction); ok && p.uses(c.Common()) && !(f.Pkg != nil && entPackage(f.Pkg.Pkg)) {
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
						if _, isStore := instr.(*ssa.Store); !isStore {
							if u, isLoad := instr.(*ssa.UnOp); !isLoad || u.Op != token.MUL {
								stores[v] += 2 // its address is known
							}
						}
					}
				}
			}
		}
		for _, g := range f.AnonFuncs {
			look(g)
		}
	}
	for _, f := range p.funcs {
		look(f)
		if f.Signature.Recv() != nil {
			p.byName[f.Name()] = append(p.byName[f.Name()], f)
		}
	}
	for _, pkg := range p.pkgs {
		if f := pkg.Func("init"); f != nil {
			look(f)
		}
	}
	for g := range p.constants {
		if stores[g] != 1 {
			delete(p.constants, g)
		}
	}
	// Calls through interfaces may mean each method of the name.
	for _, f := range p.funcs {
		p.invokes(f)
	}
	var reach func(f *ssa.Function)
	reach = func(f *ssa.Function) {
		if p.relevant[f] {
			return
		}
		p.relevant[f] = true
		for _, u := range p.users[f] {
			reach(u)
		}
	}
	for f := range p.touches {
		reach(f)
	}
	for _, f := range p.funcs {
		p.findPlaces(f)
	}
	for _, pkg := range p.pkgs {
		if f := pkg.Func("init"); f != nil {
			p.findPlaces(f)
		}
	}
}

func (p *program) invokes(f *ssa.Function) {
	for _, b := range f.Blocks {
		for _, instr := range b.Instrs {
			if c, ok := instr.(ssa.CallInstruction); ok && c.Common().IsInvoke() {
				for _, m := range p.implementers(c.Common().Method) {
					p.use(m, f)
				}
			}
		}
	}
	for _, g := range f.AnonFuncs {
		p.invokes(g)
	}
}

// use takes note that user mentions f.
func (p *program) use(f, user *ssa.Function) {
	if o := f.Origin(); o != nil {
		f = o
	}
	if f.Synthetic != "" { // a wrapper or a bound method
		if m, ok := f.Object().(*types.Func); ok {
			if g := f.Prog.FuncValue(m); g != nil {
				f = g
			}
		}
	}
	if f != user && !slices.Contains(p.users[f], user) {
		p.users[f] = append(p.users[f], user)
	}
}

// uses reports whether a call has to do with the database.
func (p *program) uses(c *ssa.CallCommon) bool {
	var m *types.Func
	if c.IsInvoke() {
		m = c.Method
	} else if f := c.StaticCallee(); f != nil {
		switch functions[fullName(f)] {
		case inTxRole, collectRole, collectOne, forEachRole, getRole, selectRole, namedExecRole:
			return true
		}
		m, _ = f.Object().(*types.Func)
	}
	if m == nil {
		return false
	}
	recv := m.Signature().Recv()
	if recv != nil && isSQLBuilder(recv.Type()) {
		return builderSends[m.Name()] != unknownRole || m.Name() == "RunWith"
	}
	if sendsForeign(m) {
		return true
	}
	if recv == nil {
		return false
	}
	if preparedTypes[typeName(recv.Type())] {
		return methods[m.Name()] != idleRole
	}
	if p.handleType(recv.Type()) == "" {
		return p.onlyBegins(m)
	}
	if p.gorpRole(recv.Type(), m.Name(), m.Signature()) != noGorp {
		return true
	}
	if _, ok := bunQueries[m.Name()]; ok {
		return true
	}
	switch methods[m.Name()] {
	case idleRole, sameRole, withRole, commitRole, rollbackRole, unknownRole:
		return isNamed(recv.Type(), "gorm.io/gorm", "DB")
	case beginRole:
		return p.begins(m.Signature())
	}
	return true
}

// matters reports whether a function reaches the database.
func (p *program) matters(f *ssa.Function) bool {
	if o := f.Origin(); o != nil {
		f = o
	}
	return p.relevant[f]
}

// small reports whether a function is simple enough to be interpreted with its
// caller: without loops, short, and without the database, unless it gives a
// function that has to do with it.
func (p *program) small(f *ssa.Function) bool {
	if s, ok := p.smalls[f]; ok {
		return s
	}
	p.smalls[f] = false
	n := 0
	for _, b := range f.Blocks {
		n += len(b.Instrs)
	}
	p.smalls[f] = n <= 60 && len(p.shape(f).Heads) == 0 && (!p.relevant[f] || givesFunction(f))
	return p.smalls[f]
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

func (p *program) shape(f *ssa.Function) *flow.Shape {
	if s, ok := p.shapes[f]; ok {
		return s
	}
	s := flow.Of(f)
	p.shapes[f] = s
	return s
}

// implementers gives the methods of the program that a call through an interface
// may mean.
func (p *program) implementers(m *types.Func) []*ssa.Function {
	i, ok := m.Signature().Recv().Type().Underlying().(*types.Interface)
	if !ok {
		return nil
	}
	var out []*ssa.Function
	for _, f := range p.byName[m.Name()] {
		if t := f.Signature.Recv().Type(); types.Implements(t, i) || types.Implements(types.NewPointer(t), i) {
			out = append(out, f)
		} else if g := p.instance(t, m, i); g != nil {
			out = append(out, g)
		}
	}
	return out
}

// instance gives the method m of a generic type t that implements the interface i,
// made of the type arguments of i's own type.
func (p *program) instance(t types.Type, m *types.Func, i *types.Interface) *ssa.Function {
	generic, wanted := namedOf(t), namedOf(m.Signature().Recv().Type())
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
	f := p.pkgs[0].Prog.LookupMethod(pt, m.Pkg(), m.Name())
	if f == nil || len(f.Blocks) == 0 {
		return nil
	}
	return f
}

// only gives the one function of a type that the program uses as a value, nil if
// there are none or several.
func (p *program) only(sig *types.Signature) *ssa.Function {
	var out *ssa.Function
	for _, f := range p.values {
		if f == out || !types.Identical(f.Signature, sig) {
			continue
		}
		if out != nil {
			return nil
		}
		out = f
	}
	return out
}

// otherImplementer reports whether a type of the program other than t, and those that
// embed it or an interface, implements an interface.
func (p *program) otherImplementer(i *types.Interface, t types.Type) bool {
	method := func(t types.Type) types.Object {
		m := i.Method(0)
		o, _, _ := types.LookupFieldOrMethod(types.NewPointer(t), true, m.Pkg(), m.Name())
		return o
	}
	forwards := func(o types.Object) bool {
		f, ok := o.(*types.Func)
		return ok && types.IsInterface(f.Signature().Recv().Type())
	}
	for _, pkg := range p.pkgs {
		for _, m := range pkg.Members {
			named, ok := m.(*ssa.Type)
			if !ok || types.IsInterface(named.Type()) {
				continue
			}
			if o := method(named.Type()); o == method(namedOf(t)) || forwards(o) {
				continue
			}
			if types.Implements(named.Type(), i) || types.Implements(types.NewPointer(named.Type()), i) {
				return true
			}
		}
	}
	return false
}

// methodOf gives the method that a call through an interface means for values of
// type t.
func (p *program) methodOf(t types.Type, m *types.Func) *ssa.Function {
	if len(p.pkgs) == 0 || types.IsInterface(t) {
		return nil
	}
	return p.pkgs[0].Prog.LookupMethod(t, m.Pkg(), m.Name())
}

// sentinel gives the code of an error variable.
func (p *program) sentinel(name string) int {
	if k, ok := p.sentinels[name]; ok {
		return k
	}
	k := firstSentinel + len(p.sentinels)
	p.sentinels[name] = k
	return k
}

// constantOf gives what a package variable holds that is set once, to a constant.
func (p *program) constantOf(g *ssa.Global) *ssa.Const {
	c := p.constants[g]
	if c == nil || c.Value == nil || c.Value.Kind() != constant.String {
		return nil
	}
	return c
}

// position gives a place in the source; of a call, where its name stands.
func (p *program) position(pos token.Pos) ir.Pos {
	if start, ok := p.starts[pos]; ok {
		pos = start
	}
	at := p.fset.Position(pos)
	if !at.IsValid() {
		return ir.Pos{}
	}
	name := at.Filename
	if p.dir != "" {
		if rel, err := filepath.Rel(p.dir, name); err == nil && !strings.HasPrefix(rel, "..") {
			name = rel
		}
	}
	return ir.Pos{File: name, Line: at.Line, Col: at.Column}
}

// byPlace compares functions by where they stand. Their token.Pos depends on the
// order in which files were read.
func (p *program) byPlace(a, b *ssa.Function) int {
	return comparePos(p.position(a.Pos()), p.position(b.Pos()))
}

// called takes note of a call between functions of the program.
func (p *program) called(in *interp, f *ssa.Function, args, free []value) {
	how := plainly
	for _, v := range slices.Concat(args, free) {
		if in.holds(v, isLive) {
			how = within
			break
		}
		if in.holds(v, func(w value) bool {
			h, ok := w.(*handle)
			return ok && (h.kind == either || h.kind == transaction)
		}) {
			how = passing
		}
		if pt, ok := unbox(v).(*pointer); ok && pt.to.start == given && how == plainly {
			how = passing
		}
	}
	if in.site == "" {
		p.calls[call{in.root, f, how}] = true
	}
}

// structTag reads a tag of a struct's field.
func structTag(tag, key string) string { return reflect.StructTag(tag).Get(key) }
