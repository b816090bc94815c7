package flags

import "fmt"

// UsageError is a mistake in the arguments of a command.
type UsageError struct{ Msg string }

func (e *UsageError) Error() string { return e.Msg }

// Usagef gives a *UsageError.
func Usagef(format string, args ...any) error { return &UsageError{fmt.Sprintf(format, args...)} }
