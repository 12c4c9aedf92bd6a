// Package table derives from one line for each field all that a kind does with it:
// how it is read from the answers of a service, compared, written into requests,
// matched by import filters and shown in status.
//
// The line is the field's declaration in the kind's Spec. Beside the tags that
// manifests are read by (json, rule, ref, doc; see package manifest) it has
//
//	api:"mtu"              the attribute of requests and answers
//	api:"mtu,OPTION…"      with options, separated by commas:
//	    named              left out, it is metadata.name
//	    empty              left out, it is empty in the cloud, too; without this, default
//	                       and named, a field that is left out is not compared
//	    null               the same, and requests have null for it
//	    set                order and repetition of the list mean nothing
//	    pairs              the list of structs of a name and a value is a map in the API
//	    lower              the service writes texts in small letters
//	    trimmed            the service leaves out white space at both ends of texts
//	    read=a.b           answers have it as b in a
//	    unread             answers do not have it: it is not compared
//	    unwritten          requests do not have it, or not by itself
//	    hidden             it is not compared where an answer does not have it
//	    absent=true        what it counts as where an answer does not have it; without
//	                       this its zero value
//	    extension=ALIAS    only services with that extension have it: of an object that an
//	                       answer shows without it, that is noted and nothing compared
//	    inline             of a struct: its fields are attributes of the object itself
//	ways:"resize=reboot|…" in which ways a change can be carried out that would else
//	                       replace the object, each with its cost: in-place, reboot or
//	                       rebuild. An annotation chooses among them, the driver is given
//	                       the name
//	loss:"its local disk"  what is lost by those that rebuild
//	alias:"initScript"     another name for the field in that annotation
//	show:"networkID"       how status calls it, where that is not its name; "-" for not
//	                       at all
//	needs:"administrator"  what it takes, see package manifest
//
// A field without the tag api has no attribute, nor has one of a filter with api:"-" a
// field that it is compared with. Of its rules, immutable says that a change of it, or
// of a field within it, replaces the object, default what an omitted field is, and a
// format, like the options lower and trimmed, which spellings are equal. An object that
// cannot be renamed keeps a name that its manifest had before. A reference is an ID in
// the API. Answers may have flags in words ("True"), and an empty text in place of an
// object that there is not.
//
// What the service says besides is declared in a second struct, More, in the same way:
// api says where answers have it, json how status calls it.
//
// A field that is shaped in another way than its attribute has no tag api but an
// [Override], a value with functions for what its tags cannot say.
//
// [New] is for kinds whose fields stand under spec.resource, [NewFlat] for those whose
// fields stand directly under spec. A struct that is a part of an object and has requests
// of its own is read by [Read], compared by [Differ] and written by [Body], [Given] and
// [Changed].
package table
