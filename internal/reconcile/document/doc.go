// Package document shows the content of manifests: trees of maps, lists and scalars, in which secrets are sealed before anybody
// sees them.
//
// [Differences] compares two revisions. [Values] lists the fields of an object that will be created. [Spec] returns the spec that people
// and policies read. [SpellOut] gives values with the same meaning one spelling, for the rules of policies. The package does not use the
// cloud or plans.
package document
