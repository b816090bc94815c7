package load

import (
	"regexp"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/client"
)

var (
	pragma    = regexp.MustCompile(`(?is)^\s*PRAGMA\s+(?:\w+\s*\.\s*)?(\w+)\s*(?:=\s*([^;]*?)|\(\s*([^;]*?)\s*\))?\s*;?\s*$`)
	settings  = regexp.MustCompile(`(?is)^\s*SET\s+(?:(?:SESSION|LOCAL|GLOBAL|PERSIST)\s+|@@(?:session\.|local\.|global\.)?)?(\w+)\s*:?=\s*[^,;]*;?\s*$`)
	otherIdle = regexp.MustCompile(`(?is)^\s*(SET\s+NAMES\s|SET\s+(CHARACTER\s+SET|CHARSET)\s|SET\s+(SESSION|GLOBAL)\s+TRANSACTION\s|USE\s+\S+\s*;?\s*$|(ANALYZE|OPTIMIZE)\s+TABLE\s|` +
		`SHOW\s+((GLOBAL|SESSION|FULL|EXTENDED)\s+)*(VARIABLES|STATUS|DATABASES|SCHEMAS|TABLES|COLUMNS|FIELDS|INDEX|INDEXES|KEYS|CREATE|GRANTS|ENGINES|PLUGINS|CHARACTER|` +
		`COLLATION|WARNINGS|ERRORS|PROCESSLIST|MASTER|SLAVE|REPLICA|BINARY)\b)`)
)

// idlePragmas are those of SQLite that touch no rows. foreign_keys is one where it
// turns the constraints on, which is what the schema says.
var idlePragmas = []string{"analysis_limit", "auto_vacuum", "automatic_index", "busy_timeout", "cache_size", "cache_spill", "checkpoint_fullfsync", "collation_list", "compile_options",
	"database_list", "encoding", "foreign_key_list", "foreign_keys", "fullfsync", "function_list", "hard_heap_limit", "incremental_vacuum", "index_info", "index_list", "index_xinfo",
	"journal_mode", "journal_size_limit", "locking_mode", "max_page_count", "mmap_size", "module_list", "optimize", "page_size", "pragma_list", "secure_delete", "shrink_memory",
	"soft_heap_limit", "synchronous", "table_info", "table_list", "table_xinfo", "temp_store", "threads", "trusted_schema", "wal_autocheckpoint", "wal_checkpoint"}

// idleSettings are variables of MySQL that change no rows, no constraints and no
// ends of transactions.
var idleSettings = []string{"character_set_client", "character_set_connection", "character_set_results", "collation_connection", "default_storage_engine", "general_log",
	"innodb_lock_wait_timeout", "innodb_stats_on_metadata", "interactive_timeout", "lock_wait_timeout", "long_query_time", "max_allowed_packet", "max_connections", "max_execution_time",
	"max_statement_time", "net_read_timeout", "net_write_timeout", "optimizer_switch", "profiling", "slow_query_log", "sort_buffer_size", "sql_log_bin", "sql_notes", "sql_warnings",
	"time_zone", "wait_timeout"}

// channel matches a statement about a channel whose name is not known.
var channel = regexp.MustCompile(`(?i)^\s*(UN)?LISTEN\s+"?` + client.Hole + `"?\s*;?\s*$`)

// TouchesNoRows reports whether a text is a statement of SQLite, or if mysql is set of MySQL,
// that touches no rows, or one that listens on a channel whose name is not known.
func TouchesNoRows(text string, mysql bool) bool {
	if channel.MatchString(text) {
		return !mysql
	}
	if m := pragma.FindStringSubmatch(text); m != nil {
		name, value := strings.ToLower(m[1]), strings.ToLower(strings.Trim(m[2]+m[3], `'"`))
		return slices.Contains(idlePragmas, name) && (name != "foreign_keys" || slices.Contains([]string{"", "1", "on", "true", "yes"}, value))
	}
	if !mysql {
		return false
	}
	if m := settings.FindStringSubmatch(text); m != nil {
		return slices.Contains(idleSettings, strings.ToLower(m[1]))
	}
	return otherIdle.MatchString(text) && !strings.Contains(strings.TrimRight(text, "; \t\n\r"), ";")
}

// setsOther reports whether a text sets something of MySQL that may change what
// transactions do, or that later statements read.
func setsOther(text string) bool {
	fields := strings.Fields(text)
	return len(fields) > 1 && strings.EqualFold(fields[0], "SET") && !strings.EqualFold(fields[1], "TRANSACTION")
}
