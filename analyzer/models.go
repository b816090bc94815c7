package analyzer

import (
	"cmp"
	"go/constant"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/internal/gormmodel"
	"github.com/txrobust/robust/ir"
)

// Model is a table that GORM keeps structs in.
type Model struct {
	// Pos is where AutoMigrate is called, or else where the struct is declared.
	Pos   ir.Pos
	Table string
	// Migrated says that the program makes the table by AutoMigrate.
	Migrated bool
	model    *gormmodel.Model
}

// Declaration is DDL that makes the table of a model, or changes it.
type Declaration struct {
	Model Model
	SQL   string
}

// Schema gives the DDL by which AutoMigrate makes the tables of models, for
// PostgreSQL: of those that the program passes to AutoMigrate, or of all if there
// are none.
func (r *Result) Schema() []Declaration {
	migrated := slices.ContainsFunc(r.Models, func(m Model) bool { return m.Migrated })
	byModel := map[*gormmodel.Model]Model{}
	var list []*gormmodel.Model
	for _, m := range r.Models {
		if m.Migrated || !migrated {
			list = append(list, m.model)
			byModel[m.model] = m
		}
	}
	var out []Declaration
	for _, s := range gormmodel.Schema(list, !r.noKeys) {
		out = append(out, Declaration{byModel[s.Model], s.SQL})
	}
	return out
}

// models gives the structs that GORM stores.
func (p *program) models() *gormmodel.Parser {
	if p.gorm == nil {
		p.config = p.options()
		p.gorm = &gormmodel.Parser{Naming: p.config.naming, TableName: p.tableName}
	}
	return p.gorm
}

// noteModel takes note of a model that a statement is about.
func (p *program) noteModel(m *gormmodel.Model, pos ir.Pos, migrated bool) {
	if m == nil || m.Table == "" {
		return
	}
	at := slices.IndexFunc(p.noted, func(n Model) bool { return n.model == m })
	if at < 0 {
		if n, ok := types.Unalias(m.Type).(*types.Named); ok && !migrated {
			pos = p.position(n.Obj().Pos())
		}
		p.noted = append(p.noted, Model{Pos: pos, Table: m.Table, model: m, Migrated: migrated})
		return
	}
	if migrated && !p.noted[at].Migrated {
		p.noted[at].Pos, p.noted[at].Migrated = pos, true
	}
}

// sortedModels gives the models in the order of their tables.
func (p *program) sortedModels() []Model {
	out := slices.Clone(p.noted)
	slices.SortStableFunc(out, func(a, b Model) int { return cmp.Or(cmp.Compare(a.Table, b.Table), comparePos(a.Pos, b.Pos)) })
	return out
}

// tableName gives what the method TableName of a type returns: a constant, or "".
func (p *program) tableName(n *types.Named) (name string, has bool) {
	if len(p.pkgs) == 0 {
		return "", false
	}
	prog := p.pkgs[0].Prog
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

// gormConfig is what the program sets in GORM's options, anywhere.
type gormConfig struct {
	naming gormmodel.Naming
	// apart says that statements of hooks and relations are no transaction with the
	// one that they belong to, global that statements without conditions are sent,
	// noKeys that AutoMigrate makes no foreign keys.
	apart, global, noKeys bool
}

// options reads GORM's options that the program sets. One that is not constant is
// taken to be set.
func (p *program) options() gormConfig {
	var c gormConfig
	for _, pkg := range p.pkgs {
		if f := pkg.Func("init"); f != nil {
			eachInstr(f, c.read)
		}
	}
	for _, f := range p.funcs {
		eachInstr(f, c.read)
	}
	return c
}

func (c *gormConfig) read(instr ssa.Instruction) {
	s, ok := instr.(*ssa.Store)
	if !ok {
		return
	}
	a, ok := s.Addr.(*ssa.FieldAddr)
	if !ok {
		return
	}
	owner := typeName(a.X.Type())
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

// eachInstr calls f for the instructions of a function and of those in it.
func eachInstr(fn *ssa.Function, f func(ssa.Instruction)) {
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			f(instr)
		}
	}
	for _, g := range fn.AnonFuncs {
		eachInstr(g, f)
	}
}
