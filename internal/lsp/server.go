package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/txrobust/robust/ir"
)

// errNoShutdown says that the client left without saying so.
var errNoShutdown = errors.New("the client left without a request shutdown")

// A check waits until nothing is saved, or changed while one ran, for so long: editors save many files
// at once, and a program that formats files saves them again.
const (
	afterSave   = 200 * time.Millisecond
	afterChange = time.Second
)

// logInformation is the type of a message of the log.
const logInformation = 3

// Serve answers a client until it says exit, its input ends, or ctx does.
func Serve(ctx context.Context, in io.Reader, out io.Writer, app App, version string) error {
	return serve(ctx, &server{app: app, version: version, conn: newConn(in, out), after: time.After})
}

func serve(ctx context.Context, s *server) error {
	ctx, cancel := context.WithCancel(ctx)
	s.open, s.states = map[string]string{}, map[string]*state{}
	defer s.jobs.Wait()
	defer cancel()
	messages, ended := make(chan *message), make(chan error, 1)
	go func() {
		for {
			m, err := s.conn.read()
			if err != nil {
				ended <- err
				return
			}
			select {
			case messages <- m:
			case <-ctx.Done():
				return
			}
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-ended:
			if err == io.EOF && s.down {
				return nil
			}
			return fmt.Errorf("lsp: %w", err)
		case m := <-messages:
			if m.Method == "exit" {
				if !s.down {
					return errNoShutdown
				}
				return nil
			}
			s.handle(ctx, m)
		}
	}
}

// server is one connection. What handle changes, only it changes.
type server struct {
	app      App
	version  string
	conn     *conn
	jobs     sync.WaitGroup
	down     bool // shutdown was asked for
	progress bool // the client shows what is being done
	after    func(time.Duration) <-chan time.Time

	mu     sync.Mutex        // of what follows
	open   map[string]string // texts of open documents, by path
	states map[string]*state // by application
}

// state is what is known of an application.
type state struct {
	cancel context.CancelFunc // of the check that runs, or ran last
	number int                // of this check
	busy   bool               // it runs, or waits to
	result *Result            // of the last check that ended well, nil after a change
	shown  map[string]bool    // URIs with diagnostics
	// repairs is closed when list and failed are those of the result, nil if nobody asked.
	repairs chan struct{}
	list    []Repair
	failed  error
}

// handle handles a message.
func (s *server) handle(ctx context.Context, m *message) {
	var p aboutDocument
	if m.Method == "" {
		return // the answer to a request of ours
	}
	if len(m.Params) > 0 && m.Method != "initialize" && m.Method != "$/cancelRequest" && m.Params[0] == '{' {
		if err := json.Unmarshal(m.Params, &p); err != nil && m.ID != nil {
			s.conn.write(response(ctx, m, nil, &rpcError{invalidParams, err.Error()}))
			return
		}
	}
	path := pathOf(p.Document.URI)
	switch m.Method {
	case "initialize":
		s.conn.write(response(ctx, m, s.initialize(m.Params), nil))
	case "shutdown":
		s.down = true
		s.conn.write(response(ctx, m, nil, nil))
	case "$/cancelRequest":
		var c struct {
			ID json.RawMessage `json:"id"`
		}
		if json.Unmarshal(m.Params, &c) == nil {
			s.conn.cancel(c.ID)
		}
	case "textDocument/didOpen":
		s.edited(path, p.Document.Text)
		s.check(ctx, path, opened)
	case "textDocument/didChange":
		if n := len(p.Changes); n > 0 {
			s.edited(path, p.Changes[n-1].Text)
			s.check(ctx, path, changed)
		}
	case "textDocument/didSave":
		s.check(ctx, path, saved)
	case "textDocument/didClose":
		s.mu.Lock()
		delete(s.open, path)
		s.mu.Unlock()
	case "textDocument/hover":
		s.conn.answer(ctx, m, &s.jobs, func(context.Context) (any, error) { return s.hover(path, p.Position.Line+1), nil })
	case "textDocument/codeAction":
		s.conn.answer(ctx, m, &s.jobs, func(request context.Context) (any, error) {
			return s.actions(ctx, request, path, p.Context.Diagnostics)
		})
	default:
		if m.ID != nil {
			s.conn.write(response(ctx, m, nil, &rpcError{methodNotFound, "there is no method " + m.Method}))
		}
	}
}

// initialize says what the server does.
func (s *server) initialize(params json.RawMessage) any {
	var p struct {
		Capabilities struct {
			Window struct {
				Progress bool `json:"workDoneProgress"`
			} `json:"window"`
		} `json:"capabilities"`
	}
	if json.Unmarshal(params, &p) == nil {
		s.progress = p.Capabilities.Window.Progress
	}
	const whole = 1 // documents are sent as a whole
	return map[string]any{
		"capabilities": map[string]any{
			"textDocumentSync":   map[string]any{"openClose": true, "change": whole, "save": true},
			"hoverProvider":      true,
			"codeActionProvider": map[string]any{"codeActionKinds": []string{"quickfix"}},
		},
		"serverInfo": map[string]string{"name": "robust", "version": s.version},
	}
}

func (s *server) edited(path, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open[path] = text
}

// event is what happened to a document.
type event uint8

const (
	opened event = iota
	changed
	saved
)

// check checks the application of a file: again, where it was saved, and else where nothing is
// known of it. The check that runs is cancelled; where a document was only changed, it begins anew later.
func (s *server) check(ctx context.Context, path string, e event) {
	if path == "" {
		return
	}
	app := s.app.Of(path)
	if app == "" {
		if e == opened {
			s.conn.notify("window/logMessage", map[string]any{"type": logInformation, "message": path + " is not checked: applications are .sql files, and files of Go in a module, without tests"})
		}
		return
	}
	s.mu.Lock()
	st := s.states[app]
	wait := time.Duration(0)
	switch {
	case st == nil && e == opened:
		st = &state{shown: map[string]bool{}, cancel: func() {}}
		s.states[app] = st
	case st == nil || e == opened || e == changed && !st.busy:
		s.mu.Unlock()
		return
	case e == changed:
		wait = afterChange
	default:
		wait = afterSave
	}
	st.cancel()
	checking, cancel := context.WithCancel(ctx)
	st.cancel, st.result, st.repairs, st.busy = cancel, nil, nil, true
	st.number++
	number := st.number
	s.mu.Unlock()
	s.jobs.Go(func() {
		defer cancel()
		if wait > 0 {
			select {
			case <-s.after(wait):
			case <-checking.Done():
			}
		}
		if checking.Err() != nil {
			return
		}
		say, end := s.working(fmt.Sprintf("check-%s-%d", app, number), "robust")
		defer end()
		result, err := s.app.Check(checking, app, say)
		s.checked(checking, st, number, result, err)
	})
}

// checked publishes what a check gave, unless it was cancelled.
func (s *server) checked(ctx context.Context, st *state, number int, result *Result, err error) {
	found := map[string][]diagnostic{}
	wrong, placed := errors.AsType[*ir.Error](err)
	switch {
	case err == nil:
		found = result.diagnostics()
	case placed:
		s.mu.Lock()
		text := s.open[wrong.Pos.File]
		s.mu.Unlock()
		found = fault(wrong, text)
	case ctx.Err() == nil:
		s.conn.notify("window/showMessage", map[string]any{"type": severityError, "message": "robust: " + err.Error()})
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if st.number != number || ctx.Err() != nil {
		return
	}
	st.busy = false
	if err == nil {
		st.result = result
	}
	for uri := range st.shown {
		if found[uri] == nil {
			found[uri] = []diagnostic{}
		}
	}
	for uri, list := range found {
		st.shown[uri] = len(list) > 0
		s.conn.notify("textDocument/publishDiagnostics", published{uri, list})
	}
}

// working shows that something is being done, and what.
func (s *server) working(token, title string) (say func(string), end func()) {
	if !s.progress {
		return func(string) {}, func() {}
	}
	show := func(v workDone) { s.conn.notify("$/progress", progress{token, v}) }
	s.conn.request("window/workDoneProgress/create", map[string]string{"token": token})
	show(workDone{Kind: "begin", Title: title})
	last := ""
	return func(what string) {
			if what != last {
				last = what
				show(workDone{Kind: "report", Message: what})
			}
		}, func() {
			show(workDone{Kind: "end"})
		}
}

// known gives what is known of the application of a file, or nil.
func (s *server) known(path string) (app string, st *state, result *Result) {
	if app = s.app.Of(path); app == "" {
		return "", nil, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if st = s.states[app]; st == nil {
		return app, nil, nil
	}
	return app, st, st.result
}

// hover says what is known of the transaction at a line, or null.
func (s *server) hover(path string, line int) any {
	_, _, result := s.known(path)
	if result == nil {
		return nil
	}
	if text := result.hover(path, line); text != "" {
		return hover{markup{"markdown", text}}
	}
	return nil
}

// actions gives the repairs of findings that are shown at a place. They are searched for once
// for each result, until the application is saved again. A request that is cancelled only stops
// waiting.
func (s *server) actions(ctx, request context.Context, path string, at []diagnostic) (any, error) {
	var ours []diagnostic
	for _, d := range at {
		if d.Source == "robust" && d.Code != "" && d.Severity == severityError {
			ours = append(ours, d)
		}
	}
	app, st, result := s.known(path)
	if result == nil || len(ours) == 0 {
		return []codeAction{}, nil
	}
	s.mu.Lock()
	if st.repairs == nil {
		done := make(chan struct{})
		searching, cancel := context.WithCancel(ctx)
		st.repairs, st.cancel = done, cancel
		s.jobs.Go(func() {
			defer cancel()
			_, end := s.working("repair-"+app, "robust: looking for repairs")
			defer end()
			list, err := s.app.Repairs(searching, app)
			s.mu.Lock()
			if st.repairs == done {
				st.list, st.failed = list, err
			}
			s.mu.Unlock()
			close(done)
		})
	}
	done := st.repairs
	s.mu.Unlock()
	select {
	case <-done:
	case <-request.Done():
		return nil, request.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if st.repairs != done || st.failed != nil {
		return []codeAction{}, nil
	}
	out := []codeAction{}
	for _, r := range st.list {
		if edit, ok := s.edit(r); ok {
			out = append(out, codeAction{r.Title, "quickfix", ours, len(out) == 0, edit})
		}
	}
	return out, nil
}

// edit is the change of a repair. ok is false where a document was changed since it was
// saved: what is proved is about the files.
func (s *server) edit(r Repair) (e workspaceEdit, ok bool) {
	e.Changes = map[string][]textEdit{}
	for _, c := range r.Files {
		if text, open := s.open[c.Path]; open && text != c.Before {
			return e, false
		}
		e.Changes[uriOf(c.Path)] = []textEdit{replaced(c.Before, c.After)}
	}
	return e, len(e.Changes) > 0
}
