package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
)

// faultVariable is the environment variable that names the fault to run with.
const faultVariable = "ROBUST_FAULT"

// chooser is the source, for each package with faults, of what chooses one.
const chooser = `package %s

import faultos "os"

var faultName = faultos.Getenv(%q)

func faultPick[T any](name string, faulty, sound T) T {
	if faultName == name {
		return faulty
	}
	return sound
}
`

// edit replaces the bytes from start to end.
type edit struct {
	start, end int
	text       string
}

// apply makes edits of different places.
func apply(src string, edits []edit) string {
	slices.SortStableFunc(edits, func(a, b edit) int { return a.start - b.start })
	var out strings.Builder
	at := 0
	for _, e := range edits {
		out.WriteString(src[at:e.start])
		out.WriteString(e.text)
		at = e.end
	}
	out.WriteString(src[at:])
	return out.String()
}

// rewrite puts faults into the source of the file that they all name. It gives
// the name of the package, too.
func rewrite(src string, all []Fault) (out, pkg string, err error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, all[0].File, src, parser.ParseComments)
	if err != nil {
		return "", "", err
	}
	offset := func(p token.Pos) int { return set.PositionFor(p, false).Offset }
	var edits []edit
	for i := range all {
		f := &all[i]
		if n := strings.Count(src, f.Old); n != 1 {
			return "", "", fmt.Errorf("%s: the old text of fault %q must occur once, but occurs %d times", f.File, f.Name, n)
		}
		start := strings.Index(src, f.Old)
		e, ok := place(file, offset, src, f, edit{start, start + len(f.Old), f.New})
		if !ok {
			return "", "", fmt.Errorf("%s: the old text of fault %q must be in the body of a function or the value of a variable: choose another place", f.File, f.Name)
		}
		edits = append(edits, e...)
	}
	return apply(src, edits), file.Name.Name, nil
}

// place makes the edits of the whole file that choose between the source with a
// fault and the one without.
func place(file *ast.File, offset func(token.Pos) int, src string, f *Fault, fault edit) ([]edit, bool) {
	within := func(n ast.Node) bool { return offset(n.Pos()) <= fault.start && fault.end <= offset(n.End()) }
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Body != nil && offset(d.Body.Lbrace) < fault.start && fault.end <= offset(d.Body.Rbrace) {
				return inBody(d, offset, src, f, fault), true
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				v, ok := s.(*ast.ValueSpec)
				if !ok || d.Tok != token.VAR {
					continue
				}
				for _, x := range v.Values {
					if within(x) {
						start, end := offset(x.Pos()), offset(x.End())
						faulty := src[start:fault.start] + fault.text + src[fault.end:end]
						return []edit{
							{start, start, fmt.Sprintf("faultPick(%q, /*line %s:1:1*/%s,%s", f.Name, f.Name, faulty, back(src, f.File, start))},
							{end, end, ")"},
						}, true
					}
				}
			}
		}
	}
	return nil, false
}

// inBody puts the faulty body in front of the sound one. Labels belong to the
// whole function, so that those of the faulty body get other names.
func inBody(d *ast.FuncDecl, offset func(token.Pos) int, src string, f *Fault, fault edit) []edit {
	start, end := offset(d.Body.Lbrace)+1, offset(d.Body.Rbrace)
	edits := []edit{fault}
	ast.Inspect(d.Body, func(n ast.Node) bool {
		var label *ast.Ident
		switch n := n.(type) {
		case *ast.LabeledStmt:
			label = n.Label
		case *ast.BranchStmt:
			label = n.Label
		}
		if label != nil && (offset(label.End()) <= fault.start || fault.end <= offset(label.Pos())) {
			edits = append(edits, edit{offset(label.End()), offset(label.End()), "Faulty"})
		}
		return true
	})
	for i := range edits {
		edits[i].start -= start
		edits[i].end -= start
	}
	faulty := apply(src[start:end], edits)
	if d.Type.Results == nil {
		faulty += "\nreturn\n"
	}
	return []edit{{start, start, fmt.Sprintf("if faultName == %q {/*line %s:1:1*/%s};%s", f.Name, f.Name, faulty, back(src, f.File, start))}}
}

// back is the comment that makes the compiler count the lines of a file again,
// from the place that stands at an offset of its source.
func back(src, file string, at int) string {
	line := 1 + strings.Count(src[:at], "\n")
	column := at - strings.LastIndex(src[:at], "\n")
	return fmt.Sprintf("/*line %s:%d:%d*/", filepath.Base(file), line, column)
}
