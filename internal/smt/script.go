package smt

import (
	"fmt"
	"math/big"
	"sort"
	"strings"
)

// Script prints the question whether all of the terms can be true as an
// SMT-LIB 2 script: declarations, one definition per shared subterm, the
// assertions, and (check-sat). Equal questions give equal scripts.
func Script(asserts []*Term) string {
	declared := map[string]string{}
	p := newPrinter(quoted(declared), numeral)
	p.count(asserts)
	body := []byte{}
	for _, t := range asserts {
		for _, d := range p.shared(t) {
			body = fmt.Appendf(body, "(define-fun %s () %s ", p.names[d], d.sort)
			body = append(p.apply(body, d), ")\n"...)
		}
		body = append(p.print(append(body, "(assert "...), t), ")\n"...)
	}
	var decls []string
	for name, signature := range declared {
		decls = append(decls, fmt.Sprintf("(declare-fun %s %s)\n", quote(name), signature))
	}
	sort.Strings(decls)
	return "(set-logic ALL)\n" + strings.Join(decls, "") + string(body) + "(check-sat)\n"
}

// quoted gives the symbols of terms under their own names, and notes their signatures.
func quoted(declared map[string]string) func(*Term) string {
	return func(t *Term) string {
		declared[t.name] = signature(t)
		return quote(t.name)
	}
}

// printer prints terms, with names for those that occur twice.
type printer struct {
	symbol  func(*Term) string // of a variable or of the function that a term applies
	numeral func(*big.Rat, Sort) string
	uses    map[*Term]int
	names   map[*Term]string
	seen    map[*Term]bool
}

func newPrinter(symbol func(*Term) string, numeral func(*big.Rat, Sort) string) *printer {
	return &printer{symbol, numeral, map[*Term]int{}, map[*Term]string{}, map[*Term]bool{}}
}

// count counts how often terms occur, below themselves too.
func (p *printer) count(terms []*Term) {
	for _, t := range terms {
		if p.uses[t]++; p.uses[t] == 1 {
			p.count(t.args)
		}
	}
}

// shared names what occurs twice in a term and has no name yet: what a definition
// needs comes before it.
func (p *printer) shared(t *Term) (out []*Term) {
	if p.seen[t] {
		return nil
	}
	p.seen[t] = true
	for _, a := range t.args {
		out = append(out, p.shared(a)...)
	}
	if len(t.args) > 0 && p.uses[t] > 1 {
		p.names[t] = fmt.Sprintf("t^%d", len(p.names)) // no symbol is called so
		out = append(out, t)
	}
	return out
}

// print appends a term, by its name if it has one.
func (p *printer) print(to []byte, t *Term) []byte {
	if n, ok := p.names[t]; ok {
		return append(to, n...)
	}
	return p.apply(to, t)
}

// apply appends a term, and below it names.
func (p *printer) apply(to []byte, t *Term) []byte {
	switch t.op {
	case opConst:
		if t.sort == Bool {
			return fmt.Append(to, t.IsTrue())
		}
		return append(to, p.numeral(t.num, t.sort)...)
	case opVar:
		return append(to, p.symbol(t)...)
	case opApp:
		to = append(append(to, '('), p.symbol(t)...)
	default:
		to = append(append(to, '('), opWords[t.op]...)
	}
	for _, a := range t.args {
		to = p.print(append(to, ' '), a)
	}
	return append(to, ')')
}

var opWords = map[op]string{opNot: "not", opAnd: "and", opOr: "or", opIte: "ite", opEq: "=", opLe: "<=", opLt: "<",
	opAdd: "+", opMul: "*", opDiv: "div", opMod: "mod", opQuo: "/", opToReal: "to_real"}

// signature is that of a variable or of the function that a term applies.
func signature(t *Term) string {
	params := make([]string, len(t.args))
	for i, a := range t.args {
		params[i] = a.sort.String()
	}
	return "(" + strings.Join(params, " ") + ") " + t.sort.String()
}

func numeral(r *big.Rat, sort Sort) string {
	abs := new(big.Rat).Abs(r)
	text := abs.Num().String()
	if sort == Real {
		text += ".0"
		if !abs.IsInt() {
			text = "(/ " + text + " " + abs.Denom().String() + ".0)"
		}
	}
	if r.Sign() < 0 {
		return "(- " + text + ")"
	}
	return text
}

func quote(name string) string { return "|" + symbol(name) + "|" }

// String is the term in SMT-LIB syntax, without sharing.
func (t *Term) String() string {
	return string(newPrinter(quoted(map[string]string{}), numeral).apply(nil, t))
}
