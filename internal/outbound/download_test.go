package outbound

import (
	"errors"
	"net"
	"net/netip"
	"testing"
)

// TestAttackNameOfLocalAddress uses names that untrusted people control. The address is checked when the
// connection is made.
func TestAttackNameOfLocalAddress(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	for _, home := range [][]string{nil, {"mirror.example.org"}} {
		d := newDialer(home)
		d.public = true
		if c, err := d.dial(t.Context(), "tcp", l.Addr().String()); !errors.Is(err, ErrRefused) {
			t.Errorf("%v: dialled %v, %v", home, c, err)
		}
	}
	d := newDialer([]string{"127.0.0.1"})
	d.public = true
	c, err := d.dial(t.Context(), "tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	_ = c.Close()
}

func TestPublicAddresses(t *testing.T) {
	for text, want := range map[string]bool{
		"1.1.1.1": true, "2606:4700::1": true, "8.8.8.8": true,
		"127.0.0.1": false, "10.1.2.3": false, "172.31.0.1": false, "192.168.0.1": false, "169.254.169.254": false, "100.64.1.1": false, "0.0.0.0": false, "224.0.0.1": false,
		"::1": false, "fe80::1": false, "fd00::1": false, "::ffff:10.0.0.1": false, "64:ff9b::a9fe:a9fe": false, "2002:a9fe:a9fe::": false, "255.255.255.255": false,
	} {
		if got := public(netip.MustParseAddr(text)); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
