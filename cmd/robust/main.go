package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/txrobust/robust/internal/codes"
	"github.com/txrobust/robust/internal/excerpt"
	"github.com/txrobust/robust/internal/fault"
	"github.com/txrobust/robust/internal/flags"
	"github.com/txrobust/robust/internal/terminal"
	"github.com/txrobust/robust/report"
)

// patience is how long a command may go on after an interrupt.
const patience = 10 * time.Second

// workerVar marks the process that does the work, if that is another one.
const workerVar = "ROBUST_WORKER"

func commands() []command {
	return append([]command{
		{"check", "[flags] INPUT…", "prove or refute robustness", inputs, checkCommand},
		{"allocate", "[flags] INPUT…", "find the lowest level of each transaction", allocateOperands, allocateCommand},
		{"fix", "[flags] INPUT…", "propose repairs, each of them proved", fixOperands, fixCommand},
		{"instrument", "[flags] INPUT…", "print the instrumented program", inputs, instrumentCommand},
		{"replay", "[flags] WITNESS…", "run witnesses on a real server", "WITNESS is a folder that robust check -witness wrote.", replayCommand},
		{"proof verify", "[flags] DIR…", "check what check -proof wrote, with z3", "DIR is a folder that robust check -proof wrote.", verifyCommand},
	}, append(historyCommands(),
		command{"demo", "[flags] [SCENE…]", "play an anomaly for a class", demoOperands, demoCommand},
		command{"playground", "[-o DIR | -http ADDRESS]", "check programs in a browser, without a server", playgroundOperands, playgroundCommand},
		command{"debug sql", "-phase PHASE FILE…", "print a phase of the translation of SQL, for those who work on robust", debugOperands, debugSQLCommand},
		command{"lsp", "", "serve an editor (Language Server Protocol)", lspOperands, lspCommand},
		command{"completion", "SHELL", "complete command lines in a shell", completionOperands, completionCommand},
		command{"version", "", "print versions, and where flags come from", "", versionCommand})...)
}

func main() {
	if isVet(os.Args[1:]) {
		vet(os.Args[1:], streams{os.Stdout, os.Stderr})
		return
	}
	if os.Getenv(workerVar) == "" && !readsTerminal(os.Args[1:]) {
		if code, ok := supervise(); ok {
			os.Exit(code)
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	go func() {
		// The first interrupt asks for what is known so far, a second one
		// ends the program, and so does a part of it that does not listen. Files
		// appear when they are complete, so that none is left half written.
		<-ctx.Done()
		stop()
		time.Sleep(patience)
		fmt.Fprintln(os.Stderr, "robust: interrupted")
		os.Exit(exitFault)
	}()
	os.Exit(run(ctx, os.Args[1:], streams{os.Stdout, os.Stderr}))
}

// run executes a command line, and prints its error in one line.
func run(ctx context.Context, args []string, std streams) (code int) {
	defer func() {
		if r := recover(); r != nil {
			f := fault.Of("", r)
			fmt.Fprintf(std.err, "robust: a fault of this program, please report it with the input: %s%s\n", oneLine(f.Value), keptStack(f))
			if os.Getenv("ROBUST_DEBUG") != "" {
				fmt.Fprintln(std.err, f.Stack)
			}
			code = exitFault
		}
	}()
	code, err := dispatch(ctx, args, std)
	var usage *usageError
	switch {
	case errors.As(err, &usage):
		fmt.Fprintf(std.err, "robust: %s\n", oneLine(usage.Msg))
		return exitUsage
	case err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()):
		fmt.Fprintln(std.err, "robust: interrupted")
		return exitFault
	case err != nil:
		fmt.Fprintf(std.err, "%s\n", oneLine(err.Error()))
		if terminal.Is(std.err) {
			fmt.Fprint(std.err, excerpt.Of(err, maxInput))
		}
		return exitFault
	}
	return code
}

// keptStack writes the stack of a panic to a new file, and says where it is.
func keptStack(f *fault.Fault) string {
	file, err := os.CreateTemp("", "robust-stack-*.txt")
	if err != nil {
		return ""
	}
	defer file.Close()
	if _, err := file.WriteString(f.Value + "\n\n" + f.Stack); err != nil {
		return ""
	}
	return "; the stack is in " + file.Name()
}

func dispatch(ctx context.Context, args []string, std streams) (int, error) {
	if len(args) == 0 {
		usage(std.err)
		return exitUsage, nil
	}
	name, args := args[0], args[1:]
	switch name {
	case "help", "-h", "-help", "--help":
		if len(args) == 0 {
			usage(std.out)
			return exitOK, nil
		}
		if args[0] == "codes" {
			for _, c := range codes.All() {
				fmt.Fprintf(std.out, "%s  %-20s %s\n", c.ID, c.Name, c.Summary)
			}
			return exitOK, nil
		}
		if upper := strings.ToUpper(args[0]); strings.HasPrefix(upper, "RB") {
			args[0] = upper
		}
		if c, ok := codes.ByID(args[0]); ok {
			return exitOK, report.ExplainCode(std.out, c.ID)
		}
		if strings.HasPrefix(args[0], "RB") {
			return 0, usagef("there is no code %s; robust help codes lists them", args[0])
		}
		if strings.HasPrefix(args[0], "-") {
			usage(std.out)
			return exitOK, nil
		}
		name, args = args[0], append(slices.Clone(args[1:]), "-h")
	}
	if name == "-version" || name == "--version" {
		name = "version"
	}
	var seconds []string // that the first word has
	for _, c := range commands() {
		first, second, two := strings.Cut(c.name, " ")
		switch {
		case first != name:
		case !two:
			return c.run(ctx, args, std)
		case len(args) > 0 && args[0] == second:
			return c.run(ctx, args[1:], std)
		default:
			seconds = append(seconds, second)
		}
	}
	if len(seconds) > 0 {
		if slices.Contains(args, "-h") {
			for _, second := range seconds {
				if code, err := dispatch(ctx, []string{name, second, "-h"}, std); err != nil || code != exitOK {
					return code, err
				}
			}
			return exitOK, nil
		}
		return 0, usagef("%s is followed by %s; robust help lists the commands", name, strings.Join(seconds, " or "))
	}
	var all []string
	for _, c := range commands() {
		all = append(all, strings.Fields(c.name)[0])
	}
	if near := flags.Nearest(name, all); near != "" {
		return 0, usagef("there is no command %q; do you mean %s? robust help lists the commands", name, near)
	}
	return 0, usagef("there is no command %q; robust help lists the commands", name)
}

// call is how the command is called.
func (c *command) call() string { return strings.TrimSpace("robust " + c.name + " " + c.args) }

func (c *command) run(ctx context.Context, args []string, std streams) (int, error) {
	fs := flag.NewFlagSet(c.name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	f := c.flags(fs)
	switch err := fs.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprintf(std.out, "usage: %s\n\n%s\n", c.call(), strings.ToUpper(c.summary[:1])+c.summary[1:]+".")
		if c.operands == "" {
			return exitOK, nil
		}
		fmt.Fprintf(std.out, "\n%s\n", c.operands)
		some := false
		fs.VisitAll(func(*flag.Flag) { some = true })
		if some {
			fmt.Fprintln(std.out, "\nFlags:")
		}
		flags.Help(std.out, fs)
		return exitOK, nil
	case err != nil:
		return 0, usagef("%s: %s; robust %s -h lists the flags", c.name, flags.Fault(fs, err), c.name)
	}
	for _, a := range fs.Args() {
		if len(a) > 1 && a[0] == '-' {
			return 0, usagef("%s: the flag %s must come before the inputs", c.name, a)
		}
	}
	if c.args == "" && fs.NArg() > 0 {
		return 0, usagef("%s takes no arguments", c.name)
	}
	if c.args == "[flags]" && fs.NArg() > 0 {
		return 0, usagef("%s takes flags only, and no %q", c.name, fs.Arg(0))
	}
	if fs.NArg() == 0 && c.args != "" && c.args != "[flags]" && c.operands != demoOperands && c.operands != playgroundOperands {
		if c.operands != inputs && c.operands != allocateOperands {
			return 0, usagef("%s: there is no argument; robust %[1]s -h says what they are", c.name)
		}
		return 0, usagef("%s: there is no input; name packages of Go, .sql files, directories of them, .litmus files, or - for SQL from standard input", c.name)
	}
	if fs.Lookup("config") == nil {
		return f(ctx, std, fs.Args())
	}
	read, err := configure(ctx, fs, fs.Args())
	if err != nil {
		return 0, err
	}
	sayConfig(std, fs, read)
	code, err := f(ctx, std, fs.Args())
	if usage, ok := errors.AsType[*usageError](err); ok && read != "" && slices.ContainsFunc(inConfig, func(key string) bool { return strings.Contains(usage.Msg, "-"+key) }) {
		return code, usagef("%s (flags are read from %s, too)", usage.Msg, read)
	}
	return code, err
}

func usage(w io.Writer) {
	fmt.Fprint(w, `Robust tells whether a transactional program stays correct when its database
runs at snapshot isolation (PostgreSQL's REPEATABLE READ), or each transaction
at its own level, instead of SERIALIZABLE.

Usage:

`)
	for _, c := range commands() {
		if call := c.call(); len([]rune(call)) <= 34 {
			fmt.Fprintf(w, "  %-34s %s\n", call, c.summary)
		} else {
			fmt.Fprintf(w, "  %s\n      %s\n", call, c.summary)
		}
	}
	fmt.Fprint(w, `  robust help COMMAND                list the flags of a command
  robust help codes                  list the codes of findings
  robust help CODE                   explain a code, such as RB1001

`+inputs+`

Exit codes: 0 robust or accepted, 1 faulty input or failure, 2 wrong usage,
3 not robust or rejected, 4 unknown. At READ COMMITTED a program is robust if
each transaction does what it would do alone at the moment of its commit, or if
it is proved at snapshot isolation, and its transactions do nothing that they
could not do there; where that is not known, and nothing was found, it is 4.
`)
}
