package sqlmodel

import (
	"context"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/sql/load"
	"github.com/txrobust/robust/ir"
)

// Client reads the schema in files (nil: none) and makes a template of each
// transaction of a client program. The functions in the files are no templates:
// they are what the statements call. A statement that cannot be read, or that
// does not fit the schema, is not modelled, and noted; faults of the files are
// *ir.Error.
func Client(ctx context.Context, files []File, txns []*client.Txn, opt Options) (*ir.Program, error) {
	chosen, err := choose(txns, opt.Txns)
	if err != nil {
		return nil, err
	}
	in := opt.input(files)
	in.Ctx, in.Program, in.IsProgram = ctx, chosen, true
	for _, t := range txns {
		if !slices.Contains(chosen, t) && creates(t) {
			in.Aside = append(in.Aside, t)
		}
	}
	return parse(in)
}

// creates reports whether a transaction has a statement that begins with CREATE.
func creates(t *client.Txn) bool {
	found := false
	client.EachQuery(t.Body, func(q *client.Query) {
		const create = "create"
		text := strings.TrimSpace(q.SQL)
		found = found || len(text) > len(create) && strings.EqualFold(text[:len(create)], create)
	})
	return found
}

// choose gives the transactions with the names, or all if there are none.
func choose(txns []*client.Txn, names []string) ([]*client.Txn, error) {
	if len(names) == 0 {
		return txns, nil
	}
	var out []*client.Txn
	var all []string
	seen := map[string]bool{}
	for _, t := range txns {
		all = append(all, t.Name)
		seen[t.Name] = true
		if slices.Contains(names, t.Name) {
			out = append(out, t)
		}
	}
	slices.Sort(all)
	for _, n := range names {
		if !seen[n] {
			return nil, &load.NoTransaction{Name: n, There: slices.Compact(all)}
		}
	}
	return out, nil
}
