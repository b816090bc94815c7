package sqlmodel

import "strings"

// funcKind is what calling a built-in function means for a transaction.
type funcKind uint8

const (
	// pureFunc depends on its arguments only.
	pureFunc funcKind = iota
	// nowFunc gives the time at which the transaction began.
	nowFunc
	// sessionFunc gives something that does not change in a transaction.
	sessionFunc
	// volatileFunc gives any value at each call.
	volatileFunc
	// freshFunc gives a value that was never used before.
	freshFunc
	// idleFunc does nothing that matters to other transactions' data.
	idleFunc
	// setFunc returns a set of rows.
	setFunc
	// aggFunc is an aggregate; windowFunc needs OVER.
	aggFunc
	windowFunc
	// unsafeFunc may do anything.
	unsafeFunc
)

// builtin is what is known of a built-in function.
type builtin struct {
	kind funcKind
	// result is the name of the result type, or: "1", "2" the type of that
	// argument; "number" numeric unless the first argument is a float; "array"
	// an array of the first argument; "element" an element of the first
	// argument, an array.
	result string
}

// builtins are PostgreSQL's functions, those that applications use. Others
// count as unknown user code.
var builtins = indexByName(map[funcKind]map[string]string{
	pureFunc: {
		"1": `abs greatest least nullif coalesce array_append array_remove array_replace array_cat trim_array array_sort
			array_reverse range_merge justify_days justify_hours justify_interval
			jsonb_set jsonb_set_lax jsonb_insert jsonb_strip_nulls json_strip_nulls`,
		"2":     `array_prepend date_trunc`,
		"array": `array_fill`,
		"number": `ceil ceiling floor round trunc sign power pow exp ln log log10 sqrt cbrt mod factorial width_bucket
			scale trim_scale gcd lcm`,
		"int": `length char_length character_length octet_length bit_length position strpos ascii array_length array_upper
			array_lower array_ndims array_position cardinality div num_nulls num_nonnulls hashtext hashtextextended
			date_part_int jsonb_array_length json_array_length regexp_count regexp_instr levenshtein min_scale
			bit_count nlevel uuid_extract_version crc32 crc32c pg_column_size`,
		"float": `degrees radians sin cos tan cot asin acos atan atan2 sinh cosh tanh asinh acosh atanh pi erf erfc
			similarity word_similarity ts_rank ts_rank_cd date_part extract earth_distance st_distance st_x st_y`,
		"numeric": `to_number`,
		"boolean": `starts_with isfinite isempty lower_inc upper_inc lower_inf upper_inf regexp_like jsonb_exists jsonb_exists_any
			jsonb_exists_all jsonb_contains jsonb_path_exists jsonb_path_match is_normalized xmlexists textlike textnlike like notlike overlaps
			array_contains st_within st_contains st_intersects st_dwithin`,
		"text": `lower upper initcap btrim ltrim rtrim trim lpad rpad left right substr substring similar_to_escape like_escape replace translate
			repeat reverse split_part concat concat_ws format md5 chr to_char to_hex to_oct to_bin quote_ident quote_literal
			quote_nullable encode regexp_replace regexp_substr overlay normalize unistr array_to_string jsonb_typeof json_typeof
			jsonb_extract_path_text json_extract_path_text jsonb_pretty crypt gen_salt unaccent soundex metaphone
			text varchar bpchar array_dims host abbrev pg_typeof
			uuid_generate_v3 uuid_generate_v5 parse_ident textcat format_type`,
		"bytea":     `decode sha224 sha256 sha384 sha512 digest hmac convert_to set_byte set_bit encrypt decrypt pgp_sym_encrypt`,
		"date":      `make_date to_date date`,
		"time":      `make_time time`,
		"timestamp": `make_timestamp make_timestamptz to_timestamp timezone date_bin timestamp timestamptz date_add date_subtract uuid_extract_timestamp`,
		"interval":  `age make_interval interval`,
		"jsonb": `to_json to_jsonb row_to_json array_to_json json_build_object jsonb_build_object json_build_array
			jsonb_build_array json_object jsonb_object jsonb_extract_path json_extract_path jsonb_concat jsonb_delete
			jsonb_delete_path jsonb_path_query_first jsonb_path_query_array json jsonb jsonb_populate_record hstore_to_jsonb
			json_populate_record`,
		"text[]":   `string_to_array regexp_split_to_array regexp_match akeys avals tsvector_to_array`,
		"tsvector": `to_tsvector setweight`,
		"tsquery":  `to_tsquery plainto_tsquery phraseto_tsquery websearch_to_tsquery`,
		"any": `lower_range upper_range int4range int8range numrange tsrange tstzrange daterange point box circle polygon
			hstore inet_merge network broadcast netmask masklen family macaddr8_set7bit row st_point st_makepoint
			st_setsrid st_geomfromtext st_geogfromtext ll_to_earth`,
	},
	nowFunc:     {"timestamp": `now transaction_timestamp current_timestamp localtimestamp`, "date": `current_date`, "time": `current_time localtime`},
	sessionFunc: {"text": `current_user session_user current_role current_schema current_database current_catalog version inet_client_addr inet_server_addr current_setting user current_query`, "int": `pg_backend_pid inet_client_port txid_current pg_current_xact_id`, "boolean": `pg_is_in_recovery`, "timestamp": `pg_postmaster_start_time pg_conf_load_time`},
	volatileFunc: {
		"timestamp": `clock_timestamp statement_timestamp`,
		"float":     `random random_normal`,
		"text":      `timeofday`,
		"boolean": `pg_try_advisory_lock pg_try_advisory_xact_lock pg_advisory_unlock has_table_privilege has_schema_privilege
			pg_has_role row_security_active ` + holeFunc,
		"int": `pg_total_relation_size pg_relation_size pg_database_size`,
	},
	freshFunc: {
		"text": `gen_random_uuid uuid_generate_v1 uuid_generate_v1mc uuid_generate_v4 uuidv4 uuidv7`,
		"int":  `nextval`,
	},
	idleFunc: {
		"void": `pg_advisory_lock pg_advisory_xact_lock pg_advisory_lock_shared pg_advisory_xact_lock_shared
			pg_advisory_unlock_all pg_notify pg_sleep pg_sleep_for pg_sleep_until`,
		"text": `set_config`,
	},
	setFunc: {
		"element": `unnest`,
		"1":       `generate_series`,
		"int":     `generate_subscripts`,
		"text": `regexp_split_to_table string_to_table jsonb_object_keys json_object_keys jsonb_array_elements_text
			json_array_elements_text`,
		"jsonb": `jsonb_array_elements json_array_elements jsonb_path_query`,
		"any": `jsonb_to_recordset json_to_recordset jsonb_to_record json_to_record jsonb_populate_recordset json_populate_recordset
			jsonb_each json_each jsonb_each_text json_each_text regexp_matches`,
	},
	aggFunc: {
		"int":     `count regr_count`,
		"1":       `sum min max any_value mode bit_and bit_or bit_xor range_agg`,
		"number":  `avg stddev stddev_pop stddev_samp variance var_pop var_samp`,
		"float":   `corr covar_pop covar_samp percentile_cont regr_slope regr_intercept`,
		"boolean": `bool_and bool_or every`,
		"text":    `string_agg`,
		"array":   `array_agg`,
		"jsonb":   `json_agg jsonb_agg json_object_agg jsonb_object_agg json_agg_strict jsonb_agg_strict`,
		"any":     `percentile_disc xmlagg`,
	},
	windowFunc: {
		"int": `row_number rank dense_rank ntile`,
		"1":   `lag lead first_value last_value nth_value`,
		"any": `percent_rank cume_dist`,
	},
	unsafeFunc: {
		"int": `setval`,
		"any": `dblink dblink_exec lo_import lo_export lo_unlink lo_create lo_put lo_get query_to_xml table_to_xml cursor_to_xml
			database_to_xml schema_to_xml pg_read_file pg_terminate_backend pg_cancel_backend pg_stat_reset txid_snapshot_xmin`,
	},
})

func indexByName(rows map[funcKind]map[string]string) map[string]builtin {
	out := map[string]builtin{"currval": {sessionFunc, nInt}, "lastval": {sessionFunc, nInt}}
	for kind, byResult := range rows {
		for result, list := range byResult {
			for _, name := range strings.Fields(list) {
				out[name] = builtin{kind, result}
			}
		}
	}
	return out
}
