package session

import (
	"go/types"
	"slices"
	"strings"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/program"
	"github.com/txrobust/robust/ir"
)

// SendForeign is a call that gives a database to a library whose functions are not read. A text of SQL among
// the arguments is the statement that is sent. Without one the library may send anything.
func (in *Session) SendForeign(inv *Invocation, called types.Object, name string) (memory.Value, bool) {
	if !in.P.Unread(called) {
		return nil, false
	}
	given := in.P.GivesAway(inv.C)
	if given == "" && (called.Pkg().Path() == "reflect" || !slices.ContainsFunc(inv.Args, func(v memory.Value) bool { return in.givesAway(v, 0) })) {
		return nil, false
	}
	h, found := in.handleAmong(inv.Args)
	if given != "" && given != "db" && h.Kind == memory.Database { // it is among what is not known
		h, found = &memory.Handle{Kind: memory.Either, T: anyType, Lost: true}, false
		if given == "tx" {
			h.Kind = memory.Transaction
		}
	}
	for i, a := range inv.Args {
		if !in.isStatement(a) || slices.ContainsFunc(inv.Args, in.sendsItself) {
			continue
		}
		var rest []memory.Value
		open := false
		for _, v := range inv.Args[i+1:] {
			list, ok := in.ListOf(v)
			rest, open = append(rest, list...), open || !ok
		}
		return in.sendText(inv, h, a, rest, open, inv.Args), true
	}
	if makes(in.P, inv) {
		return nil, false
	}
	if !found || !in.Owns(h) && !in.Perhaps(h) { // UnknownCall says it of a transaction that is found
		in.Anything(h, nil, false, "a call of "+name)
		in.Result.Notes = append(in.Result.Notes, ir.Note{Pos: in.P.Position(inv.At),
			Text: name + " gets the database here and is not read: it may send anything; send the statements of this place through database/sql or another library that docs/go.md names"})
	}
	return nil, false
}

// sendsItself reports whether an argument is a function that uses the database, which the library may call.
func (in *Session) sendsItself(v memory.Value) bool {
	_, ok := in.called(v)
	return ok
}

// SendOpen sends a text through a handle with values that are not known, and gives the result of the call.
func (in *Session) SendOpen(inv *Invocation, h *memory.Handle, text memory.Value, args []memory.Value) memory.Value {
	return in.sendText(inv, h, text, nil, true, args)
}

// sendText sends a text with the values of its parameters, where others than the program take the rows. The
// call depends on args, and may change what they lead to.
func (in *Session) sendText(inv *Invocation, h *memory.Handle, text memory.Value, values []memory.Value, open bool, args []memory.Value) memory.Value {
	rs := in.Statement(h, text, values, open, nil)
	rs.Query.Returned = true
	in.Execute(rs)
	for _, v := range args {
		in.EmitValue(v)
		in.Expose(v)
	}
	if inv.T == nil {
		return nil
	}
	return in.Fresh(inv.T, "result", memory.Unknown)
}

// handleAmong gives the handle that arguments hold: one of a transaction if there is one, a database that
// is not known if there is none; known says whether there is one.
func (in *Session) handleAmong(args []memory.Value) (h *memory.Handle, known bool) {
	var found *memory.Handle
	for _, a := range args {
		in.Holds(a, func(v memory.Value) bool {
			if h := memory.HandleIn(v); h != nil && (found == nil || found.Kind == memory.Database) {
				found = h
			}
			return false
		})
	}
	if found == nil {
		return &memory.Handle{Kind: memory.Database, T: anyType, Lost: true}, false
	}
	return found, true
}

// anyType is the type any.
var anyType = types.NewInterfaceType(nil, nil)

// maxGiven bounds how deep a handle is in what a library gets.
const maxGiven = 6

// givesAway reports whether code that is not read gets at a handle in a value.
func (in *Session) givesAway(v memory.Value, depth int) bool {
	any := func(list []memory.Value) bool {
		return depth < maxGiven && slices.ContainsFunc(list, func(w memory.Value) bool { return in.givesAway(w, depth+1) })
	}
	switch v := memory.Unbox(v).(type) {
	case *memory.Handle, *memory.Prepared:
		return true
	case *memory.Pointer:
		return !in.P.IsOwnStruct(v.To.T) && any([]memory.Value{in.Load(v.To)})
	case *memory.Aggregate:
		return !in.P.IsOwnStruct(v.T) && any(v.Parts)
	case *memory.Closure: // a method value
		return v.Fn != nil && v.Fn.Synthetic != "" && any(v.Free)
	case *memory.Dict:
		list, _ := in.EntriesOf(v)
		return slices.ContainsFunc(list, func(e memory.Entry) bool { return any([]memory.Value{e.V}) })
	case *memory.List, memory.Span:
		list, _ := in.ListOf(v)
		return any(list)
	}
	return false
}

// makes reports whether a call only makes a handle of another one, as a wrapper of a driver does. A function
// that gets a context may look for a transaction there.
func makes(p *program.Program, inv *Invocation) bool {
	r := inv.C.Signature().Results()
	if r.Len() == 0 || p.HandleType(r.At(0).Type()) == "" {
		return false
	}
	params := inv.C.Signature().Params()
	return params.Len() == 0 || !gotypes.IsContext(params.At(0).Type())
}

// statements are the words that statements of SQL begin with which read or write rows.
var statements = map[string]bool{"select": true, "insert": true, "update": true, "delete": true, "with": true, "merge": true, "call": true, "lock": true,
	"truncate": true, "copy": true, "replace": true, "do": true, "values": true, "table": true}

// isStatement reports whether a value is the text of a statement, which may have parts that are not known.
func (in *Session) isStatement(v memory.Value) bool {
	s, ok := memory.Unbox(v).(memory.Scalar)
	if !ok {
		return false
	}
	texts := in.TextsOf(s.E)
	if len(texts) == 0 {
		return false
	}
	words := strings.Fields(texts[0])
	return len(words) > 1 && statements[strings.ToLower(words[0])]
}
