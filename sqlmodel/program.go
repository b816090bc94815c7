package sqlmodel

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/sql/syntax"
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
	in.ctx, in.program, in.isProgram = ctx, chosen, true
	for _, t := range txns {
		if !slices.Contains(chosen, t) && creates(t) {
			in.aside = append(in.aside, t)
		}
	}
	return parse(in)
}

// creates reports whether a transaction has a statement that begins with CREATE.
func creates(t *client.Txn) bool {
	found := false
	eachQuery(t.Body, func(q *client.Query) {
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
		switch {
		case seen[n]:
		case len(all) == 0:
			return nil, fmt.Errorf("there is no transaction %s: the program has none", n)
		default:
			return nil, fmt.Errorf("there is no transaction %s; there are: %s", n, strings.Join(slices.Compact(all), ", "))
		}
	}
	return out, nil
}

// programBody is the body of a transaction of a client program.
type programBody struct {
	txn *client.Txn
	// aside says that it is read for the tables that it creates only.
	aside bool
	// sent are its statements of SQL.
	sent map[*client.Query]*sent
	// types are those of the variables, by their names in the IR, as far as they
	// are known.
	types map[string]typ
}

// readProgram reads the statements of the transactions of a client program.
func (l *Schema) readProgram() {
	names := map[string]bool{}
	for _, t := range l.in.program {
		names[t.Name] = true
	}
	used := map[string]bool{}
	for i, t := range slices.Concat(l.in.program, l.in.aside) {
		f := &function{pos: t.Pos, name: t.Name, language: "sql", setOf: true, refs: newRefs(), level: t.Level}
		for i := 2; used[f.name] || f.name != t.Name && names[f.name]; i++ {
			f.name = t.Name + "-" + itoa(i)
		}
		used[f.name] = true
		src := syntax.NewSource(t.Pos.File, "")
		src.All = t.Pos
		f.text = src.Whole()
		f.program = &programBody{txn: t, aside: i >= len(l.in.program), sent: map[*client.Query]*sent{}, types: map[string]typ{}}
		eachQuery(t.Body, func(q *client.Query) {
			if l.in.ctx != nil && l.in.ctx.Err() != nil || f.program.sent[q] != nil {
				return
			}
			s := l.readSent(q)
			f.program.sent[q] = s
			f.refs.merge(s.refs)
		})
		client.Walk(t.Body, func(s client.Stmt) {
			if u, ok := s.(*client.Unknown); ok {
				f.refs.merge(unknownRefs(u))
			}
		})
		markFollowed(f.program.sent, t.Body, false)
		l.programs = append(l.programs, f)
	}
}

// hold lets a transaction hold mutexes. Each is a shared variable that the
// transaction writes first: of two concurrent ones that write the same row, one
// fails, at READ COMMITTED it waits; so what is left are the executions in which they
// come one after the other.
func (l *Schema) hold(t *ir.Txn, mutexes []string) {
	var first []ir.Stmt
	for _, m := range mutexes {
		name := "mutex " + m
		v := l.prog.Table(name)
		if v == nil {
			v = ir.NewVar(t.Pos, name, ir.IntType, ir.Int(0))
			v.Mutex = true
			l.prog.Tables = append(l.prog.Tables, v)
		}
		first = append(first, &ir.Update{At: at(t.Pos), Table: v, Row: name, Sets: []ir.Set{{Col: 0, Expr: ir.C(ir.Int(0))}}})
	}
	t.Body = append(first, t.Body...)
}

// programFiles gives the files of a client program to which notes refer.
func (l *Schema) programFiles() map[string]bool {
	out := map[string]bool{}
	for _, n := range l.notes {
		if !l.Has(n.Pos.File) {
			out[n.Pos.File] = true
		}
	}
	return out
}

// eachQuery calls f for the statements of SQL.
func eachQuery(list []client.Stmt, f func(q *client.Query)) {
	client.Walk(list, func(s client.Stmt) {
		switch s := s.(type) {
		case *client.Query:
			f(s)
		case *client.ForRows:
			f(s.Query)
		}
	})
}

// unknownRefs is what statements that are not known name.
func unknownRefs(u *client.Unknown) *refs {
	r := newRefs()
	r.dynamic = u.Tables == nil
	r.writes, r.frees = !u.ReadOnly, !u.ReadOnly
	for _, name := range u.Tables {
		r.tables[syntax.Qualified(strings.Split(name, "."))] = true
	}
	return r
}

// merge adds what o names.
func (r *refs) merge(o *refs) {
	for _, m := range [][2]map[string]bool{{r.tables, o.tables}, {r.calls, o.calls}, {r.attributes, o.attributes}, {r.emptied, o.emptied}, {r.operators, o.operators}, {r.types, o.types}} {
		for name := range m[1] {
			m[0][name] = true
		}
	}
	for name, lasts := range o.made {
		r.made[name] = max(r.made[name], lasts)
	}
	r.paths, r.lasting = r.paths.Or(o.paths), r.lasting.Or(o.lasting)
	r.writes, r.frees, r.dynamic, r.defers = r.writes || o.writes, r.frees || o.frees, r.dynamic || o.dynamic, r.defers || o.defers
	r.locks, r.locksTables, r.sets = r.locks || o.locks, r.locksTables || o.locksTables, r.sets || o.sets
}

// markFollowed finds the statements after which the transaction may have another one.
// after says that others follow list.
func markFollowed(all map[*client.Query]*sent, list []client.Stmt, after bool) {
	for i := len(list) - 1; i >= 0; i-- {
		switch s := list[i].(type) {
		case *client.Query:
			all[s].followed = all[s].followed || after
			after = true
		case *client.ForRows:
			markFollowed(all, s.Body, true)
			after = true
		case *client.Unknown:
			after = true
		case *client.If:
			markFollowed(all, s.Then, after)
			markFollowed(all, s.Else, after)
			after = after || sends(s.Then) || sends(s.Else)
		case *client.Loop:
			inside := sends(s.Body)
			markFollowed(all, s.Body, after || inside)
			after = after || inside
		case *client.Block:
			markFollowed(all, s.Body, after)
			after = after || sends(s.Body)
		case *client.Commit, *client.Rollback:
			after = false
		}
	}
}

// sends reports whether statements have to do with the database.
func sends(list []client.Stmt) bool {
	found := false
	client.Walk(list, func(s client.Stmt) {
		switch s.(type) {
		case *client.Query, *client.ForRows, *client.Unknown:
			found = true
		}
	})
	return found
}
