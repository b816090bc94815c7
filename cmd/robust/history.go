package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/history/codec"
	"github.com/txrobust/robust/internal/quote"
)

// historyCommands are the subcommands on recorded histories.
func historyCommands() []command {
	return []command{
		{"history check", "[flags] FILE…", "tell which levels histories satisfy", judged, judgeCommand},
		{"history convert", "-out FORMAT [flags] FILE…", "rewrite a recorded history in another format", recordings, convertCommand},
	}
}

// recordings says what the arguments of these commands are.
var recordings = "FILE is a recorded history: a file, or a folder of the files of its sessions, or\n" +
	"these files; - is standard input. gzip is undone. The formats are" + formatList()

func formatList() string {
	var b strings.Builder
	for _, name := range codec.Names(false) {
		f := codec.Format(name)
		mark := " "
		if f.Writable() {
			mark = "*"
		}
		b.WriteString(item(fmt.Sprintf("  %-10s %s ", name, mark), f.Describe()))
	}
	return b.String() + "\nThose with * can be written, too."
}

// item is an entry of a list in 80 columns, after the end of a line.
func item(first, text string) string {
	return "\n" + first + strings.Join(quote.Wrap(text, 80-len(first)), "\n"+strings.Repeat(" ", len(first)))
}

// historyFlags are the flags of every command that reads histories.
type historyFlags struct {
	in     string
	strict bool
}

func (f *historyFlags) declare(fs *flag.FlagSet) {
	fs.StringVar(&f.in, "in", "", "`format` of the history (default: the one that its content shows)")
	fs.BoolVar(&f.strict, "strict", false, "values that are read but never written are out of thin air, also in logs of Viper that look as if they began on loaded tables")
}

// read reads a history, and tells what had to be assumed about it.
func (f *historyFlags) read(ctx context.Context, std streams, files []string) (*history.History, codec.Format, error) {
	o := codec.Options{Strict: f.strict}
	if f.in != "" {
		var err error
		if o.Format, err = codec.ParseFormat(f.in); err != nil {
			return nil, "", usagef("-in: %v", err)
		}
	}
	for _, file := range files {
		if file == "-" && len(files) > 1 {
			return nil, "", usagef("standard input, -, is a whole history: name no other file")
		}
		if _, err := os.Stat(file); file != "-" && err != nil {
			return nil, "", usagef("%v", err)
		}
	}
	var h *history.History
	var format codec.Format
	var err error
	if files[0] == "-" {
		h, format, err = codec.Decode(ctx, os.Stdin, "standard input", o)
	} else {
		h, format, err = codec.Read(ctx, files, o)
	}
	if err != nil {
		return nil, format, err
	}
	for _, n := range h.Notes() {
		fmt.Fprintf(std.err, "note: %s\n", oneLine(n))
	}
	return h, format, nil
}

func convertCommand(fs *flag.FlagSet) func(context.Context, streams, []string) (int, error) {
	in := &historyFlags{}
	in.declare(fs)
	out := fs.String("out", "", "`format` to write: "+strings.Join(codec.Names(true), ", "))
	path := fs.String("o", "", "write to `PATH`: a file, compressed if it ends with .gz, or a new folder if the format is one (default standard output)")
	lossless := fs.Bool("lossless", false, "fail, and write nothing, if the format cannot hold the whole history")
	lossy := fs.Bool("lossy", false, "write the history also if a verdict about it may change, because the format cannot hold what the verdict depends on (default: fail, and say why)")
	return func(ctx context.Context, std streams, files []string) (int, error) {
		if *out == "" {
			return 0, usagef("history convert: -out is missing; the formats are %s", strings.Join(codec.Names(true), ", "))
		}
		format, err := codec.ParseFormat(*out)
		switch {
		case err != nil:
			return 0, usagef("-out: %v", err)
		case !format.Writable():
			return 0, usagef("-out %s: this format is only read; those written are %s", *out, strings.Join(codec.Names(true), ", "))
		case *lossless && *lossy:
			return 0, usagef("-lossless and -lossy exclude each other")
		case format.Folder() && *path == "":
			return 0, usagef("-out %s: such a history is a folder; name a new one with -o", *out)
		}
		if err := checkTarget(*path, format); err != nil {
			return 0, err
		}
		h, _, err := in.read(ctx, std, files)
		if err != nil {
			return 0, err
		}
		var losses []string
		var b bytes.Buffer
		if *lossless {
			if losses, err = codec.Losses(ctx, h, format); err != nil {
				return 0, err
			}
			if len(losses) > 0 {
				return 0, fmt.Errorf("the format %s cannot hold this history: %s Leave out -lossless to write it all the same", format, strings.Join(losses, " "))
			}
		}
		if !*lossy {
			if err := keepsVerdicts(ctx, h, format); err != nil {
				return 0, err
			}
		}
		if *path == "" {
			if losses, err = codec.Write(ctx, &b, h, format); err == nil {
				if isTerminal(std.out) && !quote.Printable(strings.NewReplacer("\n", "", "\t", "").Replace(b.String())) {
					return 0, usagef("history convert: the result has characters that a terminal does not print; name a file with -o")
				}
				_, err = std.out.Write(b.Bytes())
			}
		} else {
			losses, err = codec.Save(ctx, *path, h, format)
		}
		if err != nil {
			return 0, err
		}
		for _, l := range losses {
			fmt.Fprintf(std.err, "note: %s\n", oneLine(l))
		}
		return exitOK, nil
	}
}

// keepsVerdicts is an error if a verdict about a history may change in a format.
func keepsVerdicts(ctx context.Context, h *history.History, f codec.Format) error {
	doubts, err := f.Doubts(ctx, h)
	if err != nil || len(doubts) == 0 {
		return err
	}
	return fmt.Errorf("verdicts about this history may change in the format %s: %s With -lossy it is written all the same", f, strings.Join(doubts, " "))
}

// checkTarget finds out early that a history cannot be written.
func checkTarget(path string, f codec.Format) error {
	if !f.Folder() {
		return checkOutput(path)
	}
	if _, err := os.Lstat(path); err == nil && !(f == codec.Dbcop && strings.HasSuffix(path, ".bincode")) {
		return usagef("-o %s exists; name a new folder", path)
	}
	return nil
}
