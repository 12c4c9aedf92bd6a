package cloud

import "slices"

// TagFilter is the part of an import filter that every taggable kind has.
// (k-orc/openstack-resource-controller api/v1alpha1: FilterByNeutronTags)
type TagFilter struct {
	Tags       []string `json:"tags,omitempty" api:"-" doc:"All of these tags."`
	TagsAny    []string `json:"tagsAny,omitempty" doc:"At least one of these tags."`
	NotTags    []string `json:"notTags,omitempty" doc:"Not all of these tags."`
	NotTagsAny []string `json:"notTagsAny,omitempty" doc:"None of these tags."`
}

// MatchTags reports whether an object with these tags passes.
func (f TagFilter) MatchTags(tags []string) bool {
	has := func(tag string) bool { return slices.Contains(tags, tag) }
	hasNot := func(tag string) bool { return !has(tag) }
	switch {
	case slices.ContainsFunc(f.Tags, hasNot):
		return false
	case len(f.TagsAny) > 0 && !slices.ContainsFunc(f.TagsAny, has):
		return false
	case len(f.NotTags) > 0 && !slices.ContainsFunc(f.NotTags, hasNot):
		return false
	}
	return !slices.ContainsFunc(f.NotTagsAny, has)
}

// NameFilter is the part of an import filter that every kind with a name has.
type NameFilter struct {
	Name        *string `json:"name,omitempty" doc:"Exact name."`
	Description *string `json:"description,omitempty" doc:"Exact description."`
}

// FilterName implements plan.Named.
func (f *NameFilter) FilterName() string { return Or(f.Name, "") }

// Is reports whether a filter field, if given, has the value.
func Is[T comparable](want *T, have T) bool { return want == nil || *want == have }

// Or is the value that p points to, or fallback.
func Or[T any](p *T, fallback T) T {
	if p == nil {
		return fallback
	}
	return *p
}

// Name is the name an object bears: the one asked for, or its manifest's.
func Name(asked *string, manifest string) string { return Or(asked, manifest) }
