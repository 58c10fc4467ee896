// Command example shows three replicas of a server that share their state over a Redis server: a plan token, a quota,
// an artifact, a withheld result, an approval, and a restart of all three without a failed call. README.md goes through
// it step by step.
//
// orders.go has the functions, replica.go the server over them, which is what you would write. proxy.go, processes.go
// and walk.go play the parts of a load balancer, of an operator and of clients.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

const usage = `example [-redis HOST:PORT]
example [-redis HOST:PORT] replica NAME`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdin, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "example:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
	flags := flag.NewFlagSet("example", flag.ContinueOnError)
	address := flags.String("redis", "", "address of a server that is running; empty starts one")
	if err := flags.Parse(args); err != nil {
		return err
	}
	switch {
	case flags.NArg() == 0:
		return walk(ctx, *address, out)
	case flags.NArg() == 2 && flags.Arg(0) == "replica":
		return serveReplica(ctx, *address, flags.Arg(1), os.Getenv(keyVariable), in, out)
	}
	return errors.New(usage)
}
