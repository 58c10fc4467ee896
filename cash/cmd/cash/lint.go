package main

import (
	"context"
	"fmt"
	"os"
	"slices"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/registry"
)

// lint reports what makes skills and functions harder to use for a model.
func lint(ctx context.Context, env *environment, args []string) error {
	flags := newFlags()
	read := env.targetFlags(flags)
	asJSON := flags.Bool("json", false, "print JSON")
	skills := flags.String("skills", "", "lint the skills in a `FOLDER`, and no server")
	err := env.parse(page{"lint [flags] URL | FILE | COMMAND\nlint -skills FOLDER",
		"Reports descriptions, schemas and skills that cost a model attempts or context.\nThe exit status is 1 if there is a finding.\n\n" + forms}, flags, args)
	if err != nil {
		return err
	}
	var findings []finding
	if *skills != "" {
		if flags.NArg() > 0 {
			return usagef("take -skills or a server")
		}
		findings, err = lintSkills(ctx, *skills)
	} else {
		findings, err = lintServer(ctx, env, read, flags.Args())
	}
	if err != nil {
		return err
	}
	if *asJSON {
		err = writeJSON(env.stdout, append([]finding{}, findings...)) // [] for none
	} else {
		for _, f := range findings {
			fmt.Fprintf(env.stdout, "%s %s: %s\n", env.paint(faint, f.Rule), env.paint(bold, clean.Line(f.Subject, 200)), clean.Line(f.Message, 1000))
		}
		if len(findings) == 0 {
			fmt.Fprintln(env.stdout, "nothing to report")
		}
	}
	if err == nil && len(findings) > 0 {
		return status(1)
	}
	return err
}

// A finding is a registry.Finding in JSON, or a note on a server.
type finding struct {
	Rule    string `json:"rule"`
	Subject string `json:"subject"`
	Message string `json:"message"`
}

// lintSkills reads the skills of a folder as registry.AddSkills does.
func lintSkills(ctx context.Context, folder string) ([]finding, error) {
	root, err := os.OpenRoot(folder) // links must not lead out
	if err != nil {
		return nil, err
	}
	defer root.Close()
	reg := registry.New(nil)
	if err := reg.TryAddSkills(root.FS()); err != nil {
		return []finding{{"skill", folder, err.Error()}}, nil
	}
	list, err := lintSource(ctx, reg)
	// The functions of the server are not here.
	return slices.DeleteFunc(list, func(f finding) bool { return f.Rule == "unknown-reference" || f.Rule == "phantom-namespace" }), err
}

func lintServer(ctx context.Context, env *environment, read func([]string) (*target, error), words []string) ([]finding, error) {
	_, words, err := split(words, 0, 0)
	if err != nil {
		return nil, err
	}
	t, err := read(words)
	if err != nil {
		return nil, err
	}
	stop := env.progress("reading " + t.String())
	defer stop()
	m, err := t.mount(ctx)
	if err != nil {
		return nil, err
	}
	defer m.close()
	list, err := lintSource(ctx, m.Registry)
	for _, note := range m.notes {
		list = append(list, finding{"server", t.String(), note})
	}
	return list, err
}

func lintSource(ctx context.Context, src registry.Source) ([]finding, error) {
	findings, err := registry.Lint(ctx, src)
	list := make([]finding, len(findings))
	for i, f := range findings {
		list[i] = finding{f.Rule, f.Subject, f.Message}
	}
	return list, err
}
