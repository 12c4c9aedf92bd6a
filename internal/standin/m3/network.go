package m3

import (
	"crypto/tls"

	"github.com/stackreeve/stackreeve/internal/standin/machines"
)

// Network returns a network that connects to the machines until it is closed. A connection is refused at any port except 7201 and 9002, and at an
// address without a machine.
func (w *World) Network() *machines.Network {
	return machines.New(func(address, port string) (machines.Serve, *tls.Config) {
		if w.Machine(address) == nil {
			return nil, nil
		}
		return map[string]machines.Serve{"7201": w.Serve, "9002": w.ServeNode}[port], nil
	})
}
