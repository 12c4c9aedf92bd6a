// Package rollout decides which members of a group may be interrupted now, and how many
// further members it needs meanwhile. Data and the time go in, a decision comes out: it knows
// no cloud, no manifest and no kind, and it keeps nothing, so whoever asks again after a
// crash gets the same answer.
//
//	a member               that is to be changed                    that is as wanted
//	---------------------  ---------------------------------------  -------------------------------
//	is away                goes: nothing of it works                is awaited
//	does not serve, or not goes before others, one at a time unless keeps all others as they are:
//	for long enough        more may be unavailable                  what is new does not work yet
//	serves                 goes while more serve than have to       stays
//
// OnDelete changes only what is away, and a partition leaves the members below it as they are.
package rollout
