package campaign

// Outage is what can happen around an agent for some time. It begins before a revision is pushed.
type Outage struct {
	Name string
	// About says what happens, for the table in docs/reliability.md.
	About string
	// Later is true if the outage begins only when the objects of the stack exist.
	Later bool
}

// Outages returns all outages. Their order is that of the table in docs/reliability.md.
//
// Two agents that create a stack at the same time create objects twice. Then each of them refuses to change these objects, and deletes nothing,
// until a person decides. So the second agent begins later.
func Outages() []Outage {
	return []Outage{
		{"cloud-down", "the cloud refuses connections", false},
		{"git-down", "the repository is away", false},
		{"forge-down", "no status can be written", false},
		{"disk-gone", "no file of the folder for data can be read or written", false},
		{"two-agents", "a second agent serves the same stack by mistake", true},
		{"restarts", "the agent is killed every 1 to 10 s", false},
	}
}

// OutageNamed reports whether there is an outage with a name.
func OutageNamed(name string) bool {
	for _, o := range Outages() {
		if o.Name == name {
			return true
		}
	}
	return false
}
