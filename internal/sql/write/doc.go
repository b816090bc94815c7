// Package write translates statements that write: INSERT with ON CONFLICT and
// RETURNING, UPDATE, DELETE, MERGE, what they do to the rows of keys that refer to
// them, and what triggers do before and after them.
package write
