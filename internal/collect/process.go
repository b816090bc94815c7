package collect

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os/exec"
	"slices"
	"strconv"
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
// else went wrong: at commit the outcome is unknown then. What is no answer ends the recording: a
// *Misanswered.
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
	if c.out.Buffered() > 0 {
		return a, &Misanswered{c.p.Args[0], string(line), errors.New("it must be one line for each request, and there was more than one for the request before")}
	}
	if _, err := c.in.Write(append(line, '\n')); err != nil {
		return a, errors.Join(ctx.Err(), err)
	}
	answer, err := c.line()
	switch {
	case errors.Is(err, errLong):
		return a, &Misanswered{c.p.Args[0], string(line), err}
	case err != nil:
		return a, errors.Join(ctx.Err(), fmt.Errorf("%s: no answer to %s: %w", c.p.Args[0], line, err))
	}
	if a, err = parseAnswer(r.Request, answer); err != nil {
		return a, &Misanswered{c.p.Args[0], string(line), err}
	}
	switch {
	case a.Refused != "":
		return a, &Refused{errors.New(a.Refused)}
	case a.Error != "":
		return a, errors.New(a.Error)
	}
	return a, nil
}

// Misanswered is the error of a program that does not keep to the protocol.
type Misanswered struct {
	Program, Request string
	Err              error
}

func (m *Misanswered) Error() string {
	return fmt.Sprintf("%s: the answer to %s is wrong: %v", m.Program, m.Request, m.Err)
}

func (m *Misanswered) Unwrap() error { return m.Err }

// maxAnswer bounds the bytes of an answer.
const maxAnswer = 64 << 20

var errLong = fmt.Errorf("it must be one line, and this line has more than %d bytes", maxAnswer)

// line reads a line.
func (c *processConn) line() ([]byte, error) {
	var out []byte
	for {
		part, err := c.out.ReadSlice('\n')
		if out = append(out, part...); len(out) > maxAnswer {
			return nil, errLong
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return out, err
		}
	}
}

// answers are the fields that an answer may have, beside refused and error.
var answers = map[Op][]string{
	"prepare": {"name"}, Read: {"found", "value", "data"}, ReadList: {"elements"}, ReadSet: {"elements"}, ReadCounter: {"value"}, Put: {"found"}, Scan: {"rows"},
}

// parseAnswer reads the answer to a request. It must be an object that has only fields of such an answer:
// a program that repeats its requests does not answer.
func parseAnswer(r Request, line []byte) (a said, err error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(line, &fields); err != nil {
		return a, fmt.Errorf("it must be an object of JSON, and is %s: %w", shown(line), err)
	}
	if fields == nil {
		return a, errors.New("it must be an object of JSON, and is null")
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if name != "refused" && name != "error" && !slices.Contains(answers[r.Op], name) {
			return a, fmt.Errorf("it has the field %q, which no answer to this request has; docs/recording.md lists the answers", name)
		}
	}
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&a); err != nil {
		return a, fmt.Errorf("%s: %w", shown(line), err)
	}
	if r.Op == Read && a.Value != 0 && !a.Found {
		return a, fmt.Errorf("it has the value %d, but not \"found\":true", a.Value)
	}
	for _, row := range a.Rows {
		if row.Key < r.Key || row.Key > r.High {
			return a, fmt.Errorf("it has a row with the key %d, which is not between %d and %d", row.Key, r.Key, r.High)
		}
	}
	return a, nil
}

// shown is the begin of a line, for a message.
func shown(line []byte) string {
	const most = 100
	text := strings.TrimSpace(string(line))
	if len(text) > most {
		text = text[:most] + "…"
	}
	return strconv.Quote(text)
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
