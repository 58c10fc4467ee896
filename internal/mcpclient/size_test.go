package mcpclient_test

import (
	"testing"

	"github.com/cash-mcp/go-sdk/internal/mcpclient"
)

func TestSize(t *testing.T) {
	for n, want := range map[int]string{
		0: "0 bytes", 1: "1 bytes", 999: "999 bytes", 1024: "1 KiB", 65536: "64 KiB", 1 << 20: "1 MiB", 8 << 20: "8 MiB",
		1_000_000: "1,000,000 bytes", 1234567: "1,234,567 bytes", 1536 << 10: "1,536 KiB",
	} {
		if got := mcpclient.Size(n); got != want {
			t.Errorf("%d is %q, want %q", n, got, want)
		}
	}
	if got := mcpclient.Count(10_000) + " " + mcpclient.Count(1_002_003); got != "10,000 1,002,003" {
		t.Error(got)
	}
}
