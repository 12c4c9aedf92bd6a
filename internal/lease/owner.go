package lease

import (
	"crypto/sha256"
	"encoding/binary"
)

// Preferred is which of the agents is to serve a stack: rendezvous hashing. Each agent has a weight for each stack, and the
// largest wins, so that an agent that comes or goes moves only the stacks that it wins or had; "" where there is none.
func Preferred(agents []string, stack string) (name string) {
	var most uint64
	for _, one := range agents {
		w := weight(one, stack)
		if name == "" || w > most || w == most && one < name {
			name, most = one, w
		}
	}
	return name
}

func weight(agent, stack string) uint64 {
	sum := sha256.Sum256([]byte(agent + "\x00" + stack))
	return binary.BigEndian.Uint64(sum[:8])
}
