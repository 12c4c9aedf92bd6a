// Package campaign runs whole agents against the simulator, and spoils one request of each run. Afterwards it checks from outside, by the
// simulator's API, that the cloud holds what the manifests say.
//
//	seed ─▶ Choose: story × request × fault ─▶ Case ─▶ Layer (between agent and simulator) ─▶ invariants
//
// Cases, faults and requests are chosen by pure functions. The tests of the package run the agents, on a fake clock. The package does not know
// how the agent works. It starts the agent, stops it, and reads what it writes.
package campaign
