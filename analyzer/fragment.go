package analyzer

import (
	"go/types"
	"strconv"
	"strings"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/gormmodel"
	"github.com/txrobust/robust/ir"
)

// fragment is a part of the text of a statement. It has paramMark for each value
// in args, in order, and the other marks for names that are not known yet.
type fragment struct {
	text string
	args []scalar
}

const (
	paramMark = "\x01"
	// prefixMark stands for the name of the table and a dot, keyMark for the column
	// that is the primary key.
	prefixMark = "\x02"
	keyMark    = "\x03"
)

func frag(text string, args ...scalar) fragment { return fragment{text, args} }

// plus appends to a fragment.
func (f fragment) plus(list ...fragment) fragment {
	out := fragment{f.text, append([]scalar(nil), f.args...)}
	for _, g := range list {
		out.text += g.text
		out.args = append(out.args, g.args...)
	}
	return out
}

func joinFragments(list []fragment, sep string) fragment {
	var out fragment
	for i, f := range list {
		if i > 0 {
			out.text += sep
		}
		out = out.plus(f)
	}
	return out
}

// numbered gives the text with $1, $2 and so on for its values.
func (f fragment) numbered() (text string, args []value) {
	var out strings.Builder
	n := 0
	for i := range len(f.text) {
		if f.text[i] != paramMark[0] {
			out.WriteByte(f.text[i])
			continue
		}
		n++
		out.WriteString("$" + strconv.Itoa(n))
	}
	for _, a := range f.args {
		args = append(args, a)
	}
	return joinHoles(out.String()), args
}

// sqlAndArgs gives a text and its values as the first results of a call of type t.
func (in *interp) sqlAndArgs(t types.Type, f fragment) value {
	text, args := f.numbered()
	out := in.quiet(t).(tuple)
	out[0], out[1] = scalar{client.C(ir.Text(text)), client.Text}, &list{elems: args}
	return out
}

// named puts names in the places of their marks.
func (f fragment) named(prefix, key string) fragment {
	f.text = strings.ReplaceAll(strings.ReplaceAll(f.text, prefixMark, prefix), keyMark, key)
	return f
}

// holed reports whether a part of the text is not known.
func (f fragment) holed() bool { return strings.Contains(f.text, client.Hole) }

// rawSQL is a part of a statement as a value of the program, such as gorm.Expr
// makes.
type rawSQL struct{ f fragment }

// cutIn removes IN or NOT IN, and a parenthesis, from the end of a text. open says
// that there was one.
func cutIn(text string) (rest string, open bool) {
	rest = strings.TrimRight(text, " \n\t")
	if strings.HasSuffix(rest, "(") {
		rest, open = strings.TrimRight(strings.TrimSuffix(rest, "("), " \n\t"), true
	}
	for _, w := range []string{"IN", "NOT"} {
		if len(rest) > len(w) && strings.EqualFold(rest[len(rest)-len(w):], w) {
			rest = strings.TrimRight(rest[:len(rest)-len(w)], " \n\t")
		}
	}
	return rest + " ", open
}

// inBefore reports whether a text ends with IN, or NOT IN, and perhaps a
// parenthesis.
func inBefore(text string) (in, not bool) {
	rest := strings.ToUpper(strings.TrimRight(text, " \n\t"))
	rest = strings.TrimRight(strings.TrimSuffix(rest, "("), " \n\t")
	fields := strings.Fields(rest)
	n := len(fields)
	if n == 0 || fields[n-1] != "IN" {
		return false, false
	}
	return true, n > 1 && fields[n-2] == "NOT"
}

// param gives the text for a value; before is what stands before it. whole says
// that the text takes the place of IN, too.
func (in *interp) param(v value, before string) (f fragment, whole bool) {
	b, boxed := v.(box)
	switch x := unbox(v).(type) {
	case *rawSQL:
		return x.f, false
	case *chain:
		g := in.subquery(x)
		if !strings.HasSuffix(strings.TrimRight(before, " \n\t"), "(") {
			g = frag("(").plus(g, frag(")"))
		}
		return g, false
	case *sqlBuilder:
		return frag("(").plus(in.builderText(x), frag(")")), false
	case *dict:
		return frag(client.Hole), false
	case *aggregate:
		if g, ok := in.clauseExpr(x); ok {
			return g, false
		}
	}
	if boxed && isList(b.t) {
		if list, ok := in.listOf(v); ok {
			return in.listed(list, before), false
		}
		isIn, not := inBefore(before)
		s := in.scalarOf(v)
		switch {
		case isIn && not:
			// NOT IN of an empty list is written as NOT IN (NULL), which holds for no row.
			some := in.newVar("some", client.Bool, false, unknown)
			return frag("<> ALL("+paramMark+") AND "+paramMark, s, scalar{client.V(some), client.Bool}), true
		case isIn:
			return frag("= ANY("+paramMark+")", s), true
		}
		return frag(client.Hole), false
	}
	return frag(paramMark, in.scalarOf(v)), false
}

// isList reports whether a value of a type stands for several values in a
// statement.
func isList(t types.Type) bool {
	if storable(t) {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Slice:
		return !isByte(u.Elem())
	case *types.Array:
		return !isByte(u.Elem())
	}
	return false
}

func isByte(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() == types.Uint8
}

// listed gives the texts for the elements of a list.
func (in *interp) listed(list []value, before string) fragment {
	if len(list) == 0 {
		if strings.HasSuffix(strings.TrimRight(before, " \n\t"), "(") {
			return frag("NULL")
		}
		return frag("(NULL)")
	}
	var parts []fragment
	for _, v := range list {
		g, _ := in.param(v, "")
		parts = append(parts, g)
	}
	out := joinFragments(parts, ", ")
	if !strings.HasSuffix(strings.TrimRight(before, " \n\t"), "(") {
		out = frag("(").plus(out, frag(")"))
	}
	return out
}

// filled gives the text of a condition or statement with ? and @name for values.
func (in *interp) filled(text string, args []value) fragment {
	byName := map[string]value{}
	if strings.Contains(text, "@") {
		byName = in.valuesByName(args)
	}
	var out fragment
	k, skip := 0, 0 // skip counts closing parentheses that belong to what was replaced
	put := func(v value) {
		g, whole := in.param(v, out.text)
		if whole {
			var open bool
			if out.text, open = cutIn(out.text); open {
				skip++
			}
		}
		out = out.plus(g)
	}
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '@':
			j := i + 1
			for j < len(text) && !strings.ContainsRune(" ,)\"'`\r\n;", rune(text[j])) {
				j++
			}
			if v, ok := byName[text[i+1:j]]; ok {
				put(v)
			} else {
				out.text += text[i:j]
			}
			i = j - 1
		case c == '?' && k < len(args):
			put(args[k])
			k++
		case c == ')' && skip > 0:
			skip--
		default:
			out.text += string(c)
		}
	}
	return out
}

// valuesByName gives the values for names among arguments: entries of maps, fields
// of structs, and those of sql.Named.
func (in *interp) valuesByName(args []value) map[string]value {
	out := map[string]value{}
	for _, a := range args {
		if list, ok := in.entriesOf(a); ok {
			for _, e := range list {
				out[e.key] = e.v
			}
			continue
		}
		for _, n := range in.nameArgs(a) {
			out[n.name] = n.v
		}
	}
	return out
}

// nameArg is a value with a name.
type nameArg struct {
	name string
	v    value
}

// nameArgs gives the values in a sql.NamedArg or in the fields of a struct.
func (in *interp) nameArgs(v value) []nameArg {
	b, ok := v.(box)
	if !ok {
		return nil
	}
	a, ok := in.structOf(v)
	if !ok {
		return nil
	}
	if typeName(b.t) == "database/sql.NamedArg" {
		name, _ := constText(field(a, "Name"))
		return []nameArg{{name, field(a, "Value")}}
	}
	ts, names := parts(a.t)
	var out []nameArg
	for i, n := range names {
		out = append(out, nameArg{n, box{a.parts[i], ts[i]}})
	}
	return out
}

// clauseExpr gives the text of a clause.Expr or clause.Column of GORM.
func (in *interp) clauseExpr(a *aggregate) (fragment, bool) {
	switch typeName(a.t) {
	case "gorm.io/gorm/clause.Expr":
		text, ok := constText(field(a, "SQL"))
		list, known := in.listOf(field(a, "Vars"))
		if !ok || !known {
			in.emitValue(a)
			return frag(client.Hole), true
		}
		return in.filled(text, list), true
	case "gorm.io/gorm/clause.Column":
		return in.columnRef(field(a, "Table"), field(a, "Name"), field(a, "Raw")), true
	case "gorm.io/gorm/clause.Table":
		if name, ok := constText(field(a, "Name")); ok {
			return frag(gormmodel.QuoteTable(name)), true
		}
		return frag(client.Hole), true
	}
	return fragment{}, false
}

// columnRef gives the text of a clause.Column.
func (in *interp) columnRef(table, name, raw value) fragment {
	n, ok := constText(name)
	if !ok {
		return frag(client.Hole)
	}
	if is, known := constOf(raw); known && is.IsTrue() {
		return frag(n)
	}
	out := columnName(n)
	t, _ := constText(table)
	switch t {
	case "":
		return frag(out)
	case currentTable:
		return frag(prefixMark + out)
	}
	return frag(gormmodel.QuoteTable(t) + "." + out)
}

// The names that GORM's constants clause.CurrentTable, clause.PrimaryKey and
// clause.Associations have.
const (
	currentTable = "~~~ct~~~"
	primaryKey   = "~~~py~~~"
	associations = "~~~as~~~"
)

// columnName gives a name of a column, perhaps with that of a table in front, as
// it stands in a statement.
func columnName(name string) string {
	if name == primaryKey {
		return keyMark
	}
	if strings.ContainsAny(name, "()*\" ,'") {
		return name
	}
	return gormmodel.QuoteTable(name)
}

func constText(v value) (string, bool) {
	if v == nil {
		return "", false
	}
	c, ok := constOf(unbox(v))
	if !ok || c.Kind != ir.KindText {
		return "", false
	}
	return c.S, true
}
