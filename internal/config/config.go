package config

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/txrobust/robust/internal/infile"
	"github.com/txrobust/robust/internal/ir"
)

// Name is that of the file.
const Name = "robust.yaml"

// misspelt is a name that is taken for Name.
const misspelt = "robust.yml"

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// maxFile bounds the bytes of the file.
const maxFile = 1 << 20

// File is a configuration.
type File struct {
	Path    string
	Entries []Entry // in the order of the text
	// bounds are the folder that paths in it must not leave.
	bounds string
}

// Entry is a key with its values.
type Entry struct {
	Key    string
	Pos    ir.Pos
	Values []Value
}

// Value is a scalar. Key is its key if the entry has a mapping: pay: serializable.
type Value struct {
	Key, Text string
	Pos       ir.Pos
}

// Find gives the path of the file in a folder or the nearest one above it, up to the root
// of the repository that the folder is in. Outside of a repository only the folder itself
// is looked into. It is "" where there is none.
func Find(dir string) (string, error) {
	root := repository(dir)
	for at := dir; ; {
		path := filepath.Join(at, Name)
		_, err := os.Lstat(path)
		switch {
		case err == nil:
			return path, nil
		case !errors.Is(err, fs.ErrNotExist):
			return "", err
		}
		if other := filepath.Join(at, misspelt); exists(other) {
			return "", ir.Errorf(ir.Pos{File: other, Line: 1, Col: 1}, "this file is not read; call it %s", Name)
		}
		abs, err := filepath.Abs(at)
		if err != nil {
			return "", err
		}
		if root == "" || abs == root || filepath.Dir(abs) == abs {
			return "", nil
		}
		at = above(at, abs)
	}
}

// above gives the folder above a folder, by a relative path if it has one.
func above(at, abs string) string {
	if filepath.IsAbs(at) {
		return filepath.Dir(abs)
	}
	if base := filepath.Base(at); base == "." || base == ".." {
		return filepath.Join(at, "..")
	}
	return filepath.Dir(at)
}

// repository gives the full path of the root of the repository that a folder is in, or "".
func repository(dir string) string {
	at, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	for {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return at
		}
		up := filepath.Dir(at)
		if up == at {
			return ""
		}
		at = up
	}
}

// Read reads a configuration.
func Read(ctx context.Context, path string) (*File, error) {
	text, err := infile.Read(ctx, path, maxFile, "name flags instead")
	if err != nil {
		return nil, err
	}
	dir := filepath.Dir(path)
	f := &File{Path: path, bounds: cmp.Or(repository(dir), dir)}
	doc, err := parse(text)
	if err != nil {
		return nil, f.yamlError(err)
	}
	if doc == nil {
		return f, nil
	}
	m, ok := doc.(*ast.MappingNode)
	if !ok {
		if one, single := doc.(*ast.MappingValueNode); single {
			m, ok = &ast.MappingNode{Values: []*ast.MappingValueNode{one}}, true
		}
	}
	if !ok {
		return nil, ir.Errorf(f.pos(doc), "a configuration is lines such as engine: postgres; their keys are names of flags")
	}
	for _, v := range m.Values {
		e := Entry{Key: v.Key.String(), Pos: f.pos(v.Key)}
		if e.Values, err = f.values(v.Value); err != nil {
			return nil, err
		}
		f.Entries = append(f.Entries, e)
	}
	return f, nil
}

// parse gives the document of a text, nil if it is empty. Where the parser panics, the text
// is a mistake, too.
func parse(text []byte) (body ast.Node, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = errors.New("it is no YAML")
		}
	}()
	file, err := parser.ParseBytes(text, 0)
	switch {
	case err != nil:
		return nil, err
	case len(file.Docs) > 1:
		return nil, errors.New("it has several documents, and must have one")
	case len(file.Docs) == 0:
		return nil, nil
	}
	if _, empty := file.Docs[0].Body.(*ast.CommentGroupNode); empty {
		return nil, nil
	}
	return file.Docs[0].Body, nil
}

// values gives the scalars of a node: one, a list of them, or a mapping to them.
func (f *File) values(n ast.Node) ([]Value, error) {
	var out []Value
	switch v := n.(type) {
	case *ast.SequenceNode:
		for _, e := range v.Values {
			one, err := f.scalar(e)
			if err != nil {
				return nil, err
			}
			out = append(out, one)
		}
		return out, nil
	case *ast.MappingValueNode:
		return f.values(&ast.MappingNode{Values: []*ast.MappingValueNode{v}})
	case *ast.MappingNode:
		for _, e := range v.Values {
			one, err := f.scalar(e.Value)
			if err != nil {
				return nil, err
			}
			one.Key = e.Key.GetToken().Value
			out = append(out, one)
		}
		return out, nil
	}
	one, err := f.scalar(n)
	return []Value{one}, err
}

// scalar gives a text, number or truth value as it is written.
func (f *File) scalar(n ast.Node) (Value, error) {
	pos := f.pos(n)
	switch v := n.(type) {
	case *ast.LiteralNode:
		return Value{Text: strings.TrimSpace(v.Value.Value), Pos: pos}, nil
	case *ast.StringNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return Value{Text: v.GetToken().Value, Pos: pos}, nil
	}
	return Value{}, ir.Errorf(pos, "here must be a text, a number, true or false")
}

// Inside is an error unless a path that a value names, relative to the folder of the file,
// stays in the repository, or in this folder where there is none. It gives the path.
func (f *File) Inside(v Value) (string, error) {
	path := filepath.FromSlash(v.Text)
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(f.Path), path)
	}
	r, err := infile.NewReader(f.bounds)
	if err != nil {
		return "", ir.Errorf(v.Pos, "%v", err)
	}
	if _, err := infile.Stat(path); err != nil {
		return "", ir.Errorf(v.Pos, "%v; paths are relative to this file", err)
	}
	if err := r.May(path); err != nil {
		return "", ir.Errorf(v.Pos, "%s is outside of the repository; name it with the flag", v.Text)
	}
	return path, nil
}

func (f *File) pos(n ast.Node) ir.Pos {
	p := n.GetToken().Position
	return ir.Pos{File: f.Path, Line: p.Line, Col: p.Column}
}

// yamlError puts the place of an error before it.
func (f *File) yamlError(err error) error {
	pos, msg := ir.Pos{File: f.Path, Line: 1, Col: 1}, err.Error()
	if e, ok := errors.AsType[yaml.Error](err); ok {
		msg = e.GetMessage()
		if t := e.GetToken(); t != nil {
			pos.Line, pos.Col = cmp.Or(t.Position.Line, 1), cmp.Or(t.Position.Column, 1)
		}
	}
	return ir.Errorf(pos, "this is no YAML that can be read: %s", strings.Join(strings.Fields(msg), " "))
}
