package decide

import (
	"slices"
)

// standsIn reports whether something that answers to a token stands in for others.
func (p *planner) standsIn(token string) bool {
	for live := range p.Standing {
		if live.ID == token || slices.Contains(live.Tokens, token) {
			return true
		}
	}
	return false
}
