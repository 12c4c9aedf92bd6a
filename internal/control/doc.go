// Package control is what people and their programs may ask of an agent that runs:
//
//	GET  /stacks/NAME            how the last run left it
//	POST /stacks/NAME/reconcile  reconcile now
//	POST /stacks/NAME/approve    let the held plan through whose hash is the body
//
// Every request carries a token in its Authorization header, and in nothing else:
// so no page that a browser shows can make one. It knows tokens and HTTP, and not
// what a stack is; [Client] is the other end.
package control
