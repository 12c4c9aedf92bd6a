package memory

import "github.com/stackreeve/stackreeve/internal/reconcile/bind"

// Sight is how a place looked at the end of the last pass.
type Sight struct {
	bind.Sight
	Concern bind.Concern
	// Everything, Managed and Joined are how the place was listed, see [kind.Listing].
	Everything, Managed bool
	Joined              []string
}

// NoteSights records how all places that concern the stack look at the end of a pass.
func (m *Memory) NoteSights(all map[Place]Sight) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sights = all
}

// Sights returns how places looked at the end of the last pass. It returns nil if no pass has ended since the last login, or if the last one
// left work. Nobody may change the result.
func (m *Memory) Sights() map[Place]Sight {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.sights
}
