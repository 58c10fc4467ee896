package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
)

// completion prints a script that completes verbs and flags.
func completion(ctx context.Context, env *environment, args []string) error {
	flags := newFlags()
	err := env.parse(page{"completion bash|zsh|fish",
		`Prints a script that completes verbs and flags in a shell:

  source <(cash completion bash)            in ~/.bashrc
  source <(cash completion zsh)             in ~/.zshrc, after compinit
  cash completion fish | source             in ~/.config/fish/config.fish`}, flags, args)
	if err != nil {
		return err
	}
	shells := map[string]func(io.Writer, []completed){"bash": bash, "zsh": zsh, "fish": fish}
	shell := shells[flags.Arg(0)]
	if flags.NArg() != 1 || shell == nil {
		return usagef("name a shell: bash, zsh or fish")
	}
	var list []completed
	for _, v := range verbs() {
		list = append(list, completed{v, flagsOf(ctx, v)})
	}
	shell(env.stdout, list)
	return nil
}

// A completed verb has its flags.
type completed struct {
	verb
	flags []*flag.Flag
}

// flagsOf returns the flags of a verb, which is not run.
func flagsOf(ctx context.Context, v verb) []*flag.Flag {
	var list []*flag.Flag
	probe := &environment{
		stdin: strings.NewReader(""), stdout: io.Discard, stderr: io.Discard, getenv: func(string) string { return "" },
		flags: func(set *flag.FlagSet) { set.VisitAll(func(f *flag.Flag) { list = append(list, f) }) },
	}
	_ = v.run(ctx, probe, nil) // the status of parse
	return list
}

// names joins the flags of a verb.
func (c completed) names() string {
	var list []string
	for _, f := range c.flags {
		list = append(list, "-"+f.Name)
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

func bash(w io.Writer, list []completed) {
	fmt.Fprint(w, "_cash() {\n  local words=\"\"\n  if [ \"$COMP_CWORD\" -eq 1 ]; then\n    words=\"")
	for i, c := range list {
		fmt.Fprint(w, strings.Repeat(" ", min(i, 1)), c.name)
	}
	fmt.Fprint(w, "\"\n  elif [[ \"${COMP_WORDS[COMP_CWORD]}\" == -* ]]; then\n    case \"${COMP_WORDS[1]}\" in\n")
	for _, c := range list {
		fmt.Fprintf(w, "    %s) words=\"%s\" ;;\n", c.name, c.names())
	}
	fmt.Fprint(w, "    esac\n  fi\n  COMPREPLY=($(compgen -W \"$words\" -- \"${COMP_WORDS[COMP_CWORD]}\"))\n}\ncomplete -o bashdefault -o default -F _cash cash\n")
}

// quoted returns text in single quotes.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

func zsh(w io.Writer, list []completed) {
	fmt.Fprint(w, "#compdef cash\n_cash() {\n  local -a verbs\n  verbs=(\n")
	for _, c := range list {
		fmt.Fprintf(w, "    %s\n", quoted(c.name+":"+strings.ReplaceAll(c.synopsis, ":", `\:`)))
	}
	fmt.Fprint(w, "  )\n  if (( CURRENT == 2 )); then\n    _describe verb verbs\n    return\n  fi\n  if [[ $PREFIX == -* ]]; then\n    case $words[2] in\n")
	for _, c := range list {
		if len(c.flags) > 0 {
			fmt.Fprintf(w, "    %s) compadd -- %s ;;\n", c.name, c.names())
		}
	}
	fmt.Fprint(w, "    esac\n  else\n    _files\n  fi\n}\ncompdef _cash cash\n")
}

func fish(w io.Writer, list []completed) {
	for _, c := range list {
		fmt.Fprintf(w, "complete -c cash -n __fish_use_subcommand -a %s -d %s\n", c.name, fishQuoted(c.synopsis))
		for _, f := range c.flags {
			_, usage := flag.UnquoteUsage(f)
			fmt.Fprintf(w, "complete -c cash -n '__fish_seen_subcommand_from %s' -o %s -d %s\n", c.name, f.Name, fishQuoted(usage))
		}
	}
}

// fishQuoted returns text in the single quotes of fish.
func fishQuoted(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(text) + "'"
}
