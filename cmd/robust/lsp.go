package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/txrobust/robust/internal/gomod"
	"github.com/txrobust/robust/internal/infile"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/lsp"
	"github.com/txrobust/robust/internal/repair"
	"github.com/txrobust/robust/report"
)

const lspOperands = "It speaks the Language Server Protocol on standard input and output: editors\n" +
	"start it. An application is the .sql files of a folder, or a module of Go. It is\n" +
	"checked when one of its files is opened or saved, with the flags of robust.yaml."

func lspCommand(*flag.FlagSet) func(context.Context, streams, []string) (int, error) {
	return func(ctx context.Context, std streams, _ []string) (int, error) {
		err := lsp.Serve(ctx, os.Stdin, std.out, &editor{std: streams{io.Discard, io.Discard}}, strings.TrimPrefix(release(), "robust "))
		if err != nil {
			return exitFault, err
		}
		return exitOK, nil
	}
}

// editor checks applications for an editor.
type editor struct {
	std streams
	// lock is held while the current folder is that of an application.
	lock sync.Mutex
}

// editorTimeout is how long a check may take for which robust.yaml says nothing.
const editorTimeout = 2 * time.Minute

// Of gives the folder of a .sql file, or the module of a Go file.
func (*editor) Of(file string) string {
	switch {
	case strings.EqualFold(filepath.Ext(file), ".sql"):
		return filepath.Dir(file)
	case filepath.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go"):
		return ""
	}
	if root := gomod.Root(filepath.Dir(file)); root != "" {
		return filepath.Join(root, "...")
	}
	return ""
}

// inFolder runs f in the folder of an application, with its inputs.
func (e *editor) inFolder(app string, f func(dir string, inputs []string) error) error {
	e.lock.Lock()
	defer e.lock.Unlock()
	dir, golang := strings.CutSuffix(app, string(filepath.Separator)+"...")
	back, err := os.Getwd()
	if err != nil {
		return err
	}
	if err := os.Chdir(dir); err != nil {
		return err
	}
	defer os.Chdir(back)
	if golang {
		return f(dir, []string{"./..."})
	}
	files, err := infile.List(".", ".sql")
	if err != nil {
		return err
	}
	return f(dir, files)
}

// Check checks an application.
func (e *editor) Check(ctx context.Context, app string, say func(string)) (*lsp.Result, error) {
	var out *lsp.Result
	err := e.inFolder(app, func(dir string, inputs []string) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		programs, reports, err := e.reports(ctx, inputs, say)
		if err != nil {
			return absolute(err, dir)
		}
		out = &lsp.Result{Dir: dir, Reports: reports, Text: func(file string) (string, bool) {
			for _, p := range programs {
				if text, ok := p.disk.Text(file); ok {
					return string(text), true
				}
			}
			text, err := os.ReadFile(filepath.Join(dir, file))
			return string(text), err == nil
		}}
		return nil
	})
	return out, err
}

// absolute gives an error in a file with the full path of the file.
func absolute(err error, dir string) error {
	at, ok := errors.AsType[*ir.Error](err)
	if !ok || filepath.IsAbs(at.Pos.File) {
		return err
	}
	moved := *at
	moved.Pos.File = filepath.Join(dir, at.Pos.File)
	return &moved
}

// reports checks what robust check would check.
func (e *editor) reports(ctx context.Context, inputs []string, say func(string)) ([]*program, []*report.Report, error) {
	f := &checkFlags{}
	fs := flag.NewFlagSet("check", flag.ContinueOnError)
	f.flags(fs)
	if _, err := configure(ctx, fs, inputs); err != nil {
		return nil, nil, err
	}
	f.timeout = cmp.Or(f.timeout, editorTimeout)
	if err := f.checkLevels(); err != nil {
		return nil, nil, err
	}
	src, err := f.reading(ctx, inputs)
	if err != nil {
		return nil, nil, err
	}
	if err := f.readBaseline(ctx, inputs); err != nil {
		return nil, nil, err
	}
	ctx, stop := f.timed(ctx, src)
	defer stop()
	show := func(_, _ int, what string) { say(what) }
	programs, err := waited(ctx, e.std, func() ([]*program, error) { return src.load(ctx, show) })
	if err != nil {
		return nil, nil, err
	}
	if err := f.assignLevels(programs); err != nil {
		return nil, nil, err
	}
	var out []*report.Report
	for _, p := range programs {
		opt := f.options(p)
		opt.Progress = show
		rep, err := f.judge(ctx, e.std, p, opt)
		if err != nil {
			return nil, nil, err
		}
		out = append(out, rep)
	}
	return programs, out, nil
}

// Repairs gives what robust fix would propose.
func (e *editor) Repairs(ctx context.Context, app string) ([]lsp.Repair, error) {
	var out []lsp.Repair
	err := e.inFolder(app, func(dir string, inputs []string) error {
		f := &fixFlags{}
		fs := flag.NewFlagSet("fix", flag.ContinueOnError)
		f.flags(fs)
		if _, err := configure(ctx, fs, inputs); err != nil {
			return err
		}
		if err := f.check(); err != nil {
			return err
		}
		src, err := f.sources(ctx, inputs)
		if err != nil {
			return err
		}
		p, err := f.program(ctx, src)
		if err != nil {
			return err
		}
		res, err := repair.Propose(ctx, p, repair.Limits{Want: f.want, Checks: f.checks, Each: f.each, Progress: func(int, string) {}})
		if err != nil {
			return err
		}
		before := map[string]string{}
		for _, file := range p.Files {
			before[file.Name] = file.Text
		}
		for i := range res.Repairs {
			r := &res.Repairs[i]
			var title []string
			for _, c := range r.Changes {
				title = append(title, c.Text)
			}
			one := lsp.Repair{Title: "robust: " + strings.Join(title, "; ")}
			for _, file := range r.Files() {
				path := file.Name
				if !filepath.IsAbs(path) {
					path = filepath.Join(dir, path)
				}
				if _, err := infile.Stat(path); err != nil {
					return err
				}
				one.Files = append(one.Files, lsp.Change{Path: path, Before: before[file.Name], After: file.Text})
			}
			out = append(out, one)
		}
		return nil
	})
	return out, err
}
