package gopg

import (
	"slices"
	"strconv"
	"strings"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/sqltext"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/quote"
)

// wrapped is a value that pg.In or pg.Array made of another one.
type wrapped struct {
	v memory.Value
	// in says that it is a list for IN.
	in bool
}

func (w *wrapped) Live() bool                      { return false }
func (w *wrapped) Sends() bool                     { return false }
func (w *wrapped) Same(o memory.Value) bool        { return o == memory.Value(w) }
func (w *wrapped) Depends() ([]memory.Value, bool) { return []memory.Value{w.v}, true }

// ownText gives the text of values that only go-pg knows.
func (in *run) ownText(v memory.Value, _ string) (sqltext.Fragment, bool) {
	if b, ok := v.(memory.Box); ok {
		name := gotypes.TypeName(b.T)
		if name == typesPath+".Ident" || name == typesPath+".Safe" {
			text, known := memory.ConstText(b)
			switch {
			case !known:
				in.EmitValue(v)
				return sqltext.Frag(client.Hole), true
			case strings.HasSuffix(name, "Ident"):
				return sqltext.Frag(quote.Name(text)), true
			}
			return sqltext.Frag(text), true
		}
	}
	q, ok := memory.Unbox(v).(*query)
	if !ok {
		return sqltext.Fragment{}, false
	}
	f, ok := in.selectText(in.statement(draftOf(in.Memory, q)), selection{})
	if !ok {
		return sqltext.Frag(client.Hole), true
	}
	return f, true
}

// param gives a parameter as the writer of texts knows it: a slice stands for several values
// in pg.In only.
func (in *run) param(v memory.Value) memory.Value {
	w, isWrapped := memory.Unbox(v).(*wrapped)
	switch {
	case isWrapped && w.in:
		return w.v
	case isWrapped:
		return memory.Of(in.ScalarOf(w.v).E, client.Any)
	}
	if b, ok := v.(memory.Box); ok && gotypes.IsList(b.T) {
		return memory.Of(in.ScalarOf(v).E, client.Any)
	}
	return v
}

// formatted gives a text of the program in which ? stands for values, ?0 for one of them by
// its number, and ?name for what the table t, if there is one, or a struct has.
func (in *run) formatted(t *table, text memory.Value, params []memory.Value) sqltext.Fragment {
	if r, ok := memory.Unbox(text).(*sqltext.Raw); ok {
		return r.F
	}
	if q, ok := memory.Unbox(text).(*query); ok {
		f, _ := in.ownText(q, "")
		return f
	}
	s, known := memory.ConstText(text)
	if !known || strings.Contains(s, `\?`) {
		for _, v := range append(slices.Clone(params), text) {
			in.EmitValue(v)
		}
		if list := in.TextsOf(in.ScalarOf(text).E); len(list) == 1 && len(params) == 0 {
			return sqltext.Frag(list[0])
		}
		return sqltext.Frag(client.Hole)
	}
	k := 0
	return in.Fill(s, func(i int) (memory.Value, int) {
		if s[i] != '?' {
			return nil, 0
		}
		name, n := placeName(s[i+1:])
		at, err := strconv.Atoi(name)
		switch {
		case name == "" && k < len(params):
			k++
			return in.param(params[k-1]), 1
		case name == "":
			return nil, 0
		case err == nil && at < len(params):
			return in.param(params[at]), 1 + n
		case err == nil:
			return nil, 0
		}
		return in.named(t, name, params), 1 + n
	})
}

// placeName gives the name behind a ? and the number of bytes that it takes.
func placeName(s string) (name string, n int) {
	if rest, ok := strings.CutPrefix(s, "("); ok {
		if name, _, ok := strings.Cut(rest, ")"); ok {
			return name, len(name) + 2
		}
	}
	alpha := false
	for n < len(s) {
		c := s[n]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (c < '0' || c > '9') && (c != '_' || !alpha) {
			break
		}
		alpha = alpha || letter
		n++
	}
	return s[:n], n
}

// named is what a name in a text stands for: something of the table, or a field of the last
// parameter.
func (in *run) named(t *table, name string, params []memory.Value) memory.Value {
	if len(params) > 0 {
		last := params[len(params)-1]
		if tab, many := in.lib.tableOf(memory.RefTo(last).T); tab != nil && !many {
			if f := tab.field(name); f != nil {
				if v, ok := in.FieldAt(last, f.path); ok {
					return memory.Box{V: v, T: f.t}
				}
			}
		}
		in.EmitValue(last)
	}
	if t != nil {
		switch name {
		case "TableName":
			return raw(t.name)
		case "TableAlias":
			return raw(t.alias)
		case "TableColumns":
			return raw(columnList(t.alias+".", t.fields))
		case "Columns":
			return raw(columnList("", t.fields))
		case "TablePKs":
			return raw(columnList(t.alias+".", t.keys()))
		case "PKs":
			return raw(columnList("", t.keys()))
		}
	}
	return raw(client.Hole)
}

func raw(text string) memory.Value { return &sqltext.Raw{F: sqltext.Frag(text)} }

// columnList gives the names of columns.
func columnList(prefix string, fields []*field) string {
	var out []string
	for _, f := range fields {
		out = append(out, prefix+f.column)
	}
	return strings.Join(out, ", ")
}

// stored is the value that a statement has for a field that holds v: NULL where that is the
// zero value.
func (in *run) stored(v memory.Value, f *field) sqltext.Fragment {
	null := memory.Of(client.C(nullValue), gotypes.KindOf(gotypes.Deref(f.t)))
	boxed := in.param(memory.Box{V: v, T: f.t})
	if f.useZero {
		return in.ParamOf(boxed)
	}
	nz := in.NonZero(v, f.t)
	if is, known := in.Known(nz); known {
		if is {
			return in.ParamOf(boxed)
		}
		return sqltext.Frag("NULL")
	}
	return in.ParamOf(in.OrElse(nz, boxed, null))
}
