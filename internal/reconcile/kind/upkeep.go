package kind

import "time"

// Upkeep is maintenance that becomes due with time on an object that matches its manifest. It is no
// drift, because neither a commit nor anybody in the cloud has changed anything.
type Upkeep struct {
	// Due are changes that an update carries out. A change with a Loss removes something.
	Due []Change
	// Next is when another change may become due; the zero time for never.
	Next time.Time
	// Overdue says why a due change is not carried out; "" if no change is overdue. The words do
	// not change from pass to pass.
	Overdue string
}
