package scalars

import (
	"strings"
	"unicode/utf8"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/value"
)

// RegexOperator is ~ or one of its variants.
func RegexOperator(not, folded bool) value.Evaluator {
	return func(a []ir.Value) (ir.Value, error) {
		e := expressionOf(a[1].S, folded)
		if !e.tells(a[0].S, false, false) {
			return ir.Null, ir.ErrNotKnown
		}
		return ir.Bool(e.re.MatchString(a[0].S) != not), nil
	}
}

// options are the flags of the functions of regular expressions.
type options struct{ global, folded bool }

// optionsOf reads flags; false if some flag is not known.
func optionsOf(flags string) (o options, known bool) {
	for _, c := range flags {
		switch c {
		case 'g':
			o.global = true
		case 'i':
			o.folded = true
		case 'c':
			o.folded = false
		case 's', 't':
		default:
			return o, false
		}
	}
	return o, true
}

func init() {
	for _, t := range []string{"text", "name"} {
		value.Define(map[string]value.Evaluator{
			t + "regexeq(" + t + ",text)":   RegexOperator(false, false),
			t + "regexne(" + t + ",text)":   RegexOperator(true, false),
			t + "icregexeq(" + t + ",text)": RegexOperator(false, true),
			t + "icregexne(" + t + ",text)": RegexOperator(true, true),
		})
	}
	value.DefineFamilies(map[string]value.Family{
		"bpcharregexeq(bpchar,text)":   padded(RegexOperator(false, false)),
		"bpcharregexne(bpchar,text)":   padded(RegexOperator(true, false)),
		"bpcharicregexeq(bpchar,text)": padded(RegexOperator(false, true)),
		"bpcharicregexne(bpchar,text)": padded(RegexOperator(true, true)),
	})
	match, split := regexMatch, regexSplit
	value.Define(map[string]value.Evaluator{
		"regexp_like(text,text)":                           regexLike,
		"regexp_like(text,text,text)":                      regexLike,
		"regexp_match(text,text)":                          match,
		"regexp_match(text,text,text)":                     match,
		"substring(text,text)":                             regexSubstring,
		"regexp_replace(text,text,text)":                   regexReplace,
		"regexp_replace(text,text,text,text)":              regexReplace,
		"regexp_split_to_array(text,text)":                 split,
		"regexp_split_to_array(text,text,text)":            split,
		"regexp_count(text,text)":                          regexCount,
		"regexp_count(text,text,int4)":                     regexCount,
		"regexp_count(text,text,int4,text)":                regexCount,
		"regexp_substr(text,text)":                         regexSubstr,
		"regexp_substr(text,text,int4)":                    regexSubstr,
		"regexp_substr(text,text,int4,int4)":               regexSubstr,
		"regexp_substr(text,text,int4,int4,text)":          regexSubstr,
		"regexp_substr(text,text,int4,int4,text,int4)":     regexSubstr,
		"regexp_instr(text,text)":                          regexInstr,
		"regexp_instr(text,text,int4)":                     regexInstr,
		"regexp_instr(text,text,int4,int4)":                regexInstr,
		"regexp_instr(text,text,int4,int4,int4)":           regexInstr,
		"regexp_instr(text,text,int4,int4,int4,text)":      regexInstr,
		"regexp_instr(text,text,int4,int4,int4,text,int4)": regexInstr,
	})
}

// flagged gives the expression and options of a call whose flags are argument i.
func flagged(a []ir.Value, i int) (*expression, options, bool) {
	var o options
	if i < len(a) {
		var known bool
		if o, known = optionsOf(a[i].S); !known {
			return nil, o, false
		}
	}
	e := expressionOf(a[1].S, o.folded)
	return e, o, e != nil
}

func regexLike(a []ir.Value) (ir.Value, error) {
	e, o, known := flagged(a, 2)
	switch {
	case !known || !e.tells(a[0].S, false, false):
		return ir.Null, ir.ErrNotKnown
	case o.global:
		return ir.Null, value.Failure("22023", "regexp_like() does not support the \"global\" option")
	}
	return ir.Bool(e.re.MatchString(a[0].S)), nil
}

// regexMatch gives the parts that the groups match, or the whole match if there are
// no groups.
func regexMatch(a []ir.Value) (ir.Value, error) {
	e, o, known := flagged(a, 2)
	switch {
	case !known || !e.tells(a[0].S, true, true):
		return ir.Null, ir.ErrNotKnown
	case o.global:
		return ir.Null, value.Failure("22023", "regexp_match() does not support the \"global\" option")
	}
	m := e.find(a[0].S, 0)
	if m == nil {
		return ir.Null, nil
	}
	if e.groups > 0 {
		m = m[2:]
	}
	var parts []ir.Value
	for i := 0; i < len(m); i += 2 {
		if m[i] < 0 {
			return ir.Null, ir.ErrNotKnown // an array with NULL
		}
		parts = append(parts, ir.Text(a[0].S[m[i]:m[i+1]]))
	}
	return ir.Array(parts), nil
}

// regexSubstring gives the part that the first group matches, or the whole match.
func regexSubstring(a []ir.Value) (ir.Value, error) {
	e := expressionOf(a[1].S, false)
	if !e.tells(a[0].S, true, true) {
		return ir.Null, ir.ErrNotKnown
	}
	m := e.find(a[0].S, 0)
	if m != nil && e.groups > 0 {
		m = m[2:]
	}
	if m == nil || m[0] < 0 {
		return ir.Null, nil
	}
	return ir.Text(a[0].S[m[0]:m[1]]), nil
}

func regexReplace(a []ir.Value) (ir.Value, error) {
	e, o, known := flagged(a, 3)
	s, by := a[0].S, a[2].S
	if !known || !e.tells(s, true, strings.ContainsAny(by, `\`)) || e.word && o.global {
		return ir.Null, ir.ErrNotKnown
	}
	var b strings.Builder
	done := 0
	e.each(s, func(m []int) bool {
		b.WriteString(s[done:m[0]])
		expandReplacement(&b, s, by, m)
		done = m[1]
		return o.global && b.Len() <= value.MaxSize
	})
	b.WriteString(s[done:])
	return value.NewText(b.String())
}

// expandReplacement writes a replacement, in which \1 to \9 stand for what groups
// match and \& for the whole match.
func expandReplacement(b *strings.Builder, s, by string, m []int) {
	for i := 0; i < len(by); i++ {
		if by[i] != '\\' || i+1 == len(by) {
			b.WriteByte(by[i])
			continue
		}
		i++
		group := -1
		switch c := by[i]; {
		case c >= '1' && c <= '9':
			group = int(c - '0')
		case c == '&':
			group = 0
		case c == '\\':
			b.WriteByte('\\')
			continue
		default:
			b.WriteByte('\\')
			i--
			continue
		}
		if 2*group < len(m) && m[2*group] >= 0 {
			b.WriteString(s[m[2*group]:m[2*group+1]])
		}
	}
}

// regexSplit splits at the matches. An empty match at the beginning, at the end or
// right behind another match does not split.
func regexSplit(a []ir.Value) (ir.Value, error) {
	e, o, known := flagged(a, 2)
	s := a[0].S
	switch {
	case !known || !e.tells(s, true, false) || e.word:
		return ir.Null, ir.ErrNotKnown
	case o.global:
		return ir.Null, value.Failure("22023", "regexp_split_to_array() does not support the \"global\" option")
	}
	parts := []ir.Value{}
	done := 0
	e.each(s, func(m []int) bool {
		if m[0] < len(s) && m[1] > done {
			parts = append(parts, ir.Text(s[done:m[0]]))
			done = m[1]
		}
		return true
	})
	return ir.Array(append(parts, ir.Text(s[done:]))), nil
}

// search is what the functions with a start and the number of a match look for.
type search struct {
	e     *expression
	s     string
	start int // a byte of the text
	nth   int64
	none  bool // the text is too short
}

// searchOf reads the start, argument i, and the number of a match, the argument behind
// it, of a call; false if it is not known what the server does. matched is that of
// tells.
func searchOf(a []ir.Value, i int, e *expression) (search, bool, error) {
	x := search{e: e, s: a[0].S, nth: 1}
	if i < len(a) {
		n := a[i].I
		if n <= 0 {
			return x, true, value.Failure("22023", "start must be positive")
		}
		if n > int64(utf8.RuneCountInString(x.s))+1 {
			x.none = true
		} else {
			x.start = len(string([]rune(x.s)[:n-1]))
		}
	}
	if i+1 < len(a) {
		if x.nth = a[i+1].I; x.nth <= 0 {
			return x, true, value.Failure("22023", "n must be positive")
		}
	}
	return x, e.tells(x.s, true, true) && !e.word, nil
}

// find gives the n-th match, or nil.
func (x search) find() []int {
	var found []int
	n := int64(0)
	if !x.none {
		x.e.from(x.s, x.start, func(m []int) bool {
			n++
			if n == x.nth {
				found = m
			}
			return n < x.nth
		})
	}
	return found
}

// flagsAt gives the flags of a call; "" where they are left out.
func flagsAt(a []ir.Value, i int) string {
	if i < len(a) {
		return a[i].S
	}
	return ""
}

// expressionWith reads the expression of a call with flags of which g is none.
func expressionWith(a []ir.Value, flags string) *expression {
	o, known := optionsOf(flags)
	if !known || o.global {
		return nil
	}
	return expressionOf(a[1].S, o.folded)
}

// subMatch gives the part of a match that a group matches; 0 is all.
func subMatch(m []int, group int64) (from, to int, ok bool) {
	if m == nil || 2*group >= int64(len(m)) || m[2*group] < 0 {
		return 0, 0, false
	}
	return m[2*group], m[2*group+1], true
}

// regexCount is regexp_count (text, pattern, start, flags).
func regexCount(a []ir.Value) (ir.Value, error) {
	x, known, err := searchOf(a[:min(len(a), 3)], 2, expressionWith(a, flagsAt(a, 3)))
	if err != nil || !known {
		return ir.Null, orNotKnown(err)
	}
	n := int64(0)
	if !x.none {
		x.e.from(x.s, x.start, func([]int) bool { n++; return true })
	}
	return ir.Int(n), nil
}

func orNotKnown(err error) error {
	if err == nil {
		return ir.ErrNotKnown
	}
	return err
}

// groupAt gives the number of a group of a call.
func groupAt(a []ir.Value, i int) (int64, error) {
	if i >= len(a) {
		return 0, nil
	}
	if a[i].I < 0 {
		return 0, value.Failure("22023", "subexpr must not be negative")
	}
	return a[i].I, nil
}

// regexSubstr is regexp_substr (text, pattern, start, n, flags, group).
func regexSubstr(a []ir.Value) (ir.Value, error) {
	x, known, err := searchOf(a[:min(len(a), 4)], 2, expressionWith(a, flagsAt(a, 4)))
	group, wrong := groupAt(a, 5)
	if err != nil || wrong != nil || !known {
		return ir.Null, ir.ErrNotKnown
	}
	from, to, ok := subMatch(x.find(), group)
	if !ok {
		return ir.Null, nil
	}
	return ir.Text(x.s[from:to]), nil
}

// regexInstr is regexp_instr (text, pattern, start, n, end, flags, group).
func regexInstr(a []ir.Value) (ir.Value, error) {
	x, known, err := searchOf(a[:min(len(a), 4)], 2, expressionWith(a, flagsAt(a, 5)))
	group, wrong := groupAt(a, 6)
	if err != nil || wrong != nil || !known {
		return ir.Null, ir.ErrNotKnown
	}
	from, to, ok := subMatch(x.find(), group)
	switch {
	case len(a) > 4 && a[4].I != 0 && a[4].I != 1:
		return ir.Null, value.Failure("22023", "endoption must be 0 or 1")
	case !ok:
		return ir.Int(0), nil
	case len(a) > 4 && a[4].I == 1:
		from = to
	}
	return ir.Int(int64(utf8.RuneCountInString(x.s[:from])) + 1), nil
}
