// Package rollout decides which members of a group may be interrupted now, and how many
// spare members the group needs meanwhile. Its input is data and the time, its output a
// decision. It knows no cloud, no manifest and no kind. It keeps nothing, so a caller that
// asks again after a crash gets the same answer.
//
//	a member               that is to be changed                    that is up to date
//	---------------------  ---------------------------------------  -------------------------------
//	is away                is changed: nothing of it works          is awaited
//	does not serve, or not is changed first, one at a time unless   keeps all others as they are:
//	for long enough        more may be unavailable                  the new version does not work yet
//	serves                 is changed while more serve than must    stays
//
// OnDelete changes only members that are away. A partition leaves the members below it as they
// are.
package rollout
