// Package control implements the requests that people and their programs may send to a running agent:
//
//	GET  /stacks/NAME            the state after the last run
//	POST /stacks/NAME/reconcile  reconcile now
//	POST /stacks/NAME/approve    approve the held plan whose hash is the body
//	POST /stacks/NAME/replace    replace objects; the body has the hash of the plan and their names, one on each line
//
// Every request contains a token in its Authorization header. No other place is accepted, so no page in a browser can
// make such a request. The package implements tokens and HTTP, and does not depend on stacks. [Client] sends the
// requests.
package control
