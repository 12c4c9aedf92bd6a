package outbound

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"testing"
)

// TestAttackEmbeddedAddresses checks that every function treats an address like the address that is embedded in
// it.
func TestAttackEmbeddedAddresses(t *testing.T) {
	for text, want := range map[string]bool{
		"169.254.169.254": true, "::ffff:169.254.169.254": true, "64:ff9b::169.254.169.254": true, "64:ff9b:1::a9fe:a9fe": true, "2002:a9fe:a9fe::1": true,
		"2001:0:a9fe:a9fe::1": true, "2001::5601:5601": true, "::169.254.169.254": true, "::ffff:0:169.254.169.254": true, "fe80::1%eth0": true,
		"2001:db8::5efe:169.254.169.254": true, "2001:db8::200:5efe:127.0.0.1": true, "64:ff9b::7f00:1": true, "2002:7f00:1::": true,
		"fd00:ec2::254": true, "100.100.100.200": true, "168.63.129.16": true,
		"10.0.0.1": false, "64:ff9b::a00:1": false, "2002:a00:1::": false, "2001:db8::1": false, "2606:4700::1": false, "fd00::1": false,
	} {
		if got := local(netip.MustParseAddr(text)); got != want {
			t.Errorf("%s is local: %v", text, got)
		}
		conn, err := Machines{Through: nowhere}.Dial(t.Context(), "tcp", netip.AddrPortFrom(netip.MustParseAddr(text), 2379).String())
		if conn != nil || errors.Is(err, ErrRefused) != want {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestAttackInterfacesOfThisMachine checks that the addresses of this machine's interfaces are
// treated like the loopback addresses.
func TestAttackInterfacesOfThisMachine(t *testing.T) {
	own, err := net.InterfaceAddrs()
	if err != nil || len(own) == 0 {
		t.Fatal(own, err)
	}
	for _, a := range own {
		ip := netip.MustParsePrefix(a.String()).Addr()
		all := []netip.Addr{ip}
		if ip.Is4() {
			b := ip.As4()
			all = append(all, netip.AddrFrom16([16]byte{0, 0x64, 0xff, 0x9b, 12: b[0], b[1], b[2], b[3]}))
		}
		for _, ip := range all {
			if !ours(ip) || public(ip) {
				t.Errorf("%s is none of this machine, or public", ip)
			}
			if _, err := (Machines{Through: nowhere}).Dial(t.Context(), "tcp", netip.AddrPortFrom(ip, 2379).String()); !errors.Is(err, ErrRefused) {
				t.Errorf("%s: %v", ip, err)
			}
		}
	}
	if own, other := answersItself(netip.MustParseAddr("127.0.0.1")), answersItself(netip.MustParseAddr("198.51.100.1")); !own || other {
		t.Errorf("without a list of interfaces 127.0.0.1 is ours: %v, and 198.51.100.1: %v", own, other)
	}
}

// TestAttackMachinesInOtherNetworks checks that requests are sent only to machines in the networks of the
// configuration.
func TestAttackMachinesInOtherNetworks(t *testing.T) {
	m := Machines{Through: nowhere, Within: []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("2001:db8::/64")}}
	for text, want := range map[string]bool{"10.1.2.3": true, "::ffff:10.1.2.3": true, "2001:db8::5": true, "10.2.0.1": false, "2001:db8:1::5": false} {
		if _, err := m.Dial(t.Context(), "tcp", netip.AddrPortFrom(netip.MustParseAddr(text), 80).String()); errors.Is(err, ErrRefused) == want {
			t.Errorf("%s: %v", text, err)
		}
	}
}

var errNowhere = errors.New("nowhere")

func nowhere(context.Context, string, string) (net.Conn, error) { return nil, errNowhere }
