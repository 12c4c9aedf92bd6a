package loadbalancer

// Addresses implements plan.Addressed.
func (o Observed) Addresses() (list []string) {
	if o.VIPAddress != "" {
		list = append(list, o.VIPAddress)
	}
	return list
}
