package catalog

import (
	"slices"
	"strings"
)

// Effect is what a call of a function of the system means for a transaction
// beyond its value.
type Effect uint8

const (
	// Pure: the value depends on the arguments only, or besides on settings that
	// are the same in all sessions, such as the time zone.
	Pure Effect = iota
	// OfTransaction: the value depends on the arguments and on the time at which
	// the transaction began.
	OfTransaction
	// OfSession: any value, which stays the same in a transaction.
	OfSession
	// AnyValue: any value at each call.
	AnyValue
	// Fresh: a value that was never used before.
	Fresh
	// Nothing: what it does is no concern of other transactions' data.
	Nothing
	// ReadsAny: it may read any table.
	ReadsAny
	// WritesAny: it may read and write any table.
	WritesAny
)

// effects are the functions for which their volatility would say too little or
// too much. A name with an opening parenthesis is a signature; * at the end
// stands for any continuation.
var effects = map[Effect]string{
	OfTransaction: `now transaction_timestamp age(timestamp) age(timestamptz)`,
	// They show the state of the server, the session or the transaction.
	OfSession: `pg_backend_pid pg_current_xact_id pg_current_xact_id_if_assigned pg_current_snapshot txid_current txid_current_if_assigned
		txid_current_snapshot inet_client_addr inet_client_port inet_server_addr inet_server_port current_user session_user getpgusername
		current_database current_schema current_schemas pg_postmaster_start_time pg_conf_load_time current_setting pg_my_temp_schema
		pg_is_in_recovery pg_client_encoding version current_query txid_status gettransactionid currval lastval`,
	// A STABLE function that shows what changes from statement to statement.
	AnyValue: `statement_timestamp pg_stat_get_* pg_locks pg_cursor pg_prepared_statement pg_listening_channels pg_trigger_depth age(xid) mxid_age
		pg_show_all_settings has_*_privilege pg_has_role row_security_active pg_show_replication_origin_status pg_get_replication_slots
		pg_available_extension* pg_get_publication_tables find_srid st_estimatedextent st_findextent postgis_constraint_* _postgis_*
		pg_sequence_parameters pg_event_trigger_* show_limit`,
	Fresh:   `nextval gen_random_uuid uuid_generate_v1 uuid_generate_v1mc uuid_generate_v4 uuidv4 uuidv7`,
	Nothing: `pg_advisory_lock pg_advisory_xact_lock pg_advisory_lock_shared pg_advisory_xact_lock_shared pg_advisory_unlock_all pg_notify pg_sleep pg_sleep_for pg_sleep_until set_config setseed set_limit pg_stat_reset* pg_stat_clear_snapshot pg_logical_emit_message pg_reload_conf pg_rotate_logfile*`,
	// They run a query that is in an argument, or look at tables by name.
	ReadsAny: `query_to_xml* cursor_to_xml* table_to_xml* schema_to_xml* database_to_xml* ts_stat ts_rewrite(tsquery,text) crosstab* connectby
		xpath_table lo_get loread lo_lseek* lo_tell* lo_open`,
	WritesAny: `setval dblink* lo_create lo_creat lo_import lo_export lo_unlink lo_put lowrite lo_from_bytea lo_truncate* lo_close lockrow unlockrows
		addauth checkauth addgeometrycolumn dropgeometrycolumn dropgeometrytable updategeometrysrid populate_geometry_columns
		postgis_extensions_upgrade enablelongtransactions disablelongtransactions pg_import_system_collations pg_extension_config_dump
		binary_upgrade_* pg_terminate_backend pg_cancel_backend pg_promote pg_create_* pg_drop_* pg_copy_* pg_switch_wal pg_replication_*
		gin_clean_pending_list brin_*`,
}

// running are the functions and views that show what other transactions do before they commit.
const running = `pg_try_advisory_* pg_locks pg_lock_status pg_stat_* pg_prepared_xact* pg_current_snapshot txid_current_snapshot pg_snapshot_*
	txid_snapshot_* txid_visible_in_snapshot pg_visible_in_snapshot txid_status pg_xact_status pg_blocking_pids pg_safe_snapshot_blocking_pids
	pg_sequence_last_value pg_sequences pg_relation_size pg_total_relation_size pg_table_size pg_indexes_size pg_database_size pg_tablespace_size
	pg_current_wal_* pg_last_committed_xact pg_xact_commit_timestamp* pg_get_multixact_members pg_notification_queue_usage`

// ShowsRunning reports whether the function or view of the system with a name shows what other
// transactions do before they commit.
func ShowsRunning(name string) bool {
	return slices.ContainsFunc(strings.Fields(running), func(pattern string) bool { return matches(pattern, name) })
}

// EffectOf gives the effect of a function of the system.
func EffectOf(f *Function) Effect {
	for _, e := range []Effect{OfTransaction, OfSession, AnyValue, Fresh, Nothing, ReadsAny, WritesAny} {
		if slices.ContainsFunc(strings.Fields(effects[e]), func(pattern string) bool { return covers(pattern, f) }) {
			return e
		}
	}
	if f.Volatility == 'v' {
		return AnyValue
	}
	return Pure
}

// covers reports whether a name of effects means the function.
func covers(pattern string, f *Function) bool {
	name := f.Name
	if strings.Contains(pattern, "(") {
		name = f.Signature()
	}
	return matches(pattern, name)
}

// matches reports whether a name fits a pattern, in which * stands for any characters.
func matches(pattern, name string) bool {
	prefix, suffix, open := strings.Cut(pattern, "*")
	if !open {
		return name == pattern
	}
	return strings.HasPrefix(name, prefix) && strings.HasSuffix(name, suffix)
}
