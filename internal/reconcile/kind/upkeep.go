package kind

import "time"

// Upkeep is what becomes due with time on an object that matches its manifest. It is no drift:
// neither a commit nor anybody in the cloud has changed anything.
type Upkeep struct {
	// Due are changes that an update carries out. A change with a Loss removes something.
	Due []Change
	// Next is when another change may become due; the zero time for never.
	Next time.Time
	// Overdue says why a due change is not done, in words that stay the same; "" if no change is
	// overdue.
	Overdue string
}
