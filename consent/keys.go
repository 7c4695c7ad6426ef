package consent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"github.com/zalando/go-keyring"
)

const keyFileName = "approvals.key"

// errNoKey means that the place works and holds no key yet. It is never made of another error: a key store that does
// not answer may hold a key, and a new one would make every row void.
var errNoKey = errors.New("no key yet")

// errNoPlace means that there is nowhere to keep a key.
var errNoPlace = errors.New("neither a key store nor a key file can be used")

// keys holds the key that rows are sealed with: in the system's key store or, where that does not answer, in a file.
// The place is chosen once, by load; after that it only changes from the key store to the file, when the key store
// turns out not to keep what it is given.
type keys struct {
	dir, store string // folder and id of the approvals
	log        *slog.Logger
	fileOnly   bool          // the key store is not asked
	loaded     chan struct{} // closed when load is done

	mu    sync.Mutex // guards the fields below
	place string     // inKeychain, inFile, or "" for neither
	key   *sealKey   // nil: none yet
}

// load finds the place and the key. It takes at most keyringLimit and runs beside the start of the game.
func (k *keys) load(ctx context.Context) {
	defer close(k.loaded)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.place = inKeychain
	if k.fileOnly {
		k.place = inFile
	}
	key, err := k.read(ctx, k.place)
	if err != nil && !errors.Is(err, errNoKey) && !k.fileOnly {
		k.log.Info("the system's key store cannot be used for approvals", "err", err)
		k.place = inFile
		key, err = k.read(ctx, inFile)
	}
	if err != nil && !errors.Is(err, errNoKey) {
		k.log.Warn("approvals hold until the game ends", "err", err)
		k.place = ""
	}
	k.key = key
}

// current is the place and the key as last read.
func (k *keys) current(ctx context.Context) (place string, key *sealKey, err error) {
	select {
	case <-k.loaded:
	case <-ctx.Done():
		return "", nil, ctx.Err()
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.place, k.key, nil
}

// refresh reads the key again: another process may have made or changed it. It is called while the database is locked
// for writing, as all changes of the key are.
func (k *keys) refresh(ctx context.Context) (place string, key *sealKey, err error) {
	place, _, err = k.current(ctx)
	if err != nil {
		return "", nil, err
	}
	if place == "" {
		return "", nil, errNoPlace
	}
	key, err = k.read(ctx, place)
	if err != nil && !errors.Is(err, errNoKey) {
		return place, nil, err
	}
	k.set(place, key)
	return place, key, nil
}

// ensure is refresh that makes the first key.
func (k *keys) ensure(ctx context.Context) (*sealKey, error) {
	place, key, err := k.refresh(ctx)
	if err != nil || key != nil {
		return key, err
	}
	key, err = k.replace(ctx, place)
	if err != nil && place == inKeychain && ctx.Err() == nil {
		k.log.Warn("the system's key store does not keep keys; approvals are sealed with a local file", "err", err)
		k.set(inFile, nil)
		return k.ensure(ctx)
	}
	return key, err
}

// replace writes a new key to a place.
func (k *keys) replace(ctx context.Context, place string) (*sealKey, error) {
	secret := newSecret()
	derived := secret
	var err error
	if place == inKeychain {
		err = keyringSet(ctx, keyringService, k.user(), encodeSecret(secret))
	} else {
		if derived, err = k.derive(secret); err == nil {
			err = writeKeyFile(k.dir, secret)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("new key: %w", err)
	}
	key := newSealKey(place, derived)
	k.set(place, key)
	return key, nil
}

func (k *keys) set(place string, key *sealKey) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.place, k.key = place, key
}

// user names the entry in the system's key store.
func (k *keys) user() string { return "v1:" + k.store }

func (k *keys) read(ctx context.Context, place string) (*sealKey, error) {
	if place == inFile {
		secret, err := readKeyFile(k.dir)
		if err != nil {
			return nil, err
		}
		key, err := k.derive(secret)
		if err != nil {
			return nil, err
		}
		return newSealKey(inFile, key), nil
	}
	text, err := keyringGet(ctx, keyringService, k.user())
	if errors.Is(err, keyring.ErrNotFound) {
		return nil, errNoKey
	}
	if err != nil {
		return nil, err
	}
	secret, ok := decodeSecret(text)
	if !ok {
		return nil, errNoKey // nothing can have been sealed with it
	}
	return newSealKey(inKeychain, secret), nil
}

// derive binds a file's key to this machine, account and folder.
func (k *keys) derive(secret []byte) ([]byte, error) {
	machine, err := machineID()
	if err != nil {
		return nil, fmt.Errorf("machine identity: %w", err)
	}
	user, err := userID()
	if err != nil {
		return nil, fmt.Errorf("account: %w", err)
	}
	return place{machine, user, filepath.Join(k.dir, databaseName)}.derive(secret, k.store)
}

// readKeyFile is errNoKey also for a file that others could read, that belongs to somebody else or that makes no
// sense: the next key replaces it.
func readKeyFile(dir string) ([]byte, error) {
	path := filepath.Join(dir, keyFileName)
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errNoKey
	}
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || !ownFile(info) || !privateFile(info) {
		return nil, errNoKey
	}
	f, err := openPlain(path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, 1024))
	if err != nil {
		return nil, err
	}
	secret, ok := decodeSecret(string(text))
	if !ok {
		return nil, errNoKey
	}
	return secret, nil
}

// writeKeyFile puts a new file in place of whatever has its name, a link included.
func writeKeyFile(dir string, secret []byte) error {
	f, err := os.CreateTemp(dir, keyFileName+".*") // mode 0600
	if err != nil {
		return err
	}
	_, err = f.WriteString(encodeSecret(secret) + "\n")
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), filepath.Join(dir, keyFileName))
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
