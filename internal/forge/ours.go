package forge

// Made is a status, and whether the account in use has made it, as the forge
// tells.
type Made struct {
	Status
	Mine bool
}

// Ours are the newest of our statuses of each context. newestFirst are those of
// everybody: anyone who may set a status can set one of any name.
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
