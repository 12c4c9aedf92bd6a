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
//   - A file is ignored if none of its documents has both apiVersion and kind. If one document has both, all must.
//   - A document of a foreign API group is ignored. If the group is nearly spelt like one of ours, it is a problem,
//     with the right spelling. A known group with an unknown kind or version is a problem too.
//   - ConfigMap and Secret of the core group (v1) are objects when the caller lists them. Other kinds of the core group
//     are ignored.
//   - v1 List and <Kind>List are expanded; each item is an object with its own line.
//   - Symbolic links are refused where a manifest or a folder could hide behind them.
//
// Every ignored file and document is reported with the reason.
//
// # Which mistakes are problems
//
// Problems are unknown and duplicate fields, unquoted numbers and booleans in string fields, octal-looking numbers,
// unknown stackreeve.dev annotations, and objects declared twice. All problems of all files are reported at once, each
// with its line. Input is bounded in size, depth, aliases and number, so that no repository can exhaust the reader.
package manifest
