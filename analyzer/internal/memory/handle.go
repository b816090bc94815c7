package memory

import (
	"go/types"
	"slices"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// Handle is what statements are sent through: a database, a transaction, or what
// may be either.
type Handle struct {
	Kind HandleKind
	// Site is where the transaction of a transaction began, "" for that of the
	// caller; point is the savepoint that stands for a transaction in it.
	Site, Point string
	T           types.Type
	// Lost says that it came from somewhere that is not known: it may be the
	// transaction that goes on.
	Lost bool
	// Conn says that it is that of a statement which was prepared on one connection.
	Conn bool
	// Untraced says that it may be of a transaction that began at a place which is not known: it came out of
	// a context, a channel, or a variable of which nobody saw what was put there.
	Untraced bool
	// Ambient says that it came out of a context, and that the program puts transactions into contexts. If the
	// context holds none, the callers have begun no transaction.
	Ambient bool
	// None says when it is nil, since the call failed that gives it; nil for never.
	None client.Expr
	// Ctx is the context of statements whose calls get none, nil for one that never ends.
	Ctx Value
	// Held says, in a trace, what has put the transaction away that it may be: HeldByCaller, HeldSomewhere,
	// or the place of a call of a function that is not read, which gave the context; "" for nothing.
	Held string
	// Mixed says that it may be one of several transactions that begin in the trace.
	Mixed bool
}

// HeldByCaller and HeldSomewhere say of a handle that the caller of the root has put it into a context, or that it
// is not known who has put it where.
const (
	HeldByCaller  = "caller"
	HeldSomewhere = "somewhere"
)

// As gives the same handle as a value of another type.
func (h *Handle) As(t types.Type) *Handle {
	out := *h
	out.T = t
	return &out
}

// Begun reports whether a handle may be one of a transaction that is known to begin in the trace.
func (h *Handle) Begun() bool { return h.Site != "" && h.Site != joinedSite }

// joinHeld gives what holds one of two handles. The database instead of what the caller may have put into a context is
// what the program uses where the caller has put nothing there.
func joinHeld(a, b string) string {
	switch {
	case a == b:
		return a
	case a == HeldByCaller && b == "", a == "" && b == HeldByCaller:
		return ""
	case a == "" || b == "":
		return a + b
	}
	return HeldSomewhere
}

// severalSites reports whether two handles are of transactions that begin at different places.
func severalSites(a, b *Handle) bool {
	return a.Begun() && b.Begun() && a.Site != b.Site
}

// HandleKind says what a handle is of.
type HandleKind uint8

const (
	Database    HandleKind = iota
	Transaction            // or one of its connections
	// Either is an interface whose value the caller gives or, with a site, what is
	// the transaction of site on some paths.
	Either
)

// Rows is the result of a query, which Next goes through or QueryRow has one of.
type Rows struct {
	H     *Handle
	Query *client.Query
	Pos   ir.Pos
	// One says that it is what QueryRow gives, with one row at most.
	One bool
	// Mine says that the statement belongs to the transaction that is written.
	Mine bool
	// Unsent says when it is not sent, nil for never.
	Unsent client.Expr
	// Later says that the program may be at another row than the first one.
	Later bool
}

// Outcome is the result of a statement: how many rows it changed.
type Outcome struct {
	Query *client.Query
	Mine  bool
}

// Prepared is a prepared statement.
type Prepared struct {
	H   *Handle
	SQL Value
	// ByName says that its parameters have names, and one argument has all values.
	ByName bool
	// None says when it is nil; nil for never.
	None client.Expr
}

// Unless gives a value of the database, or a map, that is nil where a condition holds.
func Unless(none client.Expr, v Value) Value {
	switch v := v.(type) {
	case *Handle:
		out := *v
		out.None = none
		return &out
	case *Prepared:
		out := *v
		out.None = none
		return &out
	case *Dict:
		return &Dict{C: v.C, None: none}
	}
	return v
}

// NoneOf says when a value of the database, or a map, is nil.
func NoneOf(v Value) client.Expr {
	var none client.Expr
	switch v := v.(type) {
	case *Handle:
		none = v.None
	case *Prepared:
		none = v.None
	case *Dict:
		none = v.None
	case *Pointer:
		none = v.IsNil
	case Scalar:
		if IsNilValue(v) {
			none = client.True
		}
	}
	return client.Or(none)
}

// Unknown reports whether nothing is known of the text of a statement.
func (p *Prepared) Unknown() bool {
	text, known := ConstText(p.SQL)
	return known && text == client.Hole
}

// IsLive reports whether a value is one of a transaction that goes on.
func IsLive(v Value) bool {
	switch v := v.(type) {
	case *Handle:
		return v.Kind != Database && v.Site != "" && v.Site != joinedSite
	case *Rows:
		return v.H.Kind == Transaction
	case *Prepared:
		return v.H.Kind == Transaction
	case Object:
		return v.Live()
	}
	return false
}

// IsHandle reports whether a value is one of the database.
func IsHandle(v Value) bool {
	switch v := v.(type) {
	case *Handle, *Rows, *Prepared, *Outcome:
		return true
	case Object:
		return v.Sends()
	}
	return false
}

// joinedSite is the site of a handle that is one or another, as the path says,
// where none of them is of a transaction that is known.
const joinedSite = "joined"

// HandleIn gives the handle of a value that handleOf made, nil if it has none.
func HandleIn(v Value) *Handle {
	switch v := v.(type) {
	case *Handle:
		return v
	case *Prepared:
		return v.H
	}
	return nil
}

// withoutNil puts a handle among values in the place of those that are nil: nobody sends anything by these.
func withoutNil(vals []Value) []Value {
	i := slices.IndexFunc(vals, func(v Value) bool { _, ok := v.(*Handle); return ok })
	if i < 0 {
		return vals
	}
	out := slices.Clone(vals)
	for k, v := range vals {
		if _, ok := v.(*Handle); !ok && IsTrue(NoneOf(v)) {
			out[k] = vals[i]
		}
	}
	return out
}
