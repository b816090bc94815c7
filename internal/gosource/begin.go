package gosource

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// Level is an isolation level above READ COMMITTED, as Go's libraries call it.
type Level string

// The levels.
const (
	RepeatableRead Level = "RepeatableRead"
	Serializable   Level = "Serializable"
)

// option is the text of options of a transaction: those of database/sql or of pgx.
type option struct{ pkg, field, level string }

const (
	sqlPath     = "database/sql"
	contextPath = "context"
	gormPath    = "gorm.io/gorm"
)

// Raise gives the edits by which the transactions that begin with the call at a position run at a
// level. It gives false where the call has a form that is not known, such as options in a variable.
func (s *Source) Raise(at Position, level Level) ([]Edit, bool) {
	f := s.File(at.File)
	if f == nil {
		return nil, false
	}
	c := f.call(at)
	if c == nil {
		return nil, false
	}
	for _, a := range c.Args {
		if u, ok := a.(*ast.UnaryExpr); ok && u.Op == token.AND {
			a = u.X
		}
		if lit, ok := a.(*ast.CompositeLit); ok && lastName(lit.Type) == "TxOptions" {
			return f.options(lit, level)
		}
	}
	for _, a := range c.Args {
		if id, ok := a.(*ast.Ident); ok && id.Name == "nil" {
			pkg, edits := f.imported(sqlPath)
			return append(edits, Edit{f.Name, f.offset(id.Pos()), f.offset(id.End()), sqlOptions(pkg, level)}), true
		}
	}
	return s.begin(f, c, level)
}

func sqlOptions(pkg string, level Level) string {
	return "&" + pkg + ".TxOptions{Isolation: " + pkg + ".Level" + string(level) + "}"
}

// options changes the level in options that stand in the call.
func (f *File) options(lit *ast.CompositeLit, level Level) ([]Edit, bool) {
	sel, ok := lit.Type.(*ast.SelectorExpr)
	if !ok {
		return nil, false
	}
	pkg, ok := sel.X.(*ast.Ident)
	if !ok {
		return nil, false
	}
	o := option{pkg.Name, "Isolation", "Level" + string(level)}
	if f.importOf(pkg.Name) != sqlPath {
		o.field, o.level = "IsoLevel", string(level)
	}
	for _, e := range lit.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			return nil, false
		}
		if lastName(kv.Key) == o.field {
			return []Edit{{f.Name, f.offset(kv.Value.Pos()), f.offset(kv.Value.End()), o.pkg + "." + o.level}}, true
		}
	}
	at, text := f.offset(lit.Lbrace)+1, o.field+": "+o.pkg+"."+o.level
	if len(lit.Elts) > 0 {
		text += ", "
	}
	return []Edit{{f.Name, at, at, text}}, true
}

// begin changes a call that has no options.
func (s *Source) begin(f *File, c *ast.CallExpr, level Level) ([]Edit, bool) {
	sel, ok := c.Fun.(*ast.SelectorExpr)
	if !ok {
		return nil, false
	}
	name, open, end := sel.Sel, f.offset(c.Lparen)+1, f.offset(c.Rparen)
	rename := func(to string) Edit { return Edit{f.Name, f.offset(name.Pos()), f.offset(name.End()), to} }
	_, gorm := s.module(f, gormPath)
	switch {
	case gorm && (name.Name == "Transaction" && len(c.Args) == 1 || name.Name == "Begin" && len(c.Args) == 0):
		pkg, edits := f.imported(sqlPath)
		text := sqlOptions(pkg, level)
		if len(c.Args) > 0 {
			end = f.offset(c.Args[0].End())
			text = ", " + text
		}
		return append(edits, Edit{f.Name, end, end, text}), true
	case (name.Name == "Begin" || name.Name == "Beginx") && len(c.Args) == 0:
		pkg, edits := f.imported(sqlPath)
		ctx, more := f.context(c)
		to := map[string]string{"Begin": "BeginTx", "Beginx": "BeginTxx"}[name.Name]
		return append(append(edits, more...), rename(to), Edit{f.Name, open, open, ctx + ", " + sqlOptions(pkg, level)}), true
	case name.Name == "Begin" && len(c.Args) == 1, name.Name == "BeginFunc" && len(c.Args) == 3:
		pgx, ok := s.module(f, "github.com/jackc/pgx/")
		if !ok {
			return nil, false
		}
		pkg, edits := f.imported(pgx)
		to := map[string]string{"Begin": "BeginTx", "BeginFunc": "BeginTxFunc"}[name.Name]
		at := f.offset(c.Args[min(len(c.Args), 2)-1].End()) // the context, or also the database
		return append(edits, rename(to), Edit{f.Name, at, at, ", " + pkg + ".TxOptions{IsoLevel: " + pkg + "." + string(level) + "}"}), true
	}
	return nil, false
}

// context gives the context that the function around a call has, or a new one.
func (f *File) context(c *ast.CallExpr) (string, []Edit) {
	pkg, edits := f.imported(contextPath)
	if _, typ := f.function(c.Pos()); typ != nil {
		for _, p := range typ.Params.List {
			sel, ok := p.Type.(*ast.SelectorExpr)
			if ok && sel.Sel.Name == "Context" && lastName(sel.X) == pkg && len(p.Names) == 1 && p.Names[0].Name != "_" {
				return p.Names[0].Name, nil
			}
		}
	}
	return pkg + ".Background()", edits
}

// module gives the path that a file imports, or else another one of the program does, which begins with a
// prefix: of pgx it is the package itself, of whatever version.
func (s *Source) module(f *File, prefix string) (string, bool) {
	for _, g := range slices.Concat([]*File{f}, s.files) {
		for _, spec := range g.tree.Imports {
			p := importPath(spec)
			if p == prefix {
				return p, true
			}
			if rest, ok := strings.CutPrefix(p, prefix); ok && strings.HasSuffix(prefix, "/") {
				version, _, _ := strings.Cut(rest, "/")
				return prefix + version, true
			}
		}
	}
	return "", false
}

func importPath(spec *ast.ImportSpec) string {
	p, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return "" // the parser would have refused it
	}
	return p
}

// packageName is the name of a package whose path is known, without its version.
func packageName(p string) string {
	parts := strings.Split(p, "/")
	last := parts[len(parts)-1]
	if len(parts) > 1 && len(last) > 1 && last[0] == 'v' && strings.Trim(last[1:], "0123456789") == "" {
		last = parts[len(parts)-2]
	}
	return last
}

// importOf is the path of the import that a file calls by a name.
func (f *File) importOf(name string) string {
	for _, spec := range f.tree.Imports {
		if p := importPath(spec); spec.Name != nil && spec.Name.Name == name || spec.Name == nil && packageName(p) == name {
			return p
		}
	}
	return ""
}

// imported gives the name by which a file calls a package, and what imports it if it does not.
func (f *File) imported(p string) (name string, edits []Edit) {
	for _, spec := range f.tree.Imports {
		if importPath(spec) != p {
			continue
		}
		if spec.Name == nil {
			return packageName(p), nil
		}
		if spec.Name.Name != "_" && spec.Name.Name != "." {
			return spec.Name.Name, nil
		}
	}
	return packageName(p), []Edit{f.addImport(strconv.Quote(p))}
}

// addImport puts an import beside those of its kind: with a domain in the path, or without.
func (f *File) addImport(quoted string) Edit {
	for _, d := range f.tree.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.IMPORT || !g.Lparen.IsValid() {
			continue
		}
		at := f.offset(g.Lparen) + 1
		for _, s := range g.Specs {
			if spec := s.(*ast.ImportSpec); strings.Contains(spec.Path.Value, ".") && strings.Contains(quoted, ".") {
				at = f.offset(spec.End())
			}
		}
		return Edit{f.Name, at, at, "\n\t" + quoted}
	}
	at := f.offset(f.tree.Name.End())
	return Edit{f.Name, at, at, "\n\nimport " + quoted}
}

// Chain puts a call before the last call of a chain at a position, where a file uses a library: .Clauses(…) in
// db.Clauses(…).First(&x). The last call has one of these names, and the text is that of the call, with %s for the name of
// the package that it needs. It gives false for another form.
func (s *Source) Chain(at Position, library string, last []string, text, needs string) ([]Edit, bool) {
	f := s.File(at.File)
	if f == nil {
		return nil, false
	}
	c := f.call(at)
	if c == nil || f.importedBy(library) == nil {
		return nil, false
	}
	sel, ok := c.Fun.(*ast.SelectorExpr)
	if !ok || !slices.Contains(last, sel.Sel.Name) {
		return nil, false
	}
	pkg, edits := f.imported(needs)
	end := f.offset(sel.X.End())
	return append(edits, Edit{f.Name, end, end, strings.ReplaceAll(text, "%s", pkg)}), true
}

// importedBy gives the import of a package, nil if the file has none.
func (f *File) importedBy(p string) *ast.ImportSpec {
	if i := slices.IndexFunc(f.tree.Imports, func(spec *ast.ImportSpec) bool { return importPath(spec) == p }); i >= 0 {
		return f.tree.Imports[i]
	}
	return nil
}
