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

// Schema gives the DDL by which AutoMigrate makes the tables of models, for
// PostgreSQL: of those that the program passes to AutoMigrate, or of all if there
// are none. It is "" without models.
func (r *Result) Schema() string {
	migrated := slices.ContainsFunc(r.Models, func(m Model) bool { return m.Migrated })
	var list []*gormmodel.Model
	for _, m := range r.Models {
		if m.Migrated || !migrated {
			list = append(list, m.model)
		}
	}
	return gormmodel.Schema(list)
}

// models gives the structs that GORM stores.
func (p *program) models() *gormmodel.Parser {
	if p.gorm == nil {
		p.gorm = &gormmodel.Parser{Naming: p.naming(), TableName: p.tableName}
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

// naming reads the options of GORM's naming that the program sets to constants.
func (p *program) naming() gormmodel.Naming {
	var n gormmodel.Naming
	for _, pkg := range p.pkgs {
		for _, f := range append([]*ssa.Function{pkg.Func("init")}, p.funcs...) {
			if f == nil || f.Pkg != pkg {
				continue
			}
			eachInstr(f, func(instr ssa.Instruction) {
				s, ok := instr.(*ssa.Store)
				if !ok {
					return
				}
				a, isField := s.Addr.(*ssa.FieldAddr)
				c, isConst := s.Val.(*ssa.Const)
				if !isField || !isConst || c.Value == nil || !isNamed(a.X.Type(), "gorm.io/gorm/schema", "NamingStrategy") {
					return
				}
				st := a.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct)
				switch st.Field(a.Field).Name() {
				case "TablePrefix":
					n.TablePrefix = constant.StringVal(c.Value)
				case "SingularTable":
					n.SingularTable = constant.BoolVal(c.Value)
				case "NoLowerCase":
					n.NoLowerCase = constant.BoolVal(c.Value)
				}
			})
		}
	}
	return n
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
