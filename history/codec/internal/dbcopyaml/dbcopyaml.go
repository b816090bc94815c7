//go:build !js

// Package dbcopyaml reads histories of dbcop in YAML.
package dbcopyaml

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/txrobust/robust/history"
)

// maxText bounds the text, which is parsed as a whole.
const maxText = 1 << 28

// mistake is one in a line.
type mistake struct {
	line int
	text string
}

func (m *mistake) Error() string { return m.text }

// Read adds a history that has the structure of dbcop's JSON: a mapping whose data is a list of
// sessions, or this list alone. An event is {Write: {variable: k, version: v}} or {Read: …},
// with Write and Read as keys or as tags, or [w, k, v] or [r, k, v], or as the first dbcop had
// it {write: bool, variable: k, value: v, success: bool}, where 0 is the initial value. Places
// are in the file of that number. Of a mistake it gives the line.
func Read(b *history.Builder, file int, r io.Reader) (line int, err error) {
	text, err := io.ReadAll(io.LimitReader(r, maxText+1))
	switch {
	case err != nil:
		return 1, err
	case len(text) > maxText:
		return 1, fmt.Errorf("more than %d bytes of YAML", maxText)
	}
	parsed, err := parse(text)
	if err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		return 1, fmt.Errorf("no YAML: %s", first)
	}
	if len(parsed.Docs) != 1 || parsed.Docs[0].Body == nil {
		return 1, fmt.Errorf("%d documents, expected one with \"data\"", len(parsed.Docs))
	}
	y := &yamlHistory{b: b, file: file}
	if err := y.sessions(parsed.Docs[0].Body); err != nil {
		return err.line, err
	}
	return 0, nil
}

// parse parses a text. Where the parser panics, the text is a mistake, too.
func parse(text []byte) (file *ast.File, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	return parser.ParseBytes(text, 0)
}

// yamlHistory adds what is in nodes of YAML.
type yamlHistory struct {
	b    *history.Builder
	file int
}

func errorf(n ast.Node, format string, args ...any) *mistake {
	return &mistake{lineOf(n), fmt.Sprintf(format, args...)}
}

func (y *yamlHistory) sessions(data ast.Node) *mistake {
	if field(data, "data") != nil {
		data = field(data, "data")
	}
	sessions, err := list(data, "an array of sessions")
	if err != nil {
		return err
	}
	for i, txns := range sessions {
		s := y.b.Session(history.Int(int64(i)))
		txns, err := list(txns, "a session: an array of transactions")
		if err != nil {
			return err
		}
		for _, t := range txns {
			if err := y.txn(s, t); err != nil {
				return err
			}
		}
	}
	return nil
}

func lineOf(n ast.Node) int {
	if t := n.GetToken(); t != nil && t.Position != nil {
		return t.Position.Line
	}
	return 1
}

func list(n ast.Node, what string) ([]ast.Node, *mistake) {
	if s, ok := n.(*ast.SequenceNode); ok {
		return s.Values, nil
	}
	return nil, errorf(n, "expected %s", what)
}

// field gives a field of a mapping, nil if there is none.
func field(n ast.Node, name string) ast.Node {
	var fields []*ast.MappingValueNode
	switch m := n.(type) {
	case *ast.MappingNode:
		fields = m.Values
	case *ast.MappingValueNode:
		fields = []*ast.MappingValueNode{m}
	}
	for _, f := range fields {
		if key, ok := f.Key.(ast.ScalarNode); ok && fmt.Sprint(key.GetValue()) == name {
			return f.Value
		}
	}
	return nil
}

func (y *yamlHistory) txn(s history.Session, n ast.Node) *mistake {
	inside, committed := field(n, "events"), field(n, "committed")
	if committed == nil {
		committed = field(n, "success")
	}
	ok, isBool := committed.(*ast.BoolNode)
	if inside == nil || !isBool {
		return errorf(n, "expected a transaction: {events: […], committed: true or false}")
	}
	events, err := list(inside, "an array of events")
	if err != nil {
		return err
	}
	status := history.Committed
	if !ok.Value {
		status = history.Aborted
	}
	place := history.At(y.file, int64(lineOf(n)))
	t, failed := y.b.Txn(s, status), history.InitialTxn
	y.b.SetPlace(t, place)
	for _, e := range events {
		kind, key, value, success, err := event(e)
		if err != nil {
			return err
		}
		if y.b.Resume(t); !success { // as in the binary format
			if failed == history.InitialTxn {
				failed = y.b.Txn(s, history.Aborted)
				y.b.SetPlace(failed, place)
			}
			y.b.Resume(failed)
		}
		y.b.Op(kind, y.b.Key(key), y.b.Value(value))
		if y.b.Err() != nil {
			return errorf(e, "%v", y.b.Err())
		}
	}
	return nil
}

// event takes an event apart.
func event(n ast.Node) (kind history.Kind, key, value history.Name, success bool, err *mistake) {
	what, fields := "", []ast.Node(nil)
	of := func(m ast.Node, version string) []ast.Node {
		return []ast.Node{field(m, "variable"), field(m, version)}
	}
	success = true
	write, isBool := field(n, "write").(*ast.BoolNode)
	switch m := n.(type) {
	case *ast.TagNode:
		what, fields = strings.TrimPrefix(m.Start.Value, "!"), of(m.Value, "version")
	case *ast.SequenceNode:
		if len(m.Values) == 3 {
			if tag, ok := scalar(m.Values[0]); ok {
				what, fields = tag.Text, m.Values[1:]
			}
		}
	default:
		for _, name := range []string{"Write", "Read"} {
			if inner := field(n, name); inner != nil {
				what, fields = name, of(inner, "version")
			}
		}
		if isBool {
			what, fields = map[bool]string{true: "Write", false: "Read"}[write.Value], of(n, "value")
			if done, ok := field(n, "success").(*ast.BoolNode); ok {
				success = done.Value
			}
		}
	}
	kind, known := map[string]history.Kind{"Write": history.Write, "w": history.Write, "Read": history.Read, "r": history.Read}[what]
	if !known || len(fields) != 2 || slices.Contains(fields, nil) {
		return 0, key, value, false, errorf(n, "expected an event: {Write: {variable: …, version: …}} or {Read: …}")
	}
	key, ok := scalar(fields[0])
	value, ok2 := scalar(fields[1])
	if !ok || !ok2 || key.Kind == history.NilName {
		return 0, key, value, false, errorf(n, "expected a variable and a version that are numbers or names")
	}
	if isBool && value == history.Int(0) {
		value = history.Name{}
	}
	return kind, key, value, success, nil
}

// scalar gives a number, a name, or nothing for null.
func scalar(n ast.Node) (history.Name, bool) {
	s, ok := n.(ast.ScalarNode)
	if !ok {
		return history.Name{}, false
	}
	switch v := s.GetValue().(type) {
	case nil:
		return history.Name{}, true
	case int64:
		return history.Int(v), true
	case uint64:
		return history.Int(int64(v)), v < 1<<63
	case string:
		return history.String(v), true
	}
	return history.Name{}, false
}
