package signature_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/source/signature"
)

const someKey = "* ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBfQEtuyZmUYT7LJ3pk8+Pz8gDtAbfJ6yFNG3/XKeRtk\n"

// FuzzObject: no text counts as signed without the key, and a signature covers everything in the object except itself.
func FuzzObject(f *testing.F) {
	head := "tree 1111111111111111111111111111111111111111\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n"
	f.Add([]byte(head + "\nsubject\n"))
	f.Add([]byte(head + "gpgsig -----BEGIN SSH SIGNATURE-----\n U1NIU0lH\n -----END SSH SIGNATURE-----\nencoding x\n\nsubject\n"))
	f.Add([]byte(head + "gpgsig -----BEGIN PGP SIGNATURE-----\n \n wsBcBAABCAAQBQJ=\n =abcd\n -----END PGP SIGNATURE-----\n\nsubject\n"))
	f.Add([]byte("object 1111111111111111111111111111111111111111\ntype commit\ntag v1\ntagger A <a@b> 1 +0000\n\nv1\n-----BEGIN PGP SIGNATURE-----\n"))
	k, err := signature.ReadAllowedSigners([]byte(someKey), time.UTC)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if o, err := signature.ParseCommit(raw); err == nil {
			if o.Armor == "" && !bytes.Equal(o.Payload, raw) && !bytes.Contains(raw, []byte("gpgsig")) {
				t.Fatal("the payload of an unsigned commit is another one")
			}
			if _, err := k.Signer(o, time.Unix(1, 0)); err == nil {
				t.Fatal("signed")
			}
		}
		if o, err := signature.ParseTag(raw); err == nil {
			if !bytes.Equal(append(bytes.Clone(o.Payload), o.Armor...), raw) {
				t.Fatal("the payload and the signature are not the whole tag")
			}
			if _, err := k.Signer(o, time.Unix(1, 0)); err == nil {
				t.Fatal("signed")
			}
		}
	})
}
