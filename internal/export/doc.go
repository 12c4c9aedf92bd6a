// Package export writes manifests for the objects of a project in the cloud. A stack that applies the manifests
// adopts every object, and changes only owner marks.
//
// The package is a pure function of lists of live objects, and contains no kind. Kinds return specs with the IDs
// of other objects, and the IDs become names of manifests. The manifests are read and planned like those of any
// repository. If a field would still differ, the annotation ignore-fields contains it, so that it is not
// changed, and a note reports it.
package export
