package builtin

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/scalars"
	"github.com/txrobust/robust/internal/sql/value"
)

// outputs gives what the output functions give for arguments; a nil one is NULL.
func outputs(types []*value.Type, a []ir.Value) ([]*string, error) {
	out := make([]*string, len(a))
	for i, v := range a {
		if v.IsNull() {
			continue
		}
		s, known := types[i].Output(v)
		if !known {
			return nil, ir.ErrNotKnown
		}
		out[i] = &s
	}
	return out, nil
}

func init() {
	value.Define(map[string]value.Evaluator{
		"quote_literal(text)":  scalars.Text1(quoteLiteral),
		"quote_ident(text)":    scalars.Text1(quoteIdent),
		"quote_nullable(text)": quoteNullable,
		"format(text)":         func(a []ir.Value) (ir.Value, error) { return format(a[0], nil) },
	})
	ofText := func(f value.Evaluator) value.Family {
		return func(args []*value.Type, _ *value.Type) value.Evaluator {
			return func(a []ir.Value) (ir.Value, error) {
				if a[0].IsNull() {
					return f(a)
				}
				s, known := args[0].AsText(a[0])
				if !known {
					return ir.Null, ir.ErrNotKnown
				}
				return f([]ir.Value{ir.Text(s)})
			}
		}
	}
	value.DefineFamilies(map[string]value.Family{
		"quote_literal(anyelement)":  ofText(scalars.Text1(quoteLiteral)),
		"quote_nullable(anyelement)": ofText(quoteNullable),
		"concat(any)":                concat,
		"concat_ws(text,any)":        concatWS,
		"format(text,any)": func(args []*value.Type, _ *value.Type) value.Evaluator {
			return func(a []ir.Value) (ir.Value, error) {
				texts, err := outputs(args[1:], a[1:])
				if err != nil {
					return ir.Null, err
				}
				return format(a[0], texts)
			}
		},
		"anytextcat(anynonarray,text)": func(args []*value.Type, _ *value.Type) value.Evaluator {
			return func(a []ir.Value) (ir.Value, error) {
				s, known := args[0].AsText(a[0])
				if !known {
					return ir.Null, ir.ErrNotKnown
				}
				return value.NewText(s + a[1].S)
			}
		},
		"textanycat(text,anynonarray)": func(args []*value.Type, _ *value.Type) value.Evaluator {
			return func(a []ir.Value) (ir.Value, error) {
				s, known := args[1].AsText(a[1])
				if !known {
					return ir.Null, ir.ErrNotKnown
				}
				return value.NewText(a[0].S + s)
			}
		},
	})
}

// join joins texts, without those that are NULL.
func join(texts []*string, sep string) (ir.Value, error) {
	var parts []string
	for _, s := range texts {
		if s != nil {
			parts = append(parts, *s)
		}
	}
	return value.NewText(strings.Join(parts, sep))
}

func concat(args []*value.Type, _ *value.Type) value.Evaluator {
	return func(a []ir.Value) (ir.Value, error) {
		texts, err := outputs(args, a)
		if err != nil {
			return ir.Null, err
		}
		return join(texts, "")
	}
}

func concatWS(args []*value.Type, _ *value.Type) value.Evaluator {
	return func(a []ir.Value) (ir.Value, error) {
		if a[0].IsNull() {
			return ir.Null, nil
		}
		texts, err := outputs(args[1:], a[1:])
		if err != nil {
			return ir.Null, err
		}
		return join(texts, a[0].S)
	}
}

// quoteLiteral quotes a text for a statement.
func quoteLiteral(s string) string {
	q := "'" + strings.NewReplacer("'", "''", `\`, `\\`).Replace(s) + "'"
	if strings.Contains(s, `\`) {
		return "E" + q
	}
	return q
}

func quoteNullable(a []ir.Value) (ir.Value, error) {
	if a[0].IsNull() {
		return ir.Text("NULL"), nil
	}
	return ir.Text(quoteLiteral(a[0].S)), nil
}

// keywords are the words that quote_ident quotes (pg_get_keywords, all but the
// unreserved ones).
var keywords = strings.Fields(`all analyse analyze and any array as asc asymmetric authorization between bigint binary bit boolean both case cast char
	character check coalesce collate collation column concurrently constraint create cross current_catalog current_date current_role
	current_schema current_time current_timestamp current_user dec decimal default deferrable desc distinct do else end except exists
	extract false fetch float for foreign freeze from full grant greatest group grouping having ilike in initially inner inout int
	integer intersect interval into is isnull join lateral leading least left like limit localtime localtimestamp national natural
	nchar none normalize not notnull null nullif numeric offset on only or order out outer overlaps overlay placing position precision
	primary real references returning right row select session_user setof similar smallint some substring symmetric table tablesample
	then time timestamp to trailing treat trim true union unique user using values varchar variadic verbose when where window with
	xmlattributes xmlconcat xmlelement xmlexists xmlforest xmlnamespaces xmlparse xmlpi xmlroot xmlserialize xmltable`)

// quoteIdent quotes a name where it needs quotes.
func quoteIdent(s string) string {
	safe := s != "" && (s[0] == '_' || s[0] >= 'a' && s[0] <= 'z')
	for i := range len(s) {
		c := s[i]
		safe = safe && (c == '_' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9')
	}
	if _, keyword := slices.BinarySearch(keywords, s); safe && !keyword {
		return s
	}
	return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
}

// badFormat is the error of a format that is none.
func badFormat(what string) error { return value.Failure("22023", "invalid format: %s", what) }

// specifier is a %…s of format().
type specifier struct {
	argument   int // from 1; 0 for the next one
	minus      bool
	width      int
	widthArg   int // from 1; 0 for the next one, -1 for none
	conversion byte
}

// maxWidth is the largest number in a format.
const maxWidth = 1<<31 - 1

// readSpecifier reads what stands behind a percent sign.
func readSpecifier(s string) (sp specifier, rest string, err error) {
	sp.widthArg = -1
	number := func() (int, bool) {
		i := 0
		for i < len(s) && s[i] >= '0' && s[i] <= '9' {
			i++
		}
		if i == 0 {
			return 0, false
		}
		n, e := strconv.ParseInt(s[:i], 10, 64)
		if e != nil || n > maxWidth {
			err = value.Failure("22003", "number is out of range")
		}
		s = s[i:]
		return int(n), true
	}
	more := func() bool {
		if err == nil && s == "" {
			err = badFormat("it ends within a specifier")
		}
		return err == nil
	}
	if !more() {
		return sp, s, err
	}
	if n, ok := number(); ok {
		if !more() {
			return sp, s, err
		}
		if s[0] != '$' {
			sp.width = n // it was the width
			return sp.finish(s)
		}
		if n == 0 {
			return sp, s, badFormat("argument 0")
		}
		sp.argument, s = n, s[1:]
		if !more() {
			return sp, s, err
		}
	}
	for s[0] == '-' {
		sp.minus, s = true, s[1:]
		if !more() {
			return sp, s, err
		}
	}
	if s[0] == '*' {
		sp.widthArg, s = 0, s[1:]
		if !more() {
			return sp, s, err
		}
		if n, ok := number(); ok {
			switch {
			case err != nil:
			case s == "" || s[0] != '$':
				err = badFormat("the position of the width must end with $")
			case n == 0:
				err = badFormat("argument 0")
			default:
				sp.widthArg, s = n, s[1:]
			}
		}
	} else if n, ok := number(); ok {
		sp.width = n
	}
	if !more() {
		return sp, s, err
	}
	return sp.finish(s)
}

func (sp specifier) finish(s string) (specifier, string, error) {
	sp.conversion = s[0]
	return sp, s[1:], nil
}

// format is the function format. A nil argument is NULL.
func format(pattern ir.Value, args []*string) (ir.Value, error) {
	if pattern.IsNull() {
		return ir.Null, nil
	}
	var b strings.Builder
	s, next := pattern.S, 0
	take := func(n int) (*string, error) {
		if n == 0 {
			n = next + 1
		}
		next = n
		if n > len(args) {
			return nil, value.Failure("22023", "too few arguments for format()")
		}
		return args[n-1], nil
	}
	for s != "" {
		i := strings.IndexByte(s, '%')
		if i < 0 {
			b.WriteString(s)
			break
		}
		b.WriteString(s[:i])
		s = s[i+1:]
		if strings.HasPrefix(s, "%") {
			b.WriteByte('%')
			s = s[1:]
			continue
		}
		sp, rest, err := readSpecifier(s)
		if err == nil && strings.IndexByte("sIL", sp.conversion) < 0 {
			err = badFormat("unrecognized specifier")
		}
		if err != nil {
			return ir.Null, err
		}
		s = rest
		if sp.widthArg >= 0 {
			w, err := take(sp.widthArg)
			if err == nil {
				err = sp.setWidth(w)
			}
			if err != nil {
				return ir.Null, err
			}
		}
		arg, err := take(sp.argument)
		if err == nil {
			err = sp.write(&b, arg)
		}
		if err != nil {
			return ir.Null, err
		}
	}
	return value.NewText(b.String())
}

// setWidth takes the width from an argument; a negative one is for the left side.
func (sp *specifier) setWidth(arg *string) error {
	if arg == nil {
		return nil
	}
	n, err := strconv.ParseInt(*arg, 10, 32)
	if err != nil {
		return ir.ErrNotKnown
	}
	if n < 0 {
		sp.minus, n = true, -n
	}
	sp.width = int(n)
	return nil
}

// write writes an argument.
func (sp specifier) write(b *strings.Builder, arg *string) error {
	s := ""
	switch {
	case arg != nil && sp.conversion == 'I':
		s = quoteIdent(*arg)
	case arg != nil && sp.conversion == 'L':
		s = quoteLiteral(*arg)
	case arg != nil:
		s = *arg
	case sp.conversion == 'I':
		return value.Failure("22004", "null values cannot be formatted as an SQL identifier")
	case sp.conversion == 'L':
		s = "NULL"
	}
	if sp.width > value.MaxSize || b.Len() > value.MaxSize {
		return ir.ErrNotKnown
	}
	padding := strings.Repeat(" ", max(0, sp.width-utf8.RuneCountInString(s)))
	if sp.minus {
		b.WriteString(s + padding)
	} else {
		b.WriteString(padding + s)
	}
	return nil
}
