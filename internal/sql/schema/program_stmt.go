package schema

import (
	"fmt"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/sql/pg"
)

// Assigned gives the variables that the transaction sets.
func (body *ProgramBody) Assigned() map[string]bool {
	out := map[string]bool{}
	results := func(q *client.Query) {
		for _, name := range append([]string{q.Found, q.Null, q.Count}, q.Into...) {
			out[name] = true
		}
		for _, a := range q.ByName {
			out[ResultName(a)] = true
		}
	}
	client.Walk(body.Txn.Body, func(s client.Stmt) {
		switch s := s.(type) {
		case *client.Assign:
			out[s.Var] = true
		case *client.Havoc:
			out[s.Var] = true
		case *client.Query:
			results(s)
		case *client.ForRows:
			results(s.Query)
		}
	})
	return out
}

// ResultName is the variable of an item of Query.ByName.
func ResultName(a client.Arg) string {
	if v, ok := a.Expr.(*client.VarExpr); ok {
		return v.Name
	}
	return ""
}

// KindType is the type of the values of a kind; texts may be anything.
func KindType(k client.Kind) Type {
	switch k {
	case client.Int:
		return TBigint
	case client.Float:
		return TFloat
	case client.Bool:
		return TBool
	case client.Time:
		return TStamp
	case client.Text, client.Any:
		return TUnknown
	}
	panic(fmt.Sprintf("sqlmodel: unknown kind %d of a variable", k))
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
