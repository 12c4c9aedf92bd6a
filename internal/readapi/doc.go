// Package readapi shows stacks and their objects in the form of a Kubernetes API, so that kubectl can read them.
//
// A stack is a namespace. [Store] converts the record of each run to items once, and redacts secrets as every report does. [Handler] lists,
// selects and watches items. It refuses every write, and answers where the change must be made. The package implements the forms of the API,
// and sends no request to a cloud.
package readapi
