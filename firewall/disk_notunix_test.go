//go:build !unix || solaris

package firewall_test

import "testing"

// fifo makes a directory: there are no FIFOs.
func fifo(t *testing.T, path string) { mkdir(t, path) }
