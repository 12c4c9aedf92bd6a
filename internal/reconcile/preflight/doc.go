// Package preflight finds out what a plan as a whole needs from the cloud before any of it is carried out: addresses of subnets, quotas,
// hosts and availability zones. It also computes the cost, and finds requests that the cloud is likely to refuse.
//
// The package reads a finished [plan.Plan], and answers that others have requested from the services. [Findings] are for people, and decide
// nothing. The package itself sends no requests, and does not know how a plan is made.
package preflight
