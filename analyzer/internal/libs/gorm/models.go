package gorm

import (
	"cmp"
	"go/constant"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/program"
	"github.com/txrobust/robust/analyzer/internal/session"
	"github.com/txrobust/robust/analyzer/internal/sqltext"
	"github.com/txrobust/robust/internal/gormmodel"
	"github.com/txrobust/robust/ir"
)

// usage is what is known of how a program uses GORM.
type usage struct {
	p *program.Program
	// parser are the structs that GORM stores, noted those that statements are about.
	parser *gormmodel.Parser
	config config
	noted  []noted
	saving int // around the instruction, rows of relations that are saved
}

// noted is a model that a statement is about.
type noted struct {
	session.Model
	model *gormmodel.Model
}

// run models the calls of one interpretation.
type run struct {
	*sqltext.Writer
	lib *usage
}

// New models GORM v2.
func New(p *program.Program) *session.Library {
	l := &usage{p: p}
	l.parser = &gormmodel.Parser{TableName: l.tableName}
	return &session.Library{
		Names: program.Names{
			Drivers: map[string]program.Database{"gorm.io/driver/mysql": program.MySQL, "gorm.io/driver/postgres": program.PostgreSQL},
			Handles: map[string]string{"gorm.io/gorm.DB": "either"},
			Uses:    []string{"(*gorm.io/gorm.DB).Transaction"},
			UsesMethod: func(m *types.Func) (uses, known bool) {
				return p.Know.Methods[m.Name()] != program.BeginRole || p.Begins(m.Signature()), gotypes.IsNamed(m.Signature().Recv().Type(), "gorm.io/gorm", "DB")
			},
			NoRows:  []string{"gorm.io/gorm.ErrRecordNotFound"},
			Failing: []string{"gorm.io/gorm.DB"},
			Calls:   isHook,
			Look:    l.look,
		},
		Functions: l.functions(),
		Method: func(s *session.Session, inv *session.Invocation, name string, _ *types.Signature) (memory.Value, bool) {
			c := asChain(memory.Unbox(inv.Args[0]))
			if c == nil || !isDB(c.h) && c.s == nil {
				return nil, false
			}
			return l.run(s).onChain(inv, c, name, inv.Args[1:])
		},
		Field: func(s *session.Session, recv memory.Value, owner types.Type, f *types.Var) (memory.Value, bool) {
			return l.run(s).fieldOfDB(recv, owner, f)
		},
		InLoop: loopHandle,
		Tables: l.tables,
	}
}

// run models calls of an interpretation.
func (l *usage) run(s *session.Session) *run {
	in := &run{Writer: &sqltext.Writer{Session: s}, lib: l}
	in.Special = in.ownText
	return in
}

// ownText gives the text of values of GORM.
func (in *run) ownText(v memory.Value, before string) (sqltext.Fragment, bool) {
	switch x := memory.Unbox(v).(type) {
	case *chain:
		g := in.subquery(x)
		if !strings.HasSuffix(strings.TrimRight(before, " \n\t"), "(") {
			g = sqltext.Frag("(").Plus(g, sqltext.Frag(")"))
		}
		return g, true
	case *memory.Aggregate:
		return in.clauseExpr(x)
	}
	return sqltext.Fragment{}, false
}

// models gives the structs that GORM stores.
func (l *usage) models() *gormmodel.Parser { return l.parser }

// tables gives the models of the program, and the DDL by which AutoMigrate makes their
// tables, for PostgreSQL: of those that the program passes to AutoMigrate, or of all if
// there are none.
func (l *usage) tables() ([]session.Model, []session.Declaration) {
	all := l.sortedModels()
	migrated := slices.ContainsFunc(all, func(m noted) bool { return m.Migrated })
	byModel := map[*gormmodel.Model]session.Model{}
	var list []*gormmodel.Model
	for _, m := range all {
		if m.Migrated || !migrated {
			list = append(list, m.model)
			byModel[m.model] = m.Model
		}
	}
	var out []session.Declaration
	for _, s := range gormmodel.Schema(list, !l.config.noKeys) {
		out = append(out, session.Declaration{Model: byModel[s.Model], SQL: s.SQL})
	}
	models := make([]session.Model, len(all))
	for i, m := range all {
		models[i] = m.Model
	}
	return models, out
}

// noteModel records a model that a statement is about.
func (l *usage) noteModel(m *gormmodel.Model, pos ir.Pos, migrated bool) {
	if m == nil || m.Table == "" {
		return
	}
	at := slices.IndexFunc(l.noted, func(n noted) bool { return n.model == m })
	if at < 0 {
		if n, ok := types.Unalias(m.Type).(*types.Named); ok && !migrated {
			pos = l.p.Position(n.Obj().Pos())
		}
		l.noted = append(l.noted, noted{session.Model{Pos: pos, Table: m.Table, Migrated: migrated}, m})
		return
	}
	if migrated && !l.noted[at].Migrated {
		l.noted[at].Pos, l.noted[at].Migrated = pos, true
	}
}

// sortedModels gives the models in the order of their tables.
func (l *usage) sortedModels() []noted {
	out := slices.Clone(l.noted)
	slices.SortStableFunc(out, func(a, b noted) int { return cmp.Or(cmp.Compare(a.Table, b.Table), program.ComparePos(a.Pos, b.Pos)) })
	return out
}

// tableName gives what the method TableName of a type returns: a constant, or "".
func (l *usage) tableName(n *types.Named) (name string, has bool) {
	if len(l.p.Pkgs) == 0 {
		return "", false
	}
	prog := l.p.Pkgs[0].Prog
	sel := prog.MethodSets.MethodSet(types.NewPointer(n)).Lookup(n.Obj().Pkg(), "TableName")
	if sel == nil {
		return "", false
	}
	m, ok := sel.Obj().(*types.Func)
	if !ok || m.Signature().Results().Len() != 1 {
		return "", false
	}
	f := prog.FuncValue(m)
	if f == nil {
		return "", true
	}
	for i, b := range f.Blocks {
		r, isReturn := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if !isReturn {
			return "", true
		}
		c, isConst := r.Results[0].(*ssa.Const)
		if !isConst || c.Value == nil || c.Value.Kind() != constant.String || i > 0 {
			return "", true
		}
		name = constant.StringVal(c.Value)
	}
	return name, true
}

// config is what the program sets in GORM's options, anywhere.
type config struct {
	naming gormmodel.Naming
	// apart says that statements of hooks and relations are no transaction with the
	// one that they belong to, global that statements without conditions are sent,
	// noKeys that AutoMigrate makes no foreign keys.
	apart, global, noKeys bool
}

// look reads GORM's options that the program sets. One that is not constant is
// taken to be set.
func (l *usage) look(instr ssa.Instruction) {
	l.config.read(instr)
	l.parser.Naming = l.config.naming
}

func (c *config) read(instr ssa.Instruction) {
	s, ok := instr.(*ssa.Store)
	if !ok {
		return
	}
	a, ok := s.Addr.(*ssa.FieldAddr)
	if !ok {
		return
	}
	owner := gotypes.TypeName(a.X.Type())
	if owner != "gorm.io/gorm/schema.NamingStrategy" && owner != "gorm.io/gorm.Config" && owner != "gorm.io/gorm.Session" {
		return
	}
	v, isConst := s.Val.(*ssa.Const)
	set := !isConst || v.Value == nil || v.Value.Kind() != constant.Bool || constant.BoolVal(v.Value)
	switch a.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct).Field(a.Field).Name() {
	case "TablePrefix":
		if isConst && v.Value != nil {
			c.naming.TablePrefix = constant.StringVal(v.Value)
		}
	case "SingularTable":
		c.naming.SingularTable = set
	case "NoLowerCase":
		c.naming.NoLowerCase = set
	case "SkipDefaultTransaction":
		c.apart = c.apart || set
	case "AllowGlobalUpdate":
		c.global = c.global || set && owner == "gorm.io/gorm.Config"
	case "DisableForeignKeyConstraintWhenMigrating", "IgnoreRelationshipsWhenMigrating":
		c.noKeys = c.noKeys || set
	}
}
