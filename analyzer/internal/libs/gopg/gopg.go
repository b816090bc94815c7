package gopg

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/program"
	"github.com/txrobust/robust/analyzer/internal/session"
	"github.com/txrobust/robust/analyzer/internal/sqltext"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

const (
	path      = "github.com/go-pg/pg/v10"
	ormPath   = path + "/orm"
	typesPath = path + "/types"
)

var nullValue = ir.Null

// usage is what is known of how a program uses go-pg: the tables of its structs, and whether
// it sets a function that makes their names.
type usage struct {
	tables   typeutil.Map // *table
	inflects bool
}

// run models the calls of one interpretation.
type run struct {
	*sqltext.Writer
	lib *usage
}

// run models calls of an interpretation.
func (u *usage) run(s *session.Session) *run {
	in := &run{Writer: &sqltext.Writer{Session: s}, lib: u}
	in.Special = in.ownText
	return in
}

// New models github.com/go-pg/pg/v10.
func New(*program.Program) *session.Library {
	u := &usage{}
	return &session.Library{
		Names: program.Names{
			Drivers: map[string]program.Database{"github.com/go-pg/pg": program.PostgreSQL},
			Handles: map[string]string{path + ".DB": "db", path + ".Conn": "db", path + ".baseDB": "db", path + ".Tx": "tx", path + ".Stmt": "either", ormPath + ".DB": "either"},
			Paths:   []string{ormPath},
			Sends:   func(m *types.Func) bool { return callOf(m.Name(), m.Signature()).sends() },
			UsesMethod: func(m *types.Func) (uses, known bool) {
				if gotypes.IsNamed(m.Signature().Recv().Type(), ormPath, "Query") {
					return querySends[m.Name()], true
				}
				c := callOf(m.Name(), m.Signature())
				return c.sends() || c == beginCall || c == runCall, c != noCall
			},
			NoRows: []string{path + ".ErrNoRows"},
			Look:   u.look,
		},
		Functions: map[string]session.CallModel{
			path + ".Scan": func(s *session.Session, inv *session.Invocation) (memory.Value, bool) {
				list, ok := s.ListOf(inv.Args[0])
				return &scanned{list}, ok
			},
			path + ".In":        wraps(true),
			path + ".Array":     wraps(false),
			path + ".InMulti":   unknownText,
			path + ".SafeQuery": u.safeQuery,
		},
		Method: u.method,
		Fresh: func(t types.Type) memory.Value {
			if !gotypes.IsNamed(t, ormPath, "Query") || !gotypes.IsPointer(t) {
				return nil
			}
			return &query{h: &memory.Handle{Kind: memory.Either, T: t, Lost: true}}
		},
	}
}

// look finds out whether the program sets the function that makes names of tables.
func (u *usage) look(instr ssa.Instruction) {
	if c, ok := instr.(ssa.CallInstruction); ok {
		f := c.Common().StaticCallee()
		u.inflects = u.inflects || f != nil && gotypes.FullName(f) == ormPath+".SetTableNameInflector"
	}
}

// wraps models pg.In and pg.Array.
func wraps(in bool) session.CallModel {
	return func(_ *session.Session, inv *session.Invocation) (memory.Value, bool) {
		return &wrapped{v: inv.Args[0], in: in}, true
	}
}

// unknownText models a function that makes a part of a statement that is not known.
func unknownText(s *session.Session, inv *session.Invocation) (memory.Value, bool) {
	for _, a := range inv.Args {
		s.EmitValue(a)
	}
	return &sqltext.Raw{F: sqltext.Frag(client.Hole)}, true
}

func (u *usage) safeQuery(s *session.Session, inv *session.Invocation) (memory.Value, bool) {
	params, ok := s.ListOf(inv.Args[1])
	if !ok {
		return unknownText(s, inv)
	}
	return &sqltext.Raw{F: u.run(s).formatted(nil, inv.Args[0], params)}, true
}

// call is what a method of a database, transaction or prepared statement does.
type call uint8

const (
	noCall call = iota
	execCall
	execOneCall
	queryCall
	queryOneCall
	modelCall
	copyFromCall
	copyToCall
	beginCall
	runCall
	commitCall
	rollbackCall
	prepareCall
	likeCall // gives a database like its receiver
	idleCall
)

// sends reports whether a call sends something, or begins a query.
func (c call) sends() bool { return c >= execCall && c <= copyToCall }

var calls = map[string]call{
	"Exec": execCall, "ExecOne": execOneCall, "Query": queryCall, "QueryOne": queryOneCall, "Model": modelCall,
	"CopyFrom": copyFromCall, "CopyTo": copyToCall, "Begin": beginCall, "RunInTransaction": runCall, "Commit": commitCall,
	"Rollback": rollbackCall, "Close": rollbackCall, "Prepare": prepareCall, "Stmt": prepareCall, "Conn": likeCall, "With": likeCall, "WithTimeout": likeCall,
	"WithParam": likeCall, "": idleCall, "Ping": idleCall, "AddQueryHook": idleCall, "Options": idleCall, "PoolStats": idleCall,
	"String": idleCall, "Formatter": idleCall, "Param": idleCall,
}

// callOf gives what a method does: one of go-pg, or of an interface with its signature, as
// its types show.
func callOf(name string, sig *types.Signature) call {
	c := calls[strings.TrimSuffix(name, "Context")]
	if recv := sig.Recv(); recv != nil && inModule(recv.Type()) {
		return c
	}
	if c == noCall || c >= commitCall || sig.Results().Len() == 0 {
		return noCall
	}
	if first := sig.Results().At(0).Type(); inModule(first) || c == runCall && sig.Params().Len() == 2 && givesOwn(sig.Params().At(1).Type()) {
		return c
	}
	return noCall
}

// givesOwn reports whether a type is that of functions that get a value of go-pg.
func givesOwn(t types.Type) bool {
	sig, ok := t.Underlying().(*types.Signature)
	return ok && sig.Params().Len() == 1 && inModule(sig.Params().At(0).Type())
}

// inModule reports whether a type is one of go-pg.
func inModule(t types.Type) bool {
	name := gotypes.TypeName(t)
	return strings.HasPrefix(name, path+".") || strings.HasPrefix(name, ormPath+".")
}

// method models the methods of values of go-pg.
func (u *usage) method(s *session.Session, inv *session.Invocation, name string, sig *types.Signature) (memory.Value, bool) {
	switch recv := memory.Unbox(inv.Args[0]).(type) {
	case *query:
		return u.run(s).onQuery(inv, recv, name, s.WithoutContext(sig, inv.Args[1:])), true
	case *memory.Handle:
		if c := callOf(name, sig); c != noCall {
			return u.run(s).onDatabase(inv, recv, c, s.WithoutContext(sig, inv.Args[1:])), true
		}
	case *memory.Outcome:
		if name == "RowsReturned" && inModule(sig.Recv().Type()) {
			return s.SomeCount(), true
		}
	}
	return nil, false
}

// onDatabase is a method of a database, a transaction, or a statement that was prepared.
func (in *run) onDatabase(inv *session.Invocation, h *memory.Handle, c call, args []memory.Value) memory.Value {
	if gotypes.IsNamed(h.T, path, "Stmt") && c.sends() {
		return in.anything(inv, h, nil, false, "a statement that was prepared with go-pg")
	}
	switch c {
	case execCall, execOneCall:
		return in.execCall(inv, h, args, c == execOneCall)
	case queryCall, queryOneCall:
		return in.queryCall(inv, h, args, c == queryOneCall)
	case modelCall:
		return newQuery(in.Memory, h, in.about(args[0]))
	case copyFromCall, copyToCall:
		return in.anything(inv, h, nil, c == copyToCall, "COPY with go-pg")
	case beginCall:
		if h.Kind == memory.Transaction { // which is the same one
			return in.Answer(inv.T, h)
		}
		return in.Answer(inv.T, in.Begin(h, nil))
	case runCall:
		fn := session.FunctionAmong(inv.Args)
		if fn == nil {
			return in.anything(inv, h, nil, false, "RunInTransaction of a function that is not known")
		}
		tx := h
		if h.Kind != memory.Transaction {
			tx = in.Begin(h, nil)
		}
		return in.RunAndEnd(inv, fn, tx, func(tx *memory.Handle) memory.Value { return tx })
	case commitCall:
		in.Commit(h)
	case rollbackCall:
		in.Rollback(h)
	case prepareCall, likeCall:
		if t, ok := inv.T.(*types.Tuple); ok {
			return in.Answer(inv.T, h.As(t.At(0).Type()))
		}
		return h.As(inv.T)
	}
	return in.Quiet(inv.T)
}

// about is the draft of a query with a model.
func (in *run) about(models memory.Value) *draft {
	list, ok := in.ListOf(models)
	switch {
	case !ok || len(list) > 1:
		return &draft{lost: "a model of go-pg that is not known", further: true}
	case len(list) == 0:
		return &draft{}
	}
	return &draft{model: memory.RefTo(list[0])}
}

// querySends are the methods of *orm.Query that send it.
var querySends = map[string]bool{"Select": true, "First": true, "Last": true, "Count": true, "CountEstimate": true, "SelectAndCount": true,
	"SelectAndCountEstimate": true, "ForEach": true, "Exists": true, "Insert": true, "SelectOrInsert": true, "Update": true, "UpdateNotZero": true,
	"Delete": true, "ForceDelete": true, "Exec": true, "ExecOne": true, "Query": true, "QueryOne": true, "CopyFrom": true, "CopyTo": true,
	"CreateTable": true, "DropTable": true, "CreateComposite": true, "DropComposite": true}

// onQuery is a method of *orm.Query.
func (in *run) onQuery(inv *session.Invocation, q *query, name string, args []memory.Value) memory.Value {
	if !querySends[name] {
		return in.addCall(inv, q, name, args)
	}
	values := func() []memory.Value {
		if len(args) == 0 {
			return nil
		}
		list, _ := in.ListOf(args[len(args)-1])
		return list
	}
	switch name {
	case "Select":
		return in.selectCall(inv, q, values(), selection{})
	case "First", "Last":
		return in.firstCall(inv, q, name == "Last")
	case "Count":
		return in.countCall(inv, q)
	case "Exists":
		return in.existsCall(inv, q)
	case "ForEach":
		return in.forEachCall(inv, q, args[0])
	case "Insert":
		return in.insertCall(inv, q, values())
	case "Update", "UpdateNotZero":
		return in.updateCall(inv, q, in.statement(draftOf(in.Memory, q)), values(), name == "UpdateNotZero")
	case "Delete", "ForceDelete":
		return in.deleteCall(inv, q, values(), name == "ForceDelete")
	case "Exec", "ExecOne":
		return in.execCall(inv, q.h, args, name == "ExecOne")
	case "Query", "QueryOne":
		return in.queryCall(inv, q.h, args, name == "QueryOne")
	}
	d := *draftOf(in.Memory, q).without(name + " of go-pg")
	d.further = true
	return in.lost(inv, q, in.statement(&d), false, "")
}

// firstCall is First or Last: by the key.
func (in *run) firstCall(inv *session.Invocation, q *query, last bool) memory.Value {
	d := *draftOf(in.Memory, q)
	if t, many := in.lib.tableOf(refType(d.model)); t != nil && !many {
		order := columnList(t.alias+".", t.keys())
		if last {
			order += " DESC"
		}
		d.order = append(slices.Clip(d.order), sqltext.Frag(order))
	}
	in.replace(q, &d)
	return in.selectCall(inv, q, nil, selection{one: true})
}

func refType(r *memory.Ref) types.Type {
	if r == nil {
		return nil
	}
	return r.T
}

// replace gives a query another draft.
func (in *run) replace(q *query, d *draft) {
	if q.c == nil {
		return
	}
	for _, c := range q.c.Alias {
		in.Put(c, d.without("a query of go-pg that several parts of the program change"))
	}
	in.Put(q.c, d)
}
