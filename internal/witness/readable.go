package witness

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/txrobust/robust/internal/ir"
)

// drawn is how far above ir.FirstFresh the numbers are that executions draw.
const drawn = 1 << 20

var (
	digits   = regexp.MustCompile(`[0-9]+`)
	midnight = regexp.MustCompile(`^'(.*) 00:00:00\+00'$`)
)

// Readable is a value of a domain, which may be nil, as people read it: a literal of SQL in which times
// have what their type has, and numbers that a server draws are small.
func Readable(d ir.Domain, v ir.Value) string {
	s := Value{v}.String()
	switch {
	case v.Kind == ir.KindTime && d != nil:
		if text, _, cast := strings.Cut(d.Literal(v), "::"); cast {
			s = text
		}
	case v.Kind == ir.KindTime:
		s = midnight.ReplaceAllString(s, "'$1'")
	}
	return digits.ReplaceAllStringFunc(s, func(number string) string {
		if n, err := strconv.ParseInt(number, 10, 64); err == nil && n > ir.FirstFresh && n < ir.FirstFresh+drawn {
			return strconv.FormatInt(n-ir.FirstFresh, 10)
		}
		return number
	})
}

// readable is a value of a column.
func readable(t *ir.Table, col int, v ir.Value) string { return Readable(t.Columns[col].Domain, v) }
