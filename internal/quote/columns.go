package quote

import "unicode"

// wide are the characters that terminals show two columns wide: those of East Asia (W and F of
// Unicode's annex 11) and emoji.
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x1100, 0x115f, 1}, {0x2e80, 0x303e, 1}, {0x3041, 0x33ff, 1}, {0x3400, 0x4dbf, 1}, {0x4e00, 0x9fff, 1}, {0xa000, 0xa4cf, 1},
		{0xac00, 0xd7a3, 1}, {0xf900, 0xfaff, 1}, {0xfe30, 0xfe6f, 1}, {0xff00, 0xff60, 1}, {0xffe0, 0xffe6, 1},
	},
	R32: []unicode.Range32{{0x1f300, 0x1f64f, 1}, {0x1f680, 0x1f6ff, 1}, {0x1f900, 0x1f9ff, 1}, {0x20000, 0x3fffd, 1}},
}

// Columns counts the columns that a text takes in a terminal.
func Columns(s string) int {
	n := 0
	for _, r := range s {
		n += columns(r)
	}
	return n
}

func columns(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case unicode.Is(wide, r):
		return 2
	}
	return 1
}

// Clip shortens a text to n columns, with … at its end.
func Clip(s string, n int) string {
	if Columns(s) <= n {
		return s
	}
	runes := []rune(s)
	return string(runes[:fitting(runes, n-1)]) + "…"
}

// fitting counts the first characters that fit into n columns, at least one.
func fitting(text []rune, n int) int {
	for i, r := range text {
		if n -= columns(r); n < 0 {
			return max(i, 1)
		}
	}
	return len(text)
}
