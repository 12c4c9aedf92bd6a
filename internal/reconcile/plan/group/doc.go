// Package group decides about the members of groups, which stand in for each other: who may be interrupted now, who is healed, to whom nothing
// is sent meanwhile, and which spares there are.
//
// Package rollout decides about one group. This package tells it how the members are, by the steps that were decided about them. The
// answer changes the next decisions ([Learned]), and the steps themselves, which wait for each other.
package group
