// Package manifest parses the files of a revision strictly, and makes objects of them.
//
// The package implements YAML, JSON and the frame that every object has (apiVersion, kind, metadata, status). It decodes
// the rest of a document into Go structs whose tags contain the rules. It contains no kinds, no cloud and no Git: the
// caller says which kinds exist, and supplies the structs.
//
// # Which files and documents are manifests
//
//   - Only *.yaml, *.yml and *.json are read. Files and folders whose names start with a dot are skipped, and so are
//     kustomization files.
//   - A file is ignored if none of its documents has both apiVersion and kind. If one document has both, all documents
//     of the file must have both.
//   - A document of a foreign API group is ignored. If the name of the group is similar to that of a known group, it is
//     a problem, which contains the right spelling. A known group with an unknown kind or version is also a problem.
//   - ConfigMap and Secret of the core group (v1) are objects if the caller lists them. Other kinds of the core group
//     are ignored.
//   - A v1 List and a <Kind>List are expanded: each item is an object, whose line is that of the item.
//   - A symbolic link is refused if it may lead to a manifest or a folder.
//
// Every ignored file and document is reported with the reason.
//
// # How an object comes from several places
//
//   - Layers: the parts of a load can form layers. A document of a later layer is merged into the document of an earlier
//     layer with the same key (layers.go, merge.go). A problem names the file of the layer that set the field (origins.go).
//   - Values: ${name} in strings is replaced after the layers are merged (values.go).
//   - Encrypted files: a file that SOPS encrypted is checked and decrypted as a whole, before its documents become objects
//     (encrypted.go, package sops). Without keys, its values can stay unknown (see [Decryption]).
//
// # Which mistakes are problems
//
// Problems are unknown and duplicate fields, unquoted numbers and booleans in string fields, octal-looking numbers,
// unknown stackreeve.dev annotations, and objects declared twice. All problems of all files are reported together,
// each with its line. The size, depth, aliases and number of files are limited, so that no repository can exhaust the
// memory or the time of the reader.
package manifest
