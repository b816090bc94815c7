// Package backoff stands for libraries that make attempts.
package backoff

// Retry calls a function until it gives no error.
func Retry(operation func() error) error {
	for {
		if operation() == nil {
			return nil
		}
	}
}
