package memory

import (
	"strings"

	"github.com/txrobust/robust/internal/client"
)

// Failed says when an error is not nil.
func (in *Memory) Failed(f *Failure) client.Expr { return client.Or(f.NoRows, f.Other) }

// SameFailure says when two errors are the same.
func (in *Memory) SameFailure(f, g *Failure) client.Expr {
	if IsTrue(in.Failed(f)) && f.Kind > 0 {
		f, g = g, f
	}
	if is, known := client.Truth(in.Failed(g)); known && !is {
		return client.Not(in.Failed(f))
	}
	if is, known := client.Truth(in.Failed(f)); known && !is {
		return client.Not(in.Failed(g))
	}
	switch {
	case f.Wraps == wraps && g.Wraps == Plain && IsTrue(in.Failed(g)):
		return client.False
	case f.Wraps != Plain || g.Wraps != Plain || len(f.several)+len(g.several) > 0:
		return client.And(in.Failed(f), in.Failed(g), client.V(in.NewVar("same", client.Bool, false, Unknown)))
	}
	return in.IsError(f, g)
}

// IsError says when an error is, or wraps, a sentinel.
func (in *Memory) IsError(f, sentinel *Failure) client.Expr {
	if len(f.several) > 0 {
		var any []client.Expr
		for _, part := range f.several {
			any = append(any, in.IsError(part, sentinel))
		}
		return client.Or(any...)
	}
	if sentinel.Wraps != Plain || len(sentinel.several) > 0 {
		return client.And(in.Failed(f), client.V(in.NewVar("is", client.Bool, false, Unknown)))
	}
	switch {
	case sentinel.Kind == CodeNoRows:
		return client.Or(f.NoRows)
	case sentinel.Kind > 0 && f.Kind > 0:
		if f.Kind == sentinel.Kind {
			return client.Or(f.Other)
		}
		return client.False
	case sentinel.Kind > 0 && f.code != nil:
		return Op("==", f.code, ConstInt(int64(sentinel.Kind)))
	}
	if is, known := client.Truth(client.Or(f.Other)); known && !is {
		return client.False
	}
	return client.And(client.Or(f.Other), client.V(in.NewVar("is", client.Bool, false, Unknown)))
}

// AssignFailure sets a variable to the code of an error.
func (in *Memory) AssignFailure(v string, f *Failure) {
	if len(f.several) > 0 {
		in.assignSeveral(v, f)
		return
	}
	if f.code != nil {
		in.Set(v, f.code)
		if own := FailureOf(f.code, Plain); !SameExpr(own.Other, f.Other) { // one that is made of a nil error
			nothing := client.Not(in.Failed(own))
			if is, known := in.Known(nothing); !known || is {
				in.Emit(&client.If{At: in.At(), Cond: client.And(client.Or(f.Other), nothing), Then: []client.Stmt{
					&client.Assign{At: in.At(), Var: v, Expr: ConstInt(codeOther)}}})
			}
		}
		return
	}
	code := func(c int) client.Stmt {
		return &client.Assign{At: in.At(), Var: v, Expr: ConstInt(int64(c))}
	}
	other := codeOther
	if f.Kind > 0 {
		other = f.Kind
	}
	rest := []client.Stmt{code(CodeNil)}
	if f.Other != nil {
		if is, known := in.Known(f.Other); known {
			if is {
				rest = []client.Stmt{code(other)}
			}
		} else {
			rest = []client.Stmt{&client.If{At: in.At(), Cond: f.Other, Then: []client.Stmt{code(other)}, Else: rest}}
		}
	}
	if f.NoRows != nil {
		if is, known := in.Known(f.NoRows); known {
			if is {
				rest = []client.Stmt{code(CodeNoRows)}
			}
		} else {
			rest = []client.Stmt{&client.If{At: in.At(), Cond: f.NoRows, Then: []client.Stmt{code(CodeNoRows)}, Else: rest}}
		}
	}
	for _, s := range rest {
		in.Emit(s)
	}
}

// assignSeveral is assignFailure for an error that wraps several: the code is that of
// one of those that are there, whichever.
func (in *Memory) assignSeveral(v string, f *Failure) {
	in.Set(v, ConstInt(CodeNil))
	in.Emit(&client.If{At: in.At(), Cond: in.Failed(f), Then: []client.Stmt{&client.Assign{At: in.At(), Var: v, Expr: ConstInt(codeOther)}}})
	for _, part := range f.several {
		s := &client.If{At: in.At(), Cond: client.And(in.Failed(part), client.V(in.NewVar("is", client.Bool, false, Unknown)))}
		in.Emit(s)
		in.Into(&s.Then, func() { in.AssignFailure(v, part) })
	}
}

// JoinWraps says whether the error that is one of several wraps another one. Where it
// is nil that does not matter.
func (in *Memory) JoinWraps(list []*Failure) Wrapping {
	out, first := Plain, true
	for _, f := range list {
		w := f.Wraps
		if len(f.several) > 0 {
			w = wraps
		}
		switch is, known := client.Truth(in.Failed(f)); {
		case known && !is:
		case first:
			out, first = w, false
		case w != out:
			out = MayWrap
		}
	}
	return out
}

// FailureOf is an error whose code is known as an expression.
func FailureOf(e client.Expr, w Wrapping) *Failure {
	return &Failure{NoRows: Op("==", e, ConstInt(CodeNoRows)), Other: Op(">", e, ConstInt(CodeNoRows)), code: e, Wraps: w}
}

// NewError is an error that nothing else is.
func (in *Memory) NewError() *Failure {
	return &Failure{Other: client.True, Kind: in.Sentinel(in.P.Position(in.Pos).String())}
}

// Wrapped is the error that a function makes of others. One of them may be nil, which
// pkg/errors gives back.
func (in *Memory) Wrapped(name string, args []Value) Value {
	if name != "fmt.Errorf" && name != "errors.Join" {
		f, ok := Unbox(args[0]).(*Failure)
		if !ok {
			in.EmitValue(args[0])
			return in.SomeError()
		}
		w := *f
		w.Wraps = wraps
		return &w
	}
	list, known := in.ListOf(args[len(args)-1])
	format, isConst := ConstOf(args[0])
	if !known || name == "fmt.Errorf" && !isConst {
		in.EmitValue(args[len(args)-1])
		f := in.SomeError()
		if name == "fmt.Errorf" {
			f.Other = client.Not(client.Or(f.NoRows))
		}
		f.Wraps = MayWrap
		return f
	}
	if name == "fmt.Errorf" {
		list = wrappedArgs(format.S, list)
	}
	out := in.joinedErrors(list)
	if name == "errors.Join" {
		return out
	}
	if len(out.several) == 0 {
		if is, known := client.Truth(in.Failed(out)); known && !is {
			return in.NewError()
		}
	}
	// What is wrapped may be nil, of which an error is made.
	w := *out
	w.Other = client.Or(out.Other, client.Not(in.Failed(out)))
	return &w
}

// joinedErrors wraps the errors among values, and is nil if all of them are.
func (in *Memory) joinedErrors(list []Value) *Failure {
	var parts []*Failure
	for _, a := range list {
		f, ok := Unbox(a).(*Failure)
		if !ok {
			if IsNilValue(Unbox(a)) {
				continue
			}
			in.EmitValue(a)
			f = in.SomeError()
		}
		if is, known := client.Truth(in.Failed(f)); known && !is {
			continue
		}
		parts = append(parts, f)
	}
	switch len(parts) {
	case 0:
		return &Failure{}
	case 1:
		w := *parts[0]
		w.Wraps = wraps
		return &w
	}
	out := &Failure{Wraps: wraps, several: parts}
	for _, f := range parts {
		out.Other = client.Or(out.Other, in.Failed(f))
	}
	return out
}

// wrappedArgs gives the arguments of a format that %w stands for.
func wrappedArgs(format string, args []Value) (out []Value) {
	n := 0
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			continue
		}
		for i++; i < len(format) && strings.IndexByte("+-# 0123456789.", format[i]) >= 0; i++ {
		}
		switch {
		case i == len(format) || format[i] == '%':
			continue
		case format[i] == '[' || format[i] == '*': // which argument it is does not show
			return args
		case format[i] == 'w' && n < len(args):
			out = append(out, args[n])
		}
		n++
	}
	return out
}

// Sentinel gives the code of an error variable, or of the place where an error is made.
func (in *Memory) Sentinel(name string) int { return firstSentinel + in.P.Sentinel(name) }
