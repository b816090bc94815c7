package proof

import (
	"fmt"
	"slices"
	"strings"
)

// logic is the first command of a script, and question the last one.
const (
	logic    = "(set-logic ALL)\n"
	question = "(check-sat)\n"
)

// stating are the commands between them: what they do is said by their names, and
// they print nothing.
var stating = []string{"declare-fun", "define-fun", "assert"}

// onlyQuestion reports an error unless a script states something and then asks
// once whether that can be: nothing in it decides what Z3 prints but the answer.
// It is read as strictly as it is written: each command stands in lines of its
// own, and there are no comments, strings or characters out of ASCII.
func onlyQuestion(script string) error {
	rest, ok := strings.CutPrefix(script, logic)
	if !ok {
		return fmt.Errorf("the script must begin with %s", strings.TrimSpace(logic))
	}
	for rest != question {
		end, err := command(rest)
		if err != nil {
			line := 1 + strings.Count(script[:len(script)-len(rest)], "\n")
			return fmt.Errorf("line %d of the script: %w", line, err)
		}
		rest = rest[end:]
	}
	return nil
}

// command gives the length of the command that a text begins with.
func command(text string) (int, error) {
	depth := 0
	barred := false // inside of |name|
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c != '\n' && (c < ' ' || c > '~') || c == '\\' || c == '"' || c == ';' && !barred || c == '\n' && (barred || depth > 0):
			return 0, fmt.Errorf("the character %q must not be there", c)
		case c == '|':
			barred = !barred
		case barred:
		case c == '(':
			depth++
		case c == ')':
			depth--
		}
		if depth > 0 || barred {
			continue
		}
		if depth < 0 || c != ')' || i+1 == len(text) || text[i+1] != '\n' {
			return 0, fmt.Errorf("a command must be a line in parentheses, but is not")
		}
		word, _, _ := strings.Cut(strings.TrimPrefix(text[:i], "("), " ")
		if !slices.Contains(stating, word) {
			return 0, fmt.Errorf("only %s may stand before %s, but there is %q", strings.Join(stating, ", "), strings.TrimSpace(question), word)
		}
		return i + 2, nil
	}
	return 0, fmt.Errorf("the script must end with %s", strings.TrimSpace(question))
}
