package analyzer

import (
	"go/ast"
	"go/token"
	"strings"

	"github.com/txrobust/robust/ir"
)

// annotations are what comments of a program say to this one.
type annotations struct {
	ignores []*ir.Ignore
	// levels are the isolation levels that are to be taken for the transactions of
	// functions, names the names of these, by where the functions are declared.
	levels map[token.Pos]string
	names  map[token.Pos]string
	// invariants are facts about the rows, in SQL.
	invariants []Invariant
}

// annotate reads the comments //robust:… of files. A fault is an *ir.Error.
func (p *program) annotate(files []*ast.File) error {
	a := &annotations{levels: map[token.Pos]string{}, names: map[token.Pos]string{}}
	p.notes = a
	for _, f := range files {
		for _, group := range f.Comments {
			for _, c := range group.List {
				rest, ok := strings.CutPrefix(c.Text, "//robust:")
				if !ok {
					continue
				}
				if err := p.annotation(a, f, c, rest); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (p *program) annotation(a *annotations, f *ast.File, c *ast.Comment, rest string) error {
	at := p.position(c.Pos())
	word, rest, _ := strings.Cut(rest, " ")
	rest = strings.TrimSpace(rest)
	scope := p.scope(f, c)
	fn, isFunc := scope.(*ast.FuncDecl)
	switch word {
	case "ignore":
		g, err := ir.NewIgnore(at, rest)
		if err != nil {
			return err
		}
		g.From, g.To = p.position(scope.Pos()), p.position(scope.End())
		a.ignores = append(a.ignores, g)
	case "txn":
		switch {
		case !isFunc:
			return ir.Errorf(at, "robust:txn stands before a function")
		case len(strings.Fields(rest)) != 1:
			return ir.Errorf(at, "robust:txn wants the name of the transaction")
		}
		a.names[fn.Name.Pos()] = rest
	case "assume":
		what, value, _ := strings.Cut(rest, " ")
		value = strings.TrimSpace(value)
		switch {
		case what == "invariant" && value != "":
			a.invariants = append(a.invariants, Invariant{at, value})
		case what == "level" && isFunc && sqlLevelNames[strings.ToLower(value)]:
			a.levels[fn.Name.Pos()] = strings.ToLower(value)
		case what == "level" && isFunc:
			return ir.Errorf(at, "robust:assume level wants read committed, repeatable read or serializable")
		case what == "level":
			return ir.Errorf(at, "robust:assume level stands before a function")
		default:
			return ir.Errorf(at, "robust:assume %s is not understood; there is robust:assume level LEVEL and robust:assume invariant CONDITION", what)
		}
	default:
		return ir.Errorf(at, "robust:%s is not understood; there is robust:ignore, robust:txn and robust:assume", word)
	}
	return nil
}

var sqlLevelNames = map[string]bool{"read uncommitted": true, "read committed": true, "repeatable read": true, "serializable": true}

// scope is what a comment is about: the function that it documents, else the
// statement in whose line it stands or that follows it.
func (p *program) scope(f *ast.File, c *ast.Comment) ast.Node {
	line := func(at token.Pos) int { return p.fset.Position(at).Line }
	here := line(c.Pos())
	var best ast.Node = c
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Doc != nil && n.Doc.Pos() <= c.Pos() && c.End() <= n.Doc.End() {
				best = n
				return false
			}
		case *ast.BlockStmt:
		case ast.Stmt:
			if l := line(n.Pos()); l == here || l == here+1 && best == ast.Node(c) {
				if best == ast.Node(c) || line(best.Pos()) != here {
					best = n
				}
			}
		}
		return true
	})
	return best
}
