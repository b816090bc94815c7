package lsp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/quick"
	"time"

	"github.com/txrobust/robust/report"
)

// slow is an application whose checks and repairs end when they are cancelled, except for
// the checks that it lets pass.
type slow struct {
	started   chan string // what began
	cancelled chan string // what was cancelled
	pass      chan bool   // whether the next check passes
}

func (a *slow) Of(file string) string { return "/app" }

func (a *slow) Check(ctx context.Context, app string, say func(string)) (*Result, error) {
	a.started <- "check"
	if <-a.pass {
		f := report.Finding{Code: "RB1001", Status: report.Confirmed, Cycle: []string{"a", "b"}, Edges: []report.Dependency{{FromPosition: report.Position{File: "a.sql", Line: 1, Col: 1}}}}
		return &Result{Dir: app, Reports: []*report.Report{{Findings: []report.Finding{f}}}, Text: func(string) (string, bool) { return "x\n", true }}, nil
	}
	<-ctx.Done()
	a.cancelled <- "check"
	return nil, ctx.Err()
}

func (a *slow) Repairs(ctx context.Context, app string) ([]Repair, error) {
	a.started <- "repairs"
	<-ctx.Done()
	a.cancelled <- "repairs"
	return nil, ctx.Err()
}

// TestCancellation: a save cancels the check that runs, a request that is cancelled is answered
// while what it waits for goes on, and a save cancels the search for repairs.
func TestCancellation(t *testing.T) {
	app := &slow{make(chan string, 9), make(chan string, 9), make(chan bool, 9)}
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	end := make(chan error, 1)
	go func() { end <- Serve(t.Context(), fromClient, toClient, app, "test") }()
	client := newConn(fromServer, toServer)
	const uri = "file:///app/a.sql"
	about := func(more string) json.RawMessage {
		return json.RawMessage(`{"textDocument":{"uri":"` + uri + `"}` + more + `}`)
	}
	tell := func(method string, params json.RawMessage) {
		if err := client.write(&message{Method: method, Params: params}); err != nil {
			t.Fatal(err)
		}
	}
	// until reads messages up to one that is wanted.
	until := func(want func(*message) bool) *message {
		for {
			m, err := client.read()
			if err != nil {
				t.Fatal(err)
			}
			if want(m) {
				return m
			}
		}
	}
	expect := func(c chan string, want string) {
		t.Helper()
		if got := <-c; got != want {
			t.Fatalf("%s, want %s", got, want)
		}
	}
	tell("textDocument/didOpen", about(""))
	app.pass <- false
	expect(app.started, "check")
	tell("textDocument/didSave", about(""))
	expect(app.cancelled, "check")
	expect(app.started, "check")
	app.pass <- true
	shown := until(func(m *message) bool { return m.Method == "textDocument/publishDiagnostics" })
	if !strings.Contains(string(shown.Params), "RB1001") {
		t.Errorf("%s", shown.Params)
	}
	ask := &message{ID: json.RawMessage("7"), Method: "textDocument/codeAction", Params: about(`,"context":{"diagnostics":[{"source":"robust","code":"RB1001","severity":1}]}`)}
	if err := client.write(ask); err != nil {
		t.Fatal(err)
	}
	expect(app.started, "repairs")
	tell("$/cancelRequest", json.RawMessage(`{"id":7}`))
	answer := until(func(m *message) bool { return string(m.ID) == "7" })
	if answer.Error == nil || answer.Error.Code != requestCancelled {
		t.Errorf("%+v", answer)
	}
	tell("textDocument/didSave", about(""))
	expect(app.cancelled, "repairs")
	app.pass <- false
	toServer.Close()
	if err := <-end; err == nil {
		t.Error("the client left without a word, which is no error")
	}
}

// homeless is an application that no file belongs to.
type homeless struct{ App }

func (homeless) Of(string) string { return "" }

// TestOddMessages: what is no JSON is answered with an error, and a document that is not checked is
// named in the log. The server goes on after both.
func TestOddMessages(t *testing.T) {
	text := func(s string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(s), s) }
	in := text("{no}") + text(`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///lone.go"}}}`) +
		text(`{"jsonrpc":"2.0","id":1,"method":"shutdown"}`) + text(`{"jsonrpc":"2.0","method":"exit"}`)
	var out bytes.Buffer
	if err := Serve(t.Context(), strings.NewReader(in), &out, homeless{}, "test"); err != nil {
		t.Fatal(err)
	}
	answers := newConn(&out, io.Discard)
	for _, want := range []string{`"id":null,"error":{"code":-32700,`, `"method":"window/logMessage","params":{"message":"/lone.go is not checked: `, `"id":1,"result":null`} {
		got, err := answers.next()
		if err != nil || !strings.Contains(string(got), want) {
			t.Errorf("%s, %v; want %s", got, err, want)
		}
	}
}

// TestNewer: a change cancels the check that runs and starts it again when nothing changes for a while, and of
// many files that are saved at once the last one starts one check.
func TestNewer(t *testing.T) {
	app := &slow{make(chan string, 9), make(chan string, 9), make(chan bool, 9)}
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	type wait struct {
		time time.Duration
		over chan time.Time
	}
	waits := make(chan wait, 9)
	s := &server{app: app, version: "test", conn: newConn(fromClient, toClient), after: func(d time.Duration) <-chan time.Time {
		w := wait{d, make(chan time.Time, 1)}
		waits <- w
		return w.over
	}}
	end := make(chan error, 1)
	go func() { end <- serve(t.Context(), s) }()
	client := newConn(fromServer, toServer)
	tell := func(method, more string) {
		if err := client.write(&message{Method: method, Params: json.RawMessage(`{"textDocument":{"uri":"file:///app/a.sql"}` + more + `}`)}); err != nil {
			t.Fatal(err)
		}
	}
	waited := func(want time.Duration) wait {
		t.Helper()
		w := <-waits
		if w.time != want {
			t.Fatalf("a check waits for %v, want %v", w.time, want)
		}
		return w
	}
	shown := func() {
		t.Helper()
		for {
			if m, err := client.read(); err != nil {
				t.Fatal(err)
			} else if m.Method == "textDocument/publishDiagnostics" {
				return
			}
		}
	}
	const change = `,"contentChanges":[{"text":"SELECT"}]`
	tell("textDocument/didOpen", "")
	<-app.started // at once
	app.pass <- false
	tell("textDocument/didChange", change)
	<-app.cancelled
	first := waited(afterChange)
	tell("textDocument/didChange", change)
	second := waited(afterChange)
	first.over <- time.Time{} // nobody waits for it any more
	second.over <- time.Time{}
	app.pass <- true
	<-app.started
	shown()
	tell("textDocument/didChange", change) // no check runs
	for range 3 {
		tell("textDocument/didSave", "")
	}
	for _, w := range []wait{waited(afterSave), waited(afterSave), waited(afterSave)} {
		w.over <- time.Time{}
	}
	app.pass <- true
	<-app.started
	shown()
	toServer.Close()
	if err := <-end; err == nil {
		t.Error("the client left without a word, which is no error")
	}
	if len(app.started)+len(app.cancelled)+len(waits) > 0 {
		t.Errorf("%d more checks began, %d were cancelled, %d wait", len(app.started), len(app.cancelled), len(waits))
	}
}

// TestReplaced: an edit makes one text of the other.
func TestReplaced(t *testing.T) {
	apply := func(text string, e textEdit) string {
		at := func(p place) int {
			lines := strings.SplitAfter(text, "\n")
			return len(strings.Join(lines[:p.Line], "")) + p.Character
		}
		return text[:at(e.Range.Start)] + e.NewText + text[at(e.Range.End):]
	}
	words := func(list []uint8) string {
		var b strings.Builder
		for _, n := range list {
			b.WriteString([]string{"a", "b", "\n", "c\n"}[n%4])
		}
		return b.String()
	}
	same := func(x, y []uint8) bool { return apply(words(x), replaced(words(x), words(y))) == words(y) }
	if err := quick.Check(same, &quick.Config{MaxCount: 2000}); err != nil {
		t.Error(err)
	}
}

// TestRest: places count in UTF-16, and end with the line.
func TestRest(t *testing.T) {
	text := "SELECT 'é𝄞', x;  \n\tSELECT 1;\n"
	for _, c := range []struct {
		file       string
		line, col  int
		start, end place
	}{
		{"a.sql", 1, 13, place{0, 13}, place{0, 16}},
		{"a.go", 1, 17, place{0, 13}, place{0, 16}}, // Go counts bytes
		{"a.sql", 2, 1, place{1, 1}, place{1, 10}},
		{"a.sql", 1, 99, place{0, 16}, place{0, 16}},
		{"a.go", 1, 99, place{0, 16}, place{0, 16}},
		{"a.sql", 9, 1, place{}, place{}},
	} {
		if got := rest(c.file, text, c.line, c.col); got != (span{c.start, c.end}) {
			t.Errorf("%s:%d:%d: %+v", c.file, c.line, c.col, got)
		}
	}
}
