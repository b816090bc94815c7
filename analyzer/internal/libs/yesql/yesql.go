// Package yesql models libraries that keep statements in files of SQL, each behind a line
// "-- name: NAME": goyesql, which stores them in the fields of a struct by their tags, and
// dotsql, which is asked for them by name.
package yesql

import (
	"go/constant"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/program"
	"github.com/txrobust/robust/analyzer/internal/session"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// filling are the functions of goyesql that store statements in the fields of a struct.
var filling = map[string]bool{"ScanToStruct": true, "ScanWithContext": true}

// library is what is known of the statements of a program.
type library struct {
	// structs get their texts from goyesql.
	structs []*types.Struct
	// changed are the names whose texts the program replaces, all says that it may be any.
	changed map[string]bool
	all     bool
	// folders are those of the code that uses the libraries.
	p     *program.Program
	used  []ssa.Instruction
	files *files
}

// New models goyesql and dotsql.
func New(p *program.Program) *session.Library {
	l := &library{p: p, changed: map[string]bool{}}
	out := &session.Library{
		Names:     program.Names{Look: l.look},
		Functions: map[string]session.CallModel{},
		Stored:    l.stored,
	}
	for _, path := range []string{"github.com/qustavo/dotsql", "github.com/gchaincl/dotsql"} {
		for name, role := range map[string]program.Role{"Exec": program.ExecRole, "Query": program.QueryRole, "QueryRow": program.QueryRowRole} {
			for _, method := range []string{name, name + "Context"} {
				full := "(" + path + ".DotSql)." + method
				out.Functions[full] = l.sends(role)
				out.Uses = append(out.Uses, full)
			}
		}
		out.Functions["("+path+".DotSql).Raw"] = l.raw
	}
	for _, path := range []string{"github.com/knadh/goyesql", "github.com/knadh/goyesql/sqlx", "github.com/knadh/goyesql/v2/sqlx", "github.com/nleof/goyesql"} {
		for name := range filling {
			out.Functions[path+"."+name] = fills
		}
	}
	return out
}

// isOf reports whether a type or function belongs to goyesql.
func isOf(o types.Object) bool {
	return o != nil && o.Pkg() != nil && (strings.HasPrefix(o.Pkg().Path(), "github.com/knadh/goyesql") || strings.HasPrefix(o.Pkg().Path(), "github.com/nleof/goyesql"))
}

// look finds what the program does with the statements.
func (l *library) look(instr ssa.Instruction) {
	switch i := instr.(type) {
	case *ssa.Call:
		f := i.Call.StaticCallee()
		if f == nil || f.Object() == nil {
			return
		}
		if strings.Contains(gotypes.FullName(f), "/dotsql.") {
			l.used = append(l.used, i)
		}
		if !filling[f.Name()] || !isOf(f.Object()) {
			return
		}
		for _, a := range i.Call.Args {
			if m, ok := a.(*ssa.MakeInterface); ok {
				if s, ok := gotypes.Deref(m.X.Type()).Underlying().(*types.Struct); ok && gotypes.IsPointer(m.X.Type()) {
					l.structs, l.used = append(l.structs, s), append(l.used, i)
				}
			}
		}
	case *ssa.FieldAddr:
		if isQuery(i.X.Type()) && slices.ContainsFunc(*i.Referrers(), changes(i)) {
			l.replaces(i.X)
		}
	}
}

// isQuery reports whether a type is a statement of goyesql, or a pointer to one.
func isQuery(t types.Type) bool {
	n := gotypes.NamedOf(t)
	return n != nil && n.Obj().Name() == "Query" && isOf(n.Obj())
}

// changes reports whether an instruction may change what is at an address.
func changes(addr ssa.Value) func(ssa.Instruction) bool {
	return func(r ssa.Instruction) bool {
		switch r.(type) {
		case *ssa.UnOp, *ssa.DebugRef:
			return false
		}
		return true
	}
}

// replaces records that the text of a statement is another one than that of its file.
func (l *library) replaces(query ssa.Value) {
	found := false
	name := func(key ssa.Value) {
		if c, ok := key.(*ssa.Const); ok {
			if c.Value != nil && c.Value.Kind() == constant.String {
				l.changed[constant.StringVal(c.Value)], found = true, true
				return
			}
		}
		l.all = true
	}
	switch q := query.(type) {
	case *ssa.Lookup:
		name(q.Index)
	case *ssa.Extract:
		if at, ok := q.Tuple.(*ssa.Lookup); ok {
			name(at.Index)
		}
	case *ssa.Alloc:
		for _, r := range *q.Referrers() {
			if m, ok := r.(*ssa.MapUpdate); ok {
				name(m.Key)
			}
		}
	}
	l.all = l.all || !found
}

// texts gives the texts that a name may stand for.
func (l *library) texts(name string) []string {
	if l.all || l.changed[name] || len(l.used) == 0 {
		return []string{client.Hole}
	}
	if l.files == nil {
		l.files = &files{}
		for _, i := range l.used {
			l.files.add(l.p.FileOf(i.Pos()))
		}
	}
	list := l.files.texts[name]
	if len(list) == 0 || l.files.partial {
		return []string{client.Hole}
	}
	return list
}

// fills models a function that prepares statements, and stores them in a struct.
func fills(s *session.Session, inv *session.Invocation) (memory.Value, bool) {
	for _, a := range inv.Args {
		if _, ok := memory.Unbox(a).(*memory.Pointer); ok {
			s.Expose(a)
		}
	}
	return s.Fresh(inv.T, "err", memory.Unknown), true
}

// stored gives the texts in the fields that goyesql sets.
func (l *library) stored() map[*types.Var][]string {
	out := map[*types.Var][]string{}
	for _, s := range l.structs {
		for i := range s.NumFields() {
			if name, _, _ := strings.Cut(gotypes.StructTag(s.Tag(i), "query"), ","); name != "" && name != "-" {
				out[s.Field(i).Origin()] = l.texts(name)
			}
		}
	}
	return out
}

// sends models a method of dotsql that sends a statement: through a handle, by its name.
func (l *library) sends(r program.Role) session.CallModel {
	return func(s *session.Session, inv *session.Invocation) (memory.Value, bool) {
		for i, a := range inv.Args {
			h, ok := memory.Unbox(a).(*memory.Handle)
			if !ok || i+1 == len(inv.Args) {
				continue
			}
			return s.Send(inv, h, r, append([]memory.Value{l.textOf(s, inv.Args[i+1])}, inv.Args[i+2:]...))
		}
		return nil, false
	}
}

// raw models Raw, which gives the text for a name.
func (l *library) raw(s *session.Session, inv *session.Invocation) (memory.Value, bool) {
	return s.Answer(inv.T, l.textOf(s, inv.Args[len(inv.Args)-1])), true
}

// textOf gives the text for a name.
func (l *library) textOf(s *session.Session, name memory.Value) memory.Value {
	texts := []string{client.Hole}
	if c, known := memory.ConstText(name); known {
		texts = l.texts(c)
	}
	if len(texts) == 1 {
		return memory.Of(client.C(ir.Text(texts[0])), client.Text)
	}
	v := s.NewVar("text", client.Text, false, memory.Unknown)
	return s.WithTexts(memory.Of(client.V(v), client.Text), texts)
}
