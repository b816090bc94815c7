package session

import (
	"go/types"
	"strings"

	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/internal/client"
)

// Gather stores all rows of a query in a new slice of type t, with its length: scan stores one in the element at an address, and
// gives an error or nil. The error is that of the first row that has one. ok is false where it cannot be said so, such as for a query
// that is sent already.
func Gather(in *Session, rs *memory.Rows, t types.Type, scan func(p *memory.Pointer) memory.Value) (list *memory.Grown, err *memory.Failure, ok bool) {
	s, isSlice := t.Underlying().(*types.Slice)
	if !isSlice || in.Trace != nil || in.Site == "" || !rs.Mine || rs.Unsent != nil || in.IsSent(rs) || !selects(rs.Query.SQL) {
		return nil, nil, false
	}
	if _, isPointer := s.Elem().Underlying().(*types.Pointer); isPointer {
		return nil, nil, false
	}
	list = memory.NewGathered(in.Memory)
	err = in.EachRow(rs, func(fails func(f *memory.Failure)) {
		c := in.NewCell(s.Elem(), "row", memory.Zeroed)
		if f, ok := scan(&memory.Pointer{To: c}).(*memory.Failure); ok && !memory.IsTrue(client.Not(in.Failed(f))) {
			fails(f)
		}
		memory.Gather(in.Memory, list, in.Load(c))
	})
	return list, err, true
}

// selects reports whether a text is a SELECT: what changes rows and gives them is sent as it stands.
func selects(text string) bool {
	first := strings.Fields(text)
	return len(first) > 0 && strings.EqualFold(first[0], "SELECT")
}
