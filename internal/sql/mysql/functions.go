package mysql

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/ir"
)

// Functions are built-in functions that give equal results for equal arguments, by the names that Postgres gives them, with
// the kind of the result; KindNull is that of the first argument.
var Functions = map[string]ir.Kind{
	"octet_length": ir.KindInt, "char_length": ir.KindInt, "character_length": ir.KindInt, "ascii": ir.KindInt, "locate": ir.KindInt, "instr": ir.KindInt,
	"position": ir.KindInt, "sign": ir.KindInt, "year": ir.KindInt, "month": ir.KindInt, "day": ir.KindInt, "dayofmonth": ir.KindInt, "dayofweek": ir.KindInt,
	"dayofyear": ir.KindInt, "weekday": ir.KindInt, "week": ir.KindInt, "quarter": ir.KindInt, "hour": ir.KindInt, "minute": ir.KindInt, "second": ir.KindInt,
	"datediff": ir.KindInt, "to_days": ir.KindInt, "to_seconds": ir.KindInt, "crc32": ir.KindInt, "field": ir.KindInt, "find_in_set": ir.KindInt, "strcmp": ir.KindInt,
	"timestampdiff": ir.KindInt, "extract": ir.KindInt, "bit_count": ir.KindInt, "json_length": ir.KindInt,
	"floor": ir.KindNum, "ceil": ir.KindNum, "round": ir.KindNum, "truncate": ir.KindNum, "abs": ir.KindNull, "pow": ir.KindNum, "power": ir.KindNum, "sqrt": ir.KindNum,
	"exp": ir.KindNum, "ln": ir.KindNum, "log": ir.KindNum, "log2": ir.KindNum, "log10": ir.KindNum, "mod": ir.KindNull,
	"concat_ws": ir.KindText, "trim": ir.KindText, "btrim": ir.KindText, "ltrim": ir.KindText, "rtrim": ir.KindText, "left": ir.KindText, "right": ir.KindText,
	"lower": ir.KindText, "upper": ir.KindText, "substr": ir.KindText, "substring": ir.KindText, "replace": ir.KindText, "reverse": ir.KindText, "repeat": ir.KindText,
	"lpad": ir.KindText, "rpad": ir.KindText, "md5": ir.KindText, "sha1": ir.KindText, "sha": ir.KindText, "sha2": ir.KindText, "hex": ir.KindText, "unhex": ir.KindText,
	"date_format": ir.KindText, "format": ir.KindText, "substring_index": ir.KindText, "insert": ir.KindText, "elt": ir.KindText, "space": ir.KindText, "char": ir.KindText,
	"json_unquote": ir.KindText, "json_extract": ir.KindText, "json_object": ir.KindText, "json_array": ir.KindText, "json_set": ir.KindText, "json_insert": ir.KindText,
	"json_replace": ir.KindText, "json_remove": ir.KindText, "json_merge_patch": ir.KindText, "json_type": ir.KindText, "json_keys": ir.KindText, "json_value": ir.KindText,
	"json_contains": ir.KindInt, "json_valid": ir.KindInt, "inet_aton": ir.KindInt, "inet_ntoa": ir.KindText, "time_to_sec": ir.KindInt, "dayname": ir.KindText, "monthname": ir.KindText,
	"last_day": ir.KindTime, "date_add": ir.KindTime, "date_sub": ir.KindTime, "adddate": ir.KindTime, "subdate": ir.KindTime, "timestampadd": ir.KindTime,
	"str_to_date": ir.KindTime, "makedate": ir.KindTime, "addtime": ir.KindTime, "subtime": ir.KindTime,
	Interval: ir.KindOpaque,
}

// Interval is the function that INTERVAL n unit is written as.
const Interval = "mysql_interval"

// clocks are functions of the time of a statement, and others that read and write no rows, beside Functions.
var others = strings.Fields(`now date timestamp concat coalesce nullif greatest least if ifnull isnull current_date current_timestamp current_time curdate curtime
	utc_date utc_time utc_timestamp sysdate localtime localtimestamp unix_timestamp from_unixtime random gen_random_uuid uuid_short last_insert_id row_count found_rows
	database schema user current_user session_user connection_id version charset collation coercibility convert cast sleep values
	count sum min max avg json_agg json_arrayagg json_objectagg group_concat string_agg bit_and bit_or bit_xor std stddev stddev_pop stddev_samp variance var_pop var_samp
	rank dense_rank row_number lag lead first_value last_value ntile nth_value cume_dist percent_rank`)

// TouchesNothing reports whether a function of this name reads and writes no rows.
func TouchesNothing(name string) bool {
	_, known := Functions[name]
	return known || slices.Contains(others, name)
}
