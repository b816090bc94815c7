package analyzer

import (
	"strings"

	"github.com/txrobust/robust/internal/client"
)

// failed says when an error is not nil.
func (in *interp) failed(f *failure) client.Expr { return client.Or(f.noRows, f.other) }

// sameFailure says when two errors are the same.
func (in *interp) sameFailure(f, g *failure) client.Expr {
	if isTrue(in.failed(f)) && f.kind > 0 {
		f, g = g, f
	}
	if is, known := client.Truth(in.failed(g)); known && !is {
		return client.Not(in.failed(f))
	}
	if is, known := client.Truth(in.failed(f)); known && !is {
		return client.Not(in.failed(g))
	}
	switch {
	case f.wraps == wraps && g.wraps == plain && isTrue(in.failed(g)):
		return client.False
	case f.wraps != plain || g.wraps != plain || len(f.several)+len(g.several) > 0:
		return client.And(in.failed(f), in.failed(g), client.V(in.newVar("same", client.Bool, false, unknown)))
	}
	return in.isError(f, g)
}

// isError says when an error is, or wraps, a sentinel.
func (in *interp) isError(f, sentinel *failure) client.Expr {
	if len(f.several) > 0 {
		var any []client.Expr
		for _, part := range f.several {
			any = append(any, in.isError(part, sentinel))
		}
		return client.Or(any...)
	}
	if sentinel.wraps != plain || len(sentinel.several) > 0 {
		return client.And(in.failed(f), client.V(in.newVar("is", client.Bool, false, unknown)))
	}
	switch {
	case sentinel.kind == codeNoRows:
		return client.Or(f.noRows)
	case sentinel.kind > 0 && f.kind > 0:
		if f.kind == sentinel.kind {
			return client.Or(f.other)
		}
		return client.False
	case sentinel.kind > 0 && f.code != nil:
		return op("==", f.code, constInt(int64(sentinel.kind)))
	}
	if is, known := client.Truth(client.Or(f.other)); known && !is {
		return client.False
	}
	return client.And(client.Or(f.other), client.V(in.newVar("is", client.Bool, false, unknown)))
}

// assignFailure sets a variable to the code of an error.
func (in *interp) assignFailure(v string, f *failure) {
	if len(f.several) > 0 {
		in.assignSeveral(v, f)
		return
	}
	if f.code != nil {
		in.set(v, f.code)
		if own := failureOf(f.code, plain); !sameExpr(own.other, f.other) { // one that is made of a nil error
			nothing := client.Not(in.failed(own))
			if is, known := in.known(nothing); !known || is {
				in.emit(&client.If{At: in.at(), Cond: client.And(client.Or(f.other), nothing), Then: []client.Stmt{
					&client.Assign{At: in.at(), Var: v, Expr: constInt(codeOther)}}})
			}
		}
		return
	}
	code := func(c int) client.Stmt {
		return &client.Assign{At: in.at(), Var: v, Expr: constInt(int64(c))}
	}
	other := codeOther
	if f.kind > 0 {
		other = f.kind
	}
	rest := []client.Stmt{code(codeNil)}
	if f.other != nil {
		if is, known := in.known(f.other); known {
			if is {
				rest = []client.Stmt{code(other)}
			}
		} else {
			rest = []client.Stmt{&client.If{At: in.at(), Cond: f.other, Then: []client.Stmt{code(other)}, Else: rest}}
		}
	}
	if f.noRows != nil {
		if is, known := in.known(f.noRows); known {
			if is {
				rest = []client.Stmt{code(codeNoRows)}
			}
		} else {
			rest = []client.Stmt{&client.If{At: in.at(), Cond: f.noRows, Then: []client.Stmt{code(codeNoRows)}, Else: rest}}
		}
	}
	for _, s := range rest {
		in.emit(s)
	}
}

// assignSeveral is assignFailure for an error that wraps several: the code is that of
// one of those that are there, whichever.
func (in *interp) assignSeveral(v string, f *failure) {
	in.set(v, constInt(codeNil))
	in.emit(&client.If{At: in.at(), Cond: in.failed(f), Then: []client.Stmt{&client.Assign{At: in.at(), Var: v, Expr: constInt(codeOther)}}})
	for _, part := range f.several {
		s := &client.If{At: in.at(), Cond: client.And(in.failed(part), client.V(in.newVar("is", client.Bool, false, unknown)))}
		in.emit(s)
		in.into(&s.Then, func() { in.assignFailure(v, part) })
	}
}

// joinWraps says whether the error that is one of several wraps another one. Where it
// is nil that does not matter.
func (in *interp) joinWraps(list []*failure) wrapping {
	out, first := plain, true
	for _, f := range list {
		w := f.wraps
		if len(f.several) > 0 {
			w = wraps
		}
		switch is, known := client.Truth(in.failed(f)); {
		case known && !is:
		case first:
			out, first = w, false
		case w != out:
			out = mayWrap
		}
	}
	return out
}

// failureOf is an error whose code is known as an expression.
func failureOf(e client.Expr, w wrapping) *failure {
	return &failure{noRows: op("==", e, constInt(codeNoRows)), other: op(">", e, constInt(codeNoRows)), code: e, wraps: w}
}

// newError is an error that nothing else is.
func (in *interp) newError() *failure {
	return &failure{other: client.True, kind: in.p.sentinel(in.p.position(in.pos).String())}
}

// wrapped is the error that a function makes of others. One of them may be nil, which
// pkg/errors gives back.
func (in *interp) wrapped(name string, args []value) value {
	if name != "fmt.Errorf" && name != "errors.Join" {
		f, ok := unbox(args[0]).(*failure)
		if !ok {
			in.emitValue(args[0])
			return in.someError()
		}
		w := *f
		w.wraps = wraps
		return &w
	}
	list, known := in.listOf(args[len(args)-1])
	format, isConst := constOf(args[0])
	if !known || name == "fmt.Errorf" && !isConst {
		in.emitValue(args[len(args)-1])
		f := in.someError()
		if name == "fmt.Errorf" {
			f.other = client.Not(client.Or(f.noRows))
		}
		f.wraps = mayWrap
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
		if is, known := client.Truth(in.failed(out)); known && !is {
			return in.newError()
		}
	}
	// What is wrapped may be nil, of which an error is made.
	w := *out
	w.other = client.Or(out.other, client.Not(in.failed(out)))
	return &w
}

// joinedErrors wraps the errors among values, and is nil if all of them are.
func (in *interp) joinedErrors(list []value) *failure {
	var parts []*failure
	for _, a := range list {
		f, ok := unbox(a).(*failure)
		if !ok {
			if isNilValue(unbox(a)) {
				continue
			}
			in.emitValue(a)
			f = in.someError()
		}
		if is, known := client.Truth(in.failed(f)); known && !is {
			continue
		}
		parts = append(parts, f)
	}
	switch len(parts) {
	case 0:
		return &failure{}
	case 1:
		w := *parts[0]
		w.wraps = wraps
		return &w
	}
	out := &failure{wraps: wraps, several: parts}
	for _, f := range parts {
		out.other = client.Or(out.other, in.failed(f))
	}
	return out
}

// wrappedArgs gives the arguments of a format that %w stands for.
func wrappedArgs(format string, args []value) (out []value) {
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
