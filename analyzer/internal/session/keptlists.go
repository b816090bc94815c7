package session

import (
	"maps"
	"slices"
	"strconv"

	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/program"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// Slices and arrays of prepared statements are places whose keys are the indexes of
// their elements. They are followed as long as elements are set by index: one that
// grows with append is not.

// PairIndex records that a text is that of a list with an index that is not
// constant: which one belongs to which index.
func (in *Session) PairIndex(index memory.Value, texts []string, out memory.Value) {
	s, ok := memory.Unbox(out).(memory.Scalar)
	x, isVar := s.E.(*client.VarExpr)
	if !ok || !isVar {
		return
	}
	p := memory.Pair{Of: indexKey(in.ScalarOf(index).E), By: map[string][]string{}}
	for i, t := range texts {
		p.By[strconv.Itoa(i)] = []string{t}
	}
	in.Indexes[x.Name] = p
}

// byIndex gives the texts that a statement has by the index of the list of which its
// text is an element, or is computed from one; nil if there is no such list.
func (in *Session) byIndex(sql, index client.Expr) map[string][]string {
	x, ok := sql.(*client.VarExpr)
	if !ok {
		return nil
	}
	if p, ok := in.Indexes[x.Name]; ok && p.Of == indexKey(index) {
		return p.By
	}
	from := in.Pairs[x.Name]
	p, ok := in.Indexes[from.Of]
	if !ok || p.Of != indexKey(index) {
		return nil
	}
	out := map[string][]string{}
	for i, list := range p.By {
		for _, t := range list {
			if from.By[t] == nil {
				return nil
			}
			out[i] = append(out[i], from.By[t]...)
		}
	}
	return out
}

// indexKey names an index as what a text is computed from.
func indexKey(e client.Expr) string { return "index " + client.ExprString(e) }

// KeepAt records that a statement is stored in elements of places.
func (in *Session) KeepAt(list []program.Place, index, v memory.Value) {
	if len(list) == 0 {
		return
	}
	e := in.ScalarOf(index).E
	if s, ok := memory.Unbox(v).(*memory.Prepared); ok && !s.ByName && in.Trace == nil && in.Site == "" {
		if by := in.byIndex(in.ScalarOf(s.SQL).E, e); by != nil {
			for _, i := range slices.Sorted(maps.Keys(by)) {
				for _, at := range list {
					in.Result.kept = append(in.Result.kept, keptStmt{at: at, keys: []string{i}, stmt: s, texts: by[i]})
				}
			}
			return
		}
	}
	before := len(in.Result.kept)
	in.Keep(list, memory.Of(client.C(ir.Text(IndexText(e))), client.Text), v)
	if !in.Given(e) {
		return
	}
	for i := before; i < len(in.Result.kept); i++ {
		in.Result.kept[i].partial = true
		in.Result.FromCaller("the index of a statement that is kept comes from its caller", in.Pos)
	}
}

// IndexText gives the key of an element.
func IndexText(e client.Expr) string {
	if c, ok := e.(*client.Const); ok && c.Value.Kind == ir.KindInt {
		return strconv.Itoa(int(c.Value.I))
	}
	return client.Hole
}

// Vague reports whether it is not certain which elements of a list have a key.
func (in *Session) Vague(at program.Place, key string) bool {
	return key == client.Hole || slices.ContainsFunc(in.Shared.kept.in[at], func(k keptStmt) bool { return !slices.Equal(k.keys, []string{key}) && mayMeet(k.keys, []string{key}) })
}
