package sqltext

import (
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/analyzer/internal/hole"
	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/session"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// Fragment is a part of the text of a statement. It has paramMark for each value
// in args, in order, and the other marks for names that are not known yet.
type Fragment struct {
	Text string
	Args []memory.Scalar
}

const (
	ParamMark = "\x01"
	// PrefixMark stands for the name of the table and a dot, keyMark for the column
	// that is the primary key.
	PrefixMark = "\x02"
	KeyMark    = "\x03"
)

// Frag makes a fragment of a text, with the values for its marks.
func Frag(text string, args ...memory.Scalar) Fragment { return Fragment{text, args} }

// Equal reports whether two fragments are the same.
func (f Fragment) Equal(g Fragment) bool {
	return f.Text == g.Text && slices.EqualFunc(f.Args, g.Args, func(a, b memory.Scalar) bool { return memory.Same(a, b) })
}

// Plus appends to a fragment.
func (f Fragment) Plus(list ...Fragment) Fragment {
	out := Fragment{f.Text, append([]memory.Scalar(nil), f.Args...)}
	for _, g := range list {
		out.Text += g.Text
		out.Args = append(out.Args, g.Args...)
	}
	return out
}

// Join puts fragments together.
func Join(list []Fragment, sep string) Fragment {
	var out Fragment
	for i, f := range list {
		if i > 0 {
			out.Text += sep
		}
		out = out.Plus(f)
	}
	return out
}

// Numbered gives the text with $1, $2 and so on for its values.
func (f Fragment) Numbered() (text string, args []memory.Value) {
	var out strings.Builder
	n := 0
	for i := range len(f.Text) {
		if f.Text[i] != ParamMark[0] {
			out.WriteByte(f.Text[i])
			continue
		}
		n++
		out.WriteString("$" + strconv.Itoa(n))
	}
	return hole.Join(out.String()), f.Values()
}

// TextAndArgs gives a text and its values as the first results of a call of type t.
func TextAndArgs(in *session.Session, t types.Type, f Fragment) memory.Value {
	text, args := f.Numbered()
	out := in.Quiet(t).(memory.Tuple)
	out[0], out[1] = memory.Of(client.C(ir.Text(text)), client.Text), &memory.List{Elems: args}
	return out
}

// Named puts names in the places of their marks.
func (f Fragment) Named(prefix, key string) Fragment {
	f.Text = strings.ReplaceAll(strings.ReplaceAll(f.Text, PrefixMark, prefix), KeyMark, key)
	return f
}

// Holed reports whether a part of the text is not known.
func (f Fragment) Holed() bool { return strings.Contains(f.Text, client.Hole) }

// Raw is a part of a statement as a value of the program, such as gorm.Expr
// makes.
type Raw struct{ F Fragment }

func (r *Raw) Live() bool               { return false }
func (r *Raw) Sends() bool              { return false }
func (r *Raw) Same(o memory.Value) bool { return o == memory.Value(r) }

func (r *Raw) Depends() ([]memory.Value, bool) { return r.F.Values(), true }

// Values are those of a fragment.
func (f Fragment) Values() []memory.Value {
	var out []memory.Value
	for _, a := range f.Args {
		out = append(out, a)
	}
	return out
}

// Writer makes statements of their parts for a library. special, if not nil, gives the
// text of values that only the library knows; before is what stands before it.
type Writer struct {
	*session.Session
	Special func(v memory.Value, before string) (f Fragment, ok bool)
}

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

// Param gives the text for a value; before is what stands before it. whole says
// that the text takes the place of IN, too.
func (in *Writer) Param(v memory.Value, before string) (f Fragment, whole bool) {
	b, boxed := v.(memory.Box)
	if in.Special != nil {
		if g, ok := in.Special(v, before); ok {
			return g, false
		}
	}
	switch x := memory.Unbox(v).(type) {
	case *Raw:
		return x.F, false
	case *memory.Dict:
		return Frag(client.Hole), false
	}
	if boxed && gotypes.IsList(b.T) {
		if list, ok := in.ListOf(v); ok {
			return in.Listed(list, before), false
		}
		isIn, not := inBefore(before)
		s := in.ScalarOf(v)
		switch {
		case isIn && not:
			// NOT IN of an empty list is written as NOT IN (NULL), which holds for no row.
			some := in.NewVar("some", client.Bool, false, memory.Unknown)
			return Frag("<> ALL("+ParamMark+") AND "+ParamMark, s, memory.Of(client.V(some), client.Bool)), true
		case isIn:
			return Frag("= ANY("+ParamMark+")", s), true
		}
		return Frag(client.Hole), false
	}
	return Frag(ParamMark, in.ScalarOf(v)), false
}

// Listed gives the texts for the elements of a list.
func (in *Writer) Listed(list []memory.Value, before string) Fragment {
	if len(list) == 0 {
		if strings.HasSuffix(strings.TrimRight(before, " \n\t"), "(") {
			return Frag("NULL")
		}
		return Frag("(NULL)")
	}
	var parts []Fragment
	for _, v := range list {
		g, _ := in.Param(v, "")
		parts = append(parts, g)
	}
	out := Join(parts, ", ")
	if !strings.HasSuffix(strings.TrimRight(before, " \n\t"), "(") {
		out = Frag("(").Plus(out, Frag(")"))
	}
	return out
}

// Filled gives the text of a condition or statement with ? and @name for values.
func (in *Writer) Filled(text string, args []memory.Value) Fragment {
	byName := map[string]memory.Value{}
	if strings.Contains(text, "@") {
		byName = in.valuesByName(args)
	}
	k := 0
	return in.Fill(text, func(i int) (v memory.Value, n int) {
		switch {
		case text[i] == '@':
			j := i + 1
			for j < len(text) && !strings.ContainsRune(" ,)\"'`\r\n;", rune(text[j])) {
				j++
			}
			return byName[text[i+1:j]], j - i
		case text[i] == '?' && k < len(args):
			k++
			return args[k-1], 1
		}
		return nil, 0
	})
}

// Fill puts values in places of a text. place tells of the bytes from i on how many of
// them, if any, are a place, and the value there; nil stands for one that stays as it is.
func (in *Writer) Fill(text string, place func(i int) (v memory.Value, n int)) Fragment {
	var out Fragment
	skip := 0 // closing parentheses that belong to what was replaced
	for i := 0; i < len(text); i++ {
		v, n := place(i)
		switch {
		case v != nil:
			g, whole := in.Param(v, out.Text)
			if whole {
				var open bool
				if out.Text, open = cutIn(out.Text); open {
					skip++
				}
			}
			out = out.Plus(g)
			i += n - 1
		case n > 0:
			out.Text += text[i : i+n]
			i += n - 1
		case text[i] == ')' && skip > 0:
			skip--
		default:
			out.Text += text[i : i+1]
		}
	}
	return out
}

// valuesByName gives the values for names among arguments: entries of maps, fields
// of structs, and those of sql.Named.
func (in *Writer) valuesByName(args []memory.Value) map[string]memory.Value {
	out := map[string]memory.Value{}
	for _, a := range args {
		if list, ok := in.EntriesOf(a); ok {
			for _, e := range list {
				out[e.Key] = e.V
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
	v    memory.Value
}

// nameArgs gives the values in a sql.NamedArg or in the fields of a struct.
func (in *Writer) nameArgs(v memory.Value) []nameArg {
	b, ok := v.(memory.Box)
	if !ok {
		return nil
	}
	a, ok := in.StructOf(v)
	if !ok {
		return nil
	}
	if gotypes.TypeName(b.T) == "database/sql.NamedArg" {
		name, _ := memory.ConstText(memory.Field(a, "Name"))
		return []nameArg{{name, memory.Field(a, "Value")}}
	}
	ts, names := in.P.Know.Layout.Parts(a.T)
	var out []nameArg
	for i, n := range names {
		out = append(out, nameArg{n, memory.Box{V: a.Parts[i], T: ts[i]}})
	}
	return out
}

// IsIdentifier reports whether a text is a name without quotes.
func IsIdentifier(s string) bool {
	for i, r := range s {
		if r != '_' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return s != ""
}

// ParamOf gives the text for a value.
func (in *Writer) ParamOf(v memory.Value) Fragment {
	f, _ := in.Param(v, "")
	return f
}
