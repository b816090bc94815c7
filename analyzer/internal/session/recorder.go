package session

import (
	"cmp"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
	"golang.org/x/tools/go/ssa"
)

// UnknownCall is a call of which nothing is known. It may call the functions among its arguments.
func (in *Session) UnknownCall(what string, args []memory.Value, t types.Type) memory.Value {
	for _, v := range args {
		in.escape(v)
	}
	return in.SomeCall(what, args, t)
}

// SomeCall is a call of which nothing is known but that it only calls functions that are interpreted.
func (in *Session) SomeCall(what string, args []memory.Value, t types.Type) memory.Value {
	live := false
	for _, v := range args {
		live = live || in.Holds(v, func(w memory.Value) bool {
			h, ok := w.(*memory.Handle)
			if ok && h.Untraced && in.Site == "" {
				in.findUntraced()
			}
			return memory.IsLive(w) && (!ok || h.Site == in.Site)
		})
		in.EmitValue(v)
		in.Expose(v)
	}
	if live && in.Site != "" && in.St.Phase == memory.Open {
		in.Unknown(what)
	}
	if t == nil {
		return nil
	}
	return in.Fresh(t, "result", memory.Unknown)
}

// TextArgs gives constant texts among arguments, lists included; known says that
// all of them are.
func (in *Session) TextArgs(args []memory.Value) (texts []string, known bool) {
	known = true
	var visit func(v memory.Value)
	visit = func(v memory.Value) {
		if s, ok := memory.ConstText(v); ok {
			texts = append(texts, s)
			return
		}
		list, ok := in.ListOf(v)
		if !ok {
			known = false
			return
		}
		for _, w := range list {
			visit(w)
		}
	}
	for _, a := range args {
		visit(a)
	}
	return texts, known
}

// Findings are what interpreting a function finds.
type Findings struct {
	Sites   []Site
	Autos   []*Auto
	Escaped []*ssa.Function
	// Unread says that the function was not interpreted to its end: what was found is a
	// part of it.
	Unread bool
	// Open says why the callers have to be looked at for the transactions, or
	// (text) for some statements; "" if they need not be.
	Open, Text string
	Notes      []ir.Note
	// Given are the places of the statements that come from the callers.
	Given map[token.Pos]bool
	// kept are the prepared statements that it stores in memory, apart the functions
	// that it calls and that are not interpreted with it. looked says that it looks for
	// statements before they are known.
	kept   []keptStmt
	Apart  map[*ssa.Function]bool
	Looked bool
	// Within are the functions that were interpreted as a part of it.
	Within map[*ssa.Function]bool
	// NoneGiven says that its context was taken to hold no transaction (NotGiven).
	NoneGiven bool
	// Missed are functions that it may call through an interface, of which nothing more is known.
	Missed map[*ssa.Function]bool
}

// Site is where a transaction begins: the path there, and the functions on it.
type Site struct {
	Path  string
	Funcs []*ssa.Function
}

// Auto is a statement outside of any transaction that is known.
type Auto struct {
	Txn *client.Txn
	Fn  *ssa.Function
	// Sender is the function that gives it its text.
	Sender *ssa.Function
	Kind   memory.HandleKind
	// Partial says that its text comes from the caller.
	Partial bool
}

// NewFindings makes empty findings.
func NewFindings() *Findings {
	return &Findings{Within: map[*ssa.Function]bool{}, Apart: map[*ssa.Function]bool{}, Missed: map[*ssa.Function]bool{}, Given: map[token.Pos]bool{}}
}

// FromCaller records that the statement at a place comes from the caller.
func (f *Findings) FromCaller(why string, at token.Pos) {
	f.Text = cmp.Or(f.Text, why)
	f.Given[at] = true
}

// Mark says how much was found.
type Mark struct{ sites, autos, escaped, notes, kept int }

// Mark says how much was found.
func (f *Findings) Mark() Mark {
	return Mark{len(f.Sites), len(f.Autos), len(f.Escaped), len(f.Notes), len(f.kept)}
}

// Reset goes back to a mark.
func (f *Findings) Reset(m Mark) {
	f.Sites, f.Autos, f.Escaped, f.Notes = f.Sites[:m.sites], f.Autos[:m.autos], f.Escaped[:m.escaped], f.Notes[:m.notes]
	f.kept = f.kept[:m.kept]
}

// Made records a function literal that uses the database.
func (in *Session) Made(f *ssa.Function) {
	if in.Trace == nil && f.Parent() != nil && in.P.Matters(f) && !slices.Contains(in.P.Literals, f) {
		in.P.Literals = append(in.P.Literals, f)
	}
}

// newSite records that a transaction begins.
func (in *Session) newSite(path string) {
	for _, s := range in.Result.Sites {
		if s.Path == path {
			return
		}
	}
	s := Site{Path: path}
	for f := in.Fr; f != nil; f = f.Caller {
		s.Funcs = append(s.Funcs, f.Fn)
	}
	in.Result.Sites = append(in.Result.Sites, s)
}

// Callers says that the callers of the root have to be looked at.
func (in *Session) Callers(why string) {
	if in.Result.Open == "" {
		in.Result.Open = why
	}
}

// escape records functions that somebody else may call.
func (in *Session) escape(v memory.Value) {
	in.Holds(v, func(w memory.Value) bool {
		if c, ok := w.(*memory.Closure); ok && c.Fn != nil && c.Fn.Parent() != nil && in.P.Matters(c.Fn) && !slices.Contains(in.Result.Escaped, c.Fn) {
			in.Result.Escaped = append(in.Result.Escaped, c.Fn)
		}
		return false
	})
}

// Auto records a statement outside of transactions, with its text.
func (in *Session) Auto(r *memory.Rows, text string, args []memory.Value) {
	for _, a := range in.Result.Autos {
		if a.Txn.Pos == r.Pos && a.Txn.Body[0].(*client.Query).SQL == text {
			return
		}
	}
	t := &client.Txn{Pos: r.Pos, Auto: true}
	q := &client.Query{At: client.At{Pos: r.Pos}, SQL: text, Open: r.Query.Open, Returned: true}
	for i, e := range r.Query.Args {
		if c, ok := e.(*client.Const); ok {
			q.Args = append(q.Args, c)
			continue
		}
		v := client.Var{Name: "arg" + strconv.Itoa(i+1), Input: true, Nullable: true}
		if i < len(args) {
			v.Kind, v.Nullable = memory.KindAndNull(memory.Unbox(args[i]))
			if x, ok := e.(*client.VarExpr); ok {
				w := in.Variable(x.Name)
				v.Kind, v.Nullable, v.Fresh = w.Kind, w.Nullable, in.Fresheds[x.Name]
				v.Name = w.Name
			}
		}
		for slices.ContainsFunc(t.Vars, func(w client.Var) bool { return w.Name == v.Name }) {
			v.Name += "x"
		}
		t.Vars = append(t.Vars, v)
		q.Args = append(q.Args, client.V(v.Name))
	}
	for _, a := range r.Query.Named {
		v := client.Var{Name: a.Name, Input: true, Nullable: true}
		if !slices.Contains(t.Vars, v) {
			t.Vars = append(t.Vars, v)
		}
		q.Named = append(q.Named, client.Arg{Name: a.Name, Expr: client.V(a.Name)})
	}
	t.Body = []client.Stmt{q}
	kind := r.H.Kind
	if kind == memory.Transaction || in.Result.NoneGiven { // its origin is not known, or the caller may give one
		kind = memory.Either
	}
	_, sender := in.sender()
	in.Result.Autos = append(in.Result.Autos, &Auto{Txn: t, Fn: in.Fr.Fn, Sender: sender, Kind: kind})
}

// FunctionName is the name of a function with its receiver.
func FunctionName(f *ssa.Function) string {
	name := f.Name()
	if recv := f.Signature.Recv(); recv != nil {
		if n := gotypes.NamedOf(recv.Type()); n != nil {
			return n.Obj().Name() + "." + name
		}
	}
	return name
}

// sent records a statement of the trace, and gives what stands for its place.
func (in *Session) sent(h *memory.Handle) ir.Pos {
	t := in.Trace
	s := Sent{Pos: in.P.Position(in.Pos), Func: FunctionName(Outermost(in.Fr.Fn))}
	s.Units = in.units(h, own(len(t.Sent)))
	t.Sent = append(t.Sent, s)
	return ir.Pos{File: TraceFile, Line: len(t.Sent), Col: 1}
}

// units gives the transactions one of which a statement belongs to that is sent through a handle, none if that is not
// known. own is the one that it is if it is a transaction by itself.
func (in *Session) units(h *memory.Handle, own string) []string {
	switch {
	case h.Mixed, in.onConn && h.Kind == memory.Database && in.P.Know.IsConn(h.T): // of a transaction that is open, perhaps
		return nil
	case h.Held == memory.HeldByCaller, h.Held == memory.HeldSomewhere:
		return nil
	case h.Held != "" && !h.Begun():
		return []string{h.Held, own}
	case h.Held != "", in.amid && h.Lost && h.Kind != memory.Database:
		return nil
	case h.Kind == memory.Database, h.Kind == memory.Either && !h.Begun() && in.Alone:
		return []string{own}
	case h.Kind == memory.Either && h.Begun() && !h.Lost:
		return []string{h.Site, own}
	case h.Kind == memory.Transaction && h.Begun():
		return []string{h.Site}
	}
	return nil
}

// Outermost is the function that a function literal stands in.
func Outermost(f *ssa.Function) *ssa.Function {
	for f.Parent() != nil {
		f = f.Parent()
	}
	return f
}

// MayHoldTx reports whether a method uses the database, and its receiver may hold the
// transaction that is written.
func (in *Session) MayHoldTx(method *ssa.Function) bool {
	if !in.P.Matters(method) {
		return false
	}
	return in.P.HoldersOf(in.onConn).Holds(method.Signature.Recv().Type())
}

// setsSavepoint reports whether a text of SQL sets a savepoint.
func setsSavepoint(text string) bool {
	first, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	return strings.EqualFold(first, "savepoint")
}

// AskCaller says that the callers have to be looked at for a statement if a value that it
// is made of comes from there.
func (in *Session) AskCaller(v memory.Value, why string) {
	if s, ok := memory.Unbox(v).(memory.Scalar); ok && in.Site == "" && in.Given(s.E) {
		in.Result.FromCaller(why, in.Pos)
	}
}
