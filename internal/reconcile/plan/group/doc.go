// Package group decides about the members of groups, which can do each other's work. It decides which members may be interrupted now, which
// are healed, which get no new traffic before that, and how many spares exist.
//
// Package rollout decides about one group at a time. This package derives the condition of each member from the steps about it, and passes
// it to package rollout. The result changes the next decisions ([Learned]), and makes steps wait for each other.
//
// The package uses the world and the steps. It does not use the planner (package decide), and does not know why the planner made a step.
package group
