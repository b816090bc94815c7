package scalars

import (
	"bytes"
	"crypto/md5"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/value"
)

// newBytes makes a bytea of bounded size.
func newBytes(b []byte) (ir.Value, error) {
	if len(b) > value.MaxSize {
		return ir.Null, ir.ErrNotKnown
	}
	return value.Bytes(b), nil
}

// digest is a function that gives a hash of bytes.
func digest(sum func(b []byte) []byte) value.Evaluator {
	return value.Pure(func(a []ir.Value) ir.Value { return value.Bytes(sum(value.Content(a[0]))) })
}

func init() {
	Comparisons("bytea", "(bytea,bytea)", value.ByBytes)
	length := value.Pure(func(a []ir.Value) ir.Value { return ir.Int(int64(len(value.Content(a[0])))) })
	trim := func(f func(b []byte, set string) []byte) value.Evaluator {
		return value.Pure(func(a []ir.Value) ir.Value {
			return value.Bytes(trimBytes(value.Content(a[0]), value.Content(a[1]), f))
		})
	}
	value.Define(map[string]value.Evaluator{
		"length(bytea)": length, "octet_length(bytea)": length,
		"bit_length(bytea)": value.Pure(func(a []ir.Value) ir.Value { return ir.Int(8 * int64(len(value.Content(a[0])))) }),
		"bit_count(bytea)":  value.Pure(func(a []ir.Value) ir.Value { return ir.Int(int64(ones(value.Content(a[0])))) }),
		"byteacat(bytea,bytea)": func(a []ir.Value) (ir.Value, error) {
			return newBytes(append(value.Content(a[0]), value.Content(a[1])...))
		},
		"btrim(bytea,bytea)":         trim(func(b []byte, set string) []byte { return trimBytesRight(trimBytesLeft(b, set), set) }),
		"ltrim(bytea,bytea)":         trim(trimBytesLeft),
		"rtrim(bytea,bytea)":         trim(trimBytesRight),
		"substr(bytea,int4)":         substringBytes,
		"substr(bytea,int4,int4)":    substringBytes,
		"substring(bytea,int4)":      substringBytes,
		"substring(bytea,int4,int4)": substringBytes,
		"overlay(bytea,bytea,int4)":  overlayBytes,
		"position(bytea,bytea)": value.Pure(func(a []ir.Value) ir.Value {
			return ir.Int(int64(bytes.Index(value.Content(a[0]), value.Content(a[1])) + 1))
		}),
		"get_byte(bytea,int4)":           getByte,
		"set_byte(bytea,int4,int4)":      setByte,
		"get_bit(bytea,int8)":            getBit,
		"set_bit(bytea,int8,int4)":       setBit,
		"encode(bytea,text)":             encode,
		"decode(text,text)":              decode,
		"md5(text)":                      Text1(func(s string) string { return fmt.Sprintf("%x", md5.Sum([]byte(s))) }),
		"md5(bytea)":                     value.Pure(func(a []ir.Value) ir.Value { return ir.Text(fmt.Sprintf("%x", md5.Sum(value.Content(a[0])))) }),
		"sha224(bytea)":                  digest(func(b []byte) []byte { s := sha256.Sum224(b); return s[:] }),
		"sha256(bytea)":                  digest(func(b []byte) []byte { s := sha256.Sum256(b); return s[:] }),
		"sha384(bytea)":                  digest(func(b []byte) []byte { s := sha512.Sum384(b); return s[:] }),
		"sha512(bytea)":                  digest(func(b []byte) []byte { s := sha512.Sum512(b); return s[:] }),
		"convert_to(text,name)":          func(a []ir.Value) (ir.Value, error) { return inUTF8(a[1].S, value.Bytes([]byte(a[0].S))) },
		"convert_from(bytea,name)":       convertFrom,
		"length(bytea,name)":             encodedLength,
		"overlay(bytea,bytea,int4,int4)": overlayBytes,
	})
}

func ones(b []byte) int {
	n := 0
	for _, x := range b {
		n += bits.OnesCount8(x)
	}
	return n
}

// trimBytes takes bytes of a set away. An empty set takes none.
func trimBytes(b, set []byte, f func(b []byte, set string) []byte) []byte { return f(b, string(set)) }

func trimBytesLeft(b []byte, set string) []byte {
	for len(b) > 0 && strings.IndexByte(set, b[0]) >= 0 {
		b = b[1:]
	}
	return b
}

func trimBytesRight(b []byte, set string) []byte {
	for len(b) > 0 && strings.IndexByte(set, b[len(b)-1]) >= 0 {
		b = b[:len(b)-1]
	}
	return b
}

func substringBytes(a []ir.Value) (ir.Value, error) {
	b := value.Content(a[0])
	from, to, err := span(len(b), a[1:])
	if err != nil {
		return ir.Null, err
	}
	return value.Bytes(b[from:to]), nil
}

func overlayBytes(a []ir.Value) (ir.Value, error) {
	b, err := overlaid(value.Content(a[0]), value.Content(a[1]), a[2:])
	if err != nil {
		return ir.Null, err
	}
	return newBytes(b)
}

// badIndex is the error of an index outside of an array of bytes or bits.
func badIndex() error { return value.Failure("2202E", "the index is out of the valid range") }

func getByte(a []ir.Value) (ir.Value, error) {
	b, i := value.Content(a[0]), a[1].I
	if i < 0 || i >= int64(len(b)) {
		return ir.Null, badIndex()
	}
	return ir.Int(int64(b[i])), nil
}

func setByte(a []ir.Value) (ir.Value, error) {
	b, i := value.Content(a[0]), a[1].I
	if i < 0 || i >= int64(len(b)) {
		return ir.Null, badIndex()
	}
	b[i] = byte(a[2].I)
	return value.Bytes(b), nil
}

// getBit counts the bits of a byte from the lowest one.
func getBit(a []ir.Value) (ir.Value, error) {
	b, i := value.Content(a[0]), a[1].I
	if i < 0 || i >= 8*int64(len(b)) {
		return ir.Null, badIndex()
	}
	return ir.Int(int64(b[i/8] >> (i % 8) & 1)), nil
}

func setBit(a []ir.Value) (ir.Value, error) {
	b, i, bit := value.Content(a[0]), a[1].I, a[2].I
	if i < 0 || i >= 8*int64(len(b)) {
		return ir.Null, badIndex()
	}
	switch bit {
	case 0:
		b[i/8] &^= 1 << (i % 8)
	case 1:
		b[i/8] |= 1 << (i % 8)
	default:
		return ir.Null, value.Failure("22023", "the new bit must be 0 or 1")
	}
	return value.Bytes(b), nil
}

// encode gives bytes as text.
func encode(a []ir.Value) (ir.Value, error) {
	b := value.Content(a[0])
	switch strings.ToLower(a[1].S) {
	case "hex":
		return value.NewText(hex.EncodeToString(b))
	case "base64":
		return value.NewText(base64Lines(b))
	case "escape":
		var out strings.Builder
		for _, c := range b {
			switch {
			case c == 0 || c >= utf8.RuneSelf:
				fmt.Fprintf(&out, `\%03o`, c)
			case c == '\\':
				out.WriteString(`\\`)
			default:
				out.WriteByte(c)
			}
		}
		return value.NewText(out.String())
	}
	return ir.Null, value.Failure("22023", "unrecognized encoding: %q", a[1].S)
}

// base64Lines is base64 with a line feed after 76 characters.
func base64Lines(b []byte) string {
	s := base64.StdEncoding.EncodeToString(b)
	return strings.Join(slices.Collect(chunks(s, 76)), "\n")
}

// chunks splits a text into parts of n bytes.
func chunks(s string, n int) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for len(s) > n {
			if !yield(s[:n]) {
				return
			}
			s = s[n:]
		}
		yield(s)
	}
}

// decode reads bytes.
func decode(a []ir.Value) (ir.Value, error) {
	s := a[0].S
	switch strings.ToLower(a[1].S) {
	case "hex":
		s = strings.NewReplacer(" ", "", "\n", "", "\t", "", "\r", "").Replace(s)
		b, err := hex.DecodeString(s)
		if err != nil {
			return ir.Null, value.Failure("22023", "invalid hexadecimal data")
		}
		return newBytes(b)
	case "base64":
		s = strings.NewReplacer(" ", "", "\n", "", "\t", "", "\r", "").Replace(s)
		b, err := base64.StdEncoding.DecodeString(s)
		if err != nil {
			return ir.Null, value.Failure("22023", "invalid base64 data")
		}
		return newBytes(b)
	case "escape":
		if strings.HasPrefix(s, `\x`) { // not the hexadecimal form here
			return ir.Null, value.Failure("22P02", "invalid input syntax for type bytea")
		}
		v, err := value.ParseBytes(value.Of("bytea"), s)
		if err != nil {
			return ir.Null, value.Failure("22P02", "invalid input syntax for type bytea")
		}
		return v, nil
	}
	return ir.Null, value.Failure("22023", "unrecognized encoding: %q", a[1].S)
}

// inUTF8 gives a value if an encoding is UTF-8, in which the server has its texts.
func inUTF8(encoding string, v ir.Value) (ir.Value, error) {
	switch strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(encoding)) {
	case "utf8", "unicode":
		return v, nil
	}
	return ir.Null, ir.ErrNotKnown
}

func convertFrom(a []ir.Value) (ir.Value, error) {
	s := string(value.Content(a[0]))
	v, err := inUTF8(a[1].S, ir.Text(s))
	if err == nil && (!utf8.ValidString(s) || strings.ContainsRune(s, 0)) {
		return ir.Null, value.Failure("22021", "invalid byte sequence for encoding")
	}
	return v, err
}

func encodedLength(a []ir.Value) (ir.Value, error) {
	v, err := convertFrom(a)
	if err != nil {
		return ir.Null, err
	}
	return ir.Int(int64(utf8.RuneCountInString(v.S))), nil
}
