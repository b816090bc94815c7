package flags

import (
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/quote"
)

// Command is a command to complete. Its Name may have two words.
type Command struct {
	Name, Summary string
	Flags         *flag.FlagSet
	// Operands are the arguments that are no files, such as names of scenes.
	Operands []string
}

// Shells are those that there is a completion for.
var Shells = []string{"bash", "zsh", "fish"}

// Completion gives a script for a shell that completes commands of a program:
// their names, flags, values of flags, and files. It is "" for an unknown shell.
func Completion(shell, program string, commands []Command) string {
	switch shell {
	case "bash":
		return bash(program, commands)
	case "zsh":
		// zsh runs completions of bash.
		return "#compdef " + program + "\nautoload -Uz bashcompinit && bashcompinit\n" + bash(program, commands)
	case "fish":
		return fish(program, commands)
	}
	return ""
}

// words gives the first words of commands, and the second ones by the first.
func words(commands []Command) (first []string, second map[string][]string) {
	second = map[string][]string{}
	for _, c := range commands {
		a, b, two := strings.Cut(c.Name, " ")
		if !slices.Contains(first, a) {
			first = append(first, a)
		}
		if two {
			second[a] = append(second[a], b)
		}
	}
	return first, second
}

// namesFile reports whether the value of a flag, by its name in the help, is a path.
func namesFile(placeholder string) bool {
	return slices.Contains([]string{"FILE", "DIR", "PATH"}, placeholder)
}

// bash writes a completion for bash and zsh.
func bash(program string, commands []Command) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	first, second := words(commands)
	line("# Completion of %s. Written by: %[1]s completion", program)
	line("_%s() {", program)
	line("  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} values= before=")
	line("  COMPREPLY=()")
	line("  case $cur in -*=*) before=${cur%%%%=*}= prev=${cur%%%%=*} cur=${cur#*=} ;; esac # -flag=value as one word, in zsh")
	line("  _%s_words", program)
	line("  COMPREPLY=(\"${COMPREPLY[@]/#/$before}\")")
	line("}")
	line("_%s_words() {", program)
	line("  if [ \"$cur\" = = ]; then cur=; elif [ \"$prev\" = = ]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi # -flag=value")
	line("  if [ \"$COMP_CWORD\" -eq 1 ]; then")
	line("    COMPREPLY=($(compgen -W %s -- \"$cur\")); return", quote.Shell(strings.Join(append(slices.Clone(first), "help"), " ")))
	line("  fi")
	line("  case $command in")
	for _, name := range first {
		if list := second[name]; len(list) > 0 {
			line("  %s)", name)
			line("    if [ \"$COMP_CWORD\" -eq 2 ]; then COMPREPLY=($(compgen -W %s -- \"$cur\")); return; fi", quote.Shell(strings.Join(list, " ")))
			line("    command=\"$command ${COMP_WORDS[2]}\" ;;")
		}
	}
	line("  help) COMPREPLY=($(compgen -W %s -- \"$cur\")); return ;;", quote.Shell(strings.Join(first, " ")))
	line("  esac")
	line("  case \"$command $prev\" in")
	for _, c := range commands {
		var files, others []string
		c.Flags.VisitAll(func(f *flag.Flag) {
			at := quote.Shell(c.Name + " -" + f.Name)
			name, _ := unquoted(f)
			switch {
			case Choices(f) != nil:
				line("  %s) COMPREPLY=($(compgen -W %s -- \"$cur\")); return ;;", at, quote.Shell(strings.Join(Choices(f), " ")))
			case isSwitch(f):
			case namesFile(name):
				files = append(files, at)
			default:
				others = append(others, at)
			}
		})
		if len(files) > 0 {
			line("  %s) COMPREPLY=($(compgen -f -- \"$cur\")); return ;;", strings.Join(files, "|"))
		}
		if len(others) > 0 {
			line("  %s) return ;;", strings.Join(others, "|"))
		}
	}
	line("  esac")
	line("  case $command in")
	for _, c := range commands {
		values := slices.Clone(c.Operands)
		for _, name := range names(c.Flags) {
			values = append(values, "-"+name)
		}
		line("  %s) values=%s ;;", quote.Shell(c.Name), quote.Shell(strings.Join(values, " ")))
	}
	line("  esac")
	line("  case $cur in")
	line("  -*) COMPREPLY=($(compgen -W \"$values\" -- \"$cur\")) ;;")
	line("  *) COMPREPLY=($(compgen -W \"$values\" -- \"$cur\" | grep -v '^-'; compgen -f -- \"$cur\")) ;;")
	line("  esac")
	line("}")
	line("complete -o filenames -F _%s %[1]s", program)
	return b.String()
}

// names gives the names of flags.
func names(fs *flag.FlagSet) []string {
	var out []string
	fs.VisitAll(func(f *flag.Flag) { out = append(out, f.Name) })
	return out
}

// short is a description up to its first details: shells show one line.
func short(usage string) string {
	if i := strings.IndexAny(usage, ":;("); i > 0 {
		usage = usage[:i]
	}
	return strings.TrimSpace(usage)
}

// fish writes a completion for fish.
func fish(program string, commands []Command) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	first, second := words(commands)
	line("# Completion of %s. Written by: %[1]s completion", program)
	for _, name := range first {
		summary := ""
		for _, c := range commands {
			if c.Name == name {
				summary = c.Summary
			}
		}
		line("complete -c %s -n __fish_use_subcommand -f -a %s -d %s", program, name, fishWord(summary))
	}
	line("complete -c %s -n __fish_use_subcommand -f -a help", program)
	line("complete -c %s -n '__fish_seen_subcommand_from help' -f -a %s", program, fishWord(strings.Join(first, " ")))
	for _, c := range commands {
		a, two, is := strings.Cut(c.Name, " ")
		when := "__fish_seen_subcommand_from " + a
		if is {
			line("complete -c %s -n %s -f -a %s -d %s", program, fishWord(when+"; and not __fish_seen_subcommand_from "+strings.Join(second[a], " ")), two, fishWord(c.Summary))
			when += "; and __fish_seen_subcommand_from " + two
		}
		if len(c.Operands) > 0 {
			line("complete -c %s -n %s -a %s", program, fishWord(when), fishWord(strings.Join(c.Operands, " ")))
		}
		c.Flags.VisitAll(func(f *flag.Flag) {
			name, usage := unquoted(f)
			needs := ""
			switch {
			case Choices(f) != nil:
				needs = " -x -a " + fishWord(strings.Join(Choices(f), " "))
			case isSwitch(f):
			case namesFile(name):
				needs = " -r"
			default:
				needs = " -x"
			}
			line("complete -c %s -n %s -o %s%s -d %s", program, fishWord(when), f.Name, needs, fishWord(short(usage)))
		})
	}
	return b.String()
}

// fishWord quotes a text for fish.
func fishWord(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(quote.Line(s)) + "'"
}
