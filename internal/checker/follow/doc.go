// Package follow judges a history while it is recorded, and remembers a window of it only.
package follow
