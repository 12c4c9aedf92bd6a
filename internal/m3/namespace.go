package m3

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

const namespacePath = "services/m3db/namespace"

// Options are those of a namespace. (m3db/m3, src/dbnode/generated/proto/namespace/namespace.proto)
type Options struct {
	BootstrapEnabled   bool               `json:"bootstrapEnabled"`
	FlushEnabled       bool               `json:"flushEnabled"`
	WritesToCommitLog  bool               `json:"writesToCommitLog"`
	CleanupEnabled     bool               `json:"cleanupEnabled"`
	RepairEnabled      bool               `json:"repairEnabled"`
	SnapshotEnabled    bool               `json:"snapshotEnabled"`
	ColdWritesEnabled  bool               `json:"coldWritesEnabled"`
	RetentionOptions   RetentionOptions   `json:"retentionOptions"`
	IndexOptions       IndexOptions       `json:"indexOptions"`
	AggregationOptions AggregationOptions `json:"aggregationOptions"`
}

// RetentionOptions are how long data is kept.
type RetentionOptions struct {
	RetentionPeriod                     time.Duration `json:"retentionPeriodNanos,string"`
	BlockSize                           time.Duration `json:"blockSizeNanos,string"`
	BufferFuture                        time.Duration `json:"bufferFutureNanos,string"`
	BufferPast                          time.Duration `json:"bufferPastNanos,string"`
	BlockDataExpiry                     bool          `json:"blockDataExpiry"`
	BlockDataExpiryAfterNotAccessPeriod time.Duration `json:"blockDataExpiryAfterNotAccessPeriodNanos,string"`
}

// IndexOptions are those of the index of series.
type IndexOptions struct {
	Enabled   bool          `json:"enabled"`
	BlockSize time.Duration `json:"blockSizeNanos,string"`
}

// AggregationOptions are what the data of a namespace is an aggregate of.
type AggregationOptions struct {
	Aggregations []Aggregation `json:"aggregations"`
}

// Aggregation is one of those; Attributes is nil of data as it was written.
type Aggregation struct {
	Aggregated bool        `json:"aggregated"`
	Attributes *Attributes `json:"attributes,omitempty"`
}

// Attributes are those of an aggregate.
type Attributes struct {
	Resolution        time.Duration `json:"resolutionNanos,string"`
	DownsampleOptions *Downsample   `json:"downsampleOptions,omitempty"`
}

// Downsample is whether all data is aggregated, and not only what rules name.
type Downsample struct {
	All bool `json:"all"`
}

// Namespace is one as a cluster has it.
type Namespace struct {
	Options
	Staging struct {
		Status string `json:"status"` // UNKNOWN or INITIALIZING until it was made ready
	} `json:"stagingState"`
}

// Ready reports whether coordinators use it: they neither write to nor read from one that was made and nothing else.
// (src/query/storage/m3/dynamic_cluster.go)
func (n Namespace) Ready() bool { return n.Staging.Status == "READY" }

// maxNamespaces is how many namespaces are believed.
const maxNamespaces = 1000

// Namespaces lists the namespaces of a cluster by their names.
func (c Client) Namespaces(ctx context.Context, address string) (map[string]Namespace, error) {
	var got struct {
		Registry struct {
			Namespaces map[string]Namespace `json:"namespaces"`
		} `json:"registry"`
	}
	err := c.ask(ctx, http.MethodGet, address, namespacePath, nil, &got)
	if err == nil && len(got.Registry.Namespaces) > maxNamespaces {
		err = fmt.Errorf("%w like an M3 coordinator: it has more than %d namespaces", ErrSilent, maxNamespaces)
	}
	return got.Registry.Namespaces, err
}

// CreateNamespace makes a namespace; coordinators use it after [Client.ReadyNamespace].
func (c Client) CreateNamespace(ctx context.Context, address, name string, o Options) error {
	return c.ask(ctx, http.MethodPost, address, namespacePath, map[string]any{"name": name, "options": o}, nil)
}

// ReadyNamespace has coordinators use a namespace, once most nodes have it.
func (c Client) ReadyNamespace(ctx context.Context, address, name string) error {
	return c.ask(ctx, http.MethodPost, address, namespacePath+"/ready", map[string]any{"name": name}, nil)
}

// SetRetention changes how long data is kept, which is all of a namespace that can be changed.
func (c Client) SetRetention(ctx context.Context, address, name string, period time.Duration) error {
	options := map[string]any{"retentionOptions": map[string]any{"retentionPeriodNanos": fmt.Sprint(period.Nanoseconds())}}
	return c.ask(ctx, http.MethodPut, address, namespacePath, map[string]any{"name": name, "options": options}, nil)
}

// DeleteNamespace deletes a namespace with all of its data.
func (c Client) DeleteNamespace(ctx context.Context, address, name string) error {
	return c.ask(ctx, http.MethodDelete, address, namespacePath+"/"+url.PathEscape(name), nil, nil)
}
