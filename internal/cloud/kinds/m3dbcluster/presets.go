package m3dbcluster

// presets are the options of a namespace for which m3db-operator has a name.
// (pkg/m3admin/namespace/presets.go)
var presets = map[string]map[string]any{
	"10s:2d": preset(map[string]any{"retentionPeriod": "48h", "blockSize": "2h", "bufferFuture": "10m", "bufferPast": "10m",
		"blockDataExpiry": true, "blockDataExpiryAfterNotAccessPeriod": "5m"}, "2h", map[string]any{"aggregated": false}),
	"1m:40d": preset(map[string]any{"retentionPeriod": "960h", "blockSize": "24h", "bufferFuture": "10m", "bufferPast": "20m",
		"blockDataExpiry": true, "blockDataExpiryAfterNotAccessPeriod": "10m"}, "24h",
		map[string]any{"aggregated": true, "attributes": map[string]any{"resolution": "1m", "downsampleOptions": map[string]any{"all": true}}}),
}

func preset(retention map[string]any, index string, aggregation map[string]any) map[string]any {
	return map[string]any{"bootstrapEnabled": true, "flushEnabled": true, "writesToCommitLog": true, "cleanupEnabled": true, "snapshotEnabled": true,
		"retentionOptions": retention, "indexOptions": map[string]any{"enabled": true, "blockSize": index}, "aggregationOptions": map[string]any{"aggregations": []any{aggregation}}}
}
