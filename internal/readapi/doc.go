// Package readapi shows stacks and their objects in the shape of a Kubernetes API, to be read with kubectl.
//
// A stack is a namespace. [Store] turns the record of each run into items, once, with secrets redacted as in every
// report; [Handler] lists, selects and watches items, and says where things are written instead of writing them.
// It knows the API's shapes, and asks no cloud.
package readapi
