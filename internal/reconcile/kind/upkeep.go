package kind

import "time"

// Upkeep is what time makes due of an object that is as its manifest says. It is no difference:
// neither a commit nor anybody in the cloud has changed anything.
type Upkeep struct {
	// Due are carried out by an update, each as it says. One with a Loss takes something away.
	Due []Change
	// Next is when something may be due that is not now; the zero time for never.
	Next time.Time
	// Overdue says why what was due is not done, in words that stay the same; "" where
	// nothing is missing.
	Overdue string
}
