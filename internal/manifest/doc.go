// Package manifest turns the files of a revision into objects, strictly.
//
// It knows YAML, JSON, the frame that every object has (apiVersion, kind, metadata, status) and how to decode the rest
// into Go structs whose tags carry the rules. It knows no kind, no cloud and no Git: the caller says which kinds exist
// and brings the structs.
//
// # What is a manifest
//
//   - Only *.yaml, *.yml and *.json are read. Names that start with a dot are skipped, files and folders alike, and so
//     are kustomization files.
//   - A file none of whose documents has both apiVersion and kind is left alone. If one document has both, all must.
//   - A document of an API group that is not ours is left alone, unless the group is a near miss of one that is: then
//     it is a problem with the right spelling. A known group with an unknown kind or version is a problem too.
//   - Of the core group (v1), ConfigMap and Secret are ours when the caller lists them; other kinds are left alone.
//   - v1 List and <Kind>List are expanded; each item is an object with its own line.
//   - Symbolic links are refused where a manifest or a folder could hide behind them.
//
// What was left alone is reported with the reason, so that nobody wonders.
//
// # What is strict
//
// Unknown and duplicate fields, unquoted numbers and booleans in string fields, octal-looking numbers, unknown
// stackreeve.dev annotations and objects declared twice are problems. All problems of all files come at once, each with
// its line. Input is bounded in size, depth, aliases and number, so that no repository can exhaust the reader.
package manifest
