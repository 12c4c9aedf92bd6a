// Package table derives everything that a kind does with a field from one line. It reads the field
// from a service's answers, compares it, and writes it into requests. It also matches import
// filters and shows the field in status.
//
// The line is the field's declaration in the kind's Spec. The tags json, rule, doc and example are
// for reading manifests (see package manifest). The tag ref:"…" names the kind of the objects that a
// field refers to. Packages resolve and export read it, as does this package; its options, and the tag from:"…", are in package
// resolve (refs.go). The tag cuts:"…" is for
// fields on which other objects depend (see package typed, cuts.go). The tags of this package are:
//
//	api:"mtu"              the attribute of requests and answers
//	api:"mtu,OPTION…"      with options, separated by commas:
//	    named              if the field is left out, its value is metadata.name
//	    empty              if the field is left out, it has to be empty in the cloud, too; without
//	                       this option, named or a default, it is not compared in that case
//	    null               like empty, and requests contain null
//	    set                order and repetition in the list mean nothing
//	    pairs              the list of structs with a name and a value is a map in the API
//	    lower              the service writes texts in small letters
//	    trimmed            the service removes white space at both ends of texts
//	    read=a.b           answers contain the value as member b of a
//	    unread             answers do not contain the field, so it is not compared
//	    unwritten          requests do not contain the field, or not alone
//	    hidden             the field is not compared if an answer does not contain it
//	    absent=true        the field's value if an answer does not contain it; without
//	                       this option, that is the zero value
//	    extension=ALIAS    only services with that extension have the field: if an answer
//	                       lacks it, a note says so and it is not compared
//	    inline             for a struct: its fields are attributes of the object itself
//	ways:"resize=reboot|…" the ways in which a change can be carried out without
//	                       replacing the object, each with its cost: in-place, reboot or
//	                       rebuild; an annotation chooses one, and the driver gets its
//	                       name
//	loss:"its local disk"  the data that is lost in a way with the cost rebuild
//	alias:"initScript"     another name for the field in that annotation
//	show:"networkID"       the field's name in status, if it differs; "-" if status does
//	                       not show the field
//	needs:"administrator"  the rights that the field needs, see package manifest
//
// A field of Spec, or of a struct with the option inline, has no attribute without a tag api:"…". A
// field of any other struct in Spec then has the attribute with its json name. A field of a filter
// with api:"-" is not compared here. Four rules of a field matter here; package manifest
// (rules.go) explains all rules:
//   - immutable: a change of the field, or of a field within it, replaces the object.
//   - default: the value of an omitted field.
//   - required: the field is never omitted, so its zero value is written, too.
//   - format: which spellings are equal, like the options lower and trimmed.
//
// If an object cannot be renamed, it may have an earlier name of its manifest. A reference is an ID
// in the API. Answers may contain flags in words ("True"), and an empty text for a missing object.
//
// Further attributes of the service are declared in a second struct, More, in the same way: api is
// the place in answers, json the name in status.
//
// A field whose form differs from its attribute's has no tag api:"…" but an [Override]. That is a value
// with functions for everything that tags cannot express.
//
// [New] is for kinds whose fields are under spec.resource, [NewFlat] for kinds whose fields are
// directly under spec. A struct may be a part of an object that is written by separate requests.
// [Read] reads such a struct, [Differ] compares it, and [Body], [Given] and [Changed] write it.
package table
