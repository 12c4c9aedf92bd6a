package artifact

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/content"
	"oras.land/oras-go/v2/registry"
	"oras.land/oras-go/v2/registry/remote"
	"oras.land/oras-go/v2/registry/remote/auth"

	"github.com/stackreeve/stackreeve/internal/outbound"
	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/source"
	"github.com/stackreeve/stackreeve/internal/source/failure"
)

const maxManifest = 1 << 20 // bytes

// registryRemote is a repository in a registry.
type registryRemote struct {
	cfg     Config
	at      place
	repo    *remote.Repository // nil before the first request
	signs   *remote.Repository // with the signatures
	auth    *login
	checked verdicts
}

func newRemote(cfg Config, at place) *registryRemote {
	return &registryRemote{cfg: cfg, at: at, auth: &login{cfg.Auth, at}}
}

// open returns the repository. The certificates are read once.
func (r *registryRemote) open() (*remote.Repository, error) {
	if r.repo != nil {
		return r.repo, nil
	}
	client, err := newClient(r.cfg.CAFile, r.at)
	if err != nil {
		return nil, err
	}
	authorized := &auth.Client{Client: client, Credential: r.auth.of, Cache: auth.NewCache(), ClientID: "stackreeve"}
	r.repo = r.repository(authorized, r.at.repository)
	if r.signs = r.repo; r.cfg.Signed != "" {
		r.signs = r.repository(authorized, r.cfg.Signed)
	}
	return r.repo, nil
}

func (r *registryRemote) repository(client remote.Client, name string) *remote.Repository {
	return &remote.Repository{
		Client:    client,
		Reference: registry.Reference{Registry: r.at.host, Repository: name},
		// A registry on this machine has no certificate, unless one is configured.
		PlainHTTP:            outbound.Loopback(r.at.hostname()) && r.cfg.CAFile == "",
		MaxMetadataBytes:     maxManifest,
		ReferrerListMaxPages: 1,
		TagListPageSize:      tagsInPage,
	}
}

// find implements origin.
func (r *registryRemote) find(ctx context.Context, ref string, known func(digest string) bool) (packed, error) {
	repo, err := r.open()
	if err != nil {
		return packed{}, err
	}
	keys, err := readKeys(r.cfg.KeyFiles)
	if err != nil {
		return packed{}, err
	}
	sum := sumOf(keys)
	same := func(digest string) bool {
		_, checked := r.checked.of(digest, sum)
		return known(digest) && (checked || len(keys) == 0)
	}
	ref = cmp.Or(ref, r.cfg.Digest, r.cfg.Tag)
	if same(ref) {
		return packed{digest: ref}, nil
	}
	desc, err := repo.Resolve(ctx, ref)
	if err != nil {
		return packed{}, missing(err, "there is no artifact %q in the repository, or the login may not see it; push it, or correct source.tag or source.digest", ref)
	}
	found := packed{digest: desc.Digest.String()}
	if !digestForm.MatchString(ref) {
		found.tag = ref
	}
	if same(found.digest) {
		return found, nil
	}
	manifest, err := r.manifest(ctx, repo, desc)
	if err != nil {
		return packed{}, err
	}
	if len(keys) > 0 {
		switch _, err := r.signed(ctx, desc, keys); {
		case errors.As(err, &found.refused):
			return found, nil
		case err != nil:
			return packed{}, err
		case known(found.digest):
			return found, nil
		}
	}
	layer, format, err := layerOf(manifest)
	if err != nil {
		return packed{}, err
	}
	found.content, found.format = layer.Digest.String(), format
	found.made, found.time = described(manifest.Annotations)
	found.archive, err = read(ctx, repo.Blobs(), layer, maxArchive)
	return found, err
}

// verify implements origin.
func (r *registryRemote) verify(ctx context.Context, digest string) (source.Signed, error) {
	repo, err := r.open()
	if err != nil {
		return source.Signed{}, err
	}
	keys, err := readKeys(r.cfg.KeyFiles)
	if err != nil {
		return source.Signed{}, err
	}
	if signed, ok := r.checked.of(digest, sumOf(keys)); ok {
		return signed, nil
	}
	desc, err := repo.Resolve(ctx, digest)
	if err != nil {
		return source.Signed{}, missing(err, "the registry no longer has the artifact %s, or the login may not see it; push it again", digest)
	}
	return r.signed(ctx, desc, keys)
}

// signed looks for a signature of an artifact by one of the keys, and remembers who signed it.
func (r *registryRemote) signed(ctx context.Context, desc ocispec.Descriptor, keys []key) (source.Signed, error) {
	s := signatures{from: r, repo: r.signs, keys: keys}
	if err := s.check(ctx, desc); err != nil {
		return source.Signed{}, err
	}
	signed := signedWith(s.by)
	r.checked.add(desc.Digest.String(), sumOf(keys), signed)
	return signed, nil
}

// manifest downloads a manifest. Its digest is checked.
func (r *registryRemote) manifest(ctx context.Context, repo *remote.Repository, desc ocispec.Descriptor, further ...string) (ocispec.Manifest, error) {
	text, err := read(ctx, repo.Manifests(), desc, maxManifest)
	if err != nil {
		return ocispec.Manifest{}, err
	}
	return parseManifest(text, desc.MediaType, further...)
}

// parseManifest reads the manifest of a single artifact. kind is the media type with which the server has sent it. It is that of OCI, or one of further.
func parseManifest(text []byte, kind string, further ...string) (ocispec.Manifest, error) {
	var m struct {
		ocispec.Manifest
		Manifests json.RawMessage `json:"manifests"`
	}
	switch err := json.Unmarshal(text, &m); {
	case kind != ocispec.MediaTypeImageManifest && !slices.Contains(further, kind):
		return m.Manifest, failure.New(failure.ErrContent, "the artifact is of the type %s, which is not an OCI manifest; push it with `flux push artifact` or `oras push`", quoted(kind))
	case err != nil:
		return m.Manifest, failure.New(failure.ErrContent, "the manifest of the artifact is not valid JSON; push it again")
	case m.MediaType != "" && m.MediaType != kind || len(m.Manifests) > 0:
		return m.Manifest, failure.New(failure.ErrContent, "the manifest of the artifact says that it is of another type than the registry; push it again")
	}
	return m.Manifest, nil
}

// layerOf returns the layer with the manifests, and how it is packed.
func layerOf(m ocispec.Manifest) (ocispec.Descriptor, format, error) {
	if len(m.Layers) != 1 {
		return ocispec.Descriptor{}, 0, failure.New(failure.ErrContent, "the artifact has %d layers, and one is expected; push the folder and not its files", len(m.Layers))
	}
	layer := m.Layers[0]
	for ending, is := range map[string]format{"tar": plain, "tar+gzip": gzipped, "tar+zstd": zstandard} {
		if before, ok := strings.CutSuffix(layer.MediaType, ending); ok && strings.HasSuffix(before, ".") {
			return layer, is, nil
		}
	}
	return layer, 0, failure.New(failure.ErrContent, "the layer of the artifact is of the type %s, which is not a tar file; push the folder with `flux push artifact` or `oras push`", quoted(layer.MediaType))
}

// fetcher has the contents of descriptors.
type fetcher interface {
	Fetch(ctx context.Context, desc ocispec.Descriptor) (io.ReadCloser, error)
}

// read downloads content of at most limit bytes. Its length and its digest are those of the descriptor.
func read(ctx context.Context, from fetcher, desc ocispec.Descriptor, limit int64) ([]byte, error) {
	switch {
	case !digestForm.MatchString(desc.Digest.String()):
		return nil, failure.New(failure.ErrContent, "the registry names the digest %s, and only SHA-256 is supported; push the artifact again", quoted(desc.Digest.String()))
	case desc.Size < 0 || desc.Size > limit:
		return nil, failure.New(failure.ErrContent, "%s has %d bytes, and at most %d are accepted; pack only the manifests", desc.Digest, desc.Size, limit)
	}
	body, err := from.Fetch(ctx, desc)
	if err != nil {
		return nil, missing(err, "the registry does not have %s, which the artifact names; push the artifact again", desc.Digest)
	}
	defer body.Close()
	return content.ReadAll(body, desc)
}

// described returns the origin and the time of an artifact, as its annotations give them.
func described(annotations map[string]string) (made string, at time.Time) {
	one := func(name string) string {
		return printable.Clip(printable.Line(strings.TrimSpace(annotations[name])), 100)
	}
	made, from := one(ocispec.AnnotationRevision), one(ocispec.AnnotationSource)
	if made != "" && from != "" {
		made += " of "
	}
	at, err := time.Parse(time.RFC3339, annotations[ocispec.AnnotationCreated])
	if at = at.UTC(); err != nil || at.Year() < 1970 {
		at = time.Time{}
	}
	return made + from, at
}
