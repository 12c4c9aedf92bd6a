package rollout

// inOrder returns the order in which members are interrupted. Members with Last come after the others.
func inOrder(members []Member) (order []int) {
	for _, last := range []bool{false, true} {
		for i, m := range members {
			if m.Last == last {
				order = append(order, i)
			}
		}
	}
	return order
}
