package world

// A group may leave it open how many members it has, between two numbers: somebody else decides that and writes the number on
// what does the work of the first member (see [kind.Live.WantedReplicas]). As long as nobody does, it has those that it has.
// So nothing is remembered but in the cloud, and what is written there is a wish: it chooses among what the manifests
// allow, and nothing else.
//
//	what is written               members                    of which the lists show something
//	----------------------------  ------------------------------------------------------------
//	a number within the bounds    so many
//	a number beyond them          the nearest bound
//	nothing, or no number         those that are there, and those before them

// Size is how many members a group has now, and why.
type Size struct {
	Members int
	Why     string
}
