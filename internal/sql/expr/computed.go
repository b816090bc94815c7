package expr

import (
	"github.com/txrobust/robust/internal/sql/catalog"
	"github.com/txrobust/robust/internal/sql/plpgsql"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/ir"
)

// ofSessions are the words of SQL for values that depend on more than arguments and are no
// calls.
var ofSessions = map[string]bool{"current_date": true, "current_time": true, "current_timestamp": true, "localtime": true, "localtimestamp": true,
	"current_user": true, "session_user": true, "user": true, "current_role": true, "current_catalog": true, "current_schema": true}

// computes reports whether the value of a function in PL/pgSQL depends on its arguments alone.
func (x *Spot) computes(f *schema.Function, seen map[*schema.Function]bool) bool {
	if seen[f] {
		return true
	}
	seen[f] = true
	if f.Body == nil || f.SetOf || len(f.Outputs()) > 0 {
		return false
	}
	e := x.App.EffectOfCall([]*schema.Function{f})
	if e.All || e.Writes || e.Locks || len(e.Tables)+len(e.Parents)+len(e.Sequences) > 0 {
		return false
	}
	for name := range x.App.Calls(f.Refs) {
		if b := x.App.Builtin(name); len(x.App.LateFunctions(name)) == 0 && (!b.Known || b.Effect != catalog.Pure) {
			return false
		}
	}
	for _, g := range x.App.Callees(f) {
		if !x.computes(g, seen) {
			return false
		}
	}
	ok := true
	plpgsql.Walk([]plpgsql.Stmt{f.Body.Block}, func(s plpgsql.Stmt) {
		plpgsql.Spans(s, func(span plpgsql.Span, _ plpgsql.SpanKind) { ok = ok && !MentionsName(span.Text(f.Text.SQL), ofSessions) })
	})
	return ok
}

// computed is the call of a function whose value depends on its arguments alone: of that value
// nothing else is known. ok is false for other functions.
func (x *Spot) computed(f *schema.Function, args []Val) (v Val, ok bool) {
	t := x.App.SignatureType(f.Ret, f.Text)
	if !x.computes(f, map[*schema.Function]bool{}) || t.Name == schema.NVoid || t.Name == schema.NRecord || len(x.App.FieldsOf(t.Name)) > 0 {
		return Val{}, false
	}
	var given []Val
	fn := &ir.Function{Name: "function " + f.Signature(), Result: LocalType(t).Kind, Partial: true}
	for i, p := range f.Inputs() {
		pt := x.App.SignatureType(p.T, f.Text)
		if args[i].Record || pt.Name == schema.NRecord || len(x.App.FieldsOf(pt.Name)) > 0 {
			return Val{}, false
		}
		given = append(given, Val{Expr: x.Convert(args[i], pt, 0, "parameter "+p.Name), Type: pt, NotNull: args[i].NotNull})
		fn.FailsOn = append(fn.FailsOn, i)
	}
	v = x.OpaqueCall(fn.Name, given, t)
	v.Expr.(*ir.Call).Fn = fn
	return v, true
}
