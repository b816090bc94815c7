package program

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/txrobust/robust/analyzer/internal/comments"
)

// setLevel finds the setting of the default level in a text: the name of a data
// source, or a statement.
var setLevel = regexp.MustCompile(`(?i)(?:default_transaction_isolation\s*(?:=|\bto\b)|session\s+characteristics\s+as\s+transaction\s+isolation\s+level)` +
	`[\s'"\\]*(serializable|(?:read|repeatable)[\s\\+-]+(?:uncommitted|committed|read))`)

// unescape undoes what stands in the address of a data source.
var unescape = strings.NewReplacer("%20", " ", "%5C", `\`, "%5c", `\`, "%3D", "=", "%3d", "=")

// levelSetting is the name by which PostgreSQL knows the default level.
const levelSetting = "default_transaction_isolation"

// SessionLevel is an isolation level that a place sets for whole sessions.
type SessionLevel struct {
	Level string
	At    token.Pos
}

// sessionLevels finds the places that set the level of whole sessions: in the name of a
// data source, in the parameters of a connection, or by a statement.
func sessionLevels(files []*ast.File) (list []SessionLevel) {
	found := func(pos token.Pos, name string) {
		name = strings.ToLower(strings.Join(strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune(" \\+-\t\n", r) }), " "))
		if comments.IsLevel(name) {
			list = append(list, SessionLevel{name, pos})
		}
	}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BasicLit:
				if m := setLevel.FindStringSubmatch(unescape.Replace(literalText(n))); m != nil {
					found(n.Pos(), m[1])
				}
			case *ast.KeyValueExpr: // of a map
				if literalText(n.Key) == levelSetting {
					found(n.Pos(), literalText(n.Value))
				}
			case *ast.AssignStmt:
				for i, l := range n.Lhs {
					if x, ok := l.(*ast.IndexExpr); ok && literalText(x.Index) == levelSetting && len(n.Rhs) == len(n.Lhs) {
						found(n.Pos(), literalText(n.Rhs[i]))
					}
				}
			case *ast.CallExpr: // of url.Values
				if i := slices.IndexFunc(n.Args, func(a ast.Expr) bool { return literalText(a) == levelSetting }); i >= 0 && i+1 < len(n.Args) {
					found(n.Pos(), literalText(n.Args[i+1]))
				}
			}
			return true
		})
	}
	return list
}

// literalText gives the value of a string literal, "" for anything else.
func literalText(e ast.Expr) string {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return ""
	}
	s, err := strconv.Unquote(lit.Value)
	if err != nil {
		return ""
	}
	return s
}
