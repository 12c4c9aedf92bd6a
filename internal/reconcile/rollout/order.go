package rollout

// inOrder is the order in which members are interrupted: those that are last behind the others.
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
