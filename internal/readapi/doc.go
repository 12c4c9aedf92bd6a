// Package readapi shows stacks and their objects in the shape of a Kubernetes API, to be read with kubectl.
//
// A stack is a namespace. [Store] turns the record of each run into items once, and redacts secrets as every report does.
// [Handler] lists, selects and watches items. It refuses every write, and says where the change belongs.
// The package knows the API's shapes, and never asks a cloud.
package readapi
