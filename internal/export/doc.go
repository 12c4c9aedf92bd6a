// Package export writes manifests for the objects of a project in the cloud. A stack that applies
// them adopts every object and changes nothing but owner marks.
//
// It is a pure function of lists of live objects, and knows no kind: kinds supply specs with the
// IDs of other objects, which become manifests with names. The manifests are read and planned like
// those of any repository. If a field would still differ, the annotation ignore-fields leaves it as
// it is in the cloud, and it is reported.
package export
