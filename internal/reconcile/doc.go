// Package reconcile holds no code: it is the folder of the core, which decides what
// must change in a cloud so that it matches a repository, and carries that out. Its
// packages import each other in one direction:
//
//	kind         what a kind is: rules, drivers, marks, errors; desired and live objects
//	resolve      manifests to desired objects: references, expansion, names, order
//	bind         which objects of the cloud bear which marks
//	document     what manifests say, for people and policies
//	cause        why a step is what it is: codes and words
//	rollout      which members of a group may be interrupted now
//	plan         what a plan is
//	plan/world   what a plan is made from
//	plan/group   groups of one plan
//	plan/decide  desired and live objects to a plan
//	plan/guard   policies, the brake
//	preflight    what a plan as a whole needs of the cloud
//	status       what each object of a plan comes to
//	memory       the past of a stack
//	engine       the loop: list, plan, carry out, wait, list again
//
// All but the last two perform no I/O, read no clock and do not log; memory keeps a file. The core knows no
// kind and no HTTP; drivers are in package cloud and its folders.
//
// # Vocabulary
//
//   - desired: an object as the repository wants it, decoded and validated
//   - live: an object as the cloud has it
//   - owned: live, and carrying a mark of this stack
//   - snapshot: all live objects by collection; a collection that could not be
//     listed is unknown, never empty
//   - step: one decision about one object; a key has several steps where copies of its mark exist
//   - plan: the ordered steps; data, safe to print, compare and hash
//   - harm: what a step destroys, its object or its data; a brake holds a plan
//     that destroys more than the limits, an approval lets it and its rest through
//   - pass: the record of carrying out one plan
//   - trace: who changed a live object, and when, as far as the cloud reports
package reconcile
