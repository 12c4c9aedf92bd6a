// Package document shows what manifests say: trees of maps, lists and scalars, in which secrets are sealed before anybody sees them.
//
// [Differences] compares two revisions, [Values] lists the fields of an object that will be made, [Spec] is the spec that people and
// policies read, and [SpellOut] has rules of policies see one spelling of what means the same. It knows no cloud and no plan.
package document
