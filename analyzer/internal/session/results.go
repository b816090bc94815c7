package session

import (
	"slices"
	"strconv"
	"strings"

	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// constantResults gives what is constant of the results of a function, as text; "" if
// nothing is. What is not is shown for itself.
func (in *Session) constantResults(vals []memory.Value) string {
	var out []string
	some := false
	for _, v := range vals {
		text := "·"
		switch v := memory.Unbox(v).(type) {
		case memory.Scalar:
			if c, ok := v.E.(*client.Const); ok {
				text = c.Value.String()
			}
		case *memory.Failure:
			if is, known := client.Truth(in.Failed(v)); known {
				if text = "nil"; is {
					text = "error " + strconv.Itoa(v.Kind)
				}
			}
		case *memory.Pointer:
			if memory.IsTrue(v.Nil()) {
				text = "nil"
			}
		}
		some = some || text != "·"
		out = append(out, text)
	}
	if !some {
		return ""
	}
	return strings.Join(out, ", ")
}

// NoteResults records what the function returns after the commit that led here.
func (in *Session) NoteResults(vals []memory.Value) {
	if in.St.Ended == nil {
		return
	}
	if key := in.constantResults(vals); key != "" && !slices.Contains(in.results[in.St.Ended], key) {
		in.results[in.St.Ended] = append(in.results[in.St.Ended], key)
	}
}

// showResults observes which of the commits it was, where the function returns other
// constants after one than after another.
func (in *Session) showResults(t *client.Txn) {
	var keys []string
	codes := map[*client.Commit]int{}
	client.Walk(t.Body, func(s client.Stmt) {
		c, ok := s.(*client.Commit)
		if !ok || len(in.results[c]) == 0 {
			return
		}
		key := strings.Join(in.results[c], "; ")
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
		codes[c] = slices.Index(keys, key)
	})
	if len(keys) < 2 {
		return
	}
	v := in.Temp("returned", client.Int, false)
	t.Vars = append(t.Vars, client.Var{Name: v, Kind: client.Int})
	t.Body = client.Rewrite(t.Body, func(list []client.Stmt) []client.Stmt {
		var out []client.Stmt
		for _, s := range list {
			if c, ok := s.(*client.Commit); ok {
				if code, has := codes[c]; has {
					out = append(out, &client.Assign{At: c.At, Var: v, Expr: client.C(ir.Int(int64(code)))},
						&client.Emit{At: c.At, Exprs: []client.Expr{client.V(v)}})
				}
			}
			out = append(out, s)
		}
		return out
	})
}
