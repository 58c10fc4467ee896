package manifest

import (
	"errors"
	"net/netip"
	"syscall"
)

// errNotPublic is the error of a connection that DialControl refuses. It does not show the address: inner addresses
// must not leak.
var errNotPublic = errors.New("the address is not public")

// DialControl returns a function for the Control field of a [net.Dialer]. It refuses connections to addresses that
// are neither public nor in allow. It checks the address that is about to be dialled, after name resolution, so DNS
// rebinding does not help. Use it wherever strangers name hosts to connect to.
func DialControl(allow ...netip.Prefix) func(network, address string, c syscall.RawConn) error {
	return func(_, address string, _ syscall.RawConn) error {
		ap, err := netip.ParseAddrPort(address)
		if err != nil {
			return errNotPublic // another kind of socket
		}
		addr := ap.Addr().Unmap().WithZone("")
		for _, p := range allow {
			if p.Contains(addr) {
				return nil
			}
		}
		if !IsPublic(addr) {
			return errNotPublic
		}
		return nil
	}
}

// IsPublic reports whether an address belongs to the public Internet: global unicast in IANA's registries.
//   - Not public: private, shared (100.64.0.0/10), loopback, link-local, multicast, benchmarking, documentation and
//     reserved addresses.
//   - Not public: addresses that embed another one, by NAT64, 6to4 or Teredo.
//   - An IPv4-mapped address counts as the IPv4 address.
func IsPublic(addr netip.Addr) bool {
	addr = addr.Unmap()
	if !addr.IsValid() || addr.Zone() != "" {
		return false
	}
	if addr.Is6() && !globalUnicast.Contains(addr) {
		return false // also refuses unassigned addresses
	}
	for _, p := range special {
		if p.Contains(addr) {
			return false
		}
	}
	return true
}

// globalUnicast holds all IPv6 addresses that IANA assigns to networks. It excludes loopback, NAT64 (64:ff9b::/96,
// 64:ff9b:1::/48), unique local, link-local and multicast addresses.
var globalUnicast = netip.MustParsePrefix("2000::/3")

// special holds IANA's special-purpose addresses; for IPv6 those within globalUnicast.
var special = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),       // this network
	netip.MustParsePrefix("10.0.0.0/8"),      // private
	netip.MustParsePrefix("100.64.0.0/10"),   // shared by carriers
	netip.MustParsePrefix("127.0.0.0/8"),     // loopback
	netip.MustParsePrefix("169.254.0.0/16"),  // link-local
	netip.MustParsePrefix("172.16.0.0/12"),   // private
	netip.MustParsePrefix("192.0.0.0/24"),    // protocol assignments
	netip.MustParsePrefix("192.0.2.0/24"),    // documentation
	netip.MustParsePrefix("192.88.99.0/24"),  // 6to4 relays
	netip.MustParsePrefix("192.168.0.0/16"),  // private
	netip.MustParsePrefix("198.18.0.0/15"),   // benchmarking
	netip.MustParsePrefix("198.51.100.0/24"), // documentation
	netip.MustParsePrefix("203.0.113.0/24"),  // documentation
	netip.MustParsePrefix("224.0.0.0/4"),     // multicast
	netip.MustParsePrefix("240.0.0.0/4"),     // reserved, broadcast
	netip.MustParsePrefix("2001::/23"),       // protocol assignments, Teredo among them
	netip.MustParsePrefix("2001:db8::/32"),   // documentation
	netip.MustParsePrefix("2002::/16"),       // 6to4
	netip.MustParsePrefix("3fff::/20"),       // documentation
}
