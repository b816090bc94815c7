package catalog

import "strings"

// laterFunctions are functions that came after the server of builtin_data.go, in
// the form of its lines but with bars (release notes of PostgreSQL 16, 17 and 18).
var laterFunctions = strings.ReplaceAll(`
any_value|anyelement|anyelement|ai
array_reverse|anyarray|anyarray|fiS
array_sample|anyarray,int4|anyarray|fvS
array_shuffle|anyarray|anyarray|fvS
array_sort|anyarray,bool,bool|anyarray|fiS2
casefold|text|text|fiS
crc32|bytea|int8|fiS
crc32c|bytea|int8|fiS
date_add|timestamptz,interval,text|timestamptz|fsS1
date_subtract|timestamptz,interval,text|timestamptz|fsS1
erf|float8|float8|fiS
erfc|float8|float8|fiS
gamma|float8|float8|fiS
lgamma|float8|float8|fiS
json_strip_nulls|json,bool|json|fiS1
jsonb_strip_nulls|jsonb,bool|jsonb|fiS1
pg_input_is_valid|text,text|bool|fsS
random|int4,int4|int4|fvS
random|int8,int8|int8|fvS
random|numeric,numeric|numeric|fvS
random_normal|float8,float8|float8|fvS2
reverse|bytea|bytea|fiS
to_bin|int4|text|fiS
to_bin|int8|text|fiS
to_oct|int4|text|fiS
to_oct|int8|text|fiS
unicode_assigned|text|bool|fiS
uuid_extract_timestamp|uuid|timestamptz|fiS
uuid_extract_version|uuid|int2|fiS
uuidv4||uuid|fv
uuidv7|interval|uuid|fvS1
xmltext|text|xml|fiS
`, "|", "\t")
