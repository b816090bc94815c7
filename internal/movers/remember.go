package movers

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/txrobust/robust/internal/cache"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/prepare"
	"github.com/txrobust/robust/internal/smt"
)

// memory holds the answers of earlier runs to the questions of one kind. What
// a question depends on is in its key, or in that of the memory.
type memory struct {
	dir   *cache.Dir
	key   string
	mu    sync.Mutex
	known map[string]remembered
	fresh bool // something is new
}

// remembered is an answer; none is kept that the solver did not know.
type remembered struct {
	Unsat     bool     `json:"unsat,omitempty"`
	Terms     int      `json:"terms,omitempty"`
	Cut       bool     `json:"cut,omitempty"`
	Reason    string   `json:"reason,omitempty"`
	Syntactic bool     `json:"syntactic,omitempty"`
	Uses      []int    `json:"uses,omitempty"`
	Topics    []string `json:"topics,omitempty"`
}

// recall gives the memory for questions in a program. parts are what they
// depend on besides. It is nil where nothing is kept: models and scripts are
// not, and a time limit would be a part of answers.
func (l *lane) recall(opt Options, code *prepare.Code, parts ...string) *memory {
	if opt.Cache == nil || opt.naive || opt.Scripts || opt.Explain || opt.Timeout > 0 {
		return nil
	}
	m := &memory{dir: opt.Cache, known: map[string]remembered{}}
	m.key = cache.Key(append([]string{"answers", l.context(code), text(opt.Engine), fmt.Sprint(opt.Classic, opt.Limit)}, parts...)...)
	if data, ok := m.dir.Get(m.key); ok && json.Unmarshal(data, &m.known) != nil {
		m.known = map[string]remembered{}
	}
	return m
}

// context is the digest of what all questions in a program depend on.
func (l *lane) context(code *prepare.Code) string {
	s, ok := l.contexts[code]
	if !ok {
		p := code.Program
		parts := []string{text(p.Invariants), text(p.Domain), code.Context()}
		for _, t := range p.Tables {
			parts = append(parts, text(*t))
		}
		s = cache.Key(parts...)
		if l.contexts == nil {
			l.contexts = map[*prepare.Code]string{}
		}
		l.contexts[code] = s
	}
	return s
}

// get gives an answer.
func (m *memory) get(key string, withFacts bool) (answer, bool) {
	if m == nil {
		return answer{}, false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	r, ok := m.known[key]
	switch {
	case !ok:
		return answer{}, false
	case r.Unsat:
		return answer{res: smt.Unsat, terms: r.Terms, refuted: &Refutation{Syntactic: r.Syntactic, WithFacts: withFacts, Uses: r.Uses, Topics: r.Topics}}, true
	}
	return answer{res: smt.Sat, reason: r.Reason, terms: r.Terms, cut: r.Cut}, true
}

// put keeps an answer.
func (m *memory) put(key string, a answer) {
	if m == nil || a.res == smt.Unknown {
		return
	}
	r := remembered{Reason: a.reason, Terms: a.terms, Cut: a.cut}
	if a.res == smt.Unsat {
		r = remembered{Unsat: true, Terms: a.terms, Syntactic: a.refuted.Syntactic, Uses: a.refuted.Uses, Topics: a.refuted.Topics}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.known[key], m.fresh = r, true
}

// save writes what is new.
func (m *memory) save() {
	if m == nil || !m.fresh {
		return
	}
	if data, err := json.Marshal(m.known); err == nil {
		m.dir.Put(m.key, data)
		m.fresh = false
	}
}

// key names what the answer to a piece depends on besides the memory of its
// delayed node.
func (p *prover) key(q piece) string {
	parts := []string{fmt.Sprint("piece ", q.first, q.last, p.quick, p.maxTerms())}
	for i, e := range q.elems {
		ordered := i > 0 && p.sessionOrder(q.elems[i-1].node, e.node)
		parts = append(parts, p.template(e.node), fmt.Sprint(e.kind, ordered))
	}
	return cache.Key(parts...)
}

// template is the digest of what questions depend on in the template of a node.
func (p *prover) template(node int) string { return p.lane.template(p.code, p.nodes[node].txn) }

func (l *lane) template(code *prepare.Code, t *ir.Txn) string {
	id := templateID{code, t}
	s, ok := l.templates[id]
	if !ok {
		s = cache.Key(text(t), code.Kinds(t))
		if l.templates == nil {
			l.templates = map[templateID]string{}
		}
		l.templates[id] = s
	}
	return s
}

// likeness is equal for templates that differ in nothing but their names, their
// places, and the reasons why statements are not modelled.
func likeness(t *ir.Txn) string {
	u := *t
	u.Name = ""
	u.Body = unexplained(t.Body)
	return text(u)
}

// unexplained drops the reasons of unmodelled statements.
func unexplained(list []ir.Stmt) []ir.Stmt {
	out := make([]ir.Stmt, len(list))
	for i, s := range list {
		if u, ok := s.(*ir.Unmodelled); ok {
			out[i] = &ir.Unmodelled{Tables: u.Tables, ReadOnly: u.ReadOnly}
		} else {
			out[i] = ir.MapChildren(s, unexplained)
		}
	}
	return out
}

type templateID struct {
	code *prepare.Code
	txn  *ir.Txn
}

// text describes a part of a program completely, but for its positions. Tables
// are named; memories have them in full.
func text(x any) string {
	var b strings.Builder
	speller{b: &b}.spell(reflect.ValueOf(x))
	return b.String()
}

var (
	positionType = reflect.TypeFor[ir.Pos]()
	placeType    = reflect.TypeFor[ir.At]() // at snapshot isolation, commands do not matter
	tableType    = reflect.TypeFor[*ir.Table]()
	sendType     = reflect.TypeFor[ir.Send]() // what a statement is for a server
)

// speller writes values. Tables are named, or with a list of tables they are numbered, in
// the order in which they come, as are those of which names has the text; ir.Send is left out.
type speller struct {
	b      *strings.Builder
	tables *[]*ir.Table
	names  map[string]*ir.Table
}

// table writes a table.
func (w speller) table(t *ir.Table) {
	if w.tables == nil {
		fmt.Fprintf(w.b, "table %q ", t.Name)
		return
	}
	i := slices.Index(*w.tables, t)
	if i < 0 {
		i = len(*w.tables)
		*w.tables = append(*w.tables, t)
	}
	fmt.Fprintf(w.b, "table %d ", i)
}

// spell writes every field of a value, so that whatever a program is made of
// counts, also what its printed form leaves out.
func (w speller) spell(v reflect.Value) {
	b := w.b
	if !v.IsValid() {
		b.WriteString("nil ")
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		switch {
		case v.IsNil():
			b.WriteString("nil ")
		case v.Type() == tableType:
			w.table((*ir.Table)(v.UnsafePointer()))
		default:
			w.spell(v.Elem())
		}
	case reflect.Interface:
		w.spell(v.Elem())
	case reflect.Struct:
		if v.Type() == positionType || v.Type() == placeType || w.tables != nil && v.Type() == sendType {
			return
		}
		b.WriteString(v.Type().String() + "{")
		for i := range v.NumField() {
			w.spell(v.Field(i))
		}
		b.WriteString("}")
	case reflect.Slice, reflect.Array:
		fmt.Fprintf(b, "%d[", v.Len())
		for i := range v.Len() {
			w.spell(v.Index(i))
		}
		b.WriteString("]")
	case reflect.Map:
		var list []string
		for _, k := range v.MapKeys() {
			var e strings.Builder
			entry := speller{b: &e} // entries come in any order
			entry.spell(k)
			e.WriteString(": ")
			entry.spell(v.MapIndex(k))
			list = append(list, e.String())
		}
		slices.Sort(list)
		fmt.Fprintf(b, "map%q", list)
	case reflect.String:
		if t := w.names[v.String()]; t != nil {
			w.table(t)
			return
		}
		fmt.Fprintf(b, "%q ", v.String())
	case reflect.Bool:
		fmt.Fprint(b, v.Bool(), " ")
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		fmt.Fprint(b, v.Int(), " ")
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		fmt.Fprint(b, v.Uint(), " ")
	case reflect.Float32, reflect.Float64:
		fmt.Fprint(b, v.Float(), " ")
	case reflect.Func: // what it computes is told by the name of its function
		fmt.Fprint(b, v.IsNil(), " ")
	default:
		panic("movers: a part of a program of type " + v.Type().String())
	}
}
