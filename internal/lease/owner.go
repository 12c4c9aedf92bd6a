package lease

import (
	"crypto/sha256"
	"encoding/binary"
)

// Preferred returns the agent that should serve a stack, by rendezvous hashing. Each agent has a weight for each stack, and the agent with
// the largest weight wins the stack. So a new agent takes only the stacks that it wins, and an agent that ends affects only its own stacks.
// Preferred returns "" if there is no agent.
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
