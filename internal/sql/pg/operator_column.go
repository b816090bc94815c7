package pg

import (
	"strings"

	pgquery "github.com/sqlc-dev/oliphant"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// operatorWord is a word that PostgreSQL does not reserve: a column may be called so. The parser
// takes it for the beginning of OPERATOR(schema.+) wherever an expression may stand.
const operatorWord = "operator"

// parseOperatorColumn parses a text in which the word stands as a name. Another name of the same
// length takes its place, so that positions stay, and gives it back in the tree.
func parseOperatorColumn(text string) ([]*RawStmt, bool) {
	toks, err := Scan(text)
	if err != nil {
		return nil, false
	}
	other := unusedName(text, len(operatorWord))
	var out strings.Builder
	done := 0
	for i, t := range toks {
		if t.Kind == Word && t.Text == operatorWord && !(i+1 < len(toks) && toks[i+1].Text == "(") {
			out.WriteString(text[done:t.Start])
			out.WriteString(other)
			done = t.End
		}
	}
	if done == 0 {
		return nil, false
	}
	out.WriteString(text[done:])
	tree, err := pgquery.Parse(out.String())
	if err != nil {
		return nil, false
	}
	rename(tree.ProtoReflect(), other, operatorWord)
	return tree.Stmts, true
}

// unusedName gives an identifier of a length that a text does not have.
func unusedName(text string, length int) string {
	text = lower(text)
	for c := 'a'; ; c++ {
		if name := strings.Repeat(string(c), length); !strings.Contains(text, name) {
			return name
		}
	}
}

// rename puts a name in the place of another one in a tree.
func rename(m protoreflect.Message, from, to string) {
	m.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case fd.Kind() == protoreflect.StringKind && !fd.IsList():
			if v.String() == from {
				m.Set(fd, protoreflect.ValueOfString(to))
			}
		case fd.Message() == nil:
		case fd.IsList():
			for i, l := 0, v.List(); i < l.Len(); i++ {
				rename(l.Get(i).Message(), from, to)
			}
		default:
			rename(v.Message(), from, to)
		}
		return true
	})
}
