package smt

import (
	"math/big"
	"strings"
)

// processModel is a model that a process has printed.
type processModel struct {
	p         *process
	constants map[string]*big.Rat
	functions map[string]*function
}

// function is what a model says of a function: its values at some points, and the one
// at all others. table is nil where Z3 says it in another form.
type function struct {
	table map[string]*big.Rat // by appendKey
	other *big.Rat
}

// readModel reads a model. Older versions of Z3 begin it with a word.
func readModel(p *process, list sexp) (*processModel, error) {
	m := &processModel{p, map[string]*big.Rat{}, map[string]*function{}}
	if list.atom != "" {
		return nil, unexpected(list)
	}
	for _, def := range list.list {
		switch {
		case def.atom == "model":
		case !def.is("define-fun", 5):
			return nil, unexpected(def)
		case len(def.list[2].list) == 0:
			m.constants[def.list[1].atom] = def.list[4].value()
		default:
			m.functions[def.list[1].atom] = readFunction(def.list[2].list, def.list[4])
		}
	}
	return m, nil
}

// readFunction reads the body of a function with parameters: (ite POINT VALUE OTHERS).
func readFunction(params []sexp, body sexp) *function {
	f := &function{table: map[string]*big.Rat{}}
	index := map[string]int{}
	for i, x := range params {
		if len(x.list) == 2 {
			index[x.list[0].atom] = i
		}
	}
	for body.is("ite", 4) {
		key, ok := readPoint(index, body.list[1])
		v := body.list[2].value()
		if !ok || v == nil {
			return &function{}
		}
		if _, ok := f.table[key]; !ok {
			f.table[key] = v
		}
		body = body.list[3]
	}
	if f.other = body.value(); f.other == nil {
		return &function{}
	}
	return f
}

// readPoint reads a condition that fixes the value of each parameter once.
func readPoint(params map[string]int, cond sexp) (key string, ok bool) {
	conds := []sexp{cond}
	if len(cond.list) > 0 && cond.list[0].atom == "and" {
		conds = cond.list[1:]
	}
	at := make([]*big.Rat, len(params))
	for _, c := range conds {
		param, v := c, oneRat
		switch {
		case c.is("=", 3):
			param, v = c.list[1], c.list[2].value()
		case c.is("not", 2):
			param, v = c.list[1], zeroRat
		}
		i, known := params[param.atom]
		if !known || at[i] != nil || v == nil {
			return "", false
		}
		at[i] = v
	}
	var out []byte
	for _, v := range at {
		if v == nil {
			return "", false
		}
		out = appendKey(out, v)
	}
	return string(out), true
}

func (m *processModel) variable(t *Term) *big.Rat {
	v, ok := m.constants[m.p.symbols[symbolOf{t.name, false}]]
	if !ok {
		return zeroRat // in no question
	}
	return v
}

func (m *processModel) apply(t *Term, args []*big.Rat, key string) *big.Rat {
	f := m.functions[m.p.symbols[symbolOf{t.name, true}]]
	switch {
	case f == nil:
		return zeroRat // in no question
	case f.table == nil:
		return m.eval(m.p.symbolFor(t), t, args)
	}
	if v, ok := f.table[key]; ok {
		return v
	}
	return f.other
}

func (m *processModel) undefined(t *Term, args []*big.Rat) *big.Rat {
	return m.eval(opWords[t.op], t, args)
}

// eval asks Z3 for an operation of t at values.
func (m *processModel) eval(word string, t *Term, args []*big.Rat) *big.Rat {
	if m.p.fault != "" {
		return nil
	}
	parts := []string{"(" + word}
	for i, a := range args {
		parts = append(parts, literalText(a, t.args[i].sort))
	}
	s, err := m.p.ask("(eval " + strings.Join(parts, " ") + ") :completion true)\n")
	if err != nil {
		m.p.fault = err.Error()
		return nil
	}
	return s.value()
}
