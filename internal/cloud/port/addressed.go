package port

// Addresses implements plan.Addressed.
func (o Observed) Addresses() (list []string) {
	for _, ip := range o.FixedIPs {
		list = append(list, ip.IP)
	}
	return list
}
