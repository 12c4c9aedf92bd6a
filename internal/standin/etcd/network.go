package etcd

import (
	"crypto/tls"

	"github.com/stackreeve/stackreeve/internal/standin/machines"
)

// Network makes a way to reach the machines, until it is closed: any port but 2379 refuses, and so does an address of no machine.
func (w *World) Network() *machines.Network {
	return machines.New(func(address, port string) (machines.Serve, *tls.Config) {
		m := w.Machine(address)
		if port != "2379" || m == nil {
			return nil, nil
		}
		return w.Serve, m.TLS
	})
}
