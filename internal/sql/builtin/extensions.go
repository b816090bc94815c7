package builtin

import (
	"crypto/hmac"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"fmt"
	"hash"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/scalars"
	"github.com/txrobust/robust/internal/sql/value"
)

// Functions of the extensions citext, pgcrypto, uuid-ossp, ltree and fuzzystrmatch, and
// pg_size_pretty and pg_size_bytes of the server.

func init() {
	citextFunctions()
	ltreeFunctions()
	hashers := map[string]func() hash.Hash{"md5": md5.New, "sha1": sha1.New, "sha224": sha256.New224, "sha256": sha256.New, "sha384": sha512.New384, "sha512": sha512.New}
	sum := func(data func(v ir.Value) []byte) value.Evaluator {
		return func(a []ir.Value) (ir.Value, error) {
			n := len(a) - 1 // the algorithm; hmac has a key before it
			h := hashers[strings.ToLower(a[n].S)]
			if h == nil {
				return ir.Null, ir.ErrNotKnown
			}
			made := h()
			if n == 2 {
				made = hmac.New(h, data(a[1]))
			}
			made.Write(data(a[0]))
			return value.Bytes(made.Sum(nil)), nil
		}
	}
	text := func(v ir.Value) []byte { return []byte(v.S) }
	value.Define(map[string]value.Evaluator{
		"digest(text,text)": sum(text), "digest(bytea,text)": sum(value.Content),
		"hmac(text,text,text)": sum(text), "hmac(bytea,bytea,text)": sum(value.Content),
		"uuid_generate_v3(uuid,text)": namedUUID(func(b []byte) []byte { s := md5.Sum(b); return s[:] }, 3),
		"uuid_generate_v5(uuid,text)": namedUUID(func(b []byte) []byte { s := sha1.Sum(b); return s[:16] }, 5),
		"levenshtein(text,text)":      levenshtein,
		"pg_size_pretty(int8)":        func(a []ir.Value) (ir.Value, error) { return sizePretty(a[0].I) },
		"pg_size_bytes(text)":         func(a []ir.Value) (ir.Value, error) { return sizeBytes(a[0].S) },
	})
	for name, id := range map[string]string{"nil": "00000000-0000-0000-0000-000000000000", "ns_dns": "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
		"ns_url": "6ba7b811-9dad-11d1-80b4-00c04fd430c8", "ns_oid": "6ba7b812-9dad-11d1-80b4-00c04fd430c8", "ns_x500": "6ba7b814-9dad-11d1-80b4-00c04fd430c8"} {
		value.Define(map[string]value.Evaluator{"uuid_" + name + "()": value.Pure(func([]ir.Value) ir.Value { return ir.Text(id) })})
	}
}

// byCase compares texts without regard to case.
func byCase(a, b ir.Value) (int, error) {
	if !scalars.Caseless(a.S) || !scalars.Caseless(b.S) {
		return 0, ir.ErrNotKnown
	}
	return strings.Compare(strings.ToLower(a.S), strings.ToLower(b.S)), nil
}

func citextFunctions() {
	scalars.Comparisons("citext_", "(citext,citext)", byCase)
	value.Define(map[string]value.Evaluator{
		"citext_larger(citext,citext)":  scalars.Pick(1, byCase),
		"citext_smaller(citext,citext)": scalars.Pick(-1, byCase),
		"citext(bpchar)":                value.Pure(func(a []ir.Value) ir.Value { return a[0] }),
		"citext(bool)":                  value.Pure(func(a []ir.Value) ir.Value { return ir.Text(value.PrintBool(nil, a[0])) }),
		"strpos(citext,citext)":         scalars.Ilike(scalars.Position),
	})
	for _, t := range []string{"citext", "text"} {
		value.Define(map[string]value.Evaluator{
			"texticlike(citext," + t + ")":    scalars.Ilike(scalars.LikeEvaluator(false, scalars.TextRunes)),
			"texticnlike(citext," + t + ")":   scalars.Ilike(scalars.LikeEvaluator(true, scalars.TextRunes)),
			"texticregexeq(citext," + t + ")": scalars.RegexOperator(false, true),
			"texticregexne(citext," + t + ")": scalars.RegexOperator(true, true),
		})
	}
}

// namedUUID makes a UUID of a name in a name space (RFC 9562, sections 5.3 and 5.5).
func namedUUID(sum func(b []byte) []byte, version byte) value.Evaluator {
	return func(a []ir.Value) (ir.Value, error) {
		space, err := hex.DecodeString(strings.ReplaceAll(a[0].S, "-", ""))
		if err != nil {
			return ir.Null, ir.ErrNotKnown
		}
		b := sum(append(space, a[1].S...))
		b[6], b[8] = b[6]&0x0f|version<<4, b[8]&0x3f|0x80
		return value.ParseUUID(nil, hex.EncodeToString(b))
	}
}

// levenshtein is the number of characters to insert, delete or replace.
func levenshtein(a []ir.Value) (ir.Value, error) {
	s, t := []rune(a[0].S), []rune(a[1].S)
	if len(s) > 255 || len(t) > 255 {
		return ir.Null, value.Failure("22023", "levenshtein argument exceeds maximum length of 255 characters")
	}
	row := make([]int, len(t)+1)
	for j := range row {
		row[j] = j
	}
	for i := range s {
		diagonal := row[0]
		row[0] = i + 1
		for j := range t {
			cost := diagonal
			if s[i] != t[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return ir.Int(int64(row[len(t)])), nil
}

// sizePretty writes a number of bytes with a unit, of which there are at least ten.
func sizePretty(n int64) (ir.Value, error) {
	if n == -1<<63 {
		return ir.Null, ir.ErrNotKnown
	}
	if max(n, -n) < 10*1024 {
		return ir.Text(fmt.Sprintf("%d bytes", n)), nil
	}
	units := strings.Fields("kB MB GB TB PB")
	n /= 512 // half a unit, to round by it
	for i, u := range units {
		if i == len(units)-1 || max(n, -n) < 20*1024-1 {
			if n < 0 {
				n--
			} else {
				n++
			}
			return ir.Text(fmt.Sprintf("%d %s", n/2, u)), nil
		}
		n /= 1024
	}
	return ir.Null, ir.ErrNotKnown
}

// sizeNumber is the number before a unit. The server takes blanks after the e, too.
var sizeNumber = regexp.MustCompile("^[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][" + value.Space + "]*[+-]?[0-9]+)?")

// sizeUnits are the powers of 2 that units mean, which are read without regard to case.
var sizeUnits = map[string]uint{"": 0, "bytes": 0, "kb": 10, "mb": 20, "gb": 30, "tb": 40, "pb": 50}

// sizeBytes reads a number of bytes with a unit; halves of a byte go away from zero.
func sizeBytes(s string) (ir.Value, error) {
	s = strings.Trim(s, value.Space)
	number := sizeNumber.FindString(s)
	if number == "" {
		return ir.Null, value.Failure("22023", "%q is no size", s)
	}
	unit := strings.Trim(s[len(number):], value.Space)
	bits, known := sizeUnits[strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			r += 'a' - 'A' // of these letters alone: the Kelvin sign is no k
		}
		return r
	}, unit)]
	r, read := value.Rational(number)
	switch {
	case !read, strings.EqualFold(unit, "B"): // blanks, or more digits than a numeric may have; a unit since PostgreSQL 16
		return ir.Null, ir.ErrNotKnown
	case !known:
		return ir.Null, value.Failure("22023", "%q is no unit of sizes", unit)
	}
	r.Mul(r, new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), bits)))
	return scalars.IntResult(value.RoundTo(r, 0).Num(), 64)
}

// labels gives the parts of an ltree.
func labels(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, ".")
}

func ltreeFunctions() {
	scalars.Comparisons("ltree_", "(ltree,ltree)", func(a, b ir.Value) (int, error) { return slices.Compare(labels(a.S), labels(b.S)), nil })
	join := value.Pure(func(a []ir.Value) ir.Value {
		return ir.Opaque(strings.Join(append(labels(a[0].S), labels(a[1].S)...), "."))
	})
	parent := func(of, child int) value.Evaluator {
		return scalars.Predicate(func(a []ir.Value) bool {
			x, y := labels(a[of].S), labels(a[child].S)
			return len(x) <= len(y) && slices.Equal(x, y[:len(x)])
		})
	}
	value.Define(map[string]value.Evaluator{
		"ltree_isparent(ltree,ltree)":  parent(0, 1),
		"ltree_risparent(ltree,ltree)": parent(1, 0),
		"ltree_addltree(ltree,ltree)":  join,
		"nlevel(ltree)":                scalars.Count(func(s string) int { return len(labels(s)) }),
		"ltree2text(ltree)":            value.Pure(func(a []ir.Value) ir.Value { return ir.Text(a[0].S) }),
		"text2ltree(text)":             func(a []ir.Value) (ir.Value, error) { return value.ParseLtree(value.Of("ltree"), a[0].S) },
	})
	value.DefineAggregates(map[string]value.FoldFamily{"max(citext)": extremeBy(1, byCase), "min(citext)": extremeBy(-1, byCase)})
}
