// Package sops reads and writes YAML and JSON documents that SOPS encrypted. It checks the whole file before it returns
// any value.
//
// The values of a document are encrypted with AES-256-GCM and one data key per file. The block "sops" of each document
// contains that key, encrypted for the public keys of people and agents, and a checksum of all values in their order.
//
// The package does no I/O. It runs no command, loads no plugin and asks no key service. The private keys are age
// identities and OpenPGP keys that the caller has read.
package sops
