package artifact

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/klauspost/compress/zstd"

	"github.com/stackreeve/stackreeve/internal/source/failure"
)

func TestUnpack(t *testing.T) {
	packed := packEntries(t, []tar.Header{
		{Name: "a.yaml", Typeflag: tar.TypeReg}, {Name: "in/b.yaml", Typeflag: tar.TypeReg},
		{Name: "./", Typeflag: tar.TypeDir}, {Name: "in/", Typeflag: tar.TypeDir}, {Name: "./in/deep/", Typeflag: tar.TypeDir},
	}, []string{"one", "two"})
	files, err := unpack(t.Context(), packed, gzipped, ".")
	if err != nil {
		t.Fatal(err)
	}
	if err := fstest.TestFS(files, "a.yaml", "in/b.yaml"); err != nil {
		t.Error(err)
	}
	below, err := unpack(t.Context(), packed, gzipped, "in")
	if err != nil {
		t.Fatal(err)
	}
	if text, err := fs.ReadFile(below, "b.yaml"); err != nil || string(text) != "two" {
		t.Errorf("%q, %v", text, err)
	}
}

func TestUnpackFormats(t *testing.T) {
	zip, err := gzip.NewReader(bytes.NewReader(packedFiles(t, "a.yaml", "one")))
	if err != nil {
		t.Fatal(err)
	}
	var text, squeezed bytes.Buffer
	if _, err := text.ReadFrom(zip); err != nil {
		t.Fatal(err)
	}
	out, err := zstd.NewWriter(&squeezed)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := out.Write(text.Bytes()); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	for path, archive := range map[string][]byte{"/a.tar": text.Bytes(), "/a.tar.zst": squeezed.Bytes()} {
		files, err := unpack(t.Context(), archive, formatOf(path), ".")
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if _, err := fs.Stat(files, "a.yaml"); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestAttackArchive(t *testing.T) {
	file := func(names ...string) (heads []tar.Header) {
		for _, name := range names {
			heads = append(heads, tar.Header{Name: name, Typeflag: tar.TypeReg})
		}
		return heads
	}
	bomb := func(size int) []byte {
		return packedFiles(t, "a.yaml", strings.Repeat("\x00", size))
	}
	for name, archive := range map[string][]byte{
		"empty":          packEntries(t, nil, nil),
		"only folders":   packEntries(t, []tar.Header{{Name: "in/", Typeflag: tar.TypeDir}}, nil),
		"traversal":      packEntries(t, file("../a.yaml"), nil),
		"deep traversal": packEntries(t, file("in/../../a.yaml"), nil),
		"absolute":       packEntries(t, file("/etc/a.yaml"), nil),
		"backslash":      packEntries(t, file(`in\a.yaml`), nil),
		"control":        packEntries(t, file("a\x1b.yaml"), nil),
		"git":            packEntries(t, file(".git/config"), nil),
		"twice":          packEntries(t, file("a.yaml", "./a.yaml"), nil),
		"case":           packEntries(t, file("in/a.yaml", "in/A.yaml"), nil),
		"case of folder": packEntries(t, file("in/a.yaml", "IN/b.yaml"), nil),
		"file as folder": packEntries(t, file("a", "a/b.yaml"), nil),
		"folder as file": packEntries(t, file("a/b.yaml", "a"), nil),
		"deep":           packEntries(t, file(strings.Repeat("a/", maxDepth)+"a.yaml"), nil),
		"long":           packEntries(t, file(strings.Repeat("a", maxPath+1)), nil),
		"no name":        packEntries(t, file("."), nil),
		"symbolic link":  packEntries(t, []tar.Header{{Name: "a.yaml", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"}}, nil),
		"hard link":      packEntries(t, []tar.Header{{Name: "a.yaml", Typeflag: tar.TypeLink, Linkname: "b.yaml"}}, nil),
		"device":         packEntries(t, []tar.Header{{Name: "a.yaml", Typeflag: tar.TypeChar}}, nil),
		"pipe":           packEntries(t, []tar.Header{{Name: "a.yaml", Typeflag: tar.TypeFifo}}, nil),
		"bomb":           bomb(maxUnpacked),
		"sparse":         sparseFile(t, tar.TypeReg, 1<<10),
		"sparse bomb":    sparseFile(t, tar.TypeReg, 1<<50),
		"sparse, GNU":    sparseFile(t, tar.TypeGNUSparse, 1<<10),
		"cut":            packedFiles(t, "a.yaml", "one")[:60],
		"no archive":     []byte("hello"),
	} {
		files, err := unpack(t.Context(), archive, gzipped, ".")
		if !errors.Is(err, failure.ErrContent) {
			t.Errorf("%s: %v, %v", name, files, err)
		}
	}
}

func TestAttackManyEntries(t *testing.T) {
	heads := slices.Repeat([]tar.Header{{Name: "in/", Typeflag: tar.TypeDir}}, maxEntries+1)
	if _, err := unpack(t.Context(), packEntries(t, heads, nil), gzipped, "."); !errors.Is(err, failure.ErrContent) {
		t.Error(err)
	}
}

func TestAttackManyFolders(t *testing.T) {
	var heads []tar.Header
	for i := range maxEntries/maxDepth + 1 {
		heads = append(heads, tar.Header{Name: fmt.Sprint(i) + strings.Repeat("/a", maxDepth-1), Typeflag: tar.TypeReg})
	}
	if _, err := unpack(t.Context(), packEntries(t, heads, nil), gzipped, "."); !errors.Is(err, failure.ErrContent) {
		t.Error(err)
	}
}

// sparseFile returns a compressed tar file with a file that is one hole. Package tar writes no such file.
func sparseFile(t *testing.T, kind byte, size int64) []byte {
	t.Helper()
	var out bytes.Buffer
	entry := func(name string, kind byte, size int64, text, gnu string) {
		head := make([]byte, 512)
		copy(head, name)
		copy(head[100:], "0000644\x000000000\x000000000\x00")
		copy(head[124:], fmt.Sprintf("%011o\x0000000000000\x00        ", size))
		head[156] = kind
		copy(head[257:], "ustar\x0000")
		if gnu != "" {
			copy(head[257:], "ustar  \x00")
			copy(head[386:], gnu)
		}
		sum := 0
		for _, c := range head {
			sum += int(c)
		}
		copy(head[148:], fmt.Sprintf("%06o\x00 ", sum))
		out.Write(head)
		out.WriteString(text + strings.Repeat("\x00", -len(text)&511))
	}
	if kind == tar.TypeGNUSparse {
		// The map of the file: one fragment of no bytes at its end. Then its true size.
		entry("a.yaml", kind, 0, "", fmt.Sprintf("%011o\x00%011o\x00", size, 0)+strings.Repeat("\x00", 73)+fmt.Sprintf("%011o\x00", size))
	} else {
		records := ""
		for _, r := range []string{"major=1", "minor=0", "name=a.yaml", fmt.Sprint("realsize=", size)} {
			r = " GNU.sparse." + r + "\n"
			records += fmt.Sprint(len(r)+2) + r
		}
		entry("PaxHeaders/a", tar.TypeXHeader, int64(len(records)), records, "")
		text := fmt.Sprintf("1\n%d\n0\n", size)
		entry("GNUSparseFile.0/a.yaml", kind, 512, text, "")
	}
	out.Write(make([]byte, 1024))
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(out.Bytes()); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

// An archive that is accepted has suitable names, at least one file, and no file that cannot be read.
func FuzzUnpack(f *testing.F) {
	f.Add(packedFiles(f, "a.yaml", "one", "in/b.yaml", "two"))
	f.Add(packEntries(f, []tar.Header{{Name: "in/", Typeflag: tar.TypeDir}, {Name: "a", Typeflag: tar.TypeSymlink, Linkname: ".."}}, nil))
	f.Fuzz(func(t *testing.T, archive []byte) {
		for _, packing := range []format{plain, gzipped, zstandard} {
			files, err := unpack(t.Context(), archive, packing, ".")
			if err != nil {
				if !errors.Is(err, failure.ErrContent) {
					t.Errorf("%v", err)
				}
				continue
			}
			count := 0
			err = fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() {
					return err
				}
				count++
				_, err = fs.ReadFile(files, name)
				return err
			})
			if err != nil || count == 0 {
				t.Errorf("%d files, %v", count, err)
			}
		}
	})
}

// A manifest that is read has one layer at most, which is a tar file.
func FuzzManifest(f *testing.F) {
	f.Add([]byte(`{"schemaVersion": 2, "layers": [{"mediaType": "application/vnd.oci.image.layer.v1.tar+gzip", "digest": "sha256:x", "size": 1}], "annotations": {"org.opencontainers.image.created": "2026-01-02T03:04:05Z"}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := parseManifest(text, "application/vnd.oci.image.manifest.v1+json")
		if err != nil {
			return
		}
		if _, at := described(m.Annotations); !at.IsZero() && (at.Year() < 1970 || at.Year() > 9999) {
			t.Errorf("the time %v", at)
		}
		if layer, _, err := layerOf(m); err == nil && !strings.Contains(layer.MediaType, ".tar") {
			t.Errorf("the layer %v", layer)
		}
	})
}
