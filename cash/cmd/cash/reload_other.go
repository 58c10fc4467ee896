//go:build !unix

package main

import "os"

// notifyReload does nothing: the system has no such signal.
func notifyReload(chan<- os.Signal) {}
