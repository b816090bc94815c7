package value

import (
	"slices"
	"strings"
	"sync"

	"github.com/txrobust/robust/internal/sql/catalog"
)

// totalNames are functions that are no operators, casts or conditions, and total in all
// their forms but those that take a polymorphic type.
var totalNames = strings.Fields(`lower upper initcap length char_length character_length octet_length bit_length btrim ltrim rtrim lpad rpad left right
	substr replace translate repeat reverse split_part strpos position overlay ascii chr to_hex md5 sha224 sha256 sha384 sha512 encode decode
	quote_ident quote_literal abs sign ceil ceiling floor round trunc mod div gcd lcm factorial power pow sqrt cbrt exp ln log degrees radians
	sin cos tan date_trunc to_date to_timestamp make_date make_time make_timestamp make_timestamptz make_interval
	timezone justify_days justify_hours justify_interval date_bin isfinite jsonb_typeof json_typeof jsonb_array_length json_array_length
	host masklen set_masklen network netmask hostmask broadcast family abbrev inet_merge get_bit set_bit get_byte set_byte bit_count crypt
	interval_total gen_salt digest hmac starts_with normalize is_normalized hashtext width_bucket pg_size_bytes`)

// partialTypes are those whose operators may have no value.
var partialTypes = []string{"json", "jsonb", "hstore", "xml", "ltree", "jsonpath", "point", "line", "lseg", "box", "path", "polygon", "circle"}

var totalFunctions = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	catalog.Operators(func(o *catalog.Operator) {
		plain := true
		var operands []string
		for _, t := range []string{o.Left, o.Right} {
			plain = plain && !strings.HasPrefix(t, "any") && !strings.HasPrefix(t, "_") && !slices.Contains(partialTypes, t)
			if t != "" {
				operands = append(operands, t)
			}
		}
		if plain || o.Result == "bool" && o.Right != "jsonpath" {
			out[o.Function+"("+strings.Join(operands, ",")+")"] = true
		}
	})
	catalog.Casts(func(k *catalog.Cast) {
		if k.Function != "" && !(k.Function == "time" || k.Function == "timetz") { // of infinity there is no time
			out[k.Function+"("+k.From+")"] = true
		}
	})
	return out
})

// neverNull reports whether a strict function gives NULL for NULLs only, as far as that is
// known.
func neverNull(signature string) bool {
	name, args, _ := strings.Cut(signature, "(")
	return totalFunctions()[signature] || strings.HasPrefix(signature, "key in collation ") || slices.Contains(totalNames, name) && !strings.Contains(args, "any")
}
