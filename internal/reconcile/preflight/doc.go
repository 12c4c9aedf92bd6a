// Package preflight says what a plan as a whole needs of the cloud before any of it is carried out: addresses of subnets, quotas, hosts and
// availability zones, what it costs, and what the cloud is likely to refuse.
//
// It reads a finished [plan.Plan] and what others have asked the services; [Findings] are for people, and nothing is decided by them. It
// asks nobody, and does not know how a plan is made.
package preflight
