package movers

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/cache"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/smt"
	"github.com/txrobust/robust/internal/walk"
)

// shapes are the pieces that are possible, by what they have in common with others: the
// same templates but for the names of tables. A survey presumes that pieces of one shape
// are possible together, since that only costs a refutation: what is impossible is never
// presumed.
type shapes struct {
	possible map[string]int // the terms of the question
	outlines map[*ir.Txn]outline
	tables   map[*ir.Table]string // digests of declarations
	names    map[string]*ir.Table // of the program
}

func newShapes(p *ir.Program) *shapes {
	s := &shapes{map[string]int{}, map[*ir.Txn]outline{}, map[*ir.Table]string{}, map[string]*ir.Table{}}
	for _, t := range p.Tables {
		s.names[t.Name] = t // rows have the names of tables mostly
	}
	return s
}

// outline is a template without the names of its tables, and the tables, in the order in
// which it names them.
type outline struct {
	digest string
	tables []*ir.Table
}

// outline gives that of a template.
func (s *shapes) outline(t *ir.Txn) outline {
	o, ok := s.outlines[t]
	if !ok {
		u := *t
		u.Name = ""
		var b strings.Builder
		speller{&b, &o.tables, s.names}.spell(reflect.ValueOf(u))
		o.digest = cache.Key(b.String())
		s.outlines[t] = o
	}
	return o
}

// declaration is the digest of a table without its name.
func (s *shapes) declaration(t *ir.Table) string {
	d, ok := s.tables[t]
	if !ok {
		u := *t
		u.Name = ""
		others := []*ir.Table{t}
		var b strings.Builder
		speller{&b, &others, s.names}.spell(reflect.ValueOf(u))
		d = cache.Key(b.String())
		s.tables[t] = d
	}
	return d
}

// of gives the shape of a piece.
func (s *shapes) of(p *prover, q piece) string {
	var b strings.Builder
	var tables []*ir.Table
	name := func(t *ir.Txn) {
		o := s.outline(t)
		b.WriteString(o.digest)
		for _, x := range o.tables {
			i := slices.Index(tables, x)
			if i < 0 {
				i = len(tables)
				tables = append(tables, x)
			}
			fmt.Fprint(&b, " ", i)
		}
	}
	name(p.nodes[q.t0].txn)
	for _, e := range q.elems {
		fmt.Fprint(&b, ";", e.kind == walk.Issued, e.node == q.t0)
		name(p.nodes[e.node].txn)
	}
	fmt.Fprint(&b, q.first, q.last)
	for _, t := range tables {
		fmt.Fprint(&b, ";", s.declaration(t))
	}
	return b.String()
}

// presumed reports whether a piece of which nothing is known is presumed to be possible. It
// counts as a question.
func (p *prover) presumed(q piece) bool {
	key := q.key()
	if _, asked := p.memo[key]; asked || len(q.elems) == 0 {
		return false
	}
	s := p.lane.shapesOf(p.prog)
	terms := s.possible[s.of(p, q)]
	if terms > 0 && !p.presumption[key] {
		if p.presumption == nil {
			p.presumption = map[string]bool{}
		}
		p.presumption[key] = true
		p.left--
		p.effort += terms
	}
	return terms > 0
}

// learn presumes pieces of the shape of one that is possible.
func (p *prover) learn(q piece, a answer) {
	if a.res == smt.Sat && len(q.elems) > 0 {
		s := p.lane.shapesOf(p.prog)
		s.possible[s.of(p, q)] = max(a.terms, 1)
	}
}

// shapesOf gives the shapes of pieces that the lane has met.
func (l *lane) shapesOf(p *ir.Program) *shapes {
	if l.shapes == nil {
		l.shapes = newShapes(p)
	}
	return l.shapes
}
