package artifact

import (
	"context"

	"github.com/stackreeve/stackreeve/internal/source/failure"
)

// The limits of a list of tags.
const (
	maxTags     = 20_000
	maxTagPages = 200
	tagsInPage  = 1_000
)

// Tags returns the tags of the repository in a registry, with one request for each page. An archive has none.
func (a *Artifact) Tags(parent context.Context) (tags []string, err error) {
	from, ok := a.from.(*registryRemote)
	if !ok {
		return nil, nil
	}
	ctx, done, err := a.begin(parent)
	if err != nil {
		return nil, err
	}
	defer done()
	if tags, err = from.tags(ctx); err != nil {
		return nil, a.finish(ctx, parent, err)
	}
	return tags, nil
}

func (r *registryRemote) tags(ctx context.Context) (tags []string, err error) {
	repo, err := r.open()
	if err != nil {
		return nil, err
	}
	pages := 0
	err = repo.Tags(ctx, "", func(page []string) error {
		pages++
		for _, tag := range page {
			if tagForm.MatchString(tag) {
				tags = append(tags, tag)
			}
		}
		if len(tags) > maxTags || pages > maxTagPages {
			return failure.New(failure.ErrContent, "the repository has more than %d tags, or the registry has more than %d pages of them; remove old tags", maxTags, maxTagPages)
		}
		return nil
	})
	return tags, missing(err, "the registry has no list of tags for the repository, or the login may not see it")
}
