// Package pieces says which moments the commands of a transaction see on InnoDB, and which of its
// reads are plain SELECTs. Those see committed rows of one snapshot; writing and locking commands
// see the newest ones, and lock all that they look at until the transaction ends.
package pieces

import (
	"regexp"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/ir"
)

// Look says which committed rows the plain SELECTs of a transaction see.
type Look uint8

const (
	// Once is those of the moment of the first plain SELECT.
	Once Look = iota
	// Each is those of the moment of each.
	Each
	// Locked is the newest ones, which are locked in share mode. A snapshot is taken all the
	// same, by the first command: what has changed since may be refused.
	Locked
)

// Level is what a transaction sees and locks at an isolation level.
type Level struct {
	Plain Look
	// Gaps says that a command locks the gaps between the rows that it has looked at, too.
	Gaps bool
	// Refuses says that nothing can be written or locked that has changed since the
	// snapshot (error 1020, innodb_snapshot_isolation).
	Refuses bool
}

// Of gives what holds at an isolation level in the words of SQL, "" for the default; snapshots says
// that innodb_snapshot_isolation is on.
func Of(snapshots bool, level string) Level {
	switch strings.ToUpper(level) {
	case "", "REPEATABLE READ":
		return Level{Plain: Once, Gaps: true, Refuses: snapshots}
	case "SERIALIZABLE":
		return Level{Plain: Locked, Gaps: true, Refuses: snapshots}
	case "READ COMMITTED":
		return Level{Plain: Each}
	}
	panic("pieces: InnoDB has no level " + level)
}

// Kind says which rows a command sees.
type Kind uint8

const (
	// ReadsPlain: all that it reads is what a plain SELECT sees.
	ReadsPlain Kind = iota
	// ReadsNewest: all that it reads is the newest, and locked.
	ReadsNewest
	// ReadsBoth: its locking reads see the newest rows, and its subqueries what a plain SELECT sees.
	ReadsBoth
)

// Kinds gives the kinds of the commands of a transaction whose numbers are known, and
// for each plain one whether a statement stands for it.
func Kinds(t *ir.Txn) (kinds map[int]Kind, reads map[int]bool) {
	kinds, reads = map[int]Kind{}, map[int]bool{}
	mixed := map[int]bool{}
	defer func() {
		for n := range mixed {
			kinds[n] = ReadsBoth
		}
	}()
	ir.Walk(t.Body, func(st ir.Stmt) {
		n := st.Command()
		if n == 0 {
			return
		}
		if send, is := st.(*ir.Send); is && (len(send.Text) == 0 || several(send) || !t.Script) {
			mixed[n] = true
		}
		reads[n] = reads[n] || len(ir.Reads(st)) > 0
		switch k := KindOf(st); {
		case k == ReadsNewest:
			kinds[n] = k
		case k == ReadsBoth && kinds[n] == ReadsPlain:
			kinds[n] = k
		}
	})
	return kinds, reads
}

// KindOf is the kind of a command of which a statement is all that is known.
func KindOf(st ir.Stmt) Kind {
	switch st := st.(type) {
	case *ir.Select:
		if st.Inner {
			return ReadsNewest
		}
	case *ir.Foreach:
		if st.Inner {
			return ReadsNewest
		}
	case *ir.Send:
		if takesNewest(st) {
			return ReadsNewest
		}
	default: // it is told by what it writes and locks
	}
	if ir.Written(st) != nil {
		return ReadsNewest
	}
	if locks, _ := ir.LocksOf(st); len(locks) > 0 {
		return ReadsBoth
	}
	return ReadsPlain
}

var (
	newestText = regexp.MustCompile(`(?is)^\s*(set|do|insert|replace|update|delete)\b`)
	severalSQL = regexp.MustCompile(`;\s*\S`)
)

// takesNewest reports whether a command is known to be none whose queries are plain SELECTs.
func takesNewest(s *ir.Send) bool {
	return len(s.Text) > 0 && newestText.MatchString(s.Text[0]) && !several(s)
}

// several reports whether a command may be several statements.
func several(s *ir.Send) bool { return severalSQL.MatchString(strings.Join(s.Text, "?")) }

// Plain gives the statements of a transaction that read, or may read, what a plain SELECT sees.
func Plain(t *ir.Txn) []ir.Stmt {
	kinds, _ := Kinds(t)
	var out []ir.Stmt
	ir.Walk(t.Body, func(st ir.Stmt) {
		if len(ir.Reads(st)) == 0 || ir.Written(st) != nil && kinds[st.Command()] == ReadsNewest {
			return
		}
		kind := KindOf(st)
		if n := st.Command(); n != 0 {
			kind = kinds[n]
		}
		locks, _ := ir.LocksOf(st)
		inside := slices.ContainsFunc(ir.Exprs(st), ir.HasExists)
		if kind == ReadsPlain || kind == ReadsBoth && (inside || len(locks) == 0 && !LockedBefore(t, st)) {
			out = append(out, st)
		}
	})
	return out
}

// Snapshots gives the statements of a transaction that may take the snapshot which plain SELECTs
// see.
func Snapshots(t *ir.Txn) []ir.Stmt {
	kinds, _ := Kinds(t)
	out := Plain(t)
	ir.Walk(t.Body, func(st ir.Stmt) {
		if send, is := st.(*ir.Send); is && (send.Command() == 0 || kinds[send.Command()] == ReadsPlain) {
			out = append(out, st)
		}
	})
	return out
}

// LockedBefore reports whether a read without locks is of rows that its command has locked by
// the same query.
func LockedBefore(t *ir.Txn, st ir.Stmt) bool {
	_, q := ir.LocksOf(st)
	if q == nil {
		return false
	}
	found := false
	ir.Walk(t.Body, func(o ir.Stmt) {
		l, is := o.(*ir.LockRows)
		found = found || is && l.Command() != 0 && l.Command() == st.Command() && sameQuery(&l.Query, q)
	})
	return found
}

// sameQuery reports whether two queries are of the same rows.
func sameQuery(a, b *ir.Query) bool {
	if a.Where == nil || b.Where == nil {
		return slices.Equal(a.From, b.From) && a.Where == b.Where
	}
	return slices.Equal(a.From, b.From) && a.Where.String() == b.Where.String()
}

// Indexed reports whether an index other than the primary key is over a column. MySQL
// makes one for each foreign key.
func Indexed(t *ir.Table, col int) bool {
	below := false
	if g := t.Columns[col].Generated; g != nil { // a form of a column in which it is compared
		ir.WalkExpr(g, func(e ir.Expr) {
			if c, ok := e.(*ir.Col); ok {
				i := t.Column(c.Col)
				below = below || i >= 0 && i != col && Indexed(t, i)
			}
		})
	}
	return below || t.Columns[col].Indexed ||
		slices.ContainsFunc(t.Uniques, func(u ir.Unique) bool { return slices.Contains(u.Columns, col) }) ||
		slices.ContainsFunc(t.ForeignKeys, func(f ir.ForeignKey) bool { return slices.Contains(f.Columns, col) })
}

// Claim is what a transaction holds locked of a table, given by its number, or asks for.
type Claim struct {
	Table  int
	Key    string // of the row
	All    bool   // all rows, whatever the key
	Gap    bool   // the gaps between the rows
	Absent bool   // there is no row with the key: what is locked is the gap where it would be
	Insert bool   // it puts a row into a gap
	Mode   ir.LockMode
}

// KeepsOut reports whether who asks for another claim has to wait for it.
func (c *Claim) KeepsOut(o *Claim) bool {
	if c.Table != o.Table {
		return false
	}
	if o.Insert {
		return c.Gap
	}
	if c.Insert { // of the row itself there is another claim
		return false
	}
	if c.Absent && (o.Absent || o.All) || o.Absent && c.All { // locks on gaps keep out nobody but who inserts
		return false
	}
	rows := c.All || o.All || c.Key == o.Key && c.Key != ""
	return rows && (c.Mode > ir.ForShare || o.Mode > ir.ForShare)
}

// Keyed gives the values of the primary key by which a condition looks for rows of a source: where
// it names all of the key, by expressions for which known is true, and no column of another index, which the server may prefer. Else
// it gives nil: all rows count as looked at.
func Keyed(src ir.Source, where ir.Expr, known func(ir.Expr) bool) []ir.Expr {
	t := src.Table
	by := map[int]ir.Expr{}
	other := false
	for _, e := range ir.Conjuncts(where) {
		ir.WalkExpr(e, func(e ir.Expr) {
			if col, ok := e.(*ir.Col); ok && col.Row == src.Row {
				i := t.Column(col.Col)
				other = other || i >= 0 && !t.IsKey(i) && Indexed(t, i)
			}
		})
		b, ok := e.(*ir.Binary)
		if !ok || b.Op != ir.Eq {
			continue
		}
		for _, pair := range [][2]ir.Expr{{b.X, b.Y}, {b.Y, b.X}} {
			if col, ok := pair[0].(*ir.Col); ok && col.Row == src.Row && known(pair[1]) {
				by[t.Column(col.Col)] = pair[1]
			}
		}
	}
	var key []ir.Expr
	for _, k := range t.Key {
		e, ok := by[k]
		if !ok || other {
			return nil
		}
		key = append(key, e)
	}
	return key
}
