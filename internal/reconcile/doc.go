// Package reconcile contains no code. It is the folder of the core, which decides what must change in a cloud so that it matches a
// repository, and carries that out. A package imports only packages that are above it in this table:
//
//	package      contents
//	-----------  ---------------------------------------------------------------------------------
//	rollout      the decision which members of a group may be interrupted now
//	kind         the properties of a kind: rules, drivers, marks, errors; desired and live objects
//	resolve      manifests to desired objects: references, expansion, names, order
//	bind         the objects of the cloud, sorted by their marks
//	document     the content of manifests, for people and policies
//	cause        the reasons of steps: codes and texts
//	plan         plans and their steps
//	plan/world   the input of a plan
//	plan/group   the groups in a plan
//	plan/decide  desired and live objects to a plan
//	plan/guard   policies, and the brake
//	preflight    the needs of a plan as a whole: addresses, quotas, hosts, zones
//	status       the status of each object of a plan
//	memory       the past of a stack
//	engine       the loop: list, plan, carry out, wait, list again
//
// Except for memory and engine, the packages perform no I/O, read no clock and do not log. memory reads and writes a file. The core
// contains no kinds and no HTTP; drivers are in package cloud and its folders.
//
// # Vocabulary
//
//   - desired: an object as the repository wants it, decoded and validated
//   - live: an object as it is in the cloud
//   - owned: an object that is live and has a mark of this stack
//   - snapshot: all live objects by collection; a collection that could not be listed is unknown, never empty
//   - key: the group, the kind, the namespace and the name of an object
//   - step: one decision about one key; a key has several steps if several objects have its mark
//   - plan: the ordered steps, as data that can be printed, compared and hashed
//   - harm: the object or the data that a step destroys; a brake holds a plan with more harm than the limits allow
//   - pass: one run of the engine over one revision, and the record of it
//   - trace: the user who changed a live object, and the time, as far as the cloud reports them
package reconcile
