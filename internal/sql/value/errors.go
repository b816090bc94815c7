package value

import "fmt"

// Failure makes an Error.
func Failure(state, format string, args ...any) error {
	return &Error{state, fmt.Sprintf(format, args...)}
}
