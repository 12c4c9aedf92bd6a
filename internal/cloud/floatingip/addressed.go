package floatingip

// Addresses implements reconcile.Addressed.
func (o Observed) Addresses() (list []string) {
	if o.FloatingIP != "" {
		list = append(list, o.FloatingIP)
	}
	return list
}
