package schema

import "strings"

// TakesAdvisoryLock reports whether a function of the system asks for an advisory lock.
func TakesAdvisoryLock(name string) bool {
	return strings.HasPrefix(name, "pg_advisory_") && !strings.Contains(name, "unlock") || strings.HasPrefix(name, "pg_try_advisory_")
}
