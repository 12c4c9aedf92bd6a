package floatingip

// Addresses implements plan.Addressed.
func (o Observed) Addresses() (list []string) {
	if o.FloatingIP != "" {
		list = append(list, o.FloatingIP)
	}
	return list
}
