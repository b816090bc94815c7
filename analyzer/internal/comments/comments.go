// Package comments reads the comments of a Go program that are for this one:
// //robust:ignore, //robust:txn and //robust:assume.
package comments

import (
	"go/ast"
	"go/token"
	"strings"

	"github.com/txrobust/robust/internal/ignore"
	"github.com/txrobust/robust/internal/ir"
)

// Comments are what comments of a program say.
type Comments struct {
	Ignores []*ir.Ignore
	// Levels are the isolation levels that are to be taken for the transactions of
	// functions, Names the names of these, by where the functions are declared.
	Levels map[token.Pos]string
	Names  map[token.Pos]string
	// Mutexes are those that are held around transactions.
	Mutexes []Mutex
	// Invariants are facts about the rows.
	Invariants []Invariant
}

// Mutex is held around the transactions of a function, or (Func is not valid) around
// those that begin in the lines of a statement.
type Mutex struct {
	Name     string
	Func     token.Pos // where it is declared
	From, To ir.Pos
}

// Held gives the mutexes around a transaction of a function that begins at a place.
func (c *Comments) Held(fn token.Pos, at ir.Pos) []string {
	var out []string
	for _, m := range c.Mutexes {
		inside := !m.Func.IsValid() && at.File == m.From.File && m.From.Line <= at.Line && at.Line <= m.To.Line
		if m.Func.IsValid() && m.Func == fn || inside {
			out = append(out, m.Name)
		}
	}
	return out
}

// Invariant is a stated fact about the rows, in SQL.
type Invariant struct {
	Pos  ir.Pos
	Text string
}

// SQL gives the fact as a comment in SQL, at the line where it stands.
func (x Invariant) SQL() string {
	return strings.Repeat("\n", max(x.Pos.Line-1, 0)) + "-- invariant: " + x.Text + "\n"
}

// Read reads the comments of files. position gives places as reports have them. A
// fault is an *ir.Error.
func Read(fset *token.FileSet, position func(token.Pos) ir.Pos, files []*ast.File) (*Comments, error) {
	r := &reader{&Comments{Levels: map[token.Pos]string{}, Names: map[token.Pos]string{}}, fset, position}
	for _, f := range files {
		for _, group := range f.Comments {
			for _, c := range group.List {
				rest, ok := strings.CutPrefix(c.Text, "//robust:")
				if !ok {
					continue
				}
				if err := r.comment(f, c, rest); err != nil {
					return nil, err
				}
			}
		}
	}
	return r.Comments, nil
}

type reader struct {
	*Comments
	fset     *token.FileSet
	position func(token.Pos) ir.Pos
}

// comment reads one comment; rest is what follows the prefix.
func (r *reader) comment(f *ast.File, c *ast.Comment, rest string) error {
	at := r.position(c.Pos())
	word, rest, _ := strings.Cut(rest, " ")
	rest = strings.TrimSpace(rest)
	scope := r.scope(f, c)
	fn, isFunc := scope.(*ast.FuncDecl)
	switch word {
	case "ignore":
		g, err := ignore.Parse(at, rest)
		if err != nil {
			return err
		}
		g.From, g.To = r.position(scope.Pos()), r.position(scope.End())
		r.Ignores = append(r.Ignores, g)
	case "txn":
		switch {
		case !isFunc:
			return ir.Errorf(at, "robust:txn stands before a function")
		case len(strings.Fields(rest)) != 1:
			return ir.Errorf(at, "robust:txn wants the name of the transaction")
		}
		r.Names[fn.Name.Pos()] = rest
	case "assume":
		what, value, _ := strings.Cut(rest, " ")
		value = strings.TrimSpace(value)
		switch {
		case what == "invariant" && value != "":
			r.Invariants = append(r.Invariants, Invariant{at, value})
		case what == "level" && isFunc && IsLevel(strings.ToLower(value)):
			r.Levels[fn.Name.Pos()] = strings.ToLower(value)
		case what == "level" && isFunc:
			return ir.Errorf(at, "robust:assume level wants read committed, repeatable read or serializable")
		case what == "level":
			return ir.Errorf(at, "robust:assume level stands before a function")
		case what == "mutex" && len(strings.Fields(value)) != 1:
			return ir.Errorf(at, "robust:assume mutex wants the name of the mutex, the same wherever it is held")
		case what == "mutex" && scope == ast.Node(c):
			return ir.Errorf(at, "robust:assume mutex stands before a function, or before the statement in which the transaction begins")
		case what == "mutex":
			m := Mutex{Name: value, From: r.position(scope.Pos()), To: r.position(scope.End())}
			if isFunc {
				m.Func = fn.Name.Pos()
			}
			r.Mutexes = append(r.Mutexes, m)
		default:
			return ir.Errorf(at, "robust:assume %s is not understood; there is robust:assume level LEVEL, robust:assume mutex NAME and robust:assume invariant CONDITION", what)
		}
	default:
		return ir.Errorf(at, "robust:%s is not understood; there is robust:ignore, robust:txn and robust:assume", word)
	}
	return nil
}

// IsLevel reports whether a name in small letters is that of an isolation level
// of SQL.
func IsLevel(name string) bool {
	switch name {
	case "read uncommitted", "read committed", "repeatable read", "serializable":
		return true
	}
	return false
}

// scope is what a comment is about: the function that it documents, else the
// statement in whose line it stands or that follows it.
func (r *reader) scope(f *ast.File, c *ast.Comment) ast.Node {
	line := func(at token.Pos) int { return r.fset.Position(at).Line }
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
