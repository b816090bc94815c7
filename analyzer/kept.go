package analyzer

import (
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// A place is where prepared statements are kept: a field of a struct (*types.Var),
// whichever struct it is, or a package variable (*ssa.Global), of a type like
// *sql.Stmt, map[string]*sql.Stmt or []*sql.Stmt. What is kept there is the sum of all that the
// program ever stores there, if every use of the place is seen.
type place any

// keptStmt is a statement that is stored in a place, with the keys that it may have
// there, nil for one without; stmt is nil if it is not known.
type keptStmt struct {
	at   place
	keys []string
	stmt *prepared
	// texts are those of the statement.
	texts []string
	// partial says that the key or the text comes from the caller.
	partial bool
}

// places are those of a program.
type places struct {
	// open are the places of which not every use is seen, writers the functions
	// that store in a place.
	open    map[place]bool
	writers map[*ssa.Function]bool
	// kept is what was found in them; ready says that all of it is there, failed
	// that some of it may not be.
	kept          map[place][]keptStmt
	ready, failed bool
	// whole says that all of the program is read.
	whole bool
}

// isPlace reports whether a type is that of a place: a statement, or a map or list of
// them.
func isPlace(t types.Type) bool { return isStmtPointer(t) || isStmtMap(t) || isStmtList(t) }

func isStmtPointer(t types.Type) bool { return isPointer(t) && preparedTypes[typeName(t)] }

func isStmtMap(t types.Type) bool {
	m, ok := t.Underlying().(*types.Map)
	return ok && kindOf(m.Key()) == client.Text && isStmtPointer(m.Elem())
}

// givesStatement reports whether a function gives a prepared statement, or a map or
// list of them.
func givesStatement(f *ssa.Function) bool {
	r := f.Signature.Results()
	for i := range r.Len() {
		if isPlace(r.At(i).Type()) {
			return true
		}
	}
	return false
}

// placeAt gives the place with an address, nil if it is none.
func placeAt(addr ssa.Value) place {
	switch a := addr.(type) {
	case *ssa.FieldAddr:
		s := a.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct)
		if f := s.Field(a.Field).Origin(); isPlace(f.Type()) {
			return f
		}
	case *ssa.Global:
		if isPlace(a.Type().(*types.Pointer).Elem()) {
			return a
		}
	}
	return nil
}

// placeFrom gives the place from which a value is loaded, nil if it is none.
func placeFrom(v ssa.Value) place {
	switch v := v.(type) {
	case *ssa.UnOp:
		if v.Op == token.MUL {
			return placeAt(v.X)
		}
	case *ssa.Field:
		s := v.X.Type().Underlying().(*types.Struct)
		if f := s.Field(v.Field).Origin(); isPlace(f.Type()) {
			return f
		}
	}
	return nil
}

// placesOfMap gives the places that a map is kept in: the one that it is loaded
// from, or those in which a new one is stored.
func placesOfMap(m ssa.Value) []place {
	if at := placeFrom(m); at != nil {
		return []place{at}
	}
	made, ok := m.(*ssa.MakeMap)
	if !ok {
		return nil
	}
	var out []place
	for _, r := range *made.Referrers() {
		if s, ok := r.(*ssa.Store); ok && s.Val == made {
			if at := placeAt(s.Addr); at != nil {
				out = append(out, at)
			}
		}
	}
	return out
}

// findPlaces looks at all uses of places in a function.
func (p *program) findPlaces(f *ssa.Function) {
	for _, b := range f.Blocks {
		for _, instr := range b.Instrs {
			p.placeUses(f, instr)
			p.listUses(f, instr)
			p.findGorp(instr)
			p.findMigrations(instr)
		}
	}
	for _, g := range f.AnonFuncs {
		p.findPlaces(g)
	}
}

func (p *program) placeUses(f *ssa.Function, instr ssa.Instruction) {
	open := func(at place) {
		if at != nil {
			p.places.open[at] = true
		}
	}
	for _, o := range instr.Operands(nil) {
		if g, ok := (*o).(*ssa.Global); ok && !loadsOrStores(instr, g) && !usesArray(instr, g) {
			open(placeAt(g))
		}
	}
	switch v := instr.(type) {
	case *ssa.FieldAddr:
		if at := placeAt(v); at != nil && !p.ownField(at) {
			open(at)
		} else if at != nil && slices.ContainsFunc(*v.Referrers(), func(r ssa.Instruction) bool { return !loadsOrStores(r, v) && !usesArray(r, v) }) {
			open(at)
		}
	case *ssa.ChangeType: // the fields of one struct become those of another one
		if s, ok := v.Type().Underlying().(*types.Struct); ok {
			for i := range s.NumFields() {
				open(s.Field(i).Origin())
			}
		}
	case *ssa.Store:
		if at := placeAt(v.Addr); at != nil {
			p.storesIn(f, at, v)
		}
		if list, _ := elementPlaces(v.Addr); len(list) > 0 {
			p.writesIn(f, list)
		}
	case *ssa.MapUpdate:
		if len(placesOfMap(v.Map)) > 0 {
			p.writes(f, v.Map)
		}
	}
	if v, ok := instr.(ssa.Value); ok {
		if at := placeFrom(v); at != nil && (isStmtMap(v.Type()) && !harmless(v, at, 0) || isStmtList(v.Type()) && !harmlessList(v, at, 0)) {
			open(at)
		}
	}
}

// loadsOrStores reports whether an instruction does nothing with an address but
// that.
func loadsOrStores(instr ssa.Instruction, addr ssa.Value) bool {
	switch i := instr.(type) {
	case *ssa.UnOp:
		return i.Op == token.MUL
	case *ssa.Store:
		return i.Addr == addr && i.Val != addr
	case *ssa.DebugRef:
		return true
	}
	return false
}

// storesIn looks at what is stored in a place.
func (p *program) storesIn(f *ssa.Function, at place, s *ssa.Store) {
	if placeFrom(s.Val) == at || isNilConst(s.Val) {
		return
	}
	if isStmtList(s.Val.Type()) {
		if !newList(s.Val, at) {
			p.places.open[at] = true
		}
		return
	}
	if !isStmtMap(s.Val.Type()) {
		p.writes(f, s.Addr)
		return
	}
	m, ok := s.Val.(*ssa.MakeMap)
	if !ok || !harmless(m, at, 0) {
		p.places.open[at] = true
	}
}

func isNilConst(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.Value == nil
}

// writes takes note that a function stores statements in a place, or in a map that
// is kept in some.
func (p *program) writes(f *ssa.Function, where ssa.Value) {
	list := placesOfMap(where)
	if at := placeAt(where); at != nil {
		list = append(list, at)
	}
	p.writesIn(f, list)
}

// writesIn takes note that a function stores statements in places.
func (p *program) writesIn(f *ssa.Function, list []place) {
	p.places.writers[f] = true
	for _, at := range list {
		if f.Synthetic != "" || f.Parent() != nil && !p.relevant[f] { // it is not read
			p.places.open[at] = true
		}
	}
}

// harmless reports whether a map that is kept in a place is used there only: looked
// up, changed, and gone through.
func harmless(m ssa.Value, at place, depth int) bool {
	return !slices.ContainsFunc(*m.Referrers(), func(r ssa.Instruction) bool {
		switch r := r.(type) {
		case *ssa.MapUpdate:
			return r.Map != m
		case *ssa.Lookup, *ssa.Range, *ssa.DebugRef, *ssa.BinOp:
			return false
		case *ssa.Store:
			return r.Val != m || placeAt(r.Addr) != at
		case *ssa.Call:
			if _, ok := r.Call.Value.(*ssa.Builtin); ok {
				return false
			}
			return !gives(&r.Call, m, depth, func(p *ssa.Parameter) bool { return readOnly(p, at, depth+1) })
		}
		return true
	})
}

// gives reports whether a call gives a value only to parameters of a function that is
// read, and fine.
func gives(c *ssa.CallCommon, v ssa.Value, depth int, fine func(p *ssa.Parameter) bool) bool {
	f := c.StaticCallee()
	if f == nil || len(f.Blocks) == 0 || depth > 2 {
		return false
	}
	for i, a := range c.Args {
		if a == v && (i >= len(f.Params) || !fine(f.Params[i])) {
			return false
		}
	}
	return true
}

// readOnly reports whether a parameter that gets a map is not changed.
func readOnly(m ssa.Value, at place, depth int) bool {
	for _, r := range *m.Referrers() {
		if _, changes := r.(*ssa.MapUpdate); changes {
			return false
		}
	}
	return harmless(m, at, depth)
}

// failKept takes note that a function was not interpreted to its end: what it, or
// one that it calls, stores in places is not known.
func (p *program) failKept(f *ssa.Function) {
	seen := map[*ssa.Function]bool{}
	var reaches func(w *ssa.Function) bool
	reaches = func(w *ssa.Function) bool {
		if w == f {
			return true
		}
		if seen[w] {
			return false
		}
		seen[w] = true
		return w.Parent() != nil && reaches(w.Parent()) || slices.ContainsFunc(p.users[w], reaches)
	}
	for w := range p.places.writers {
		p.places.failed = p.places.failed || reaches(w)
	}
}

// ownField reports whether all that use a field are read.
func (p *program) ownField(at place) bool {
	f, ok := at.(*types.Var)
	return !ok || slices.ContainsFunc(p.pkgs, func(pkg *ssa.Package) bool { return pkg.Pkg == f.Pkg() })
}

// keep takes note that a value is stored in places.
func (in *interp) keep(list []place, key, v value) {
	if in.trace != nil || in.site != "" || len(list) == 0 {
		return
	}
	k := keptStmt{}
	if key != nil {
		k.keys = in.textsOf(in.scalarOf(key).e)
		k.partial = in.fromCaller(in.scalarOf(key).e)
	}
	if s, ok := unbox(v).(*prepared); ok && !s.byName {
		e := in.scalarOf(s.sql).e
		k.stmt, k.texts = s, in.textsOf(e)
		k.partial = k.partial || in.fromCaller(e)
	} else if isNilValue(unbox(v)) {
		return
	}
	if k.partial {
		in.result.fromCaller("a statement that is kept comes from its caller", in.pos)
	}
	for _, at := range list {
		k.at = at
		in.result.kept = append(in.result.kept, in.keyed(k, key)...)
	}
}

// keyed makes one of each key, with the texts that belong to it, if the text of a
// statement is computed from its key.
func (in *interp) keyed(k keptStmt, key value) []keptStmt {
	if k.stmt == nil || key == nil {
		return []keptStmt{k}
	}
	from, ok := in.scalarOf(key).e.(*client.VarExpr)
	to, also := in.scalarOf(k.stmt.sql).e.(*client.VarExpr)
	if !ok || !also || in.pairs[to.Name].of != from.Name {
		return []keptStmt{k}
	}
	var out []keptStmt
	for _, text := range k.keys {
		one := k
		one.keys, one.texts = []string{text}, in.pairs[to.Name].by[text]
		out = append(out, one)
	}
	return out
}

// fromCaller reports whether a text is not known because it is the caller's.
func (in *interp) fromCaller(e client.Expr) bool {
	return slices.Contains(in.textsOf(e), client.Hole) && in.given(e)
}

// gatherKept collects what is kept in places from what interpreting the functions
// found.
func (p *program) gatherKept(results map[*ssa.Function]*findings) {
	apart := map[*ssa.Function]bool{}
	for _, res := range results {
		maps.Copy(apart, res.apart)
	}
	for f, res := range results {
		for _, k := range res.kept {
			if k.partial && len(p.users[f]) > 0 && !apart[f] && p.onlyCalled(f) {
				continue // the callers have it
			}
			p.places.kept[k.at] = append(p.places.kept[k.at], k)
		}
	}
	p.places.ready = true
}

// onlyCalled reports whether every use of a function is a call of it by its name,
// which is interpreted with its caller.
func (p *program) onlyCalled(f *ssa.Function) bool {
	if slices.Contains(p.values, f) {
		return false
	}
	for _, u := range p.users[f] {
		calls := false
		for _, b := range u.Blocks {
			for _, instr := range b.Instrs {
				c, ok := instr.(ssa.CallInstruction)
				if !ok || c.Common().StaticCallee() != f {
					continue
				}
				if _, isGo := instr.(*ssa.Go); isGo {
					return false
				}
				calls = true
			}
		}
		if !calls { // through an interface
			return false
		}
	}
	return true
}

// keptIn gives the statement that is kept in a place: the one with a key, if it is
// a map.
func (in *interp) keptIn(at place, key value) (*prepared, bool) {
	pl := &in.p.places
	if at == nil || pl.failed || pl.open[at] || !pl.whole && exported(at) {
		return nil, false
	}
	if !pl.ready {
		in.result.looked = true
		return nil, false
	}
	var keys []string
	if key != nil {
		keys = in.textsOf(in.scalarOf(key).e)
	}
	h, all := &handle{kind: database}, true
	var texts []string
	for _, k := range pl.kept[at] {
		if key != nil && !mayMeet(keys, k.keys) {
			continue
		}
		if k.stmt == nil {
			return nil, false
		}
		conn := k.stmt.h.kind == database && isConn(k.stmt.h.t)
		if k.stmt.h.kind != database || conn {
			h.kind, h.lost = either, true
		}
		all = all && conn
		for _, t := range k.texts {
			if !slices.Contains(texts, t) {
				texts = append(texts, t)
			}
		}
	}
	h.conn = all && h.lost
	slices.Sort(texts)
	texts = withoutTwins(texts)
	switch {
	case len(texts) == 0:
		return nil, false
	case len(texts) == 1:
		return &prepared{h: h, sql: scalar{client.C(ir.Text(texts[0])), client.Text}}, true
	case len(texts) > maxTexts:
		texts = []string{commonText(texts)}
	}
	v := in.newVar("kept", client.Text, false, unknown)
	in.texts[v] = texts
	return &prepared{h: h, sql: scalar{client.V(v), client.Text}}, true
}

// exported reports whether other packages may use a place.
func exported(at place) bool {
	switch at := at.(type) {
	case *types.Var:
		return at.Exported()
	case *ssa.Global:
		return token.IsExported(at.Name())
	}
	panic("analyzer: unknown place")
}

// mayMeet reports whether a text may be one of both lists.
func mayMeet(a, b []string) bool {
	return slices.ContainsFunc(a, func(s string) bool {
		return slices.ContainsFunc(b, func(t string) bool { return mayEqual(s, t) })
	})
}

// mayEqual reports whether two texts with holes may be equal.
func mayEqual(s, t string) bool {
	a, _, holed := strings.Cut(s, client.Hole)
	b, _, also := strings.Cut(t, client.Hole)
	if !holed && !also {
		return s == t
	}
	n := min(len(a), len(b))
	return a[:n] == b[:n]
}
