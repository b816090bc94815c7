package flags

import (
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/quote"
)

// width is that of a terminal.
const width = 80

// Help writes the flags of a command with what they are for.
func Help(w io.Writer, fs *flag.FlagSet) {
	fs.VisitAll(func(f *flag.Flag) {
		name, usage := unquoted(f)
		head := "  -" + f.Name
		if name != "" {
			head += " " + name
		}
		fmt.Fprintln(w, head)
		if !slices.Contains([]string{"", "0", "0s", "false", "[]"}, f.DefValue) {
			usage += " (default " + f.DefValue + ")"
		}
		for _, line := range quote.Wrap(usage, width-6) {
			fmt.Fprintln(w, "      "+line)
		}
	})
}

// unquoted gives the name of the value of a flag, "" for a switch, and its usage.
func unquoted(f *flag.Flag) (name, usage string) {
	name, usage = flag.UnquoteUsage(f)
	if p, ok := f.Value.(interface{ placeholder() string }); ok && !strings.Contains(f.Usage, "`") {
		name = p.placeholder()
	}
	return name, usage
}

// isSwitch reports whether a flag stands without a value.
func isSwitch(f *flag.Flag) bool {
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}
