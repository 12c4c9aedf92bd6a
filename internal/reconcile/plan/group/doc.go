// Package group decides about the members of groups, which can stand in for each other. It says which member may be interrupted now, which one is
// healed, which one gets no new traffic meanwhile, and which spares there are.
//
// Package rollout decides about one group at a time. This package tells it the condition of each member, as the steps about the member show it. The
// result changes the next decisions ([Learned]), and the steps themselves, which wait for each other.
//
// The package sees the world and the steps. It does not know the planner (package decide), or how a step came about.
package group
