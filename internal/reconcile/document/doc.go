// Package document shows the content of manifests: trees of maps, lists and scalars, in which secrets are sealed before anybody
// sees them.
//
// [Differences] compares two revisions. [Values] lists the fields of an object that will be created. [Spec] is the spec that people
// and policies read. [SpellOut] gives rules of policies one spelling for values with the same meaning. The package knows no cloud
// and no plan.
package document
