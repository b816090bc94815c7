package sqlboiler

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/program"
	"github.com/txrobust/robust/analyzer/internal/session"
	"github.com/txrobust/robust/analyzer/internal/sqltext"
)

// roots are the modules of sqlboiler, mangles the packages that write lists of names.
var (
	roots   = []string{"github.com/aarondl/sqlboiler/v4", "github.com/volatiletech/sqlboiler/v4", "github.com/volatiletech/sqlboiler"}
	mangles = []string{"github.com/aarondl/strmangle", "github.com/volatiletech/strmangle", "github.com/volatiletech/sqlboiler/strmangle"}
)

// generator is the name that stands at the head of generated files.
const generator = "SQLBoiler"

// usage is what is known of how a program uses sqlboiler.
type usage struct {
	p      *program.Program
	tables map[*types.Named]*table
	// hooked are the structs for which the program registers hooks.
	hooked map[string]bool
	// asked are the functions that make or change parts of queries which the program has outside of generated files.
	asked map[string]bool
}

// run models the calls of one interpretation.
type run struct {
	*sqltext.Writer
	lib *usage
}

func (u *usage) run(s *session.Session) *run { return &run{&sqltext.Writer{Session: s}, u} }

// inLibrary gives the package of sqlboiler that a type is declared in, such as "queries".
func inLibrary(t types.Type) string {
	n := gotypes.NamedOf(t)
	if n == nil || n.Obj().Pkg() == nil {
		return ""
	}
	for _, root := range roots {
		if rest, ok := strings.CutPrefix(n.Obj().Pkg().Path(), root+"/"); ok {
			return rest
		}
	}
	return ""
}

// isQuery reports whether a type is *queries.Query.
func isQuery(t types.Type) bool {
	return gotypes.IsPointer(t) && inLibrary(t) == "queries" && gotypes.NamedOf(t).Obj().Name() == "Query"
}

// New models sqlboiler.
func New(p *program.Program) *session.Library {
	u := &usage{p: p, tables: map[*types.Named]*table{}, hooked: map[string]bool{}, asked: map[string]bool{}}
	l := &session.Library{
		Names: program.Names{
			Generators: []string{generator},
			UsesMethod: func(m *types.Func) (uses, known bool) {
				_, sends := querySends[plainName(m.Name())]
				return sends, isQuery(m.Signature().Recv().Type())
			},
			Look: u.look,
		},
		Functions: map[string]session.CallModel{},
		Method: func(s *session.Session, inv *session.Invocation, name string, sig *types.Signature) (memory.Value, bool) {
			q, ok := memory.Unbox(inv.Args[0]).(*query)
			if !ok || !isQuery(sig.Recv().Type()) {
				return nil, false
			}
			return u.run(s).onQuery(inv, q, name, inv.Args[1:])
		},
		Generated: func(s *session.Session, inv *session.Invocation, f *ssa.Function) (memory.Value, bool) {
			return u.run(s).generated(inv, f)
		},
		Fresh: func(t types.Type) memory.Value {
			if !isQuery(t) {
				return nil
			}
			return &query{}
		},
	}
	for _, root := range roots {
		l.Paths = append(l.Paths, root+"/queries", root+"/boil")
		l.Reading = append(l.Reading, root+"/queries", root+"/boil")
		l.Whole = append(l.Whole, root+"/boil.Columns")
		u.functions(l.Functions, root)
	}
	for _, m := range mangles {
		l.Reading = append(l.Reading, m)
		l.Functions[m+".SetParamNames"] = u.names(", ")
		l.Functions[m+".WhereClause"] = u.names(" AND ")
	}
	return l
}

// functions adds the models of the functions of a module.
func (u *usage) functions(to map[string]session.CallModel, root string) {
	for name, m := range mods {
		to[root+"/queries/qm."+name] = func(s *session.Session, inv *session.Invocation) (memory.Value, bool) {
			return u.run(s).mod(m, inv.Args), true
		}
	}
	for name, m := range helperMods {
		to[root+"/queries/qmhelper."+name] = func(s *session.Session, inv *session.Invocation) (memory.Value, bool) {
			return m(u.run(s), inv.Args)
		}
	}
	to[root+"/queries/qm.Rels"] = rels
	to[root+"/queries/qm.Apply"] = func(s *session.Session, inv *session.Invocation) (memory.Value, bool) {
		q, ok := memory.Unbox(inv.Args[0]).(*query)
		if ok {
			u.run(s).apply(q, inv.Args[1])
		}
		return nil, ok
	}
	for name, set := range setters {
		to[root+"/queries."+name] = func(s *session.Session, inv *session.Invocation) (memory.Value, bool) {
			q, ok := memory.Unbox(inv.Args[0]).(*query)
			if !ok {
				return nil, false
			}
			return u.run(s).set(inv, q, set)
		}
	}
	to[root+"/queries.Raw"] = func(s *session.Session, inv *session.Invocation) (memory.Value, bool) {
		in := u.run(s)
		return newQuery(in.Memory, &draft{raw: in.rawOf(inv.Args)}), true
	}
	for kind, name := range []string{"None", "Infer", "Whitelist", "Greylist", "Blacklist"} {
		to[root+"/boil."+name] = func(s *session.Session, inv *session.Invocation) (memory.Value, bool) {
			c := &columns{kind: kind, known: true}
			if len(inv.Args) > 0 {
				c.cols, c.known = s.TextArgs(inv.Args)
			}
			return c, true
		}
	}
}

// rels models qm.Rels, which joins the names of relations.
func rels(s *session.Session, inv *session.Invocation) (memory.Value, bool) {
	names, known := s.TextArgs(inv.Args)
	if !known {
		return nil, false
	}
	return textOf(strings.Join(names, ".")), true
}

// names models the functions of strmangle that write "a"=$1 for each name of a list.
func (u *usage) names(sep string) session.CallModel {
	return func(s *session.Session, inv *session.Invocation) (memory.Value, bool) {
		if len(inv.Args) != 4 {
			return nil, false
		}
		list, known := s.TextArgs(inv.Args[3:])
		start, isNumber := memory.ConstOf(inv.Args[2])
		if !known || !isNumber || len(list) == 0 {
			return nil, false
		}
		return textOf(equations(list, int(start.I), sep)), true
	}
}

// look finds what the program has sqlboiler do.
func (u *usage) look(instr ssa.Instruction) {
	if instr.Parent() == nil || u.p.GeneratedBy(instr.Parent()) == generator {
		return
	}
	for _, op := range instr.Operands(nil) {
		f, ok := (*op).(*ssa.Function)
		if !ok {
			continue
		}
		if strings.HasPrefix(f.Name(), "Add") && strings.HasSuffix(f.Name(), "Hook") && u.p.GeneratedBy(f) == generator {
			u.hooked[strings.TrimSuffix(strings.TrimPrefix(f.Name(), "Add"), "Hook")] = true
		}
		o := program.ObjectOf(f)
		if o == nil || o.Pkg() == nil {
			continue
		}
		if _, sets := setters[f.Name()]; strings.HasSuffix(o.Pkg().Path(), "/queries/qm") || sets && strings.HasSuffix(o.Pkg().Path(), "/queries") {
			u.asked[f.Name()] = true
		}
	}
}
