package config

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/localfile"
	"github.com/stackreeve/stackreeve/internal/source"
	"github.com/stackreeve/stackreeve/internal/source/artifact"
	"github.com/stackreeve/stackreeve/internal/source/signature"
)

// Verify says which signatures a revision needs.
type Verify struct {
	Mode             string `json:"mode,omitempty" rule:"enum=head|range|tag,default=range" doc:"Which objects have to be signed. head: the newest commit. range: every commit since the last revision that was applied, on both sides of merges. tag: an annotated tag of the newest commit."`
	SigningKeys      `json:",inline"`
	Forge            *SigningKeys `json:"forge,omitempty" doc:"With range: the keys with which a forge signs the merges of pull requests. They count only for a merge of two verified commits whose files are exactly those that git gives it."`
	Since            string       `json:"since,omitempty" doc:"With range: the full hash of a commit that is trusted with everything before it. Without it, an agent that knows no applied revision checks only the newest commit, which a person must have signed."`
	Tags             []string     `json:"tags,omitempty" rule:"max=20,unique" doc:"With tag: patterns for the names of tags that count, such as v*; all tags if left out."`
	CosignKeyFiles   []string     `json:"cosignKeyFiles,omitempty" rule:"max=8,unique" doc:"For artifacts and archives: files with public keys in PEM. One of the keys must have signed the artifact with cosign; otherwise it is refused. Signatures with a certificate in place of a key are not checked."`
	CosignRepository string       `json:"cosignRepository,omitempty" rule:"max=255" doc:"For artifacts: the repository of the same registry in which cosign stores signatures (COSIGN_REPOSITORY), such as team/signatures. Without it, they are beside the artifact."`
	Rewrites         string       `json:"rewrites,omitempty" rule:"enum=refuse|allow,default=refuse" doc:"What happens to a newest commit that does not descend from the last applied revision, as after git push --force. refuse: it is refused, even if it is signed."`
}

// SigningKeys names the files with public keys.
type SigningKeys struct {
	OpenPGPKeyFiles    []string `json:"openpgpKeyFiles,omitempty" rule:"max=100,unique" doc:"Files with OpenPGP public keys, as gpg --armor --export writes them."`
	AllowedSignersFile string   `json:"allowedSignersFile,omitempty" doc:"File with SSH public keys, in the format of git's gpg.ssh.allowedSignersFile. The principals of a key must match the e-mail address of the committer or tagger."`
}

func (k *SigningKeys) none() bool { return len(k.OpenPGPKeyFiles) == 0 && k.AllowedSignersFile == "" }

func (k *SigningKeys) namedFiles(field string) []namedFile {
	list := []namedFile{{field: field + "allowedSignersFile", path: &k.AllowedSignersFile, keys: readAllowedSigners}}
	for i := range k.OpenPGPKeyFiles {
		list = append(list, namedFile{field: fmt.Sprintf("%sopenpgpKeyFiles[%d]", field, i), path: &k.OpenPGPKeyFiles[i], keys: signature.ReadOpenPGP})
	}
	return list
}

const verifyField = "spec.source.verify."

func (v *Verify) namedFiles() (list []namedFile) {
	if v == nil {
		return nil
	}
	list = v.SigningKeys.namedFiles(verifyField)
	for i := range v.CosignKeyFiles {
		list = append(list, namedFile{field: fmt.Sprintf("%scosignKeyFiles[%d]", verifyField, i), path: &v.CosignKeyFiles[i], keys: checkCosign})
	}
	if v.Forge != nil {
		list = append(list, v.Forge.namedFiles(verifyField+"forge.")...)
	}
	return list
}

// checkVerify checks the rules that concern several fields.
func (s *Source) checkVerify(add func(field, what string)) {
	v := s.Verify
	if v == nil || s.IsArtifact() {
		return
	}
	if v.none() {
		add("spec.source.verify", "names no keys; set openpgpKeyFiles or allowedSignersFile")
	}
	ranged := v.Mode == "" || v.Mode == string(source.ByRange)
	if v.Forge != nil && !ranged {
		add(verifyField+"forge", "needs mode: range, because a merge by a forge counts only if the merged commits are verified")
	}
	if v.Forge != nil && v.Forge.none() {
		add(verifyField+"forge", "names no keys; set openpgpKeyFiles or allowedSignersFile")
	}
	if v.Since != "" && !ranged {
		add(verifyField+"since", "needs mode: range")
	}
	if v.Since != "" && !fullCommit.MatchString(v.Since) {
		add(verifyField+"since", fmt.Sprintf("%q is not a full commit; give the 40 digits that `git rev-parse` prints", v.Since))
	}
	if len(v.Tags) > 0 && v.Mode != string(source.ByTag) {
		add(verifyField+"tags", "needs mode: tag")
	}
}

// Trust reads the keys, and returns which commits are trusted; nil if no signatures are needed. A file in a work tree is refused, because
// everybody who can push there could add a key.
func (s *Stack) Trust() (*source.Trust, error) {
	v := s.Spec.Source.Verify
	if v == nil || s.Spec.Source.IsArtifact() {
		return nil, nil
	}
	t := &source.Trust{Mode: source.VerifyMode(cmp.Or(v.Mode, string(source.ByRange))), Since: v.Since, Tags: cmp.Or(strings.Join(v.Tags, ","), "*"), Rewrites: v.Rewrites == "allow"}
	var err error
	if t.Keys, err = v.read(verifyField); err == nil && v.Forge != nil {
		t.Forge, err = v.Forge.read(verifyField + "forge.")
	}
	return t, err
}

func (k *SigningKeys) read(field string) (keys signature.Keys, err error) {
	for _, f := range k.namedFiles(field) {
		if *f.path == "" {
			continue
		}
		more, err := f.signingKeys()
		if err != nil {
			return keys, fmt.Errorf("%s: %s: %w", f.field, *f.path, err)
		}
		keys = keys.With(more)
	}
	return keys, nil
}

func (f namedFile) signingKeys() (signature.Keys, error) {
	if root := localfile.WorkTree(*f.path); root != "" {
		return signature.Keys{}, fmt.Errorf("it lies in the work tree of %s, where everybody who can push could add a key; keep it elsewhere", root)
	}
	text, err := localfile.Read(*f.path, localfile.Certificates)
	if err != nil {
		return signature.Keys{}, err
	}
	return f.keys(text)
}

// checkCosign checks the keys for artifacts, which have no signing keys of commits.
func checkCosign(text []byte) (signature.Keys, error) {
	return signature.Keys{}, artifact.CheckKeys(text)
}

func readAllowedSigners(text []byte) (signature.Keys, error) {
	return signature.ReadAllowedSigners(text, time.Local)
}
