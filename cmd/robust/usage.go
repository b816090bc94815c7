package main

import (
	"context"
	"flag"
	"io"
	"strings"

	"github.com/txrobust/robust/internal/flags"
	"github.com/txrobust/robust/internal/quote"
)

// Exit codes.
const (
	exitOK        = 0 // robust, or accepted
	exitFault     = 1 // faulty input, or a fault of this program
	exitUsage     = 2
	exitNotRobust = 3
	exitUnknown   = 4
)

// usageError is a mistake in the arguments.
type usageError = flags.UsageError

func usagef(format string, args ...any) error { return flags.Usagef(format, args...) }

// command is one subcommand. run gives the exit code.
type command struct {
	name, args, summary string
	// operands says what the arguments after the flags are. "" is that there are none.
	operands string
	// flags declares the flags, and gives what runs with their values.
	flags func(fs *flag.FlagSet) func(ctx context.Context, std streams, inputs []string) (int, error)
}

// streams are where a command writes.
type streams struct{ out, err io.Writer }

// inputs says what INPUT is.
const inputs = "INPUT is packages of Go (./...), together one application, .sql files and\ndirectories of them, together another one, and .litmus files, each a program\nof its own. - is SQL from standard input."

// oneLine puts a message into one line, without what a terminal would not print.
func oneLine(s string) string { return quote.Line(strings.Join(strings.Fields(s), " ")) }
