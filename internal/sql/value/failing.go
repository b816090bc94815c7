package value

import (
	"slices"
	"strings"
	"sync"

	"github.com/txrobust/robust/internal/sql/catalog"
)

// neverFailing are functions that have a result for all arguments but those whose result
// would be out of range, and patterns that are none.
var neverFailing = strings.Fields(`lower upper initcap length char_length character_length octet_length bit_length btrim ltrim rtrim lpad rpad left right
	replace translate repeat reverse strpos position ascii to_hex md5 sha224 sha256 sha384 sha512 quote_ident quote_literal quote_nullable concat concat_ws
	abs sign ceil ceiling floor round trunc gcd lcm exp degrees radians sin cos tan atan sinh cosh tanh cbrt pi min_scale trim_scale scale
	age isfinite justify_days justify_hours justify_interval make_interval
	jsonb_typeof json_typeof jsonb_extract_path jsonb_extract_path_text json_extract_path json_extract_path_text to_json to_jsonb jsonb_strip_nulls jsonb_pretty
	host masklen network netmask hostmask broadcast family abbrev text bit_count starts_with hashtext
	array_length array_upper array_lower array_ndims cardinality array_to_string array_remove array_replace
	num_nulls num_nonnulls
	array_append array_prepend array_positions array_to_json row_to_json json_build_array jsonb_build_array string_to_array enum_first enum_last enum_range
	text_larger text_smaller bpchar_larger bpchar_smaller date_larger date_smaller timestamp_larger timestamp_smaller timestamptz_larger timestamptz_smaller
	numeric_larger numeric_smaller int4larger int4smaller int8larger int8smaller interval_larger interval_smaller
	lower_inc upper_inc lower_inf upper_inf isempty to_tsvector plainto_tsquery interval_total`)

// deciding are functions where errors depend on some arguments alone, from 0: on units,
// names of time zones, numbers of fields, flags and formats; by name or signature.
var deciding = map[string][]int{
	"date_trunc": {0}, "date_part": {0}, "extract": {0}, "timezone": {0}, "split_part": {2}, "chr": {0}, "encode": {1}, "substr": {2},
	"numeric_div_trunc": {1}, "like": {1}, "notlike": {1}, "similar_to_escape": {0},
	"textregexeq": {1}, "textregexne": {1}, "texticregexeq": {1}, "texticregexne": {1}, "nameregexeq": {1}, "nameregexne": {1},
	"nameicregexeq": {1}, "nameicregexne": {1}, "bpcharregexeq": {1}, "bpcharregexne": {1}, "bpcharicregexeq": {1}, "bpcharicregexne": {1},
	"textlike": {1}, "textnlike": {1}, "texticlike": {1}, "texticnlike": {1}, "bpcharlike": {1}, "bpcharnlike": {1}, "set_masklen": {1},
	"array_position": {2}, "to_char": {1}, "substring": {2}, "regexp_replace": {1, 3}, "regexp_match": {1, 2}, "regexp_matches": {1, 2}, "substring(text,text)": {1}, "length(bytea,name)": {1},
}

// operating are the functions of operators that never fail: all but those that divide,
// take roots and powers, and read or change parts of documents.
var operating = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	catalog.Operators(func(o *catalog.Operator) {
		var operands []string
		for _, t := range []string{o.Left, o.Right} {
			if t != "" {
				operands = append(operands, t)
			}
		}
		fails := slices.Contains([]string{"/", "%", "^", "|/", "||/", "#-", "@?"}, o.Name) || strings.HasPrefix(o.Left, "json") && (o.Name == "-" || o.Name == "||") ||
			slices.Contains(operands, "jsonpath") || o.Result != "bool" && slices.ContainsFunc(operands, partner)
		if !fails {
			out[o.Function+"("+strings.Join(operands, ",")+")"] = true
		}
	})
	catalog.Casts(func(k *catalog.Cast) {
		if k.Function != "" && !readable(k.From) {
			out[k.Function+"("+k.From+")"] = true
		}
	})
	return out
})

// partner reports whether operators join values of a type with fitting ones only: of one
// length, of one family of addresses.
func partner(typ string) bool {
	return slices.Contains([]string{"bit", "varbit", "inet", "tsquery", "anyrange", "anymultirange"}, typ)
}

// readable reports whether values of a type are texts that others are read from.
func readable(typ string) bool {
	return slices.Contains([]string{"text", "varchar", "bpchar", "name", "json", "jsonb", "xml", "unknown", "citext"}, typ)
}

// failsOn gives the arguments of n on which it depends whether the function with a
// signature ends in an error.
func failsOn(signature string, n int) []int {
	name, _, _ := strings.Cut(signature, "(")
	for _, k := range []string{signature, name} {
		if on, is := deciding[k]; is {
			return on
		}
	}
	if strings.HasSuffix(name, "div") || strings.HasSuffix(name, "mod") {
		return []int{1}
	}
	if operating()[signature] || slices.Contains(neverFailing, name) || strings.HasPrefix(signature, "key in collation ") {
		return nil
	}
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// castFails gives the same for a cast by way of the text form.
func castFails(from, to *Type) []int {
	for from.Elem != nil && to.Elem != nil {
		from, to = from.Elem, to.Elem
	}
	if !readable(from.Name) || slices.Contains([]string{"text", "varchar", "bpchar", "name", "char", "citext"}, to.Name) {
		return nil
	}
	return []int{0}
}
