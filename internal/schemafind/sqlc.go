package schemafind

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"

	"github.com/txrobust/robust/internal/ir"
)

// config is what matters of a configuration of sqlc, in versions 1 and 2. JSON is
// YAML, too.
type config struct {
	Packages []entry `yaml:"packages"`
	SQL      []entry `yaml:"sql"`
}

// entry is one database.
type entry struct {
	Engine placed    `yaml:"engine"`
	Schema placedAll `yaml:"schema"`
}

// placed is a text with its place in the file; Line is 0 where it is absent.
type placed struct {
	text      string
	line, col int
}

// placedAll is a text, or a list of them.
type placedAll []placed

func (p *placed) UnmarshalYAML(n ast.Node) error {
	switch v := n.(type) {
	case *ast.StringNode:
		*p = at(v, v.Value)
	case *ast.LiteralNode:
		*p = at(v, strings.TrimSpace(v.Value.Value))
	case *ast.AnchorNode:
		return p.UnmarshalYAML(v.Value)
	default:
		return wrongNode(n, "this is to be a text")
	}
	return nil
}

func (p *placedAll) UnmarshalYAML(n ast.Node) error {
	switch v := n.(type) {
	case *ast.AnchorNode:
		return p.UnmarshalYAML(v.Value)
	case *ast.SequenceNode:
		for _, e := range v.Values {
			var one placed
			if err := one.UnmarshalYAML(e); err != nil {
				return err
			}
			*p = append(*p, one)
		}
		return nil
	case *ast.StringNode, *ast.LiteralNode:
		*p = make(placedAll, 1)
		return (*p)[0].UnmarshalYAML(n)
	}
	return wrongNode(n, "this is to be a path, or a list of paths")
}

func at(n ast.Node, text string) placed {
	pos := n.GetToken().Position
	return placed{text, pos.Line, pos.Column}
}

// nodeError is a node of the wrong kind.
type nodeError struct {
	msg       string
	line, col int
}

func (e *nodeError) Error() string { return e.msg }

func wrongNode(n ast.Node, msg string) error {
	p := at(n, "")
	return &nodeError{msg, p.line, p.col}
}

// sqlc reads a configuration of sqlc, and gives a candidate for each engine.
func (m *module) sqlc(path string) ([]Candidate, error) {
	data, err := m.disk.Read(m.ctx, path, maxFound, "name the schema")
	if err != nil {
		return nil, err
	}
	var c config
	if err := yaml.Unmarshal(data, &c); err != nil {
		return nil, yamlError(path, err)
	}
	byEngine := map[Dialect]*Candidate{}
	for _, e := range slices.Concat(c.Packages, c.SQL) {
		d := Postgres // the default of version 1
		if e.Engine.line > 0 {
			known := false
			if d, known = names[strings.ToLower(e.Engine.text)]; !known {
				return nil, ir.Errorf(ir.Pos{File: path, Line: e.Engine.line, Col: e.Engine.col},
					"the engine %q is not known; it is postgresql, mysql or sqlite", e.Engine.text)
			}
		}
		if byEngine[d] == nil {
			byEngine[d] = &Candidate{Kind: Sqlc, Path: path, Dialect: d}
		}
		if err := m.sqlcSchema(path, e.Schema, byEngine[d]); err != nil {
			return nil, err
		}
	}
	var out []Candidate
	for _, d := range sortedKeys(byEngine) {
		c := byEngine[d]
		if len(c.Files) == 0 {
			continue
		}
		c.Embedded = slices.ContainsFunc(c.Files, func(f File) bool { return m.embedded[f.Name] })
		out = append(out, *c)
	}
	return out, nil
}

// sqlcSchema adds the files that the entry of a configuration names.
func (m *module) sqlcSchema(config string, paths placedAll, c *Candidate) error {
	for _, p := range paths {
		pos := ir.Pos{File: config, Line: p.line, Col: p.col}
		pattern := filepath.FromSlash(p.text)
		if !filepath.IsAbs(pattern) {
			pattern = filepath.Join(filepath.Dir(config), pattern)
		}
		found := []string{pattern}
		if strings.ContainsAny(p.text, "*?[") {
			var err error
			if found, err = filepath.Glob(pattern); err != nil {
				return ir.Errorf(pos, "%s is no pattern of paths", p.text)
			}
		}
		if len(found) == 0 {
			return ir.Errorf(pos, "there is no file %s; name the schema relative to this file", p.text)
		}
		for _, path := range found {
			files, err := m.sqlFiles(path)
			switch {
			case errors.Is(err, os.ErrNotExist):
				return ir.Errorf(pos, "there is no file or directory %s; name the schema relative to this file", p.text)
			case err != nil:
				return ir.Errorf(pos, "%v", err)
			}
			all, _ := m.directory(filepath.Clean(path), group{files: files})
			for _, f := range all.Files {
				if !slices.ContainsFunc(c.Files, func(g File) bool { return g.Name == f.Name }) {
					c.Files = append(c.Files, f)
				}
			}
		}
	}
	return nil
}

// yamlError puts the place of an error before it.
func yamlError(path string, err error) error {
	pos, msg := ir.Pos{File: path, Line: 1, Col: 1}, err.Error()
	if e, ok := errors.AsType[*nodeError](err); ok {
		pos.Line, pos.Col, msg = e.line, e.col, e.msg
	} else if e, ok := errors.AsType[yaml.Error](err); ok {
		msg = e.GetMessage()
		if t := e.GetToken(); t != nil {
			pos.Line, pos.Col = cmp.Or(t.Position.Line, 1), cmp.Or(t.Position.Column, 1)
		}
	}
	return ir.Errorf(pos, "this configuration of sqlc cannot be read: %s; mend it, or name the schema", strings.Join(strings.Fields(msg), " "))
}
