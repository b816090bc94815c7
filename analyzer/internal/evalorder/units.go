package evalorder

import (
	"go/ast"
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// units are the parts of a function whose calls and variables are evaluated together: simple statements, and the
// conditions of others.
type units struct {
	fn    *ssa.Function
	list  []ast.Node
	found bool
}

// reads reports whether the first load is written in a part of the function, to whose end the instructions go: a value
// that an earlier statement has read stays as it was then.
func (u *units) reads(instrs []ssa.Instruction, load int, unit ast.Node) bool {
	if p := written(instrs[load]); p.IsValid() {
		return within(unit, p)
	}
	l := instrs[load].(*ssa.UnOp)
	// A plain variable has no place. The last loads of it are those of the statement.
	name := variable(l.X)
	n := mentions(unit, name)
	for _, instr := range instrs[load+1:] {
		if other, ok := instr.(*ssa.UnOp); ok && other.Op == token.MUL && variable(other.X) == name && !written(other).IsValid() {
			n--
		}
	}
	return name != "" && n > 0
}

// written gives the place where a load is written, if SSA form has it.
func written(load ssa.Instruction) token.Pos {
	if load, ok := load.(*ssa.UnOp); ok && !load.Pos().IsValid() {
		switch x := load.X.(type) {
		case *ssa.FieldAddr:
			return x.Pos()
		case *ssa.IndexAddr:
			return x.Pos()
		}
	}
	return load.Pos()
}

// variable gives the name of the variable at an address, "" if it has none.
func variable(addr ssa.Value) string {
	switch a := addr.(type) {
	case *ssa.Alloc:
		return a.Comment
	case *ssa.FreeVar, *ssa.Global:
		return a.Name()
	}
	return ""
}

// around gives the innermost part that has a place, nil if there is none.
func (u *units) around(at token.Pos) ast.Node {
	if !u.found {
		u.found = true
		u.find()
	}
	var out ast.Node
	for _, n := range u.list {
		if within(n, at) && (out == nil || within(out, n.Pos())) {
			out = n
		}
	}
	return out
}

func within(n ast.Node, at token.Pos) bool { return n.Pos() <= at && at < n.End() }

func (u *units) find() {
	add := func(e ast.Expr) {
		if e != nil {
			u.list = append(u.list, e)
		}
	}
	ast.Inspect(u.fn.Syntax(), func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return n == u.fn.Syntax()
		case *ast.ReturnStmt, *ast.ExprStmt, *ast.SendStmt, *ast.GoStmt, *ast.DeferStmt, *ast.IncDecStmt, *ast.AssignStmt, *ast.DeclStmt:
			u.list = append(u.list, n)
		case *ast.IfStmt:
			add(n.Cond)
		case *ast.ForStmt:
			add(n.Cond)
		case *ast.SwitchStmt:
			add(n.Tag)
		case *ast.RangeStmt:
			add(n.X)
		}
		return true
	})
}

// mentions counts where a part reads a variable: not where it takes the address, calls a method, which may
// do that, or assigns.
func mentions(unit ast.Node, name string) int {
	count := 0
	var walk func(n ast.Node)
	each := func(n ast.Node) {
		ast.Inspect(n, func(m ast.Node) bool {
			if m == n {
				return true
			}
			if m != nil {
				walk(m)
			}
			return false
		})
	}
	walk = func(n ast.Node) {
		switch n := n.(type) {
		case *ast.Ident:
			if n.Name == name {
				count++
			}
		case *ast.FuncLit:
		case *ast.UnaryExpr:
			if _, isLiteral := ast.Unparen(n.X).(*ast.CompositeLit); n.Op != token.AND || isLiteral {
				walk(n.X)
			}
		case *ast.SelectorExpr:
			if _, isVariable := n.X.(*ast.Ident); !isVariable { // a field has a place of its own
				walk(n.X)
			}
		case *ast.KeyValueExpr:
			walk(n.Value)
		case *ast.AssignStmt:
			for _, r := range n.Rhs {
				walk(r)
			}
			if n.Tok != token.ASSIGN && n.Tok != token.DEFINE {
				walk(n.Lhs[0])
			}
		default:
			each(n)
		}
	}
	walk(unit)
	return count
}
