package compare

import (
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/txrobust/robust/internal/ir"
)

// readAs is read for the values of a domain, which may be nil.
func readAs(text *string, t ir.Type, d ir.Domain) (v ir.Value, ok bool) {
	if text == nil || d == nil {
		return read(text, t)
	}
	return d.Read(*text)
}

// read makes a value of the model from what the server prints; ok is false where
// the model has no such value.
func read(text *string, t ir.Type) (v ir.Value, ok bool) {
	if text == nil {
		return ir.Null, true
	}
	s := *text
	switch t.Kind {
	case ir.KindInt:
		i, err := strconv.ParseInt(s, 10, 64)
		return ir.Int(i), err == nil
	case ir.KindNum:
		r, ok := new(big.Rat).SetString(s)
		if !ok {
			return ir.Null, false
		}
		return ir.Num(r), true
	case ir.KindBool:
		return ir.Bool(s == "t"), s == "t" || s == "f"
	case ir.KindTime:
		return readTime(s)
	case ir.KindArray:
		return readArray(s, ir.Type{Kind: t.Elem})
	case ir.KindText:
		return ir.Text(s), true
	}
	return ir.Opaque(s), true
}

var layouts = []string{"2006-01-02 15:04:05.999999-07", "2006-01-02 15:04:05.999999", "2006-01-02", "15:04:05.999999"}

func readTime(s string) (ir.Value, bool) {
	for _, layout := range layouts {
		at, err := time.Parse(layout, s)
		if err != nil {
			continue
		}
		if layout == layouts[3] {
			return ir.Time(at.Sub(time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)).Microseconds()), true
		}
		return ir.Time(at.UnixMicro()), true
	}
	return ir.Null, false
}

// readArray reads an array of one dimension without NULLs.
func readArray(s string, elem ir.Type) (ir.Value, bool) {
	if !strings.HasPrefix(s, "{") || !strings.HasSuffix(s, "}") {
		return ir.Null, false
	}
	var elems []ir.Value
	for rest := s[1 : len(s)-1]; rest != ""; {
		var part string
		if rest[0] == '"' {
			i := 1
			var b strings.Builder
			for ; i < len(rest) && rest[i] != '"'; i++ {
				if rest[i] == '\\' {
					i++
				}
				b.WriteByte(rest[i])
			}
			part, rest = b.String(), rest[min(i+1, len(rest)):]
			rest = strings.TrimPrefix(rest, ",")
		} else {
			part, rest, _ = strings.Cut(rest, ",")
			if part == "NULL" || strings.HasPrefix(part, "{") {
				return ir.Null, false
			}
		}
		v, ok := read(&part, elem)
		if !ok {
			return ir.Null, false
		}
		elems = append(elems, v)
	}
	return ir.Array(elems), true
}
