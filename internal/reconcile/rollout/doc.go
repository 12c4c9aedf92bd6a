// Package rollout decides which members of a group may be interrupted now, and how many spare members the group needs meanwhile. Its input
// is data and the time, its output is a decision. It does not use the cloud, manifests or kinds. It stores nothing, so a caller that asks
// again after a crash gets the same answer.
//
//	state of a member      if it must be changed                    if it is up to date
//	---------------------  ---------------------------------------  -------------------------------
//	it is away             it is changed, because it does not       the others wait for it
//	                         work at all
//	it does not serve, or  it is changed first; one at a time,      no other member is changed: the
//	  not for long enough    unless more may be unavailable           new version does not work yet
//	it serves              it is changed while more members serve   it is not changed
//	                         than must
//
// OnDelete changes only members that are away. If there is a partition, the members below it are not changed.
package rollout
