// Package control is what people and their programs may ask of a running agent:
//
//	GET  /stacks/NAME            the state after the last run
//	POST /stacks/NAME/reconcile  reconcile now
//	POST /stacks/NAME/approve    approve the held plan whose hash is the body
//
// Every request carries a token in its Authorization header, and nowhere else, so that no page in a browser can make one. The package knows
// tokens and HTTP, and not what a stack is. [Client] is the other end.
package control
