package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/txrobust/robust/internal/ansi"
	"github.com/txrobust/robust/internal/demo"
	"github.com/txrobust/robust/internal/infile"
	"github.com/txrobust/robust/internal/output"
	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/internal/replay"
	"github.com/txrobust/robust/internal/terminal"
	"github.com/txrobust/robust/internal/witness"
)

const demoOperands = "SCENE is the name of a scene, or a folder with one: scene.md, .sql files, and\n" +
	"folders of changes that might repair it (docs/demo.md). Without one, the scenes\n" +
	"are listed. In a terminal Enter leads to the next step."

// demoFlags are the flags of robust demo.
type demoFlags struct {
	auto    pace
	quiz    bool
	live    replayFlag
	lecture string
	html    string
	color   string
}

// pace is the value of -auto.
type pace struct {
	given bool
	after time.Duration
}

func (p *pace) String() string {
	if p == nil || !p.given {
		return ""
	}
	return p.after.String()
}

func (p *pace) Set(s string) error {
	if s == "0" {
		s = "0s"
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return errors.New("it must be a time, such as 2s, or 0")
	}
	p.given, p.after = true, d
	return nil
}

func demoCommand(fs *flag.FlagSet) func(context.Context, streams, []string) (int, error) {
	f := &demoFlags{}
	fs.Var(&f.auto, "auto", "go on after this `time`, such as 2s, instead of waiting for Enter; 0 plays all steps at once (default without a terminal)")
	fs.BoolVar(&f.quiz, "quiz", false, "ask before the interesting steps; answers are y or n")
	fs.Var(&f.live, "live", "play the scene on a real server, too: a private one that is started for that, or with -live=`DSN` another one, in a database of our own")
	fs.StringVar(&f.lecture, "lecture", "", "write a handout with exercises (handout.md), and their solutions (solutions.md), to the folder `DIR`; without SCENE of all scenes")
	fs.StringVar(&f.html, "html", "", "write a page for a browser, about the scenes and their changes, to `FILE`; without SCENE about all scenes")
	declareColor(fs, &f.color)
	return f.run
}

func (f *demoFlags) run(ctx context.Context, std streams, names []string) (code int, err error) {
	writes := f.lecture != "" || f.html != ""
	if writes && (f.quiz || f.live.on || f.auto.given) {
		return 0, usagef("-lecture and -html write files: -auto, -quiz and -live are for scenes that are played")
	}
	if len(names) == 0 && !writes {
		if f.quiz || f.live.on || f.auto.given {
			return 0, usagef("demo: name a scene to play; robust demo lists them")
		}
		return exitOK, listScenes(std.out)
	}
	scenes, err := scenesOf(ctx, names)
	if err != nil {
		return 0, err
	}
	if writes {
		return exitOK, f.write(ctx, std, scenes)
	}
	server, err := f.server(ctx, std)
	if err != nil {
		return 0, err
	}
	if server != nil {
		defer func() { err = errors.Join(err, server.Close()) }()
	}
	stage := f.stage(std)
	for i, s := range scenes {
		if i > 0 {
			fmt.Fprintln(std.out)
		}
		if err := f.play(ctx, std, stage, s, server); err != nil {
			return 0, err
		}
	}
	return exitOK, nil
}

// readsTerminal reports whether a command may wait for what somebody types: a process that
// is out of the terminal's reach cannot read from it.
func readsTerminal(args []string) bool { return len(args) > 0 && args[0] == "demo" }

// listScenes prints a line for each scene.
func listScenes(out io.Writer) error {
	fmt.Fprint(out, "Scenes, each with an execution that no serial order explains:\n\n")
	for _, name := range demo.Names() {
		s, err := demo.Named(name)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "  %-24s %s\n", s.Name, s.Summary)
	}
	_, err := fmt.Fprint(out, "\nrobust demo SCENE plays one, robust demo -h lists the flags.\n")
	return err
}

// scenesOf gives the scenes of names and folders, or all of them.
func scenesOf(ctx context.Context, names []string) ([]*demo.Scene, error) {
	if len(names) == 0 {
		names = demo.Names()
	}
	var out []*demo.Scene
	for _, name := range names {
		s, err := sceneOf(ctx, name)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// sceneOf gives the scene of a name or a folder.
func sceneOf(ctx context.Context, name string) (*demo.Scene, error) {
	s, err := demo.Named(name)
	if err == nil {
		return s, nil
	}
	info, noFile := infile.Stat(name)
	switch {
	case noFile == nil && info.IsDir():
		return demo.Read(ctx, name)
	case noFile == nil:
		return nil, usagef("%s: a scene is a folder with scene.md and .sql files", name)
	case !errors.Is(noFile, fs.ErrNotExist):
		return nil, usagef("%v", noFile)
	}
	if near := demo.Nearest(name); near != "" {
		return nil, usagef("%v, and no folder; do you mean %s?", err, near)
	}
	return nil, usagef("%v, and no folder; robust demo lists the scenes", err)
}

// write writes the page and the handout.
func (f *demoFlags) write(ctx context.Context, std streams, scenes []*demo.Scene) error {
	if f.html != "" {
		defer doing(std.err, "checking the scenes")()
		var out bytes.Buffer
		if err := demo.WritePage(ctx, &out, scenes); err != nil {
			return err
		}
		if err := output.Write(std.out, std.err, f.html, &out); err != nil || f.lecture == "" {
			return err
		}
	}
	if err := demo.Replaceable(f.lecture); err != nil {
		return usagef("-lecture: %v", err)
	}
	var all []*demo.Performance
	for _, s := range scenes {
		done := doing(std.err, "judging "+s.Name)
		p, err := demo.Prepare(ctx, s)
		done()
		if err != nil {
			return err
		}
		all = append(all, p)
	}
	return demo.Lecture(f.lecture, all)
}

// play plays one scene.
func (f *demoFlags) play(ctx context.Context, std streams, stage demo.Stage, s *demo.Scene, server *replay.Server) error {
	done := doing(std.err, "judging "+s.Name)
	p, err := demo.Prepare(ctx, s)
	done()
	if err != nil {
		return err
	}
	if err := p.Tell(ctx, stage); err != nil || server == nil {
		return err
	}
	return p.Live(ctx, stage, server)
}

// server gives the server of -live, or nil.
func (f *demoFlags) server(ctx context.Context, std streams) (*replay.Server, error) {
	if !f.live.on {
		return nil, nil
	}
	opt := replay.Options{Dialect: witness.Postgres, DSN: f.live.dsn}
	defer doing(std.err, "opening the server")()
	if err := replay.Available(opt); err != nil {
		return nil, usagef("-live: %v", err)
	}
	server, err := replay.Open(ctx, opt)
	if err != nil {
		return nil, fmt.Errorf("-live: %w", err)
	}
	if err := server.Check(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("-live: %w", err), server.Close())
	}
	return server, nil
}

// stage is what the scene is played on.
func (f *demoFlags) stage(std streams) demo.Stage {
	watched := terminal.Is(std.out)
	s := demo.Stage{Out: std.out, Colors: ansi.Wanted(f.color, watched)}
	if out, ok := std.out.(*os.File); ok && watched {
		if w, _, err := term.GetSize(int(out.Fd())); err == nil {
			s.Width = w
		}
	}
	lines := newLineReader(os.Stdin)
	interactive := watched && terminal.Is(os.Stdin)
	switch {
	case f.auto.given && f.auto.after > 0:
		s.Pause = func(ctx context.Context) error { return wait(ctx, f.auto.after) }
	case !f.auto.given && interactive:
		fmt.Fprintln(std.err, "Enter leads to the next step, Ctrl-C ends.")
		s.Pause = func(ctx context.Context) error {
			_, more, err := lines.next(ctx)
			if more && s.Colors { // take back the line that Enter has made
				fmt.Fprint(std.out, "\x1b[1A\x1b[2K")
			}
			return err
		}
	}
	if f.quiz {
		s.Ask = func(ctx context.Context, question string) (yes, ok bool, err error) {
			return lines.ask(ctx, std.out, question)
		}
	}
	return s
}

// doing says on a terminal what is being done, until it is done. Unlike a progress bar it
// draws nothing by itself beside what a scene prints.
func doing(w io.Writer, what string) (done func()) {
	if !terminal.Is(w) {
		return func() {}
	}
	fmt.Fprint(w, quote.Line(what)+" …")
	return func() { fmt.Fprint(w, "\r"+strings.Repeat(" ", len(what)+2)+"\r") }
}

// wait waits for some time.
func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// lineReader reads lines of somebody who may never send one.
type lineReader struct {
	in    io.Reader
	lines chan string // closed at the end of the input; nil before the first line is wanted
}

func newLineReader(in io.Reader) *lineReader { return &lineReader{in: in} }

// next gives the next line. ok is false at the end of the input.
func (r *lineReader) next(ctx context.Context) (line string, ok bool, err error) {
	if r.lines == nil {
		r.lines = make(chan string)
		go func() {
			s := bufio.NewScanner(r.in)
			for s.Scan() {
				r.lines <- s.Text()
			}
			close(r.lines)
		}()
	}
	select {
	case <-ctx.Done():
		return "", false, ctx.Err()
	case line, ok = <-r.lines:
		return line, ok, nil
	}
}

// ask asks until the answer is yes or no, or there is none.
func (r *lineReader) ask(ctx context.Context, out io.Writer, question string) (yes, ok bool, err error) {
	for {
		if _, err := fmt.Fprint(out, question+" [y/n] "); err != nil {
			return false, false, err
		}
		line, more, err := r.next(ctx)
		if err != nil || !more {
			fmt.Fprintln(out)
			return false, false, err
		}
		if !terminal.Is(out) {
			fmt.Fprintln(out)
		}
		switch strings.ToLower(strings.TrimSpace(line)) {
		case "y", "yes":
			return true, true, nil
		case "n", "no":
			return false, true, nil
		case "":
			return false, false, nil
		}
	}
}
