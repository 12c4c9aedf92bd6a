package events

// Urgency says when a message has to start a pass of a stack.
type Urgency int

// The urgencies.
const (
	Never   Urgency = iota // the message does not concern the stack
	Settled                // the message may be about the agent's own write, and the look follows after it
	Later                  // the message may concern the stack
	Now
)

// Interest is what a stack knows about itself.
type Interest struct {
	// Project is the ID of the stack's project; "" before its first login.
	Project string
	// User is the ID of the user with whom the agent logs in; "" if it is unknown.
	User string
	// IDs are the IDs of the objects that the last pass has seen.
	IDs map[string]bool
	// Writing is true while the agent itself writes, and shortly after it.
	Writing bool
	// Changing are the IDs of the existing objects that the agent changes or deletes during this time.
	Changing map[string]bool
}

// In returns when a message has to start a pass of the stack. In the table, the first row that fits counts.
//
//	message                                                              urgency
//	-------------------------------------------------------------------  -------
//	the stack has not logged in yet, so its first pass is still to come  Never
//	caused by the agent's user while it writes, about a known object
//	that the agent does not change / about another object                Settled / Never
//	about an object that the stack knows                                 Now
//	about another project                                                Never
//	about the stack's project, and understood / not understood           Now / Later
//	names no project; caused in the stack's project                      Now
//	names no project and no object, or nobody who caused it              Later
//	names no project, while the agent writes                             Later
//	names no project                                                     Never
func (i *Interest) In(l Look) Urgency {
	switch {
	case i.Project == "":
		return Never
	case i.Writing && i.User != "" && l.Who.ID == i.User: // or a person or a program that logs in as the same user
		if l.ID != "" && i.IDs[l.ID] && !i.Changing[l.ID] {
			return Settled
		}
		return Never
	case l.ID != "" && i.IDs[l.ID]:
		return Now
	case l.Project != "" && l.Project != i.Project:
		return Never
	case l.Project == "" && l.Who.Project == i.Project:
		return Now
	case l.Project == "" && (l.ID == "" || l.Who.Project == "" || i.Writing): // the agent may have just created the object
		return Later
	case l.Project == "":
		return Never
	case l.Collection == "":
		return Later
	}
	return Now
}
