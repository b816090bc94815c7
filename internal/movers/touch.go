package movers

import (
	"maps"
	"slices"

	"github.com/txrobust/robust/internal/ir"
)

// touch says what a transaction can change, and what decides what it does:
// which outputs, writes and locks it has and whether it succeeds. Two
// transactions of which neither changes what decides the other can be swapped
// in every state, and do not exclude each other.
//
// Things are named: "t" is which rows a table has, "t.c" a column of it, and
// "t!" is there for the exclusion of writers of one row, and of writers and
// lockers.
type touch struct{ reads, writes map[string]bool }

// touches collects what a template touches. What is not known to be finer is
// the whole table. coarse leaves columns out.
func touches(p *ir.Program, txn *ir.Txn, coarse bool) touch {
	out := touch{map[string]bool{}, map[string]bool{}}
	column := func(t *ir.Table, c int) string { return t.Name + "." + t.Columns[c].Name }
	read := func(t *ir.Table, cols ...int) {
		out.reads[t.Name] = true
		for _, c := range cols {
			out.reads[column(t, c)] = true
		}
	}
	whole := func(t *ir.Table) {
		read(t)
		for c := range t.Columns {
			read(t, c)
		}
	}
	// lock reads everything of a row, for nothing of it may change.
	lock := func(t *ir.Table) {
		whole(t)
		out.reads[t.Name+"!"] = true
	}
	write := func(t *ir.Table, rows bool, cols ...int) {
		lock(t) // keys, checks, and the rows that it finds
		out.writes[t.Name+"!"] = true
		if rows || coarse {
			out.writes[t.Name] = true
			for c := range t.Columns {
				out.writes[column(t, c)] = true
			}
		}
		for _, c := range cols {
			out.writes[column(t, c)] = true
		}
	}
	// parents are those of a row that is inserted or changed, children those
	// of one that is deleted or changed.
	parents := func(t *ir.Table) {
		for _, fk := range t.ForeignKeys {
			lock(fk.Ref)
		}
	}
	children := func(t *ir.Table) {
		for _, child := range p.Tables {
			if child.RefersTo(t) {
				lock(child)
			}
		}
	}
	ir.Walk(txn.Body, func(s ir.Stmt) {
		sources := ir.Reads(s)
		for _, src := range sources {
			if read(src.Table); src.Table.Var {
				whole(src.Table)
			}
		}
		for _, e := range ir.Exprs(s) {
			ir.WalkExpr(e, func(e ir.Expr) {
				c, ok := e.(*ir.Col)
				if !ok {
					return
				}
				// Several rows may have the name, one inside of the other. One
				// that none has, such as that of ON CONFLICT, may be of any.
				named := slices.ContainsFunc(sources, func(src ir.Source) bool { return src.Row == c.Row })
				for _, src := range sources {
					switch i := src.Table.Column(c.Col); {
					case named && src.Row != c.Row:
					case named && i >= 0:
						read(src.Table, i)
					default:
						whole(src.Table)
					}
				}
			})
		}
		if locks, _ := ir.LocksOf(s); len(locks) > 0 {
			for _, src := range sources {
				lock(src.Table)
			}
		}
		switch s := s.(type) {
		case *ir.Insert:
			write(s.Table, true)
			parents(s.Table)
			if s.Conflict != nil {
				children(s.Table)
			}
		case *ir.Update:
			cols, moves := []int{}, false
			for _, set := range s.Sets {
				cols = append(cols, set.Col)
				moves = moves || slices.Contains(s.Table.Key, set.Col)
			}
			write(s.Table, moves, cols...)
			parents(s.Table)
			children(s.Table)
		case *ir.Delete:
			write(s.Table, true)
			children(s.Table)
		case *ir.Cascade:
			fk := s.ForeignKey()
			lock(fk.Ref)
			write(s.Table, s.Deletes(), fk.Columns...)
			children(s.Table)
		case *ir.LockTable:
			// It excludes by uses of the table, also by those that only read.
			write(s.Table, true)
		case *ir.CopyTable:
			write(s.Dst, true)
			whole(s.Src)
		case *ir.Dropped:
			if s.Observes {
				for _, t := range s.Tables {
					whole(t)
				}
			}
		case *ir.Unmodelled:
			tables := s.Tables
			if tables == nil {
				tables = p.Tables
			}
			for _, t := range tables {
				if s.ReadOnly {
					lock(t)
				} else {
					write(t, true)
					parents(t)
					children(t)
				}
			}
		}
	})
	return out
}

// everything stands for what touches all.
const everything = "*"

// footprints gives what every node touches, for vertices: everything where
// sessions relate transactions that touch nothing in common.
func footprints(p *ir.Program, list []*node, opt Options) {
	known := map[*ir.Txn]touch{}
	for _, n := range list {
		if opt.SessionOrder || n.process != nil {
			n.reads, n.writes = []string{everything}, []string{everything}
			continue
		}
		t, ok := known[n.txn]
		if !ok {
			t = touches(p, n.txn, opt.Classic)
			known[n.txn] = t
		}
		n.reads, n.writes = slices.AppendSeq([]string{}, maps.Keys(t.reads)), slices.AppendSeq([]string{}, maps.Keys(t.writes))
		slices.Sort(n.reads)
		slices.Sort(n.writes)
	}
}

// neighbours says which nodes touch something in common.
type neighbours struct {
	// affecting are, for each node, those that change what decides what it
	// does; meeting are those besides that are changed by it. All in order.
	affecting, meeting [][]int
}

func newNeighbours(list []*node) neighbours {
	readers, writers := map[string][]int{}, map[string][]int{}
	for i, n := range list {
		for _, x := range n.reads {
			readers[x] = append(readers[x], i)
		}
		for _, x := range n.writes {
			writers[x] = append(writers[x], i)
		}
	}
	collect := func(names []string, by map[string][]int) []int {
		var out []int
		for _, x := range names {
			out = append(out, by[x]...)
		}
		slices.Sort(out)
		return slices.Compact(out)
	}
	var out neighbours
	for _, n := range list {
		affecting := collect(n.reads, writers)
		meeting := slices.Concat(affecting, collect(n.writes, readers))
		slices.Sort(meeting)
		out.affecting = append(out.affecting, affecting)
		out.meeting = append(out.meeting, slices.Compact(meeting))
	}
	return out
}
