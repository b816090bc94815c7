package session

import (
	"strconv"
	"strings"

	"github.com/txrobust/robust/internal/client"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/program"
)

// GivesLast models a function that gives its last argument.
func GivesLast(in *Session, inv *Invocation) (memory.Value, bool) {
	if len(inv.Args) == 0 {
		return nil, false
	}
	return in.Answer(inv.T, inv.Args[len(inv.Args)-1]), true
}

// GivesAny models a function that does nothing that matters, and gives a value that does
// not depend on its arguments.
func GivesAny(in *Session, inv *Invocation) (memory.Value, bool) { return in.Quiet(inv.T), true }

// Computes models a function that computes a value of its arguments.
func Computes(in *Session, inv *Invocation) (memory.Value, bool) {
	k := gotypes.KindOf(inv.T)
	if k == client.Any {
		return in.Derive(inv.T, inv.Name, inv.Args...), true
	}
	return memory.Of(&client.Call{Name: inv.Name, Args: in.Exprs(inv.Args), Kind: k}, k), true
}

// SendsThrough models a function that sends a statement through the handle among its
// arguments, as its method of a role does.
func SendsThrough(r program.Role) CallModel {
	return func(in *Session, inv *Invocation) (memory.Value, bool) {
		for i, a := range inv.Args {
			if h, ok := memory.Unbox(a).(*memory.Handle); ok {
				return in.Send(inv, h, r, inv.Args[i+1:])
			}
		}
		return nil, false
	}
}

// TextsIn gives the constant texts of a list, nil if one of them is not known.
func TextsIn(in *Session, v memory.Value) []string {
	list, ok := in.ListOf(v)
	if !ok {
		return nil
	}
	var out []string
	for _, e := range list {
		s, known := memory.ConstText(e)
		if !known {
			return nil
		}
		out = append(out, s)
	}
	return out
}

// InsertText gives the INSERT of one row into a table, whose name may have a schema before it.
func InsertText(table, columns []string) string {
	quoted := func(list []string, sep string) string {
		var out []string
		for _, s := range list {
			out = append(out, `"`+strings.ReplaceAll(s, `"`, `""`)+`"`)
		}
		return strings.Join(out, sep)
	}
	values := make([]string, len(columns))
	for i := range values {
		values[i] = "$" + strconv.Itoa(i+1)
	}
	return "INSERT INTO " + quoted(table, ".") + " (" + quoted(columns, ", ") + ") VALUES (" + strings.Join(values, ", ") + ")"
}
