package server

// Addresses implements plan.Addressed.
func (o Observed) Addresses() (list []string) {
	for _, i := range o.Interfaces {
		for _, ip := range i.FixedIPs {
			list = append(list, ip.IPAddress)
		}
	}
	return list
}
