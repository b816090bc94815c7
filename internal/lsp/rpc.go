package lsp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
)

// maxMessage bounds the bytes of a message.
const maxMessage = 64 << 20

// Codes of errors of JSON-RPC and of the protocol.
const (
	parseError       = -32700
	methodNotFound   = -32601
	invalidParams    = -32602
	internalError    = -32603
	requestCancelled = -32800
)

// rpcError is an error that is answered with its code.
type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *rpcError) Error() string { return e.Message }

// message is a request, a notification (without an id), or a response (without a method).
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

// conn sends and receives messages of JSON-RPC 2.0, each after a head with its length.
type conn struct {
	in *bufio.Reader

	mu  sync.Mutex // of what follows
	out io.Writer
	// running has what cancels the requests that are being answered, by id.
	running map[string]context.CancelFunc
	sent    int // requests
}

func newConn(in io.Reader, out io.Writer) *conn {
	return &conn{in: bufio.NewReader(in), out: out, running: map[string]context.CancelFunc{}}
}

// read gives the next message, or io.EOF. What is no message is answered with an error.
func (c *conn) read() (*message, error) {
	for {
		text, err := c.next()
		if err != nil {
			return nil, err
		}
		m := &message{}
		if err := json.Unmarshal(text, m); err != nil {
			c.write(&message{ID: json.RawMessage("null"), Error: &rpcError{parseError, "a message is no JSON-RPC: " + err.Error()}})
			continue
		}
		return m, nil
	}
}

// next gives the text of the next message.
func (c *conn) next() ([]byte, error) {
	length := -1
	for {
		line, err := c.in.ReadString('\n')
		if err != nil {
			return nil, err
		}
		line = strings.TrimSpace(line)
		if line == "" {
			break
		}
		if name, value, _ := strings.Cut(line, ":"); strings.EqualFold(name, "Content-Length") {
			if length, err = strconv.Atoi(strings.TrimSpace(value)); err != nil {
				return nil, fmt.Errorf("the length of a message is %q", value)
			}
		}
	}
	if length < 0 || length > maxMessage {
		return nil, fmt.Errorf("the length of a message must be between 0 and %d", maxMessage)
	}
	text := make([]byte, length)
	_, err := io.ReadFull(c.in, text)
	return text, err
}

func (c *conn) write(m *message) error {
	m.Version = "2.0"
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	_, err = fmt.Fprintf(c.out, "Content-Length: %d\r\n\r\n%s", len(text), text)
	return err
}

// notify sends a notification. A client that is gone is noticed by the next read.
func (c *conn) notify(method string, params any) {
	if text, err := json.Marshal(params); err == nil {
		c.write(&message{Method: method, Params: text})
	}
}

// request sends a request whose answer nobody waits for.
func (c *conn) request(method string, params any) {
	text, err := json.Marshal(params)
	if err != nil {
		return
	}
	c.mu.Lock()
	c.sent++
	id := strconv.Itoa(c.sent)
	c.mu.Unlock()
	c.write(&message{ID: json.RawMessage(`"robust` + id + `"`), Method: method, Params: text})
}

// answer answers a request with what f gives, in a goroutine that a notification
// $/cancelRequest cancels.
func (c *conn) answer(ctx context.Context, m *message, done *sync.WaitGroup, f func(ctx context.Context) (any, error)) {
	ctx, cancel := context.WithCancel(ctx)
	id := string(m.ID)
	c.mu.Lock()
	c.running[id] = cancel
	c.mu.Unlock()
	done.Go(func() {
		defer func() {
			cancel()
			c.mu.Lock()
			delete(c.running, id)
			c.mu.Unlock()
		}()
		result, err := f(ctx)
		c.write(response(ctx, m, result, err))
	})
}

// response is the answer to a request.
func response(ctx context.Context, m *message, result any, err error) *message {
	out := &message{ID: m.ID}
	fault, known := errors.AsType[*rpcError](err)
	switch {
	case err == nil:
		text, err := json.Marshal(result)
		if err == nil {
			out.Result = text
			return out
		}
		out.Error = &rpcError{internalError, err.Error()}
	case known:
		out.Error = fault
	case ctx.Err() != nil:
		out.Error = &rpcError{requestCancelled, "cancelled"}
	default:
		out.Error = &rpcError{internalError, err.Error()}
	}
	return out
}

// cancel cancels the request of an id.
func (c *conn) cancel(id json.RawMessage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if stop := c.running[string(id)]; stop != nil {
		stop()
	}
}
