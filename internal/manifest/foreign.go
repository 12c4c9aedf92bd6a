package manifest

import (
	"bytes"
	"encoding/base64"
	"slices"

	"go.yaml.in/yaml/v3"
)

// header is the beginning of a file format that cannot be read, so that a manifest may be hidden in the file.
type header struct{ begins, format, fix string }

const (
	decrypt    = "commit the manifest itself, or exclude the file with spec.source.exclude"
	fetchedLFS = "commit the manifest itself: remove its pattern from .gitattributes and add the file again"
)

// headers are compared with the first bytes of a file. Sources: git-lfs docs/spec.md, git-annex "pointer files",
// AGWA/git-crypt fileformat.cpp, ansible lib/ansible/parsing/vault, age-encryption.org/v1, RFC 9580 section 6.2,
// openssl-enc(1).
var headers = []header{
	{"version https://git-lfs.github.com/spec/", "a pointer of Git LFS", fetchedLFS},
	{"version https://hawser.github.com/spec/", "a pointer of Git LFS", fetchedLFS},
	{"/annex/objects/", "a pointer of git-annex", "commit the manifest itself"},
	{"\x00GITCRYPT\x00", "encrypted with git-crypt", decrypt},
	{"$ANSIBLE_VAULT;", "encrypted with ansible-vault", decrypt},
	{"age-encryption.org/", "encrypted with age", decrypt},
	{"-----BEGIN AGE ENCRYPTED FILE-----", "encrypted with age", decrypt},
	{"-----BEGIN PGP MESSAGE-----", "encrypted with PGP", decrypt},
	{"Salted__", "encrypted with openssl", decrypt},
	{"U2FsdGVkX1", "encrypted with openssl", decrypt},
	{"\x1f\x8b", "compressed with gzip", "commit its content"},
	{"\x28\xb5\x2f\xfd", "compressed with zstd", "commit its content"},
}

// Foreign returns the format of a file that contains only a pointer to another file or a ciphertext, such as a pointer of
// Git LFS. It also returns how to fix it. For any other file, it returns "".
func Foreign(text []byte) (format, fix string) {
	start := bytes.TrimLeft(bytes.TrimPrefix(text, []byte("\ufeff")), " \t\r\n")
	i := slices.IndexFunc(headers, func(h header) bool { return bytes.HasPrefix(start, []byte(h.begins)) })
	if i < 0 {
		return "", ""
	}
	return headers[i].format, headers[i].fix
}

// hidden does the same as Foreign for a file without a manifest. It also recognizes two formats that can be parsed: sops
// preserves the syntax of YAML, and base64 is a string.
func hidden(text []byte, docs []document) (format, fix string) {
	for _, d := range docs {
		if d.root == nil {
			continue
		}
		if _, sops := lookup(d.root, "sops"); sops != nil && sops.Kind == yaml.MappingNode {
			if _, mac := lookup(sops, "mac"); mac != nil {
				return "encrypted with sops", decrypt
			}
		}
	}
	const most = 8 << 20
	packed := bytes.Join(bytes.Fields(text), nil)
	plain := make([]byte, base64.StdEncoding.DecodedLen(min(len(packed), most)))
	n, err := base64.StdEncoding.Decode(plain, packed[:min(len(packed), most)])
	if plain = plain[:n]; err == nil && bytes.Contains(plain, []byte("apiVersion")) && bytes.Contains(plain, []byte("kind")) {
		return "a manifest in base64", "commit the manifest without the encoding"
	}
	return "", ""
}
