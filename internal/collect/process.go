package collect

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
)

// Program is a Database that a program reaches: one process a connection. Each request is one
// line of JSON on its standard input, and each answer one line on its standard output.
//
//	{"op":"prepare"}                                      → {"name":"ToyDB 1.0"}
//	{"op":"begin","isolation":"REPEATABLE READ"}          → {}
//	{"op":"write","key":1,"value":7,"data":0}             → {}
//	{"op":"read","key":1}                                 → {"found":true,"value":7}
//	{"op":"scan","key":1,"high":3}                        → {"rows":[{"key":1,"value":7}]}
//	{"op":"commit"}, {"op":"rollback"}, {"op":"drop"}     → {}
//
// The other requests are those of Op, with the fields of Request and Answer. An answer
// {"refused":"why"} says that the transaction has no effect, and {"error":"why"} that something
// else went wrong: at commit the outcome is unknown then.
type Program struct {
	Args  []string
	Level Isolation
	name  string
}

// Name is what the program said when it prepared the database.
func (p *Program) Name() string {
	if p.name == "" {
		return p.Args[0] + " at " + string(p.Level)
	}
	return p.name + " at " + string(p.Level)
}

// Prepare has the program make what the workloads need.
func (p *Program) Prepare(ctx context.Context) error {
	a, err := p.once(ctx, "prepare")
	p.name = a.Name
	return err
}

// Close has the program remove it.
func (p *Program) Close(ctx context.Context) error {
	_, err := p.once(ctx, "drop")
	return err
}

// once sends one request to a process of its own.
func (p *Program) once(ctx context.Context, op Op) (said, error) {
	c, err := p.start()
	if err != nil {
		return said{}, err
	}
	defer c.Close()
	return c.ask(ctx, asked{Request: Request{Op: op}})
}

// Connect starts the program.
func (p *Program) Connect(context.Context) (Conn, error) { return p.start() }

func (p *Program) start() (*processConn, error) {
	cmd := exec.Command(p.Args[0], p.Args[1:]...)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("the program %s cannot be started: %w", p.Args[0], err)
	}
	return &processConn{p, cmd, in, bufio.NewReader(out)}, nil
}

type processConn struct {
	p   *Program
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

type asked struct {
	Request
	Isolation Isolation `json:"isolation,omitempty"`
}

type said struct {
	Answer
	Name    string `json:"name"`
	Refused string `json:"refused"`
	Error   string `json:"error"`
}

// ask waits for the answer until ctx ends, which ends the process, too.
func (c *processConn) ask(ctx context.Context, r asked) (a said, err error) {
	stop := context.AfterFunc(ctx, func() { c.cmd.Process.Kill() })
	defer stop()
	line, err := json.Marshal(r)
	if err != nil {
		return a, err
	}
	if _, err := c.in.Write(append(line, '\n')); err != nil {
		return a, errors.Join(ctx.Err(), err)
	}
	answer, err := c.out.ReadBytes('\n')
	if err != nil {
		return a, errors.Join(ctx.Err(), fmt.Errorf("%s: no answer to %s: %w", c.p.Args[0], line, err))
	}
	switch err := json.Unmarshal(answer, &a); {
	case err != nil:
		return a, fmt.Errorf("%s: the answer to %s is no JSON of an answer: %w", c.p.Args[0], line, err)
	case a.Refused != "":
		return a, &Refused{errors.New(a.Refused)}
	case a.Error != "":
		return a, errors.New(a.Error)
	}
	return a, nil
}

func (c *processConn) op(ctx context.Context, op Op) error {
	_, err := c.ask(ctx, asked{Request: Request{Op: op}})
	return err
}

func (c *processConn) Begin(ctx context.Context) error {
	_, err := c.ask(ctx, asked{Request: Request{Op: "begin"}, Isolation: c.p.Level})
	return err
}

func (c *processConn) Commit(ctx context.Context) error   { return c.op(ctx, "commit") }
func (c *processConn) Rollback(ctx context.Context) error { return c.op(ctx, "rollback") }

func (c *processConn) Do(ctx context.Context, r Request) (Answer, error) {
	a, err := c.ask(ctx, asked{Request: r})
	return a.Answer, err
}

func (c *processConn) Close() {
	c.in.Close()
	c.cmd.Process.Kill()
	c.cmd.Wait() // how it ended says nothing
}

// ParseProgram gives the program and arguments of a command, which blanks separate.
func ParseProgram(command string, level Isolation) (*Program, error) {
	args := strings.Fields(command)
	if len(args) == 0 {
		return nil, errors.New("a program is missing")
	}
	return &Program{Args: args, Level: level}, nil
}
