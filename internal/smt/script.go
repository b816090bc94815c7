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
	s := &script{uses: map[*Term]int{}, names: map[*Term]string{}, declared: map[string]string{}}
	for _, t := range asserts {
		s.count(t)
	}
	for _, t := range asserts {
		fmt.Fprintf(&s.body, "(assert %s)\n", s.ref(t))
	}
	var decls []string
	for name, d := range s.declared {
		decls = append(decls, fmt.Sprintf("(declare-fun %s %s)\n", quote(name), d))
	}
	sort.Strings(decls)
	return "(set-logic ALL)\n" + strings.Join(decls, "") + s.body.String() + "(check-sat)\n"
}

type script struct {
	uses     map[*Term]int
	names    map[*Term]string
	declared map[string]string
	body     strings.Builder
}

func (s *script) count(t *Term) {
	if s.uses[t]++; s.uses[t] == 1 {
		for _, a := range t.args {
			s.count(a)
		}
	}
}

// ref gives the text for a term, defining it first if it is used twice.
func (s *script) ref(t *Term) string {
	if n, ok := s.names[t]; ok {
		return n
	}
	text := s.text(t)
	if len(t.args) > 0 && s.uses[t] > 1 {
		name := fmt.Sprintf("t^%d", len(s.names)) // no symbol is called so
		fmt.Fprintf(&s.body, "(define-fun %s () %s %s)\n", name, t.sort, text)
		s.names[t] = name
		return name
	}
	return text
}

var opWords = map[op]string{opNot: "not", opAnd: "and", opOr: "or", opIte: "ite", opEq: "=", opLe: "<=", opLt: "<",
	opAdd: "+", opMul: "*", opDiv: "div", opMod: "mod", opQuo: "/", opToReal: "to_real"}

func (s *script) text(t *Term) string {
	switch t.op {
	case opConst:
		if t.sort == Bool {
			return fmt.Sprint(t.IsTrue())
		}
		return numeral(t.num, t.sort)
	case opVar:
		s.declared[t.name] = "() " + t.sort.String()
		return quote(t.name)
	}
	word := opWords[t.op]
	if t.op == opApp {
		word = quote(t.name)
		params := make([]string, len(t.args))
		for i, a := range t.args {
			params[i] = a.sort.String()
		}
		s.declared[t.name] = "(" + strings.Join(params, " ") + ") " + t.sort.String()
	}
	parts := []string{word}
	for _, a := range t.args {
		parts = append(parts, s.ref(a))
	}
	return "(" + strings.Join(parts, " ") + ")"
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
	s := &script{uses: map[*Term]int{}, names: map[*Term]string{}, declared: map[string]string{}}
	return s.text(t)
}
