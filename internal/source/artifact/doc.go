// Package artifact reads manifests from an OCI artifact in a registry, or from an archive on a web server. It
// reports when another artifact is there.
//
//	oci://registry/repository   tag ──HEAD──▶ digest ──▶ manifest ──▶ signatures ──▶ layer ──▶ fs.FS
//	https://host/config.tar.gz  ETag ─▶ signature ──▶ archive ──▶ digest ──▶ fs.FS
//
// A server is not trusted. Every answer has a limit, and is only used if its digest is the expected one. Nothing
// of an artifact is unpacked before its digest and its signature were checked. The files are in memory.
//
// The package does not know what the files mean. It has no history: of a tag, only the present artifact is known.
package artifact
