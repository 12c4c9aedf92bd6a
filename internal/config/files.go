package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/stackreeve/stackreeve/internal/localfile"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/pattern"
	"github.com/stackreeve/stackreeve/internal/source/signature"
)

// documentFiles is a document of the configuration with the files that it names.
type documentFiles struct {
	key    manifest.Key
	origin manifest.Origin
	where  func(field string) manifest.Origin // nil when no file sets it
	files  []namedFile
}

// namedFile is a field that names a file of this machine.
type namedFile struct {
	field  string
	path   *string
	secret bool // reports whether only the agent's user may read it
	made   bool // reports whether the agent creates it
	// keys reads the public keys in the file; nil if the file has none.
	keys func(text []byte) (signature.Keys, error)
}

// namedFiles returns the fields that name files, whether they are set or not.
func (s *Spec) namedFiles() []namedFile {
	list := append(s.Source.Auth.namedFiles("spec.source.auth."), namedFile{field: "spec.source.caFile", path: &s.Source.CAFile})
	list = append(list, s.Source.Verify.namedFiles()...)
	for i := range s.Source.Libraries {
		l, field := &s.Source.Libraries[i], fmt.Sprintf("spec.source.libraries[%d].", i)
		list = append(append(list, l.Auth.namedFiles(field+"auth.")...), namedFile{field: field + "caFile", path: &l.CAFile})
	}
	if g := s.Report.GitHub; g != nil {
		list = append(list, namedFile{field: "spec.report.github.tokenFile", path: &g.TokenFile, secret: true})
		if g.App != nil {
			list = append(list, namedFile{field: "spec.report.github.app.privateKeyFile", path: &g.App.PrivateKeyFile, secret: true})
		}
	}
	if g := s.Report.Gitea; g != nil {
		list = append(list, namedFile{field: "spec.report.gitea.tokenFile", path: &g.TokenFile, secret: true}, namedFile{field: "spec.report.gitea.caFile", path: &g.CAFile})
	}
	if g := s.Report.GitLab; g != nil {
		list = append(list, namedFile{field: "spec.report.gitlab.tokenFile", path: &g.TokenFile, secret: true}, namedFile{field: "spec.report.gitlab.caFile", path: &g.CAFile})
	}
	if g := s.Report.Gerrit; g != nil {
		list = append(list, namedFile{field: "spec.report.gerrit.passwordFile", path: &g.PasswordFile, secret: true}, namedFile{field: "spec.report.gerrit.caFile", path: &g.CAFile})
	}
	if f := s.Report.File; f != nil {
		list = append(list, namedFile{field: "spec.report.file.path", path: &f.Path, made: true})
	}
	if e := s.Defaults.Etcd; e != nil {
		list = append(list, namedFile{field: "spec.defaults.etcd.masterKeyFile", path: &e.MasterKeyFile, secret: true})
	}
	if o := s.Defaults.S3; o != nil {
		list = append(list, namedFile{field: "spec.defaults.s3.credentialsFile", path: &o.CredentialsFile, secret: true}, namedFile{field: "spec.defaults.s3.caFile", path: &o.CAFile})
	}
	for i := range s.Decryption.AgeKeyFiles {
		list = append(list, namedFile{field: ageField(i), path: &s.Decryption.AgeKeyFiles[i], secret: true})
	}
	for i := range s.Decryption.OpenPGPKeyFiles {
		list = append(list, namedFile{field: openPGPField(i), path: &s.Decryption.OpenPGPKeyFiles[i], secret: true})
	}
	list = append(list, s.Events.namedFiles()...)
	for i := range s.SecretStores {
		list = append(list, s.SecretStores[i].namedFiles(i)...)
	}
	for i := range s.Fingerprints.KeyFiles {
		list = append(list, namedFile{field: fmt.Sprintf("spec.fingerprints.keyFiles[%d]", i), path: &s.Fingerprints.KeyFiles[i], secret: true})
	}
	return list
}

func (a *Auth) namedFiles(field string) []namedFile {
	list := []namedFile{
		{field: field + "tokenFile", path: &a.TokenFile, secret: true},
		{field: field + "basicAuthFile", path: &a.BasicAuthFile, secret: true},
		{field: field + "dockerConfigFile", path: &a.DockerConfigFile, secret: true},
		{field: field + "sshKeyFile", path: &a.SSHKeyFile, secret: true},
		{field: field + "knownHostsFile", path: &a.KnownHostsFile},
	}
	if app := a.GitHubApp; app != nil {
		list = append(list, namedFile{field: field + "githubApp.privateKeyFile", path: &app.PrivateKeyFile, secret: true})
	}
	return list
}

// below makes relative paths relative to a folder.
func below(folder string, files []namedFile) []namedFile {
	for _, f := range files {
		if *f.path != "" && !filepath.IsAbs(*f.path) {
			*f.path = filepath.Join(folder, *f.path)
		}
	}
	return files
}

// documentsOf returns the documents from which the stacks were read, and those that all stacks share.
func documentsOf(stacks []Stack) (list []documentFiles) {
	for i := range stacks {
		s := &stacks[i]
		list = append(list, documentFiles{manifest.Key{Kind: GVK.Kind, Name: s.Name}, s.Origin, s.where, s.Spec.namedFiles()})
	}
	if len(stacks) > 0 {
		list = append(list, stacks[0].shared...)
	}
	return list
}

// CheckFiles checks the files that the documents of the stacks name. With the problems, the agent would fail. With
// the notes, it would only log a warning. The contents of the files are not shown.
func CheckFiles(stacks []Stack) (problems manifest.Problems, notes []manifest.Problem) {
	for _, d := range documentsOf(stacks) {
		for _, f := range d.files {
			if *f.path == "" {
				continue
			}
			what, fix := f.wrong()
			if p := d.problem(f, what, fix); what != "" {
				problems = append(problems, p)
			} else if f.exposed() {
				p.What, p.Fix = fmt.Sprintf("%s can be read by everybody on this machine", *f.path), "remove the permission of other users with chmod o-rwx"
				notes = append(notes, p)
			}
		}
	}
	return problems, notes
}

// ExposedSecret is a file with credentials that everybody on this machine can read or replace.
type ExposedSecret struct {
	By   manifest.Key // the document that names it
	Path string
}

// ExposedSecrets returns the exposed files that the stacks' documents name.
func ExposedSecrets(stacks []Stack) (files []ExposedSecret) {
	for _, d := range documentsOf(stacks) {
		for _, f := range d.files {
			if *f.path != "" && f.exposed() {
				files = append(files, ExposedSecret{d.key, *f.path})
			}
		}
	}
	return files
}

func (f namedFile) exposed() bool { return f.secret && localfile.Exposed(*f.path) }

func (f namedFile) wrong() (what, fix string) {
	if f.made {
		return f.unmakeable()
	}
	most := int64(localfile.Certificates)
	if f.secret {
		most = localfile.Secret
	}
	text, err := localfile.Read(*f.path, most)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Sprintf("there is no file %s", *f.path), "create the file, or correct the path; a relative path begins at the folder of the configuration file"
	case errors.Is(err, fs.ErrPermission):
		return fmt.Sprintf("%s cannot be read by this user", *f.path), "make it readable only for the user that runs the agent"
	case err != nil:
		return "cannot be read: " + err.Error(), "name a regular file"
	case len(bytes.TrimSpace(text)) == 0:
		return fmt.Sprintf("%s is empty", *f.path), "write the value that the field needs into the file"
	}
	if f.keys != nil {
		if _, err := f.signingKeys(); err != nil {
			return fmt.Sprintf("%s: %s", *f.path, err), "correct the file"
		}
	}
	return "", ""
}

// unmakeable returns the reason why the agent cannot write or read a file that it creates itself.
func (f namedFile) unmakeable() (what, fix string) {
	info, err := os.Stat(*f.path)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return fmt.Sprintf("%s is not a regular file, so the agent cannot read the statuses that it wrote", *f.path), "name a file; standard output and the log also have a line for each status"
	case err == nil:
		return "", ""
	case !errors.Is(err, fs.ErrNotExist):
		return "cannot be written: " + err.Error(), "correct the path"
	}
	folder, err := os.Stat(filepath.Dir(*f.path))
	if err != nil || !folder.IsDir() {
		return fmt.Sprintf("there is no folder %s", filepath.Dir(*f.path)), "create the folder, or correct the path; a relative path begins at the folder of the configuration file"
	}
	return "", ""
}

// CheckMade checks the files that the agent creates. If a file cannot be created, the agent could not report there.
func CheckMade(stacks []Stack) (problems manifest.Problems) {
	for _, d := range documentsOf(stacks) {
		for _, f := range d.files {
			if f.made && *f.path != "" {
				if what, fix := f.wrong(); what != "" {
					problems = append(problems, d.problem(f, what, fix))
				}
			}
		}
	}
	return problems
}

func (d documentFiles) problem(f namedFile, what, fix string) manifest.Problem {
	p := manifest.Problem{Origin: d.origin, Key: d.key, Field: f.field, What: what, Fix: fix}
	if d.where != nil {
		p.Origin.Line = d.where(f.field).Line
	}
	return p
}

// stackKind matches documents of the configuration's kinds. So they are found without parsing.
var stackKind = pattern.Of(`(?m)^[^#\n]*\bkind["']?\s*:\s*["']?(?:Stack|Policy|Notification|Agents)["']?\s*($|[,}#])`)

// Is reports whether a regular file is a configuration and contains no manifests: it has the usual name, or contains
// a document of one of the [Kinds].
func Is(file string) bool {
	if filepath.Base(file) == Usual {
		return true
	}
	text, err := localfile.Read(file, localfile.Config)
	return err == nil && stackKind.Regexp().Match(text)
}
