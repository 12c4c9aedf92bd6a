package resolve

// Components returns the strongly connected component of each node of a graph. Two nodes are in the
// same component if each can be reached from the other. next lists the nodes that the edges of a
// node lead to. (Tarjan, 1972)
func Components(nodes int, next func(int) []int) []int {
	c := connector{next: next, at: make([]int, nodes), low: make([]int, nodes), in: make([]int, nodes)}
	for i := range nodes {
		if c.at[i] == 0 {
			c.visit(i)
		}
	}
	return c.in
}

type connector struct {
	next    func(int) []int
	at, low []int // at is the order of the visits, from 1; low is the earliest node that a node leads back to.
	in      []int // the component of each node, from 1; 0 while it is unknown.
	open    []int
	count   int
	found   int
}

func (c *connector) visit(i int) {
	c.count++
	c.at[i], c.low[i] = c.count, c.count
	c.open = append(c.open, i)
	for _, j := range c.next(i) {
		switch {
		case c.at[j] == 0:
			c.visit(j)
			c.low[i] = min(c.low[i], c.low[j])
		case c.in[j] == 0:
			c.low[i] = min(c.low[i], c.at[j])
		}
	}
	if c.low[i] != c.at[i] {
		return
	}
	c.found++
	for c.in[i] == 0 {
		last := len(c.open) - 1
		c.in[c.open[last]] = c.found
		c.open = c.open[:last]
	}
}
