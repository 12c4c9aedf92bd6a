package config

import (
	"reflect"

	"github.com/stackreeve/stackreeve/internal/source/artifact"
)

// IsArtifact reports whether the manifests are an artifact in a registry or an archive on a web server. If not, they are in a Git
// repository.
func (s *Source) IsArtifact() bool { return artifact.Is(s.URL) }

// Artifact returns the configuration of the stack's source if it is an artifact.
func (s *Stack) Artifact() artifact.Config { return s.Spec.Source.artifact() }

func (s *Source) artifact() artifact.Config {
	return artifact.Config{
		URL: s.URL, Tag: s.Tag, Digest: s.Digest, Path: s.root(), Folders: s.layers(), CAFile: s.CAFile, KeyFiles: s.cosignKeyFiles(), Signed: s.cosignRepository(),
		Auth: artifact.Auth{TokenFile: s.Auth.TokenFile, Username: s.Auth.Username, BasicAuthFile: s.Auth.BasicAuthFile, DockerConfigFile: s.Auth.DockerConfigFile},
	}
}

func (s *Source) cosignKeyFiles() []string {
	if s.Verify == nil {
		return nil
	}
	return s.Verify.CosignKeyFiles
}

func (s *Source) cosignRepository() string {
	if s.Verify == nil {
		return ""
	}
	return s.Verify.CosignRepository
}

// checkArtifact reports the fields that an artifact does not have, and the problems of the others.
func (s *Spec) checkArtifact(add func(field, what string)) {
	src, auth := &s.Source, &s.Source.Auth
	for field, set := range map[string]bool{
		"branch": src.Branch != "", "paths": src.Paths != "", "auth.sshKeyFile": auth.SSHKeyFile != "", "auth.knownHostsFile": auth.KnownHostsFile != "", "auth.githubApp": auth.GitHubApp != nil,
	} {
		if set {
			add("spec.source."+field, "is for Git repositories, and source.url is an artifact; remove it")
		}
	}
	if v := src.Verify; v != nil && !reflect.DeepEqual(*v, Verify{CosignKeyFiles: v.CosignKeyFiles, CosignRepository: v.CosignRepository}) {
		add("spec.source.verify", "has fields for Git repositories, and source.url is an artifact; keep only cosignKeyFiles and cosignRepository")
	}
	if v := src.Verify; v != nil && len(v.CosignKeyFiles) == 0 {
		add("spec.source.verify", "names no keys; set cosignKeyFiles")
	}
	for _, forge := range s.Report.Forges() {
		add("spec.report."+forge.Forge, "is for Git repositories, and source.url is an artifact, which has no pull requests and no commits; use report.file or notifications")
	}
	_, err := artifact.New(src.artifact(), nil)
	addAll(add, "spec.source.", err)
}

// checkGit reports the fields that only artifacts have.
func (s *Source) checkGit(add func(field, what string)) {
	for field, set := range map[string]bool{
		"tag": s.Tag != "", "digest": s.Digest != "", "auth.dockerConfigFile": s.Auth.DockerConfigFile != "", "verify.cosignKeyFiles": len(s.cosignKeyFiles()) > 0,
		"verify.cosignRepository": s.cosignRepository() != "",
	} {
		if set {
			add("spec.source."+field, "is for artifacts, and source.url is a Git repository; remove it")
		}
	}
}
