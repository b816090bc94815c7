package analyzer

import (
	"cmp"
	"go/types"
	"slices"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// handle is what statements are sent through: a database, a transaction, or what
// may be either.
type handle struct {
	kind handleKind
	// site is where the transaction of a transaction began, "" for that of the
	// caller; point is the savepoint that stands for a transaction in it.
	site, point string
	t           types.Type
	// lost says that it came from somewhere that is not known: it may be the
	// transaction that goes on.
	lost bool
	// conn says that it is that of a statement which was prepared on one connection.
	conn bool
}

// as gives the same handle as a value of another type.
func (h *handle) as(t types.Type) *handle {
	out := *h
	out.t = t
	return &out
}

type handleKind uint8

const (
	database    handleKind = iota
	transaction            // or one of its connections
	// either is an interface whose value the caller gives or, with a site, what is
	// the transaction of site on some paths.
	either
)

// rows is the result of a query, which Next goes through or QueryRow has one of.
type rows struct {
	h     *handle
	query *client.Query
	pos   ir.Pos
	// one says that it is what QueryRow gives, with one row at most.
	one bool
	// mine says that the statement belongs to the transaction that is written.
	mine bool
	// later says that the program may be at another row than the first one.
	later bool
}

// outcome is the result of a statement: how many rows it changed.
type outcome struct {
	query *client.Query
	mine  bool
}

// prepared is a prepared statement.
type prepared struct {
	h   *handle
	sql value
	// byName says that its parameters have names, and one argument has all values.
	byName bool
}

// unknown reports whether nothing is known of the text of a statement.
func (p *prepared) unknown() bool {
	text, known := constText(p.sql)
	return known && text == client.Hole
}

// isLive reports whether a value is one of a transaction that goes on.
func isLive(v value) bool {
	switch v := v.(type) {
	case *handle:
		return v.kind != database && v.site != "" && v.site != joinedSite
	case *rows:
		return v.h.kind == transaction
	case *prepared:
		return v.h.kind == transaction
	case *chain:
		return v.h.kind == transaction
	case *foreign:
		return v.h.kind == transaction
	case *sqlBuilder:
		return v.runner != nil && isLive(v.runner)
	}
	return false
}

// isHandle reports whether a value is one of the database.
func isHandle(v value) bool {
	switch v.(type) {
	case *handle, *rows, *prepared, *outcome, *chain, *batch, *sqlBuilder, *foreign:
		return true
	}
	return false
}

// holds reports whether is holds for v or what it refers to.
func (in *interp) holds(v value, is func(value) bool) bool {
	return in.search(v, is, map[*cell]bool{}, 0)
}

func (in *interp) search(v value, is func(value) bool, seen map[*cell]bool, depth int) bool {
	if v == nil || depth > 8 {
		return false
	}
	v = unbox(v)
	if is(v) {
		return true
	}
	any := func(list []value) bool {
		return slices.ContainsFunc(list, func(w value) bool { return in.search(w, is, seen, depth+1) })
	}
	switch v := v.(type) {
	case *aggregate:
		return any(v.parts)
	case *pointer:
		if seen[v.to] {
			return false
		}
		seen[v.to] = true
		found := false
		v.to.eachLeaf(func(c *cell) {
			if w, ok := in.st.mem[c]; ok && !found {
				found = in.search(w, is, seen, depth+1)
			}
		})
		return found
	case *list:
		return any(v.elems)
	case span:
		return any(in.elements(v))
	case *closure:
		return any(v.free)
	case tuple:
		return any(v)
	case *contextValue:
		return any([]value{v.parent, v.v})
	case *dict:
		list, _ := in.entriesOf(v)
		return slices.ContainsFunc(list, func(e entry) bool { return in.search(e.v, is, seen, depth+1) })
	}
	return false
}

// joinedSite is the site of a handle that is one or another, as the path says,
// where none of them is of a transaction that is known.
const joinedSite = "joined"

// joinHandles joins values of the database that differ in nothing that matters.
func joinHandles(vals []value) (value, bool) {
	var first *handle
	for _, v := range vals {
		h, ok := v.(*handle)
		if !ok {
			return nil, false
		}
		switch {
		case first == nil:
			first = h
		case h.kind != first.kind || h.site != first.site || h.point != first.point:
			first = &handle{kind: either, site: cmp.Or(first.site, h.site, joinedSite), t: first.t, lost: first.lost || h.lost}
		case h.lost:
			first = first.as(first.t)
			first.lost = true
		}
	}
	return first, first != nil
}

func sameHandle(a, b value) bool {
	x, ok := a.(*handle)
	y, also := b.(*handle)
	if ok && also {
		return x.kind == y.kind && x.site == y.site && x.point == y.point && x.lost == y.lost
	}
	if c, ok := a.(*chain); ok {
		d, ok := b.(*chain)
		return ok && (c == d || *c == *d)
	}
	return a == b
}

// handleOf gives the value of a type of the database, nil for other types.
func (in *interp) handleOf(t types.Type, name string) value {
	if verb, ok := builderVerbs[typeName(t)]; ok && !isPointer(t) {
		return &sqlBuilder{verb: verb, lost: verb != ""}
	}
	if n := typeName(t); preparedTypes[n] && isPointer(t) {
		return &prepared{h: &handle{kind: either, t: t}, sql: scalar{client.C(ir.Text(client.Hole)), client.Text}}
	}
	switch in.p.handleType(t) {
	case "db":
		return &handle{kind: database, t: t}
	case "tx":
		return &handle{kind: transaction, t: t}
	case "either":
		return &handle{kind: either, t: t}
	}
	return nil
}

// handleIn gives the handle of a value that handleOf made, nil if it has none.
func handleIn(v value) *handle {
	switch v := v.(type) {
	case *handle:
		return v
	case *prepared:
		return v.h
	}
	return nil
}

// box is a value in an interface, with its type.
type box struct {
	v value
	t types.Type
}

func unbox(v value) value {
	for {
		b, ok := v.(box)
		if !ok {
			return v
		}
		v = b.v
	}
}
