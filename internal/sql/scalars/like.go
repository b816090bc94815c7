package scalars

import (
	"strings"
	"unicode/utf8"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/value"
)

// maxSteps bounds the work of matching a text with a pattern.
const maxSteps = 1 << 24

func init() {
	for name, not := range map[string]bool{"like": false, "nlike": true} {
		byteName := map[bool]string{false: "like", true: "notlike"}[not]
		bytesLike := LikeEvaluator(not, func(v ir.Value) []rune { return byteRunes(value.Content(v)) })
		value.Define(map[string]value.Evaluator{
			"text" + name + "(text,text)":    LikeEvaluator(not, TextRunes),
			"name" + name + "(name,text)":    LikeEvaluator(not, TextRunes),
			byteName + "(text,text)":         LikeEvaluator(not, TextRunes),
			byteName + "(name,text)":         LikeEvaluator(not, TextRunes),
			"bytea" + name + "(bytea,bytea)": bytesLike,
			byteName + "(bytea,bytea)":       bytesLike,
		})
		caseless := "ic" + name
		value.Define(map[string]value.Evaluator{
			"text" + caseless + "(text,text)": Ilike(LikeEvaluator(not, TextRunes)),
			"name" + caseless + "(name,text)": Ilike(LikeEvaluator(not, TextRunes)),
		})
		value.DefineFamilies(map[string]value.Family{
			"bpchar" + name + "(bpchar,text)":     padded(LikeEvaluator(not, TextRunes)),
			"bpchar" + caseless + "(bpchar,text)": padded(Ilike(LikeEvaluator(not, TextRunes))),
		})
	}
	value.Define(map[string]value.Evaluator{
		"like_escape(text,text)":   likeEscape,
		"like_escape(bytea,bytea)": likeEscapeBytes,
	})
}

// padded is a function whose first argument has type char(n), and which sees the
// blanks at its end.
func padded(f value.Evaluator) value.Family {
	return func(args []*value.Type, _ *value.Type) value.Evaluator {
		if args[0].Length == 0 {
			return nil
		}
		return func(a []ir.Value) (ir.Value, error) {
			a = append([]ir.Value{ir.Text(args[0].Print(a[0]))}, a[1:]...)
			return f(a)
		}
	}
}

// TextRunes gives the characters of a text.
func TextRunes(v ir.Value) []rune { return []rune(v.S) }

// byteRunes has a rune for each byte.
func byteRunes(b []byte) []rune {
	r := make([]rune, len(b))
	for i, c := range b {
		r[i] = rune(c)
	}
	return r
}

// LikeEvaluator is LIKE or NOT LIKE.
func LikeEvaluator(not bool, runes func(v ir.Value) []rune) value.Evaluator {
	return func(a []ir.Value) (ir.Value, error) {
		matches, err := like(runes(a[0]), runes(a[1]))
		if err != nil {
			return ir.Null, err
		}
		return ir.Bool(matches != not), nil
	}
}

// Ilike is a function of a text and a pattern that ignores the case of letters.
func Ilike(f value.Evaluator) value.Evaluator {
	return func(a []ir.Value) (ir.Value, error) {
		if !Caseless(a[0].S) || !Caseless(a[1].S) {
			return ir.Null, ir.ErrNotKnown
		}
		return f([]ir.Value{ir.Text(strings.ToLower(a[0].S)), ir.Text(strings.ToLower(a[1].S))})
	}
}

// like matches a text with a pattern, in which % stands for any text, _ for any
// character, and a backslash makes the next character plain. A backslash at the end
// is an error if the match comes to it with characters left.
func like(s, pattern []rune) (bool, error) {
	if len(s)*len(pattern) > maxSteps {
		return false, ir.ErrNotKnown
	}
	// here[j] says that the pattern up to j matches what was read so far.
	here := make([]bool, len(pattern)+1)
	next := make([]bool, len(pattern)+1)
	here[0] = true
	plain := plainRunes(pattern)
	follow := func(states []bool) {
		for j, p := range pattern {
			if states[j] && p == '%' && !plain[j] {
				states[j+1] = true
			}
		}
	}
	follow(here)
	for _, c := range s {
		clear(next)
		for j, p := range pattern {
			switch {
			case !here[j]:
			case p == '\\' && !plain[j]:
				if j+1 == len(pattern) {
					return false, value.Failure("22025", "LIKE pattern must not end with escape character")
				}
				next[j+2] = next[j+2] || pattern[j+1] == c
			case p == '%' && !plain[j]:
				next[j] = true
			case p == '_' && !plain[j] || p == c:
				next[j+1] = true
			}
		}
		here, next = next, here
		follow(here)
	}
	return here[len(pattern)], nil
}

// plainRunes says which characters of a pattern stand behind a backslash.
func plainRunes(pattern []rune) []bool {
	plain := make([]bool, len(pattern))
	for j := 0; j < len(pattern); j++ {
		if pattern[j] == '\\' && j+1 < len(pattern) {
			plain[j+1] = true
			j++
		}
	}
	return plain
}

// likeEscape rewrites a pattern with another escape character to one with a
// backslash; an empty one is none.
func likeEscape(a []ir.Value) (ir.Value, error) {
	s, err := likeEscaped([]rune(a[0].S), []rune(a[1].S))
	if err != nil {
		return ir.Null, err
	}
	return value.NewText(string(s))
}

func likeEscapeBytes(a []ir.Value) (ir.Value, error) {
	runes, err := likeEscaped(byteRunes(value.Content(a[0])), byteRunes(value.Content(a[1])))
	if err != nil {
		return ir.Null, err
	}
	b := make([]byte, len(runes))
	for i, r := range runes {
		b[i] = byte(r)
	}
	return newBytes(b)
}

func likeEscaped(pattern, escape []rune) ([]rune, error) {
	if len(escape) > 1 {
		return nil, value.Failure("22025", "invalid escape string: it must be empty or one character")
	}
	if len(escape) == 1 && escape[0] == '\\' {
		return pattern, nil
	}
	var out []rune
	after := false
	for _, r := range pattern {
		switch {
		case len(escape) == 1 && r == escape[0] && !after:
			out = append(out, '\\')
			after = true
			continue
		case r == '\\' && !after:
			out = append(out, '\\', '\\')
		default:
			out = append(out, r)
		}
		after = false
	}
	return out, nil
}

// similarEscape rewrites a pattern of SIMILAR TO to a regular expression.
func similarEscape(pattern string, escape rune) string {
	var b strings.Builder
	b.WriteString("^(?:")
	after, class := false, false
	for _, r := range pattern {
		switch {
		case after:
			b.WriteByte('\\')
			b.WriteRune(r)
			after = false
		case r == escape:
			after = true
		case class:
			if r == '\\' {
				b.WriteByte('\\')
			}
			b.WriteRune(r)
			class = r != ']'
		case r == '[':
			b.WriteRune(r)
			class = true
		case r == '%':
			b.WriteString(".*")
		case r == '_':
			b.WriteByte('.')
		case r == '(':
			b.WriteString("(?:")
		case r == '\\' || r == '.' || r == '^' || r == '$':
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteString(")$")
	return b.String()
}

func init() {
	similar := func(a []ir.Value) (ir.Value, error) {
		escape := '\\'
		if len(a) > 1 {
			switch n := utf8.RuneCountInString(a[1].S); n {
			case 0:
				escape = -1
			case 1:
				escape, _ = utf8.DecodeRuneInString(a[1].S)
			default:
				return ir.Null, value.Failure("22025", "invalid escape string: it must be empty or one character")
			}
		}
		if escape >= 0 && strings.Contains(a[0].S, string(escape)+`"`) {
			return ir.Null, ir.ErrNotKnown // parts of substring(… similar …)
		}
		return value.NewText(similarEscape(a[0].S, escape))
	}
	value.Define(map[string]value.Evaluator{
		"similar_to_escape(text)":      similar,
		"similar_to_escape(text,text)": similar,
		"similar_escape(text,text)": func(a []ir.Value) (ir.Value, error) {
			if a[0].IsNull() {
				return ir.Null, nil
			}
			if a[1].IsNull() {
				return similar(a[:1])
			}
			return similar(a)
		},
	})
}
