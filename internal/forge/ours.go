package forge

// Made is a status. Mine is true if the forge reports that the account in use has made it.
type Made struct {
	Status
	Mine bool
}

// Ours returns the newest of our statuses of each context. newestFirst are the statuses of all
// accounts, because everybody who may set statuses can use any context.
func Ours(newestFirst []Made) (ours []Status) {
	shown, done := map[string]Made{}, map[string]bool{}
	for _, m := range newestFirst {
		if _, ok := shown[m.Context]; !ok {
			shown[m.Context] = m
		}
		if !m.Mine || done[m.Context] {
			continue
		}
		done[m.Context] = true
		top := shown[m.Context]
		m.Covered = !top.Mine && (top.State != m.State || top.Description != m.Description)
		ours = append(ours, m.Status)
	}
	return ours
}
