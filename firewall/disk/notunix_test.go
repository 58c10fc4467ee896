//go:build !unix || solaris

package disk_test

import "testing"

// fifo makes a directory: there are no FIFOs.
func fifo(t *testing.T, path string) { mkdir(t, path) }
