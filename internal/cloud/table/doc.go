// Package table derives everything that a kind does with a field from one line. It reads the field
// from a service's answers, compares it, and writes it into requests. It also matches import
// filters and shows the field in status.
//
// The line is the field's declaration in the kind's Spec. Beside the tags for reading manifests
// (json, rule, ref, doc; see package manifest) it has
//
//	api:"mtu"              the attribute of requests and answers
//	api:"mtu,OPTION…"      with options, separated by commas:
//	    named              if left out, it is metadata.name
//	    empty              if left out, it is empty in the cloud, too; without this, default
//	                       and named, a field that is left out is not compared
//	    null               the same, and requests have null for it
//	    set                order and repetition of the list mean nothing
//	    pairs              the list of structs with a name and a value is a map in the API
//	    lower              the service writes texts in small letters
//	    trimmed            the service removes white space at both ends of texts
//	    read=a.b           answers have it as b in a
//	    unread             answers do not have it: it is not compared
//	    unwritten          requests do not have it, or not by itself
//	    hidden             it is not compared if an answer does not have it
//	    absent=true        its value if an answer does not have it; without
//	                       this its zero value
//	    extension=ALIAS    only services with that extension have it: if an answer
//	                       lacks it, a note says so and it is not compared
//	    inline             for a struct: its fields are attributes of the object itself
//	ways:"resize=reboot|…" the ways in which a change can be carried out without
//	                       replacing the object, each with its cost: in-place, reboot or
//	                       rebuild. An annotation chooses one, and the driver gets its
//	                       name
//	loss:"its local disk"  what is lost by those that rebuild
//	alias:"initScript"     another name for the field in that annotation
//	show:"networkID"       its name in status, if it differs; "-" if status does not
//	                       show it
//	needs:"administrator"  what it needs, see package manifest
//
// A field without the tag api has no attribute. A filter's field with api:"-" is compared with no
// field. Three rules of a field matter here:
//   - immutable: a change of the field, or of a field within it, replaces the object.
//   - default: the value of an omitted field.
//   - format: which spellings are equal, like the options lower and trimmed.
//
// An object that cannot be renamed keeps an earlier name of its manifest. A reference is an ID in
// the API. Answers may have flags in words ("True"), and an empty text for a missing object.
//
// Further attributes of the service are declared in a second struct, More, in the same way: api is
// the place in answers, json the name in status.
//
// A field whose form differs from its attribute's has no tag api but an [Override]. That is a value
// with functions for everything that tags cannot express.
//
// [New] is for kinds whose fields stand under spec.resource, [NewFlat] for kinds whose fields stand
// directly under spec. A struct may be a part of an object that has requests of its own. [Read]
// reads it, [Differ] compares it, and [Body], [Given] and [Changed] write it.
package table
