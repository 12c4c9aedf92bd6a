// Package export writes manifests for what a project holds in the cloud, such that a
// stack which applies them adopts every object and changes nothing but owner marks.
//
// It is a pure function of lists of live objects, and knows no kind: specs come from
// kinds with the IDs of other objects, and become manifests with names. What it made is
// read and planned as any repository is; what would still differ is left to the cloud by
// the annotation ignore-fields, and reported.
package export
