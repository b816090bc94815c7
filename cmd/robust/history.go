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
	"github.com/txrobust/robust/internal/checker/view"
	"github.com/txrobust/robust/internal/output"
	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/internal/terminal"
)

// historyCommands are the subcommands on recorded histories.
func historyCommands() []command {
	return []command{
		{"history check", "[flags] FILE…", "tell which levels histories satisfy", judged, judgeCommand},
		{"history generate", "[flags]", "make a history of a simulated database", generated, generateCommand},
		{"history collect", "[flags]", "record a history of a real database", collected, collectCommand},
		{"history test", "[flags]", "record a history, and judge it", tested, testCommand},
		{"history convert", "-out FORMAT [flags] FILE…", "rewrite a recorded history in another format", recordings, convertCommand},
	}
}

// recordings says what the arguments of these commands are.
var recordings = "FILE is a recorded history: a file, or a folder of the files of its sessions, or\n" +
	"these files; - is standard input. gzip is undone. The formats are" + view.FormatList()

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

// target is where a history goes, and how.
type target struct {
	out, path       string
	lossless, lossy bool
	format          codec.Format
}

// declare declares the flags. flag is the name of the one with the path.
func (w *target) declare(fs *flag.FlagSet, flag, format string) {
	fs.StringVar(&w.out, "out", format, "`format` to write: "+strings.Join(codec.Names(true), ", "))
	fs.StringVar(&w.path, flag, "", "write the history to `PATH`: a file, compressed if it ends with .gz, or a new folder if the format is one")
	fs.BoolVar(&w.lossless, "lossless", false, "fail, and write nothing, if the format cannot hold the whole history")
	fs.BoolVar(&w.lossy, "lossy", false, "write the history also if a verdict about it may change, because the format cannot hold what the verdict depends on (default: fail, and say why)")
}

// check finds mistakes in the flags.
func (w *target) check() (err error) {
	w.format, err = codec.ParseFormat(w.out)
	switch {
	case w.out == "":
		return usagef("-out is missing; the formats are %s", strings.Join(codec.Names(true), ", "))
	case err != nil:
		return usagef("-out: %v", err)
	case !w.format.Writable():
		return usagef("-out %s: this format is only read; those written are %s", w.out, strings.Join(codec.Names(true), ", "))
	case w.lossless && w.lossy:
		return usagef("-lossless and -lossy exclude each other")
	case w.format.Folder() && w.path == "":
		return usagef("-out %s: such a history is a folder; name a new one with -o", w.out)
	}
	return checkTarget(w.path, w.format)
}

// save writes a history.
func (w *target) save(ctx context.Context, std streams, h *history.History) error {
	var losses []string
	var b bytes.Buffer
	var err error
	if w.lossless {
		if losses, err = codec.Losses(ctx, h, w.format); err != nil {
			return err
		}
		if len(losses) > 0 {
			return fmt.Errorf("the format %s cannot hold this history: %s Leave out -lossless to write it all the same", w.format, strings.Join(losses, " "))
		}
	}
	if !w.lossy {
		if err := keepsVerdicts(ctx, h, w.format); err != nil {
			return err
		}
	}
	if w.path == "" {
		if losses, err = codec.Write(ctx, &b, h, w.format); err == nil {
			if terminal.Is(std.out) && !quote.Printable(strings.NewReplacer("\n", "", "\t", "").Replace(b.String())) {
				return usagef("the history has characters that a terminal does not print; name a file for it")
			}
			_, err = std.out.Write(b.Bytes())
		}
	} else {
		losses, err = codec.Save(ctx, w.path, h, w.format)
	}
	for _, l := range losses {
		fmt.Fprintf(std.err, "note: %s\n", oneLine(l))
	}
	return err
}

func convertCommand(fs *flag.FlagSet) func(context.Context, streams, []string) (int, error) {
	in, to := &historyFlags{}, &target{}
	in.declare(fs)
	to.declare(fs, "o", "")
	return func(ctx context.Context, std streams, files []string) (int, error) {
		if err := to.check(); err != nil {
			return 0, err
		}
		h, _, err := in.read(ctx, std, files)
		if err != nil {
			return 0, err
		}
		return exitOK, to.save(ctx, std, h)
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
		return output.Check(path)
	}
	if _, err := os.Lstat(path); err == nil && !(f == codec.Dbcop && strings.HasSuffix(path, ".bincode")) {
		return usagef("-o %s exists; name a new folder", path)
	}
	return nil
}
