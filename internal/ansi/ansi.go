// Package ansi colors text for terminals.
package ansi

import "os"

// Color is an escape sequence of terminals. "" leaves text as it is.
type Color string

// Colors.
const (
	Bold   Color = "\x1b[1m"
	Yellow Color = "\x1b[33m"
	Green  Color = "\x1b[32m"
	Red    Color = "\x1b[31m"
	reset        = "\x1b[0m"
)

// Sessions are the colors of sessions, by their places.
var Sessions = []Color{"\x1b[36m", "\x1b[35m", "\x1b[34m", "\x1b[33m"}

// Paint gives a text in a color.
func (c Color) Paint(text string) string {
	if c == "" || text == "" {
		return text
	}
	return string(c) + text + reset
}

// Modes are the values of a flag that says when to use colors: auto is on a terminal, unless
// NO_COLOR is set or the terminal is dumb.
func Modes() []string { return []string{"auto", "always", "never"} }

// Wanted reports whether what is written to a terminal, or elsewhere, is to be in colors.
func Wanted(mode string, terminal bool) bool {
	switch mode {
	case "always":
		return true
	case "never":
		return false
	}
	return terminal && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}
