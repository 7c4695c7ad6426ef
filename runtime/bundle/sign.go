package bundle

import (
	"archive/zip"
	"context"
	"crypto"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// SignOptions changes how Sign works. The zero value works.
type SignOptions struct {
	ReplaceKey bool                    // sign also what another key has signed
	Progress   func(done, total int64) // called after each MiB that was read; default none
}

// Signed says what was signed.
type Signed struct {
	ID     string
	Signer string // fingerprint of the key
	Files  int
	Bytes  int64
}

// OtherKeyError says that a game carries the signature of another key. Players' saves and answers belong to that one.
type OtherKeyError struct {
	Path   string
	Signer string // fingerprint of the key in the game
	Key    string // fingerprint of the key at hand
}

func (e *OtherKeyError) Error() string {
	return fmt.Sprintf("%s is signed by the key %s, not by %s; for players it would become another game, without their saves", e.Path, e.Signer, e.Key)
}

// Sign signs the folder or zip at path with an Ed25519 key: it reads every file and writes conch.sig at the top of the
// game, in one step, so that a failure leaves the game as it was. The other entries of a zip are copied as they are.
// Signing the same files with the same key gives the same bytes.
func Sign(ctx context.Context, path string, key crypto.Signer, o SignOptions) (Signed, error) {
	public, ok := key.Public().(ed25519.PublicKey)
	if !ok {
		return Signed{}, errors.New("sign: the key is not an Ed25519 key")
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target // the file is replaced, not the link to it
	}
	b, err := Open(path, Options{unsigned: true})
	if err != nil {
		return Signed{}, err
	}
	defer b.Close()
	if err := b.mayBeSigned(public, o); err != nil {
		return Signed{}, err
	}
	sig, err := b.makeSignature(ctx, key, public, o.Progress)
	if err != nil {
		return Signed{}, err
	}
	text, err := sig.encode()
	if err != nil {
		return Signed{}, fmt.Errorf("%s: %w", path, err)
	}
	if f, ok := b.FS.(folderFS); ok {
		err = f.writeSignature(text)
	} else {
		err = b.rewriteZip(ctx, text)
	}
	if err != nil {
		return Signed{}, fmt.Errorf("%s: write %s: %w", path, signatureName, err)
	}
	done := Signed{ID: sig.id, Signer: Fingerprint(public), Files: len(sig.files)}
	for _, f := range sig.files {
		done.Bytes += f.size
	}
	return done, nil
}

func (b *Bundle) mayBeSigned(key ed25519.PublicKey, o SignOptions) error {
	if b.Kind == HTML {
		return fmt.Errorf("%s: a single page cannot be signed, since there is no place for the %s; put it into a folder or a zip as index.html", b.Path, signatureName)
	}
	if b.Kind == Program {
		return fmt.Errorf("%s: a packed program cannot be signed with an author's key any more; sign the game and pack it then", b.Path)
	}
	if b.Manifest.ID == "" {
		return fmt.Errorf(`%s: a signed game needs an id; write "id" into %s, for example "com.example.mygame", and keep it`, b.Path, manifestName)
	}
	if o.ReplaceKey {
		return nil
	}
	data, err := readFile(b.FS, signatureName, maxSignature)
	if err != nil {
		return nil // there is none, or none that can be read
	}
	old, err := parseSignature(data)
	if err != nil || !old.valid() || old.key.Equal(key) {
		return nil
	}
	return &OtherKeyError{Path: b.Path, Signer: Fingerprint(old.key), Key: Fingerprint(key)}
}

func (b *Bundle) makeSignature(ctx context.Context, key crypto.Signer, public ed25519.PublicKey, progress func(done, total int64)) (*signature, error) {
	files, strange, err := listFiles(b.FS)
	if err != nil {
		return nil, fmt.Errorf("%s: list files: %w", b.Path, err)
	}
	var total, done int64
	for _, f := range files {
		if reason := signable(f.name); reason != "" {
			strange = append(strange, strangeFile{name: f.name, reason: reason + "; rename it"})
		}
		total += f.size
	}
	if len(strange) > 0 {
		return nil, fmt.Errorf("%s: cannot be signed: %s %s", b.Path, clip(strings.ToValidUTF8(strange[0].name, "?"), 200), strange[0].reason)
	}
	if len(files) > maxSigned {
		return nil, fmt.Errorf("%s: %d files; at most %d can be signed", b.Path, len(files), maxSigned)
	}
	err = digestFiles(ctx, b.FS, files, func(n int) {
		if done += int64(n); progress != nil {
			progress(done, total)
		}
	})
	if err != nil {
		return nil, fmt.Errorf("%s: sign: %w", b.Path, err)
	}
	sig := &signature{key: public, id: b.Manifest.ID, files: files}
	if sig.sig, err = key.Sign(rand.Reader, sig.message(), crypto.Hash(0)); err != nil {
		return nil, fmt.Errorf("%s: sign: %w", b.Path, err)
	}
	if !sig.valid() {
		return nil, fmt.Errorf("%s: the key made a signature that does not fit it", b.Path)
	}
	return sig, nil
}

// writeSignature puts the conch.sig into the folder in one step. A name that begins with a dot is none of the game's,
// so a temporary file that a crash leaves behind does no harm.
func (f folderFS) writeSignature(text []byte) error {
	temp := ".conch-sig-" + rand.Text()
	out, err := f.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	defer f.root.Remove(temp) // fails when all went well
	_, err = out.Write(text)
	if err == nil {
		err = out.Sync()
	}
	if err = errors.Join(err, out.Close()); err != nil {
		return err
	}
	return f.root.Rename(temp, signatureName)
}

// rewriteZip makes the zip anew with the conch.sig at its end and puts it in the old one's place. It closes b.
func (b *Bundle) rewriteZip(ctx context.Context, text []byte) error {
	z := b.FS.(*zipFS)
	info, err := os.Stat(b.Path)
	if err != nil {
		return err
	}
	temp, err := os.CreateTemp(filepath.Dir(b.Path), ".conch-sign-*")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name()) // fails when all went well
	err = copyZip(ctx, temp, z, text)
	if err == nil {
		err = temp.Chmod(info.Mode().Perm())
	}
	if err == nil {
		err = temp.Sync()
	}
	if err = errors.Join(err, temp.Close(), b.Close()); err != nil {
		return err
	}
	b.close = nil
	return os.Rename(temp.Name(), b.Path)
}

func copyZip(ctx context.Context, out io.Writer, z *zipFS, text []byte) error {
	r, err := zip.NewReader(z.src, z.size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) { // the names were checked by openZip
		return err
	}
	w := zip.NewWriter(out)
	if err := w.SetComment(r.Comment); err != nil {
		return err
	}
	sigName := path.Join(z.root, signatureName)
	names, _ := entryNames(r.File)
	backslash := false
	for i, f := range r.File {
		if err := ctx.Err(); err != nil {
			return err
		}
		if clean, _, err := checkZipName(names[i]); err == nil && clean == sigName {
			continue
		}
		backslash = backslash || strings.Contains(f.Name, `\`)
		if err := copyEntry(w, f); err != nil {
			return fmt.Errorf("%q: %w", f.Name, err)
		}
	}
	if backslash {
		sigName = strings.ReplaceAll(sigName, "/", `\`)
	}
	// One fixed time, the first that a zip can hold: the same game gives the same bytes.
	sig, err := w.CreateHeader(&zip.FileHeader{Name: sigName, Method: zip.Deflate, Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)})
	if err != nil {
		return err
	}
	if _, err := sig.Write(text); err != nil {
		return err
	}
	return w.Close()
}

// zip64Field is the extra field with sizes beyond 32 bits.
const zip64Field = 1

// copyEntry copies an entry without looking into it. The old field with sizes and place beyond 32 bits is left out:
// package zip writes its own at the end of the archive, and in front of the data a large entry needs one with its
// sizes.
func copyEntry(w *zip.Writer, f *zip.File) error {
	raw, err := f.OpenRaw()
	if err != nil {
		return err
	}
	h := f.FileHeader
	plain := withoutField(h.Extra, zip64Field)
	h.Extra = plain
	const most = 1<<32 - 1
	if described := h.Flags&8 != 0; !described && (h.CompressedSize64 >= most || h.UncompressedSize64 >= most) {
		h.Extra = slices.Concat(plain, []byte{zip64Field, 0, 16, 0})
		h.Extra = binary.LittleEndian.AppendUint64(h.Extra, h.UncompressedSize64)
		h.Extra = binary.LittleEndian.AppendUint64(h.Extra, h.CompressedSize64)
	}
	out, err := w.CreateRaw(&h)
	if err != nil {
		return err
	}
	h.Extra = plain
	_, err = io.Copy(out, raw)
	return err
}

// withoutField removes an extra field of a zip entry. What does not look like fields stays.
func withoutField(extra []byte, id uint16) []byte {
	var kept []byte
	for len(extra) >= 4 {
		size := 4 + int(binary.LittleEndian.Uint16(extra[2:]))
		if size > len(extra) {
			break
		}
		if binary.LittleEndian.Uint16(extra) != id {
			kept = append(kept, extra[:size]...)
		}
		extra = extra[size:]
	}
	return append(kept, extra...)
}
