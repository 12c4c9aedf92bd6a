package cloud

import (
	"context"
	"sync"
)

// features are what a cloud turned out to be able to do. They are asked for
// when first needed and remembered; a failure to ask is not.
type features struct {
	mu         sync.Mutex
	extensions map[string]bool
}

// hasExtension tells whether Neutron offers an API extension, by its alias.
// (neutron-lib api/definitions)
func (c *Client) hasExtension(ctx context.Context, alias string) (bool, error) {
	c.features.mu.Lock()
	defer c.features.mu.Unlock()
	if c.features.extensions == nil {
		list, err := List[struct {
			Alias string `json:"alias"`
		}](ctx, c, Call{Service: Network, Path: "extensions"}, "extensions")
		if err != nil {
			return false, err
		}
		c.features.extensions = make(map[string]bool, len(list))
		for _, e := range list {
			c.features.extensions[e.Alias] = true
		}
	}
	return c.features.extensions[alias], nil
}
