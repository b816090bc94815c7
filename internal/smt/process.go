package smt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/big"
	"runtime"
	"strconv"
	"strings"
)

// process is Z3 as a program that reads SMT-LIB 2 and writes answers. What it is told
// waits until an answer is wanted.
type process struct {
	z3    *child  // nil if it could not be started
	text  []byte  // to be told
	news  []*Term // assertions to be told
	alive bool    // it has answered
	asked bool    // there has been a question
	fault string
	limit uint // what Z3 was told last
	// symbols are those of the question, which are short, so that no name means
	// something to Z3.
	symbols map[symbolOf]string
}

// symbolOf is a variable or a function of a Builder.
type symbolOf struct {
	name     string
	function bool
}

// converse is a process with a Z3, or one that answers nothing since it could not be started.
func converse(z3 *child, err error) *process {
	if err != nil {
		return &process{fault: err.Error()}
	}
	// What follows an error would answer another question.
	p := &process{z3: z3, text: []byte("(set-option :error-behavior immediate-exit)\n")}
	runtime.AddCleanup(p, (*child).close, z3)
	return p
}

func (p *process) push() {
	if p.asked {
		p.text = append(p.text, "(pop)\n"...)
	}
	p.text = append(p.text, "(push)\n"...)
	p.asked, p.news, p.symbols = true, nil, map[symbolOf]string{}
}

// pop leaves the question to the next push, for its model is still used.
func (p *process) pop() {}

func (p *process) assert(t *Term)      { p.news = append(p.news, t) }
func (p *process) broken() string      { return p.fault }
func (p *process) forget() (full bool) { return false } // Z3 has forgotten it with the question
func (p *process) full() bool          { return false }

func (p *process) close() {
	if p.z3 != nil {
		p.z3.close()
	}
}

func (p *process) ready(ctx context.Context) {
	if p.alive || p.fault != "" {
		return
	}
	stop := context.AfterFunc(ctx, p.z3.kill)
	word, err := p.ask("(echo \"ready\")\n")
	switch {
	case !stop():
		p.fault = ctx.Err().Error()
	case err != nil:
		p.fault = err.Error()
	case strings.Trim(word.atom, `"`) != "ready":
		p.fault = unexpected(word).Error()
	}
	p.alive = p.fault == ""
}

func (p *process) check(ctx context.Context, limit uint) (Result, valuation, string) {
	if p.limit != limit {
		p.limit = limit
		p.text = fmt.Appendf(p.text, "(set-option :rlimit %d)\n", limit)
	}
	p.tell()
	stopped := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		p.z3.kill()
		close(stopped)
	})
	res, values, reason, err := p.answer()
	if !stop() {
		<-stopped
		p.fault = "the solver was interrupted"
		if res != Unsat || err != nil {
			return Unknown, nil, ctx.Err().Error()
		}
	}
	if err != nil {
		p.fault = err.Error()
		return Unknown, nil, p.fault
	}
	return res, values, reason
}

// tell makes the new assertions a command. They are one assertion, so that what they share
// is said once: Z3 takes time for a definition that grows with all that is below it, a
// binding takes none.
func (p *process) tell() {
	if len(p.news) == 0 {
		return
	}
	out := newPrinter(p.symbolFor, literalText)
	out.count(p.news)
	var body []byte
	depth := 0
	for _, t := range p.news {
		for _, d := range out.shared(t) {
			body = append(append(append(body, "(let (("...), out.names[d]...), ' ')
			body = append(out.apply(body, d), ")) "...)
			depth++
		}
	}
	if len(p.news) > 1 {
		body = append(body, "(and"...)
		depth++
	}
	for _, t := range p.news {
		body = out.print(append(body, ' '), t)
	}
	p.text = append(append(p.text, "(assert "...), body...)
	p.text = append(append(p.text, bytes.Repeat([]byte{')'}, depth)...), ")\n"...)
	p.news = nil
}

// symbolFor is the symbol of a variable or of the function that t applies. It is declared
// where it is new.
func (p *process) symbolFor(t *Term) string {
	key := symbolOf{t.name, t.op == opApp}
	s, ok := p.symbols[key]
	if !ok {
		s = "s" + strconv.Itoa(len(p.symbols))
		p.symbols[key] = s
		p.text = fmt.Appendf(p.text, "(declare-fun %s %s)\n", s, signature(t))
	}
	return s
}

// literalText is a number for Z3, which takes a sign as part of it.
func literalText(r *big.Rat, sort Sort) string {
	switch {
	case sort == Bool:
		return fmt.Sprint(r.Sign() != 0)
	case sort == Int:
		return r.Num().String()
	case r.IsInt():
		return r.Num().String() + ".0"
	}
	return "(/ " + r.Num().String() + ".0 " + r.Denom().String() + ".0)"
}

// answer asks for an answer and for what belongs to it.
func (p *process) answer() (Result, valuation, string, error) {
	word, err := p.ask("(check-sat)\n")
	if err != nil {
		return Unknown, nil, "", err
	}
	switch word.atom {
	case "unsat":
		return Unsat, nil, "", nil
	case "sat":
		list, err := p.ask("(get-model)\n")
		if err != nil {
			return Unknown, nil, "", err
		}
		m, err := readModel(p, list)
		return Sat, m, "", err
	case "unknown":
		info, err := p.ask("(get-info :reason-unknown)\n")
		if err != nil {
			return Unknown, nil, "", err
		}
		if len(info.list) != 2 {
			return Unknown, nil, "", unexpected(info)
		}
		return Unknown, nil, strings.Trim(info.list[1].atom, `"`), nil
	}
	return Unknown, nil, "", unexpected(word)
}

func unexpected(s sexp) error { return fmt.Errorf("the program z3 answers %.200s", s) }

// ask tells Z3 what waits and a command, and gives what it answers.
func (p *process) ask(command string) (sexp, error) {
	p.text = append(p.text, command...)
	_, err := p.z3.in.Write(p.text)
	p.text = p.text[:0]
	s, readErr := readSexp(p.z3.out)
	switch {
	case readErr != nil:
		p.z3.kill()
		return sexp{}, errors.New("the program z3 has ended: " + p.z3.ending())
	case len(s.list) == 2 && s.list[0].atom == "error":
		return sexp{}, errors.New("the program z3 says " + s.list[1].atom)
	}
	return s, err
}
