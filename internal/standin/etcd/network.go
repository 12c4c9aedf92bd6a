package etcd

import (
	"crypto/tls"

	"github.com/stackreeve/stackreeve/internal/standin/machines"
)

// Network returns a network that connects to the machines until it is closed. A connection is refused at any port except 2379, and at an address
// without a machine.
func (w *World) Network() *machines.Network {
	return machines.New(func(address, port string) (machines.Serve, *tls.Config) {
		m := w.Machine(address)
		if port != "2379" || m == nil {
			return nil, nil
		}
		return w.Serve, m.TLS
	})
}
