package kind

// Stored says that the data of an object are not in the repository. They are in a store that the stack's configuration names.
type Stored struct {
	Store   string                 // the name of the store
	Entries map[string]StoredEntry // by the name of the entry of the data
	// Data are the values that the store has now, by the name of the entry; nil if they are unknown. Unread says why they are unknown.
	Data   map[string]string
	Unread *Unread
}

// StoredEntry is the place of one value in a store.
type StoredEntry struct {
	Path    string // below the prefix that the configuration allows
	Field   string // the field of the secret, if secrets of the store have fields; otherwise ""
	Version int    // 0 for the newest
}

// Unread says why a value of a store is unknown.
type Unread struct {
	Why string // for everybody: it contains no values and no addresses
	// Untried is true if no store was asked, on purpose. Otherwise the store has failed, or it does not have the value.
	Untried bool
}
