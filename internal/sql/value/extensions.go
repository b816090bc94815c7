package value

import (
	"crypto/hmac"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"fmt"
	"hash"
	"slices"
	"strings"

	"github.com/txrobust/robust/ir"
)

// Functions of the extensions citext, pgcrypto, uuid-ossp, ltree and fuzzystrmatch, and
// pg_size_pretty of the server.

func init() {
	citextFunctions()
	ltreeFunctions()
	hashers := map[string]func() hash.Hash{"md5": md5.New, "sha1": sha1.New, "sha224": sha256.New224, "sha256": sha256.New, "sha384": sha512.New384, "sha512": sha512.New}
	sum := func(data func(v ir.Value) []byte) evaluator {
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
			return Bytes(made.Sum(nil)), nil
		}
	}
	text := func(v ir.Value) []byte { return []byte(v.S) }
	define(map[string]evaluator{
		"digest(text,text)": sum(text), "digest(bytea,text)": sum(content),
		"hmac(text,text,text)": sum(text), "hmac(bytea,bytea,text)": sum(content),
		"uuid_generate_v3(uuid,text)": namedUUID(func(b []byte) []byte { s := md5.Sum(b); return s[:] }, 3),
		"uuid_generate_v5(uuid,text)": namedUUID(func(b []byte) []byte { s := sha1.Sum(b); return s[:16] }, 5),
		"levenshtein(text,text)":      levenshtein,
		"pg_size_pretty(int8)":        func(a []ir.Value) (ir.Value, error) { return sizePretty(a[0].I) },
	})
	for name, id := range map[string]string{"nil": "00000000-0000-0000-0000-000000000000", "ns_dns": "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
		"ns_url": "6ba7b811-9dad-11d1-80b4-00c04fd430c8", "ns_oid": "6ba7b812-9dad-11d1-80b4-00c04fd430c8", "ns_x500": "6ba7b814-9dad-11d1-80b4-00c04fd430c8"} {
		define(map[string]evaluator{"uuid_" + name + "()": pure(func([]ir.Value) ir.Value { return ir.Text(id) })})
	}
}

// byCase compares texts without regard to case.
func byCase(a, b ir.Value) (int, error) {
	if !caseless(a.S) || !caseless(b.S) {
		return 0, ir.ErrNotKnown
	}
	return strings.Compare(strings.ToLower(a.S), strings.ToLower(b.S)), nil
}

func citextFunctions() {
	comparisons("citext_", "(citext,citext)", byCase)
	define(map[string]evaluator{
		"citext_larger(citext,citext)":  pick(1, byCase),
		"citext_smaller(citext,citext)": pick(-1, byCase),
		"citext(bpchar)":                pure(func(a []ir.Value) ir.Value { return a[0] }),
		"citext(bool)":                  pure(func(a []ir.Value) ir.Value { return ir.Text(printBool(nil, a[0])) }),
		"strpos(citext,citext)":         ilike(position),
	})
	for _, t := range []string{"citext", "text"} {
		define(map[string]evaluator{
			"texticlike(citext," + t + ")":    ilike(likeEvaluator(false, textRunes)),
			"texticnlike(citext," + t + ")":   ilike(likeEvaluator(true, textRunes)),
			"texticregexeq(citext," + t + ")": regexOperator(false, true),
			"texticregexne(citext," + t + ")": regexOperator(true, true),
		})
	}
}

// namedUUID makes a UUID of a name in a name space (RFC 9562, sections 5.3 and 5.5).
func namedUUID(sum func(b []byte) []byte, version byte) evaluator {
	return func(a []ir.Value) (ir.Value, error) {
		space, err := hex.DecodeString(strings.ReplaceAll(a[0].S, "-", ""))
		if err != nil {
			return ir.Null, ir.ErrNotKnown
		}
		b := sum(append(space, a[1].S...))
		b[6], b[8] = b[6]&0x0f|version<<4, b[8]&0x3f|0x80
		return parseUUID(nil, hex.EncodeToString(b))
	}
}

// levenshtein is the number of characters to insert, delete or replace.
func levenshtein(a []ir.Value) (ir.Value, error) {
	s, t := []rune(a[0].S), []rune(a[1].S)
	if len(s) > 255 || len(t) > 255 {
		return ir.Null, failure("22023", "levenshtein argument exceeds maximum length of 255 characters")
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

// labels gives the parts of an ltree.
func labels(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, ".")
}

func ltreeFunctions() {
	comparisons("ltree_", "(ltree,ltree)", func(a, b ir.Value) (int, error) { return slices.Compare(labels(a.S), labels(b.S)), nil })
	join := pure(func(a []ir.Value) ir.Value {
		return ir.Opaque(strings.Join(append(labels(a[0].S), labels(a[1].S)...), "."))
	})
	parent := func(of, child int) evaluator {
		return predicate(func(a []ir.Value) bool {
			x, y := labels(a[of].S), labels(a[child].S)
			return len(x) <= len(y) && slices.Equal(x, y[:len(x)])
		})
	}
	define(map[string]evaluator{
		"ltree_isparent(ltree,ltree)":  parent(0, 1),
		"ltree_risparent(ltree,ltree)": parent(1, 0),
		"ltree_addltree(ltree,ltree)":  join,
		"nlevel(ltree)":                count(func(s string) int { return len(labels(s)) }),
		"ltree2text(ltree)":            pure(func(a []ir.Value) ir.Value { return ir.Text(a[0].S) }),
		"text2ltree(text)":             func(a []ir.Value) (ir.Value, error) { return parseLtree(Of("ltree"), a[0].S) },
	})
	defineAggregates(map[string]foldFamily{"max(citext)": extremeBy(1, byCase), "min(citext)": extremeBy(-1, byCase)})
}
