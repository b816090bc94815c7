package view

import (
	"fmt"
	"strings"

	"github.com/txrobust/robust/history/codec"
	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/isolation"
)

// FormatList says which formats there are, for a help text: after the end of a line.
func FormatList() string {
	var b strings.Builder
	for _, name := range codec.Names(false) {
		f := codec.Format(name)
		mark := " "
		if f.Writable() {
			mark = "*"
		}
		b.WriteString(Item(fmt.Sprintf("  %-10s %s ", name, mark), f.Describe()))
	}
	return b.String() + "\nThose with * can be written, too."
}

// LevelList says which levels there are, and what their names are.
func LevelList() string {
	var b strings.Builder
	for _, l := range isolation.Levels() {
		text := l.Long()
		var aka []string
		for _, n := range l.Names() {
			if n != l.Long() {
				aka = append(aka, n)
			}
		}
		if len(aka) > 0 {
			text += " (" + strings.Join(aka, ", ") + ")"
		}
		b.WriteString(Item(fmt.Sprintf("  %-9s ", l), text))
	}
	return b.String()
}

// Item is an entry of a list in 80 columns, after the end of a line.
func Item(first, text string) string {
	return "\n" + first + strings.Join(quote.Wrap(text, 80-len(first)), "\n"+strings.Repeat(" ", len(first)))
}
