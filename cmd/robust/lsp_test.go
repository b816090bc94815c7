package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/txrobust/robust/internal/lsp"
)

// client is a scripted editor.
type client struct {
	t    *testing.T
	in   *bufio.Reader
	out  io.WriteCloser
	sent int
	// seen are the methods of the notifications and requests that came.
	seen map[string]int
	end  chan error
}

// startLSP starts a server in the process, and says hello.
func startLSP(t *testing.T) *client {
	t.Helper()
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	c := &client{t: t, in: bufio.NewReader(fromServer), out: toServer, seen: map[string]int{}, end: make(chan error, 1)}
	go func() {
		c.end <- lsp.Serve(t.Context(), fromClient, toClient, &editor{std: streams{io.Discard, io.Discard}}, "test")
		toClient.Close()
	}()
	var hello struct {
		Capabilities struct {
			Hover   bool `json:"hoverProvider"`
			Actions any  `json:"codeActionProvider"`
		}
	}
	c.call("initialize", map[string]any{"capabilities": map[string]any{"window": map[string]any{"workDoneProgress": true}}}, &hello)
	if !hello.Capabilities.Hover || hello.Capabilities.Actions == nil {
		t.Errorf("%+v", hello)
	}
	c.tell("initialized", map[string]any{})
	return c
}

func (c *client) send(m map[string]any) {
	c.t.Helper()
	m["jsonrpc"] = "2.0"
	text, err := json.Marshal(m)
	if err != nil {
		c.t.Fatal(err)
	}
	if _, err := fmt.Fprintf(c.out, "Content-Length: %d\r\n\r\n%s", len(text), text); err != nil {
		c.t.Fatal(err)
	}
}

func (c *client) tell(method string, params any) {
	c.send(map[string]any{"method": method, "params": params})
}

// incoming is a message of the server.
type incoming struct {
	ID, Params, Result json.RawMessage
	Method             string
	Error              *struct{ Code int }
}

// next reads a message.
func (c *client) next() incoming {
	c.t.Helper()
	head, err := c.in.ReadString('\n')
	if err != nil {
		c.t.Fatal(err)
	}
	n, err := strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(head, "Content-Length:")))
	if err != nil {
		c.t.Fatal(err)
	}
	text := make([]byte, n+2)
	if _, err := io.ReadFull(c.in, text); err != nil {
		c.t.Fatal(err)
	}
	var m incoming
	if err := json.Unmarshal(text, &m); err != nil {
		c.t.Fatal(err)
	}
	c.seen[m.Method]++
	return m
}

// call sends a request, and waits for its result. It gives the code of an error.
func (c *client) call(method string, params, result any) int {
	c.t.Helper()
	c.sent++
	c.send(map[string]any{"id": c.sent, "method": method, "params": params})
	for {
		m := c.next()
		switch {
		case m.Method != "" || string(m.ID) != strconv.Itoa(c.sent):
		case m.Error != nil:
			return m.Error.Code
		default:
			if err := json.Unmarshal(m.Result, result); err != nil {
				c.t.Fatal(err)
			}
			return 0
		}
	}
}

// lspDiagnostic is what the tests look at of a diagnostic.
type lspDiagnostic struct {
	Range struct {
		Start, End struct{ Line, Character int }
	} `json:"range"`
	Severity int    `json:"severity"`
	Code     string `json:"code"`
	Source   string `json:"source"`
	Message  string `json:"message"`
	Related  []struct {
		Location struct{ URI string }
		Message  string
	} `json:"relatedInformation"`
}

// lspAction is a repair that is offered.
type lspAction struct {
	Title string
	Edit  struct {
		Changes map[string][]struct {
			Range   struct{ Start, End struct{ Line, Character int } }
			NewText string
		}
	}
}

// apply gives a file with the change of its lines.
func (a *lspAction) apply(t *testing.T, uri, text string) string {
	t.Helper()
	if len(a.Edit.Changes[uri]) != 1 {
		t.Fatalf("%+v", a)
	}
	e := a.Edit.Changes[uri][0]
	lines := strings.SplitAfter(text, "\n")
	return strings.Join(lines[:e.Range.Start.Line], "") + e.NewText + strings.Join(lines[e.Range.End.Line:], "")
}

// diagnostics waits for those of a file.
func (c *client) diagnostics(uri string) []lspDiagnostic {
	c.t.Helper()
	for {
		var p struct {
			URI         string
			Diagnostics []lspDiagnostic
		}
		if m := c.next(); m.Method == "textDocument/publishDiagnostics" {
			if err := json.Unmarshal(m.Params, &p); err != nil {
				c.t.Fatal(err)
			}
			if p.URI == uri {
				return p.Diagnostics
			}
		}
	}
}

// quit ends the server.
func (c *client) quit() {
	c.t.Helper()
	c.call("shutdown", nil, new(any))
	c.tell("exit", nil)
	if err := <-c.end; err != nil {
		c.t.Error(err)
	}
}

func about(uri string, more map[string]any) map[string]any {
	out := map[string]any{"textDocument": map[string]any{"uri": uri}}
	for k, v := range more {
		out[k] = v
	}
	return out
}

const oncallSQL = `CREATE TABLE doctor (name text PRIMARY KEY, shift int NOT NULL, on_call bool NOT NULL);
CREATE PROCEDURE leave(who text, which int) LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT count(*) FROM doctor WHERE shift = which AND on_call) >= 2 THEN
    UPDATE doctor SET on_call = false WHERE name = who AND shift = which;
  END IF;
END $$;
`

func fileURI(path string) string { return (&url.URL{Scheme: "file", Path: path}).String() }

// TestLSPForSQL: a finding is shown at its statement with related places, the transaction is
// described, a proved repair is offered, and with it the finding goes.
func TestLSPForSQL(t *testing.T) {
	path := filepath.Join(t.TempDir(), "oncall.sql")
	save := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	save(oncallSQL)
	uri := fileURI(path)
	c := startLSP(t)
	c.tell("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": uri, "text": oncallSQL}})
	list := c.diagnostics(uri)
	if len(list) != 1 || list[0].Code != "RB1002" || list[0].Severity != 1 || list[0].Range.Start.Line != 3 || len(list[0].Related) < 2 || list[0].Related[0].Location.URI != uri {
		t.Fatalf("%+v", list)
	}
	if c.seen["$/progress"] == 0 || c.seen["window/workDoneProgress/create"] == 0 {
		t.Errorf("progress was not shown: %v", c.seen)
	}
	var h struct{ Contents struct{ Value string } }
	c.call("textDocument/hover", about(uri, map[string]any{"position": map[string]int{"line": 4, "character": 5}}), &h)
	if !strings.HasPrefix(h.Contents.Value, "**leave**: in findings") || !strings.Contains(h.Contents.Value, "RB1002") {
		t.Errorf("hover: %q", h.Contents.Value)
	}
	var none any = "something"
	c.call("textDocument/hover", about(uri, map[string]any{"position": map[string]int{"line": 0, "character": 0}}), &none)
	if none != nil {
		t.Errorf("hover above all transactions: %v", none)
	}
	var actions []lspAction
	ask := about(uri, map[string]any{"range": list[0].Range, "context": map[string]any{"diagnostics": list}})
	c.call("textDocument/codeAction", ask, &actions)
	if len(actions) == 0 {
		t.Fatal("no repair is offered")
	}
	repaired := actions[0].apply(t, uri, oncallSQL)

	// What is proved is about the files: a document that was changed gets no repair.
	c.tell("textDocument/didChange", about(uri, map[string]any{"contentChanges": []map[string]string{{"text": "-- " + oncallSQL}}}))
	c.call("textDocument/codeAction", ask, &actions)
	if len(actions) != 0 {
		t.Errorf("repairs of a changed document: %+v", actions)
	}
	save(repaired)
	c.tell("textDocument/didSave", about(uri, nil))
	if list := c.diagnostics(uri); len(list) != 0 {
		t.Errorf("with %q: %+v", repaired, list)
	}
	save("SELCT;\n")
	c.tell("textDocument/didSave", about(uri, nil))
	if list := c.diagnostics(uri); len(list) != 1 || list[0].Range.Start.Line != 0 || !strings.Contains(list[0].Message, "syntax error") {
		t.Errorf("a faulty file: %+v", list)
	}
	if code := c.call("workspace/nothing", map[string]any{}, new(any)); code != -32601 {
		t.Errorf("an unknown method has the code %d", code)
	}
	c.quit()
}

// TestLSPForGo: the application of a Go file is its module, and a repair changes its texts.
func TestLSPForGo(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":     "module example.org/ward\n\ngo 1.24\n",
		"schema.sql": "CREATE TABLE doctor (id int PRIMARY KEY, on_call bool NOT NULL);\n",
		"ward.go": `package ward

import (
	"context"
	"database/sql"
)

func Leave(ctx context.Context, db *sql.DB, who int) error {
	tx, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var n int
	if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM doctor WHERE on_call").Scan(&n); err != nil {
		return err
	}
	if n >= 2 {
		if _, err := tx.ExecContext(ctx, "UPDATE doctor SET on_call = false WHERE id = $1", who); err != nil {
			return err
		}
	}
	return tx.Commit()
}
`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "ward.go")
	was, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	uri := fileURI(path)
	c := startLSP(t)
	c.tell("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": uri, "text": string(was)}})
	list := c.diagnostics(uri)
	if len(list) != 1 || list[0].Code != "RB1002" || list[0].Range.Start.Line != 14 {
		t.Fatalf("%+v", list)
	}
	var actions []lspAction
	c.call("textDocument/codeAction", about(uri, map[string]any{"range": list[0].Range, "context": map[string]any{"diagnostics": list}}), &actions)
	if len(actions) == 0 {
		t.Fatal("no repair is offered")
	}
	repaired := actions[0].apply(t, uri, string(was))
	if err := os.WriteFile(path, []byte(repaired), 0o644); err != nil {
		t.Fatal(err)
	}
	c.tell("textDocument/didSave", about(uri, nil))
	if list := c.diagnostics(uri); len(list) != 0 || !strings.Contains(repaired, "FOR UPDATE") {
		t.Errorf("with %q: %+v", repaired, list)
	}
	c.quit()
}

// TestLSPLeaves: a client that goes without a word is an error, and ends the server.
func TestLSPLeaves(t *testing.T) {
	c := startLSP(t)
	c.out.Close()
	if err := <-c.end; err == nil {
		t.Error("no error")
	}
}
