package analyzer

import (
	"github.com/txrobust/robust/client"
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
	return in.isError(f, g)
}

// isError says when an error is a sentinel.
func (in *interp) isError(f, sentinel *failure) client.Expr {
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

// failureOf is an error whose code is known as an expression.
func failureOf(e client.Expr) *failure {
	return &failure{noRows: op("==", e, constInt(codeNoRows)), other: op(">", e, constInt(codeNoRows)), code: e}
}

// wrapped is an error that wraps those among its arguments.
func (in *interp) wrapped(args []value) value {
	var flat []value
	for _, a := range args {
		if list, ok := in.listOf(a); ok {
			flat = append(flat, list...)
		} else {
			flat = append(flat, a)
		}
	}
	for _, a := range flat {
		f, ok := unbox(a).(*failure)
		if !ok {
			continue
		}
		if is, known := client.Truth(in.failed(f)); known && is || len(flat) > 1 {
			// The wrapped error may be nil, of which an error is made.
			return &failure{noRows: f.noRows, other: client.Or(f.other, client.Not(client.Or(f.noRows, f.other))), kind: f.kind, code: f.code}
		}
		return f
	}
	return &failure{other: client.True, kind: in.p.sentinel(in.p.position(in.pos).String())}
}
