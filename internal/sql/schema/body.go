package schema

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/plpgsql"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// ProgramBody is the body of a transaction of a client program.
type ProgramBody struct {
	Txn *client.Txn
	// Aside says that it is read for the tables that it creates only.
	Aside bool
	// Sent are its statements of SQL.
	Sent map[*client.Query]*Sent
}

// Merge adds what o names.
func (r *Refs) Merge(o *Refs) {
	for _, m := range [][2]map[string]bool{{r.Tables, o.Tables}, {r.Calls, o.Calls}, {r.attributes, o.attributes}, {r.emptied, o.emptied}, {r.operators, o.operators}, {r.types, o.types}} {
		for name := range m[1] {
			m[0][name] = true
		}
	}
	for name, lasts := range o.Made {
		r.Made[name] = max(r.Made[name], lasts)
	}
	r.Paths, r.lasting = r.Paths.Or(o.Paths), r.lasting.Or(o.lasting)
	r.Writes, r.Frees, r.Dynamic, r.Defers = r.Writes || o.Writes, r.Frees || o.Frees, r.Dynamic || o.Dynamic, r.Defers || o.Defers
	r.Locks, r.LocksTables, r.Sets = r.Locks || o.Locks, r.LocksTables || o.LocksTables, r.Sets || o.Sets
}

// Declares reports whether a transaction consists of declarations.
func (body *ProgramBody) Declares() bool {
	declares, other := false, false
	client.Walk(body.Txn.Body, func(s client.Stmt) {
		switch s := s.(type) {
		case *client.Query:
			sent := body.Sent[s]
			declares = declares || sent.Declares
			other = other || len(sent.List) == 0 && !sent.Declares
			for _, st := range sent.List {
				switch tree := st.Tree.(type) {
				case *pg.CreateStmt:
					declares = declares || tree.Relation.Relpersistence != "t"
					other = other || tree.Relation.Relpersistence == "t"
				case *pg.TransactionStmt, *pg.VariableSetStmt, *pg.VariableShow:
				default:
					declares = declares || IsDeclaration(tree)
					other = other || !IsDeclaration(tree)
				}
			}
		case *client.ForRows, *client.Unknown:
			other = true
		}
	})
	return declares && !other
}

// ResultName is the variable of an item of Query.ByName.
func ResultName(a client.Arg) string {
	if v, ok := a.Expr.(*client.VarExpr); ok {
		return v.Name
	}
	return ""
}

// Released gives the savepoints whose name may mean another one than the last
// that was set, since that was released.
func (body *ProgramBody) Released() map[string]bool {
	released, sites := map[string]bool{}, map[string]int{}
	var visit func(list []client.Stmt, weight int)
	visit = func(list []client.Stmt, weight int) {
		for _, s := range list {
			switch s := s.(type) {
			case *client.Savepoint:
				sites[s.Name] += weight
			case *client.Query:
				for _, st := range body.Sent[s].List {
					if t, ok := st.Tree.(*pg.TransactionStmt); ok {
						switch t.Kind {
						case pg.TransSavepoint:
							sites[t.SavepointName] += weight
						case pg.TransRelease:
							released[t.SavepointName] = true
						}
					}
				}
			case *client.If:
				visit(s.Then, weight)
				visit(s.Else, weight)
			case *client.Block:
				visit(s.Body, weight)
			case *client.Loop: // it may be set again in each round
				visit(s.Body, 2)
			case *client.ForRows:
				visit(s.Body, 2)
			}
		}
	}
	visit(body.Txn.Body, 1)
	for name := range released {
		if sites[name] < 2 {
			delete(released, name)
		}
	}
	return released
}

// Script is a transaction of a psql or pgbench script, or a statement that is
// one by itself.
type Script struct {
	S *syntax.Session
	// Before is what the script does ahead of the transaction, nodes what it
	// does in it.
	Before, Nodes []*syntax.Node
	// Result is what a comment for sqlc says about the result: one, exec, ….
	Result string
	// Does are the functions of DO blocks.
	Does map[*pg.DoStmt]*Function
	// Open are the variables that some path uses without a value.
	Open map[int]bool
	// Paths are the search paths that are set when the transaction begins.
	Paths syntax.PathSet
	// Lock is the function that took an advisory lock which the session holds then, or "".
	Lock string
}

// IsDeclaration reports whether a command changes the schema.
func IsDeclaration(tree any) bool {
	name := strings.TrimPrefix(syntax.TypeName(tree), "*ast.")
	for _, verb := range []string{"Create", "Alter", "Define", "Drop", "Index", "Rename", "View", "Comment", "Grant", "Rule", "Composite", "SecLabel"} {
		if strings.HasPrefix(name, verb) {
			return true
		}
	}
	return false
}

// Sent is the text that a client program sends at one place, read.
type Sent struct {
	Q *client.Query
	// List are its statements, none if why says what is wrong with it.
	List []SentStmt
	Why  string
	// Declares says that it is a statement that declares something, as far as it is
	// known; list has none then.
	Declares bool
	// Refs is what all of it names.
	Refs *Refs
	// Params are the values of $1, $2, … in text, nil for one that is not known.
	Params []client.Expr
	Text   *syntax.Text
	// AnyColumns says that the columns which the statement gives are not known: all of
	// the rows is looked at.
	AnyColumns bool
	// Followed says that the transaction may have a statement after it, filled that a
	// condition stands in the text for a part that is not known.
	Followed, Filled bool
	// MaySetLevel says that it may set the isolation level, to one that is not known.
	MaySetLevel bool
}

// SentStmt is a statement.
type SentStmt struct {
	Tree any
	Node *pg.Node
	Refs *Refs
	Does map[*pg.DoStmt]*Function
	// Why says what cannot be read for a table that is not declared, star that its
	// rows are all columns of such a table.
	Why  string
	Star bool
}

// Assigns reports whether the body may change the variable.
func (f *Function) Assigns(name string) bool {
	if f.Body == nil || name == "" {
		return f.Body != nil && name == ""
	}
	found := false
	hit := func(list ...plpgsql.Name) {
		for _, n := range list {
			for _, part := range n.Parts {
				found = found || part == name || part[0] == '$'
			}
		}
	}
	plpgsql.Walk([]plpgsql.Stmt{f.Body.Block}, func(s plpgsql.Stmt) { hit(Assigned(s)...) })
	return found
}

// Assigned gives the variables that a statement itself sets.
func Assigned(s plpgsql.Stmt) []plpgsql.Name {
	into := func(in *plpgsql.Into) []plpgsql.Name {
		if in == nil {
			return nil
		}
		return in.Targets
	}
	switch s := s.(type) {
	case *plpgsql.Assign:
		return []plpgsql.Name{s.Target}
	case *plpgsql.ForQuery:
		return s.Targets
	case *plpgsql.Foreach:
		return s.Targets
	case *plpgsql.SQL:
		return into(s.Into)
	case *plpgsql.Execute:
		return into(s.Into)
	case *plpgsql.Cursor:
		return into(s.Into)
	case *plpgsql.GetDiagnostics:
		var out []plpgsql.Name
		for _, it := range s.Items {
			out = append(out, it.Target)
		}
		return out
	}
	return nil
}

// MayAbort reports whether f, or what it calls, can end the transaction.
func (l *Schema) MayAbort(f *Function, seen map[*Function]bool) bool {
	if seen[f] {
		return false
	}
	seen[f] = true
	aborts := false
	if f.Body != nil {
		plpgsql.Walk([]plpgsql.Stmt{f.Body.Block}, func(s plpgsql.Stmt) {
			switch s := s.(type) {
			case *plpgsql.Raise:
				aborts = aborts || s.Error
			case *plpgsql.Assert, *plpgsql.ForRange, *plpgsql.Foreach:
				aborts = true
			case *plpgsql.Case:
				aborts = aborts || !s.HasElse
			case *plpgsql.SQL:
				aborts = aborts || s.Into != nil && s.Into.Strict
			case *plpgsql.Block:
				for _, d := range s.Decls {
					aborts = aborts || d.NotNull
				}
			}
		})
		last := f.Body.Block.Body
		if !f.Void() && len(f.Outputs()) == 0 && !f.SetOf {
			if len(last) == 0 {
				return true
			}
			_, returns := last[len(last)-1].(*plpgsql.Return)
			aborts = aborts || !returns // control may reach the end
		}
	}
	if f.divides() {
		return true
	}
	for _, g := range l.Callees(f) {
		aborts = aborts || l.MayAbort(g, seen)
	}
	return aborts
}

// divides reports whether the body may divide by zero.
func (f *Function) divides() bool {
	if f.BodyText != nil {
		toks, _ := pg.Scan(f.BodyText.SQL)
		for _, t := range toks {
			if t.Kind == pg.Punct && (t.Text == "/" || t.Text == "%") || t.Kind == pg.Word && (t.Text == "mod" || t.Text == "div") {
				return true
			}
		}
		return false
	}
	return true
}

// NodeOf gives the tree of a statement as a node.
func NodeOf(s *Sent, tree any) *pg.Node {
	i := slices.IndexFunc(s.List, func(st SentStmt) bool { return st.Tree == tree })
	return s.List[i].Node
}
