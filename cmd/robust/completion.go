package main

import (
	"context"
	"flag"
	"io"
	"strings"

	"github.com/txrobust/robust/internal/demo"
	"github.com/txrobust/robust/internal/flags"
)

const completionOperands = "SHELL is bash, zsh or fish. The script completes commands, flags, their values\n" +
	"and files. To have it in each new shell:\n\n" +
	"  bash  echo 'source <(robust completion bash)' >> ~/.bashrc\n" +
	"  zsh   echo 'source <(robust completion zsh)' >> ~/.zshrc, after compinit\n" +
	"  fish  robust completion fish > ~/.config/fish/completions/robust.fish"

func completionCommand(*flag.FlagSet) func(context.Context, streams, []string) (int, error) {
	return func(_ context.Context, std streams, shells []string) (int, error) {
		if len(shells) != 1 {
			return 0, usagef("completion: name one shell: %s", flags.Or(flags.Shells))
		}
		var list []flags.Command
		for _, c := range commands() {
			fs := flag.NewFlagSet(c.name, flag.ContinueOnError)
			c.flags(fs)
			one := flags.Command{Name: c.name, Summary: c.summary, Flags: fs}
			switch c.name {
			case "completion":
				one.Operands = flags.Shells
			case "demo":
				one.Operands = demo.Names()
			}
			list = append(list, one)
		}
		script := flags.Completion(shells[0], "robust", list)
		if script == "" {
			return 0, usagef("completion %s: it is %s", strings.TrimSpace(shells[0]), flags.Or(flags.Shells))
		}
		_, err := io.WriteString(std.out, script)
		return exitOK, err
	}
}
