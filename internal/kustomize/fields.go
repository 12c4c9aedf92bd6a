package kustomize

import (
	"encoding/json"
	"reflect"
)

// Kustomization are the fields of a kustomization that are allowed: see
// https://kubectl.docs.kubernetes.io/references/kustomize/kustomization/. Fields with paths are replaced before kustomize
// sees them.
type Kustomization struct {
	APIVersion string `json:"apiVersion,omitempty"`
	Kind       string `json:"kind,omitempty" rule:"enum=Kustomization|Component"`
	Metadata   *struct {
		Name        string            `json:"name,omitempty"`
		Namespace   string            `json:"namespace,omitempty"`
		Labels      map[string]string `json:"labels,omitempty"`
		Annotations map[string]string `json:"annotations,omitempty"`
	} `json:"metadata,omitempty"`

	Resources          []string      `json:"resources,omitempty" rule:"max=2000"`
	Components         []string      `json:"components,omitempty" rule:"max=100"`
	NamePrefix         string        `json:"namePrefix,omitempty" rule:"max=255"`
	NameSuffix         string        `json:"nameSuffix,omitempty" rule:"max=255"`
	Namespace          string        `json:"namespace,omitempty" rule:"max=255"`
	Labels             []Label       `json:"labels,omitempty" rule:"max=100"`
	Patches            []Patch       `json:"patches,omitempty" rule:"max=500"`
	Images             []Image       `json:"images,omitempty" rule:"max=500"`
	Replacements       []Replacement `json:"replacements,omitempty" rule:"max=200"`
	ConfigMapGenerator []Generator   `json:"configMapGenerator,omitempty" rule:"max=500"`

	// Only the package itself writes these.
	BuildMetadata  []string `json:"buildMetadata,omitempty" rule:"max=0"`
	Configurations []string `json:"configurations,omitempty" rule:"max=0"`
}

// empty reports whether a kustomization has no fields besides its type and its own metadata.
func (k Kustomization) empty() bool {
	return reflect.DeepEqual(k, Kustomization{APIVersion: k.APIVersion, Kind: k.Kind, Metadata: k.Metadata})
}

// Label adds labels to all objects.
type Label struct {
	Pairs                       map[string]string `json:"pairs,omitempty" rule:"max=100"`
	IncludeSelectors            bool              `json:"includeSelectors,omitempty"`
	IncludeTemplates            bool              `json:"includeTemplates,omitempty"`
	IncludeVolumeClaimTemplates bool              `json:"includeVolumeClaimTemplates,omitempty"`
	Fields                      []FieldSpec       `json:"fields,omitempty" rule:"max=100"`
}

// FieldSpec names a field of some kinds.
type FieldSpec struct {
	Group   string `json:"group,omitempty"`
	Version string `json:"version,omitempty"`
	Kind    string `json:"kind,omitempty"`
	Path    string `json:"path,omitempty" rule:"max=1024"`
	Create  bool   `json:"create,omitempty"`
}

// Patch is a strategic merge patch or a JSON patch. The package replaces a path by the text of its file.
type Patch struct {
	Path    string    `json:"path,omitempty"`
	Patch   string    `json:"patch,omitempty" rule:"raw"`
	Target  *Selector `json:"target,omitempty"`
	Options *struct {
		AllowNameChange bool `json:"allowNameChange,omitempty"`
		AllowKindChange bool `json:"allowKindChange,omitempty"`
	} `json:"options,omitempty"`
}

// Selector selects objects. Its fields are regular expressions.
type Selector struct {
	Group              string `json:"group,omitempty" rule:"max=255"`
	Version            string `json:"version,omitempty" rule:"max=255"`
	Kind               string `json:"kind,omitempty" rule:"max=255"`
	Name               string `json:"name,omitempty" rule:"max=255"`
	Namespace          string `json:"namespace,omitempty" rule:"max=255"`
	AnnotationSelector string `json:"annotationSelector,omitempty" rule:"max=1024"`
	LabelSelector      string `json:"labelSelector,omitempty" rule:"max=1024"`
}

// Image changes the names and tags of container images.
type Image struct {
	Name      string `json:"name,omitempty"`
	NewName   string `json:"newName,omitempty"`
	NewTag    string `json:"newTag,omitempty"`
	TagSuffix string `json:"tagSuffix,omitempty"`
	Digest    string `json:"digest,omitempty"`
}

// Replacement copies a value to other fields.
type Replacement struct {
	Source *struct {
		Group     string        `json:"group,omitempty"`
		Version   string        `json:"version,omitempty"`
		Kind      string        `json:"kind,omitempty"`
		Name      string        `json:"name,omitempty"`
		Namespace string        `json:"namespace,omitempty"`
		FieldPath string        `json:"fieldPath,omitempty" rule:"max=1024"`
		Options   *FieldOptions `json:"options,omitempty"`
	} `json:"source,omitempty"`
	SourceValue *string  `json:"sourceValue,omitempty"`
	Targets     []Target `json:"targets,omitempty" rule:"max=200"`
}

// Target says where a replacement puts its value.
type Target struct {
	Select     *Selector     `json:"select" rule:"required"`
	Reject     []Selector    `json:"reject,omitempty" rule:"max=100"`
	FieldPaths []string      `json:"fieldPaths,omitempty" rule:"max=100"`
	Options    *FieldOptions `json:"options,omitempty"`
}

// FieldOptions says which part of a value is meant.
type FieldOptions struct {
	Delimiter string `json:"delimiter,omitempty"`
	Index     int    `json:"index,omitempty" rule:"min=-1,max=1000"`
	Encoding  string `json:"encoding,omitempty"`
	Create    bool   `json:"create,omitempty"`
}

// Generator makes a ConfigMap. The package replaces the paths.
type Generator struct {
	Namespace string   `json:"namespace,omitempty"`
	Name      string   `json:"name,omitempty" rule:"max=255"`
	Behavior  string   `json:"behavior,omitempty" rule:"enum=create|replace|merge"`
	Literals  []string `json:"literals,omitempty" rule:"max=1000,raw"`
	Files     []string `json:"files,omitempty" rule:"max=1000"`
	Envs      []string `json:"envs,omitempty" rule:"max=100"`
	Env       string   `json:"env,omitempty"`
	Options   *struct {
		Labels                map[string]string `json:"labels,omitempty"`
		Annotations           map[string]string `json:"annotations,omitempty"`
		DisableNameSuffixHash bool              `json:"disableNameSuffixHash,omitempty"`
		Immutable             bool              `json:"immutable,omitempty"`
	} `json:"options,omitempty"`
}

// refused returns the reason why a field of a kustomization is not allowed, and what to write. ok is false for a field that
// kustomize does not have, either.
func refused(name string) (what, fix string, ok bool) {
	const runs = "can fetch addresses or run programs, and a pull request must not"
	switch name {
	case "helmCharts", "helmGlobals", "helmChartInflationGenerator":
		return runs, "commit the rendered chart as a resource", true
	case "generators", "transformers", "validators", "configurations", "crds", "openapi":
		return runs, "use patches and replacements; fields that name objects are known without it", true
	case "secretGenerator":
		return "reads secrets in clear text", "commit a Secret that sops encrypted, and name it in resources", true
	case "bases":
		return "is an old field", "write resources", true
	case "patchesStrategicMerge", "patchesJson6902":
		return "is an old field", "write patches: `kustomize edit fix` does it", true
	case "commonLabels":
		return "is an old field", "write labels: `kustomize edit fix` does it", true
	case "vars":
		return "is an old field", "write replacements: `kustomize edit fix` does it", true
	case "imageTags":
		return "is an old field", "write images", true
	case "commonAnnotations", "generatorOptions", "replicas", "sortOptions", "buildMetadata":
		return "is not supported", "remove it, and write a patch if objects need it; options of a generator are options of its entry", true
	}
	return "", "", false
}

func encoded(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil { // the structs consist of texts, numbers and lists, which JSON can always express
		return nil
	}
	return text
}
