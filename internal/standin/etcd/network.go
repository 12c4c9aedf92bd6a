package etcd

import (
	"crypto/tls"

	"github.com/stackreeve/stackreeve/internal/standin/machines"
)

// Network connects to the machines until it is closed. Any port except 2379 refuses the connection, and so does an address
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
