package smt

import (
	"bufio"
	"bytes"
	"errors"
	"syscall/js"
)

// globalZ3 is what the page has of Z3, if it has one: version, a text, and open, a function
// that gives an object with the functions ask, from commands of SMT-LIB 2 to their answers, and close.
const globalZ3 = "robustZ3"

// errNone says that the page has no Z3.
var errNone = errors.New("there is no Z3 on this page")

// child is a conversation with the Z3 of the page.
type child struct {
	in  *conversation
	out *bufio.Reader
}

// conversation answers what is written to it at once.
type conversation struct {
	z3      js.Value
	answers bytes.Buffer
}

func (c *conversation) Write(commands []byte) (int, error) {
	c.answers.WriteString(c.z3.Call("ask", string(commands)).String())
	return len(commands), nil
}

// kill does nothing: a question has been answered when somebody else runs. Whoever does not
// want to wait ends the worker in which all of this runs.
func (c *child) kill()          {}
func (c *child) close()         { c.in.z3.Call("close") }
func (c *child) ending() string { return "it has no answer" }

// newBackend begins a conversation with the Z3 of the page.
func newBackend() backend {
	z3 := js.Global().Get(globalZ3)
	if z3.IsUndefined() {
		return converse(nil, errNone)
	}
	c := &conversation{z3: z3.Call("open")}
	return converse(&child{in: c, out: bufio.NewReader(&c.answers)}, nil)
}

// Z3 says which Z3 a Solver asks. The error says why there is none.
func Z3() (Backend, error) {
	z3 := js.Global().Get(globalZ3)
	if z3.IsUndefined() {
		return Backend{}, errNone
	}
	return Backend{Version: z3.Get("version").String()}, nil
}
