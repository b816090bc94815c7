package load

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// readProgram reads the statements of the transactions of a client program.
func (l *Loader) readProgram() {
	names := map[string]bool{}
	for _, t := range l.In.Program {
		names[t.Name] = true
	}
	used := map[string]bool{}
	for i, t := range slices.Concat(l.In.Program, l.In.Aside) {
		f := &schema.Function{Pos: t.Pos, Name: t.Name, Language: "sql", SetOf: true, Refs: schema.NewRefs()}
		for i := 2; used[f.Name] || f.Name != t.Name && names[f.Name]; i++ {
			f.Name = t.Name + "-" + strconv.Itoa(i)
		}
		used[f.Name] = true
		src := syntax.NewSource(t.Pos.File, "")
		src.All = t.Pos
		f.Text = src.Whole()
		f.Program = &schema.ProgramBody{Txn: t, Aside: i >= len(l.In.Program), Sent: map[*client.Query]*schema.Sent{}}
		client.EachQuery(t.Body, func(q *client.Query) {
			if l.In.Ctx != nil && l.In.Ctx.Err() != nil || f.Program.Sent[q] != nil {
				return
			}
			s := l.readSent(q)
			f.Program.Sent[q] = s
			f.Refs.Merge(s.Refs)
		})
		client.Walk(t.Body, func(s client.Stmt) {
			if u, ok := s.(*client.Unknown); ok {
				f.Refs.Merge(UnknownRefs(u))
			}
		})
		markFollowed(f.Program.Sent, t.Body, false)
		l.Programs = append(l.Programs, f)
	}
}

// Hold lets a transaction hold mutexes. Each is a shared variable that the
// transaction writes first: of two concurrent ones that write the same row, one
// fails, at READ COMMITTED it waits; so what is left are the executions in which they
// come one after the other.
func (l *Loader) Hold(t *ir.Txn, mutexes []string) {
	var first []ir.Stmt
	for _, m := range mutexes {
		name := "mutex " + m
		v := l.Prog.Table(name)
		if v == nil {
			v = ir.NewVar(t.Pos, name, ir.IntType, ir.Int(0))
			v.Mutex = true
			l.Prog.Tables = append(l.Prog.Tables, v)
		}
		first = append(first, &ir.Update{At: ir.At{Pos: t.Pos}, Table: v, Row: name, Sets: []ir.Set{{Col: 0, Expr: ir.C(ir.Int(0))}}})
	}
	t.Body = append(first, t.Body...)
}

// programFiles gives the files of a client program to which notes refer.
func (l *Loader) programFiles() map[string]bool {
	out := map[string]bool{}
	for _, n := range l.Notes {
		if !l.Has(n.Pos.File) {
			out[n.Pos.File] = true
		}
	}
	return out
}

// UnknownRefs is what statements that are not known name.
func UnknownRefs(u *client.Unknown) *schema.Refs {
	r := schema.NewRefs()
	r.Dynamic = u.Tables == nil
	r.Writes, r.Frees = !u.ReadOnly, !u.ReadOnly
	for _, name := range u.Tables {
		r.Tables[syntax.Qualified(strings.Split(name, "."))] = true
	}
	return r
}

// markFollowed finds the statements after which the transaction may have another one.
// after says that others follow list.
func markFollowed(all map[*client.Query]*schema.Sent, list []client.Stmt, after bool) {
	for i := len(list) - 1; i >= 0; i-- {
		switch s := list[i].(type) {
		case *client.Query:
			all[s].Followed = all[s].Followed || after
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
		_, unknown := s.(*client.Unknown)
		found = found || unknown || client.QueryOf(s) != nil
	})
	return found
}

// KindType is the type of the values of a kind; texts may be anything.
func KindType(k client.Kind) schema.Type {
	switch k {
	case client.Int:
		return schema.TBigint
	case client.Float:
		return schema.TFloat
	case client.Bool:
		return schema.TBool
	case client.Time:
		return schema.TStamp
	case client.Text, client.Any:
		return schema.TUnknown
	}
	panic(fmt.Sprintf("load: unknown kind %d of a variable", k))
}
