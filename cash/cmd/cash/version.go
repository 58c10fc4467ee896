package main

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
)

// version prints the version of the module that the command was built from.
func version(_ context.Context, env *environment, args []string) error {
	flags := newFlags()
	if err := env.parse(page{"version", "Prints the version of this command and of Go."}, flags, args); err != nil {
		return err
	}
	fmt.Fprintf(env.stdout, "cash %s %s %s/%s\n", moduleVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return nil
}

// moduleVersion returns the version that go install has recorded, or devel.
func moduleVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "devel"
	}
	return cmp.Or(info.Main.Version, "devel")
}
