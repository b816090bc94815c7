package mysql

import (
	"slices"
	"strings"
)

// The largest statements that are read, so that no input exhausts the stack: tokens, and how deep they nest.
const (
	maxTokens = 20000
	MaxDepth  = 200
)

// routineWord is the word for the routine that a statement makes, "" for another statement.
func (st *Statement) RoutineWord() string {
	if !st.First("CREATE") {
		return ""
	}
	for _, t := range st.Tokens[1:min(len(st.Tokens), 16)] {
		switch {
		case t.Is("PROCEDURE", "EVENT", "FUNCTION", "TRIGGER"):
			return strings.ToUpper(t.Text)
		case t.Is("TABLE", "VIEW", "INDEX", "("):
			return ""
		}
	}
	return ""
}

// Made gives the statement of another text, whose place is that of st. ok is false where the text is not one statement.
func (st *Statement) Made(text string) (made *Statement, ok bool) {
	from := st.Tokens[0].From
	before := strings.Map(func(r rune) rune {
		if r == '\n' {
			return r
		}
		return ' '
	}, st.Src.Text[:from])
	list := Cut(File{Name: st.Src.name, Text: before + text})
	if len(list) != 1 {
		return nil, false
	}
	return list[0], true
}

// readable reports whether a statement is not too large.
func (st *Statement) Readable() bool {
	depth, run := 0, 0
	for _, t := range st.Tokens {
		switch {
		case t.Is("("):
			depth++
		case t.Is(")"):
			depth--
		}
		if t.Is("NOT", "-", "+", "~", "!", "BINARY", "CASE") {
			run++
		} else if t.Kind != Punct {
			run = 0
		}
		if depth > MaxDepth || run > MaxDepth {
			return false
		}
	}
	return len(st.Tokens) <= maxTokens
}

// userVariable gives the name of a variable of the user, in lower case.
func (t Token) UserVariable() (string, bool) {
	if t.Kind != Named || !strings.HasPrefix(t.Text, "@") || strings.HasPrefix(t.Text, "@@") {
		return "", false
	}
	return strings.ToLower(t.Text[1:]), true
}

// parametric reports whether the statement has parameters.
func (st *Statement) Parametric() bool {
	return slices.ContainsFunc(st.Tokens, func(t Token) bool { return t.Kind == Mark || t.Kind == Named })
}

// text is the statement as it is written.
func (st *Statement) Text() string {
	return st.Src.Text[st.Tokens[0].From:st.Tokens[len(st.Tokens)-1].To]
}

func LevelOf(st *Statement) string {
	var words []string
	for i, t := range st.Tokens {
		if t.Is("LEVEL") {
			for _, w := range st.Tokens[i+1:] {
				if w.Is(",") {
					break
				}
				words = append(words, strings.ToLower(w.Text))
			}
		}
	}
	return strings.Join(words, " ")
}

func DML(st *Statement) bool {
	return st.Tokens[0].Is("SELECT", "INSERT", "UPDATE", "DELETE", "REPLACE", "WITH", "CALL", "DO", "(", "VALUES", "TABLE", "LOAD", "HANDLER", "EXECUTE", "PREPARE")
}

// Plain is the text of the statement without comments: in a dump it may stand in several.
func (st *Statement) Plain() string {
	var b strings.Builder
	for i, t := range st.Tokens {
		if i > 0 {
			between := st.Src.Text[st.Tokens[i-1].To:t.From]
			if strings.Contains(between, "/*") || strings.Contains(between, "*/") {
				between = " "
			}
			b.WriteString(between)
		}
		b.WriteString(st.Src.Text[t.From:t.To])
	}
	return b.String()
}

// constantRows reports whether a statement is an INSERT … VALUES without parameters.
func ConstantRows(st *Statement) bool {
	return st.First("INSERT") && !st.Parametric() && st.Has("VALUES", "VALUE") && !st.Has("SELECT", "DUPLICATE")
}

// targets are the places of the variables that a statement sets: behind INTO, before :=, and in SET.
func (st *Statement) Targets() []int {
	var out []int
	into, depth := false, 0
	for i, t := range st.Tokens {
		_, is := t.UserVariable()
		next := Token{Kind: quoted}
		if i+1 < len(st.Tokens) {
			next = st.Tokens[i+1]
		}
		switch {
		case t.Is("INTO"):
			into = true
		case t.Is("("):
			depth++
		case t.Is(")"):
			depth--
		case !is && !t.Is(","):
			into = false
		}
		begins := st.First("SET") && depth == 0 && i > 0 && (i == 1 || st.Tokens[i-1].Is(","))
		if is && (into || next.Is(":") || begins) {
			out = append(out, i)
		}
	}
	return out
}
