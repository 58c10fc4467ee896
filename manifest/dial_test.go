package manifest_test

import (
	"net/netip"
	"testing"

	"github.com/cash-mcp/go-sdk/manifest"
)

func TestR128IsPublic(t *testing.T) {
	for _, a := range []string{
		"1.1.1.1", "8.8.8.8", "100.63.255.255", "100.128.0.1", "172.15.0.1", "172.32.0.1", "192.167.1.1", "198.17.1.1", "198.20.0.1", "223.255.255.255",
		"2606:4700::1111", "2a00:1450::1", "2001:4860:4860::8888", "2003::1", "::ffff:8.8.8.8",
	} {
		if !manifest.IsPublic(netip.MustParseAddr(a)) {
			t.Errorf("%s is not public", a)
		}
	}
	for _, a := range []string{
		"0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.255.255", "169.254.169.254", "172.16.0.1", "172.31.255.255",
		"192.0.0.8", "192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1", "198.19.255.255", "198.51.100.7", "203.0.113.9", "224.0.0.1", "239.1.1.1",
		"240.0.0.1", "255.255.255.255",
		"::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "64:ff9b::808:808", "64:ff9b:1::1", "100::1",
		"2001::1", "2001:2::1", "2001:10::1", "2001:db8::1", "2002:7f00:1::", "2002:808:808::", "3fff::1", "4000::1", "5f00::1",
		"fc00::1", "fd12:3456::1", "fe80::1", "fec0::1", "ff02::1", "2606:4700::1111%eth0",
	} {
		if manifest.IsPublic(netip.MustParseAddr(a)) {
			t.Errorf("%s is public", a)
		}
	}
	if manifest.IsPublic(netip.Addr{}) {
		t.Error("no address is public")
	}
}

func TestR128DialControl(t *testing.T) {
	closed := manifest.DialControl()
	open := manifest.DialControl(netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("fe80::/10"))
	for _, tt := range []struct {
		address      string
		closed, open bool
	}{
		{"8.8.8.8:443", true, true},
		{"[2606:4700::1111]:443", true, true},
		{"10.1.2.3:443", false, true},
		{"10.2.2.3:443", false, false},
		{"[::ffff:10.1.2.3]:443", false, true},
		{"[::ffff:10.2.2.3]:443", false, false},
		{"[fe80::1%eth0]:443", false, true},
		{"/run/some.sock", false, false},
		{"localhost:443", false, false},
		{"", false, false},
	} {
		if err := closed("tcp", tt.address, nil); (err == nil) != tt.closed {
			t.Errorf("%s: %v", tt.address, err)
		}
		if err := open("tcp", tt.address, nil); (err == nil) != tt.open {
			t.Errorf("%s with an allowance: %v", tt.address, err)
		}
	}
}
