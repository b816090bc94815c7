package opaque

import (
	"go/types"
	"slices"
	"strings"

	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/session"
	"github.com/txrobust/robust/analyzer/internal/sqltext"
)

// Statement is a statement that a library builds whose calls are not modelled one by
// one: bun, or code that ent generated. What counts is its table, and whether it
// only reads.
type Statement struct {
	H *memory.Handle
	// Tables are those that it changes, or (reads) looks at, nil for all; more says
	// that it may look at others. raw is its text, if the program gives that.
	Tables []string
	More   bool
	Raw    *sqltext.Fragment
	Reads  bool
	What   string
	// By is the name of the library, add what it makes of a call that adds to the
	// statement.
	By  string
	Add func(in *sqltext.Writer, q *Statement, name string, args []memory.Value)
}

// Sending are the methods that send such a statement.
var Sending = map[string]bool{
	"Exec": true, "Scan": true, "Count": true, "ScanAndCount": true, "Exists": true, "Rows": true, // bun
	"Save": true, "All": true, "Only": true, "First": true, "Exist": true, "IDs": true, "OnlyID": true, "FirstID": true, "Get": true, // ent
	"Ints": true, "Strings": true, "Float64s": true, "Bools": true, "Int": true, "String": false,
}

// Methods models the methods of statements of a library.
func Methods(by string) func(s *session.Session, inv *session.Invocation, name string, _ *types.Signature) (memory.Value, bool) {
	return func(s *session.Session, inv *session.Invocation, name string, _ *types.Signature) (memory.Value, bool) {
		q, ok := memory.Unbox(inv.Args[0]).(*Statement)
		if !ok || q.By != by {
			return nil, false
		}
		return q.call(&sqltext.Writer{Session: s}, inv, name, inv.Args[1:]), true
	}
}

// call is a method of a statement that is built.
func (q *Statement) call(in *sqltext.Writer, inv *session.Invocation, name string, args []memory.Value) memory.Value {
	for _, a := range args {
		in.EmitValue(a)
	}
	if Sending[strings.TrimSuffix(name, "X")] {
		if q.Raw != nil {
			rs := in.SendText(q.H, *q.Raw)
			rs.Query.Standard = false
			rs.Query.Returned = true
			in.Execute(rs)
		} else {
			if q.More && q.Tables != nil {
				in.Anything(q.H, nil, true, q.What)
			}
			if !q.More || q.Tables == nil || !q.Reads {
				in.Anything(q.H, q.Tables, q.Reads, q.What)
			}
		}
		for _, a := range args {
			in.Expose(a)
		}
		return in.Fresh(inv.T, "result", memory.Unknown)
	}
	n := *q
	q.Add(in, &n, name, args)
	if _, isTuple := inv.T.(*types.Tuple); isTuple {
		return in.Fresh(inv.T, "result", memory.Unknown)
	}
	return &n
}

func (q *Statement) Live() bool                      { return q.H.Kind == memory.Transaction }
func (q *Statement) Sends() bool                     { return true }
func (q *Statement) Depends() ([]memory.Value, bool) { return nil, false }

func (q *Statement) Same(o memory.Value) bool {
	b, ok := o.(*Statement)
	return ok && same(q, b)
}

func (q *Statement) Join(in *memory.Memory, _ string, _ []*memory.Edge, vals []memory.Value) (memory.Value, bool) {
	return join(in, vals)
}

func (q *Statement) InLoop(*memory.Memory) memory.Value {
	return &Statement{H: q.H, What: q.What, By: q.By, Add: q.Add}
}

func (q *Statement) Stays(_ *memory.Memory, v memory.Value) bool {
	r, is := v.(*Statement)
	return is && memory.SameHandle(r.H, q.H)
}

// join joins statements that come by several paths.
func join(in *memory.Memory, vals []memory.Value) (memory.Value, bool) {
	if !memory.AllOf[*Statement](vals) {
		return nil, false
	}
	out := *vals[0].(*Statement)
	for _, v := range vals[1:] {
		q := v.(*Statement)
		h, ok := memory.JoinHandles(in, []memory.Value{out.H, q.H})
		if !ok {
			return nil, false
		}
		out.H = h.(*memory.Handle)
		out.Reads, out.More = out.Reads && q.Reads, out.More || q.More
		if !slices.Equal(out.Tables, q.Tables) || out.Raw != q.Raw {
			out.Tables, out.Raw = nil, nil
		}
	}
	return &out, true
}

func same(a, b *Statement) bool {
	return a == b || memory.SameHandle(a.H, b.H) && a.Reads == b.Reads && a.More == b.More && a.Raw == b.Raw && slices.Equal(a.Tables, b.Tables)
}
