package port

// Addresses implements reconcile.Addressed.
func (o Observed) Addresses() (list []string) {
	for _, ip := range o.FixedIPs {
		list = append(list, ip.IP)
	}
	return list
}
