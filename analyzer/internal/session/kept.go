package session

import (
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/analyzer/internal/hole"
	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/program"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// keptStmt is a statement that is stored in a place, with the keys that it may have
// there, nil for one without; stmt is nil if it is not known.
type keptStmt struct {
	at   program.Place
	keys []string
	stmt *memory.Prepared
	// texts are those of the statement.
	texts []string
	// partial says that the key or the text comes from the caller.
	partial bool
}

// FailKept records that a function was not interpreted to its end: what it, or
// one that it calls, stores in places may not be known.
func (a *Analysis) FailKept(f *ssa.Function) {
	a.kept.failed = append(a.kept.failed, f)
	if a.kept.ready {
		a.loseKept(f)
	}
}

// loseKept loses the places in which a function that failed may store statements. What a function
// stores that tells all by itself does not depend on those that call it.
func (a *Analysis) loseKept(f *ssa.Function) {
	for w, places := range a.P.Places.Writers {
		if (w == f || !a.kept.alone[w]) && a.P.LeadsTo(f, w) {
			for _, at := range places {
				a.kept.lost[at] = true
			}
		}
	}
}

// Keep records that a value is stored in places.
func (in *Session) Keep(list []program.Place, key, v memory.Value) {
	if in.Trace != nil || in.Site != "" || len(list) == 0 {
		return
	}
	k := keptStmt{}
	if key != nil {
		k.keys = in.TextsOf(in.ScalarOf(key).E)
		k.partial = in.fromCaller(in.ScalarOf(key).E)
	}
	if s, ok := memory.Unbox(v).(*memory.Prepared); ok && !s.ByName {
		e := in.ScalarOf(s.SQL).E
		k.stmt, k.texts = s, in.TextsOf(e)
		k.partial = k.partial || in.fromCaller(e)
	} else if memory.IsNilValue(memory.Unbox(v)) {
		return
	}
	if k.partial {
		in.Result.FromCaller("a statement that is kept comes from its caller", in.Pos)
	}
	for _, at := range list {
		k.at = at
		in.Result.kept = append(in.Result.kept, in.keyed(k, key)...)
	}
}

// keyed makes one of each key, with the texts that belong to it, if the text of a
// statement is computed from its key.
func (in *Session) keyed(k keptStmt, key memory.Value) []keptStmt {
	if k.stmt == nil || key == nil {
		return []keptStmt{k}
	}
	from, ok := in.ScalarOf(key).E.(*client.VarExpr)
	to, also := in.ScalarOf(k.stmt.SQL).E.(*client.VarExpr)
	if !ok || !also || in.Pairs[to.Name].Of != from.Name {
		return []keptStmt{k}
	}
	var out []keptStmt
	for _, text := range k.keys {
		one := k
		one.keys, one.texts = []string{text}, in.Pairs[to.Name].By[text]
		out = append(out, one)
	}
	return out
}

// fromCaller reports whether a text is not known because it is the caller's.
func (in *Session) fromCaller(e client.Expr) bool {
	return slices.Contains(in.TextsOf(e), client.Hole) && in.Given(e)
}

// GatherKept collects what is kept in places from what interpreting the functions
// found.
func (a *Analysis) GatherKept(results map[*ssa.Function]*Findings) {
	apart := map[*ssa.Function]bool{}
	for _, res := range results {
		maps.Copy(apart, res.Apart)
	}
	for f, res := range results {
		for _, k := range res.kept {
			if k.partial && len(a.P.Users[f]) > 0 && !apart[f] && a.P.OnlyCalled(f) {
				continue // the callers have it
			}
			a.kept.in[k.at] = append(a.kept.in[k.at], k)
		}
	}
	for field, texts := range a.storedTexts() {
		a.kept.in[field] = append(a.kept.in[field], storedStmt(field, texts))
	}
	for w := range a.P.Places.Writers {
		res := results[w]
		a.kept.alone[w] = res != nil && w.Parent() == nil && !slices.ContainsFunc(res.kept, func(k keptStmt) bool { return k.partial })
	}
	for _, f := range a.kept.failed {
		a.loseKept(f)
	}
	a.kept.ready = true
}

// storedTexts gives the texts of statements that libraries store in fields.
func (a *Analysis) storedTexts() map[*types.Var][]string {
	if a.stored == nil {
		a.stored = map[*types.Var][]string{}
		for _, l := range a.Libs {
			if l.Stored != nil {
				maps.Copy(a.stored, l.Stored())
			}
		}
	}
	return a.stored
}

// storedStmt is a statement that a library stores in a field.
func storedStmt(field *types.Var, texts []string) keptStmt {
	return keptStmt{at: field, stmt: &memory.Prepared{H: &memory.Handle{Kind: memory.Database}}, texts: texts}
}

// onlyStored gives what a library stores in a place where no function of the program does, nil for other places.
func (a *Analysis) onlyStored(at program.Place) []keptStmt {
	field, ok := at.(*types.Var)
	if !ok || a.storedTexts()[field] == nil {
		return nil
	}
	for _, places := range a.P.Places.Writers {
		if slices.Contains(places, at) {
			return nil
		}
	}
	return []keptStmt{storedStmt(field, a.storedTexts()[field])}
}

// StoredIn gives the texts that a library stores in a field, which the program does not set; nil where
// there are none.
func (a *Analysis) StoredIn(field *types.Var) []string {
	texts := a.storedTexts()[field.Origin()]
	if len(texts) == 0 || a.P.SetsField(field) || !a.P.Places.Whole && field.Exported() {
		return nil
	}
	return texts
}

// KeptIn gives the statement that is kept in a place: the one with a key, if it is
// a map.
func (in *Session) KeptIn(at program.Place, key memory.Value) (*memory.Prepared, bool) {
	pl, kept := &in.P.Places, &in.Shared.kept
	if at == nil || kept.lost[at] || pl.Open[at] || !pl.Whole && program.Exported(at) {
		return nil, false
	}
	list := kept.in[at]
	if !kept.ready {
		if list = in.Shared.onlyStored(at); list == nil {
			in.Result.Looked = true
			return nil, false
		}
	}
	var keys []string
	if key != nil {
		keys = in.TextsOf(in.ScalarOf(key).E)
	}
	h, all := &memory.Handle{Kind: memory.Database}, true
	var texts []string
	for _, k := range list {
		if key != nil && !mayMeet(keys, k.keys) {
			continue
		}
		if k.stmt == nil {
			return nil, false
		}
		conn := k.stmt.H.Kind == memory.Database && in.P.Know.IsConn(k.stmt.H.T)
		if k.stmt.H.Kind != memory.Database || conn {
			h.Kind, h.Lost = memory.Either, true
		}
		all = all && conn
		for _, t := range k.texts {
			if !slices.Contains(texts, t) {
				texts = append(texts, t)
			}
		}
	}
	h.Conn = all && h.Lost
	slices.Sort(texts)
	texts = hole.WithoutTwins(texts)
	switch {
	case len(texts) == 0:
		return nil, false
	case len(texts) == 1:
		return &memory.Prepared{H: h, SQL: memory.Of(client.C(ir.Text(texts[0])), client.Text)}, true
	case len(texts) > hole.MaxTexts:
		texts = []string{hole.Common(texts)}
	}
	v := in.NewVar("kept", client.Text, false, memory.Unknown)
	in.Texts[v] = texts
	return &memory.Prepared{H: h, SQL: memory.Of(client.V(v), client.Text)}, true
}

// mayMeet reports whether a text may be one of both lists.
func mayMeet(a, b []string) bool {
	return slices.ContainsFunc(a, func(s string) bool {
		return slices.ContainsFunc(b, func(t string) bool { return mayEqual(s, t) })
	})
}

// mayEqual reports whether two texts with holes may be equal.
func mayEqual(s, t string) bool {
	a, _, holed := strings.Cut(s, client.Hole)
	b, _, also := strings.Cut(t, client.Hole)
	if !holed && !also {
		return s == t
	}
	n := min(len(a), len(b))
	return a[:n] == b[:n]
}
