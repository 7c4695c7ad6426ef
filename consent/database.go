package consent

import (
	"bytes"
	"context"
	"crypto/rand"
	"database/sql"
	"embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"modernc.org/sqlite"
)

const (
	databaseName = "approvals.db"
	maxDatabase  = 64 << 20   // bytes; a row is about 200
	application  = 0x436f6e63 // "Conc", in the file's header
	maxAside     = 9          // unusable files kept; the last name is used again
)

// errUnusable marks a file that is not, or no longer, a list of approvals.
var errUnusable = errors.New("not a list of approvals")

//go:embed migrations/*.sql
var migrationFiles embed.FS

// migrations lead from one version of the schema to the next. They are only ever added to.
var migrations = func() []string {
	names, err := fs.Glob(migrationFiles, "migrations/*.sql")
	if err != nil {
		panic(err) // the pattern is a constant
	}
	slices.Sort(names)
	var all []string
	for _, name := range names {
		text, err := migrationFiles.ReadFile(name)
		if err != nil {
			panic(err) // embedded
		}
		all = append(all, string(text))
	}
	return all
}()

// openDatabase opens the approvals in dir. A file that cannot be them, whatever is wrong with it, is kept beside
// under another name and never read; the list then starts empty.
func openDatabase(ctx context.Context, dir string, log *slog.Logger) (*sql.DB, error) {
	path := filepath.Join(dir, databaseName)
	db, err := openExisting(ctx, path)
	if errors.Is(err, errUnusable) {
		aside, moved := setAside(path)
		if moved != nil {
			return nil, moved
		}
		log.Warn("the approvals could not be used and start empty", "err", err, "kept", aside)
		err = fs.ErrNotExist
	}
	if errors.Is(err, fs.ErrNotExist) {
		if err = create(ctx, path); err == nil {
			db, err = openExisting(ctx, path)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("approvals %s: %w", path, err)
	}
	return db, nil
}

func openExisting(ctx context.Context, path string) (*sql.DB, error) {
	if err := inspect(path); err != nil {
		return nil, err
	}
	db, err := connect(path, "WAL")
	if err != nil {
		return nil, err
	}
	if err := prepare(ctx, db); err != nil {
		db.Close()
		return nil, unusable(err)
	}
	return db, nil
}

// inspect looks at the files from outside, before the database engine may read or write them.
func inspect(path string) error {
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		info, err := os.Lstat(path + suffix)
		if errors.Is(err, fs.ErrNotExist) && suffix != "" {
			continue
		}
		if err != nil {
			return err
		}
		switch {
		case !info.Mode().IsRegular():
			return fmt.Errorf("%w: %s is not a plain file", errUnusable, filepath.Base(path+suffix))
		case !ownFile(info):
			return fmt.Errorf("%w: %s belongs to somebody else", errUnusable, filepath.Base(path+suffix))
		case info.Size() > maxDatabase:
			return fmt.Errorf("%w: %d bytes", errUnusable, info.Size())
		case !privateFile(info):
			if err := os.Chmod(path+suffix, 0o600); err != nil {
				return err
			}
		}
	}
	f, err := openPlain(path, os.O_RDONLY)
	if err != nil {
		return err
	}
	defer f.Close()
	header := make([]byte, 100)
	if _, err := io.ReadFull(f, header); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: too short", errUnusable)
	} else if err != nil {
		return err
	}
	// https://www.sqlite.org/fileformat.html#the_database_header
	if !bytes.HasPrefix(header, []byte("SQLite format 3\x00")) || binary.BigEndian.Uint32(header[68:]) != application {
		return fmt.Errorf("%w: another kind of file", errUnusable)
	}
	return nil
}

// connect opens a file, or a database in memory for "". Pragmas are in the name because there they reach every
// connection of the pool. One connection is enough: what the pool queues here, the file's lock would.
func connect(path, journal string) (*sql.DB, error) {
	q := url.Values{
		"_pragma": {"busy_timeout(10000)", "trusted_schema(0)", "cell_size_check(1)", "foreign_keys(1)", "journal_mode(" + journal + ")"},
		// A change must find the database as it was read.
		"_txlock":    {"immediate"},
		"_defensive": {"1"},
	}
	name := "file::memory:?"
	if path != "" {
		q.Set("mode", "rw")
		file := url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(filepath.ToSlash(path), "/")}
		name = file.String() + "?"
	}
	db, err := sql.Open("sqlite", name+q.Encode())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	return db, nil
}

// prepare checks that the database is sound and has exactly the expected schema, then brings it up to date.
func prepare(ctx context.Context, db *sql.DB) error {
	var sound string
	if err := db.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&sound); err != nil {
		return err
	}
	if sound != "ok" {
		return fmt.Errorf("%w: %.200s", errUnusable, sound)
	}
	var version int
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	if version > len(migrations) {
		return fmt.Errorf("made by a newer version (%d, this one knows %d)", version, len(migrations))
	}
	if err := checkSchema(ctx, db, version); err != nil {
		return err
	}
	if version < len(migrations) {
		if err := migrate(ctx, db, len(migrations)); err != nil {
			return err
		}
		if err := checkSchema(ctx, db, len(migrations)); err != nil {
			return err
		}
	}
	_, err := idOf(ctx, db)
	return err
}

// idOf is the name of this list in the system's key store.
func idOf(ctx context.Context, db *sql.DB) (string, error) {
	var id string
	err := db.QueryRowContext(ctx, "SELECT uuid FROM store WHERE length(uuid) = 36").Scan(&id)
	if errors.Is(err, sql.ErrNoRows) || err == nil && !isUUID(id) {
		return "", fmt.Errorf("%w: no identity", errUnusable)
	}
	return id, err
}

// checkSchema refuses views, triggers, indexes and anything else that would make a plain query do something else.
func checkSchema(ctx context.Context, db *sql.DB, version int) error {
	got, err := schemaOf(ctx, db)
	if err != nil {
		return err
	}
	model, err := connect("", "MEMORY")
	if err != nil {
		return err
	}
	defer model.Close()
	if err := migrate(ctx, model, version); err != nil {
		return err
	}
	want, err := schemaOf(ctx, model)
	if err != nil {
		return err
	}
	if !slices.Equal(got, want) {
		return fmt.Errorf("%w: another schema", errUnusable)
	}
	return nil
}

func schemaOf(ctx context.Context, db *sql.DB) ([]string, error) {
	rows, err := db.QueryContext(ctx, "SELECT type, name, tbl_name, ifnull(sql, '') FROM sqlite_schema ORDER BY type, name LIMIT 100")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var kind, name, table, text string
		if err := rows.Scan(&kind, &name, &table, &text); err != nil {
			return nil, err
		}
		all = append(all, kind, name, table, text)
	}
	return all, rows.Err()
}

// migrate brings the schema to a version, in one transaction.
func migrate(ctx context.Context, db *sql.DB, version int) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var at int
	if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&at); err != nil {
		return err
	}
	for ; at < version; at++ {
		if _, err := tx.ExecContext(ctx, migrations[at]); err != nil {
			return fmt.Errorf("migration %d: %w", at+1, err)
		}
	}
	if _, err := tx.ExecContext(ctx, "PRAGMA user_version = "+strconv.Itoa(version)); err != nil {
		return err
	}
	return tx.Commit()
}

// create makes an empty list under another name and links it into place, so that path is never half made. It is no
// error when another process was faster.
func create(ctx context.Context, path string) error {
	f, err := os.CreateTemp(filepath.Dir(path), databaseName+".new-*") // mode 0600
	if err != nil {
		return err
	}
	temp := f.Name()
	defer os.Remove(temp)
	if err := f.Close(); err != nil {
		return err
	}
	// Without a write-ahead log the header that inspect reads is in the file itself from the start.
	db, err := connect(temp, "DELETE")
	if err != nil {
		return err
	}
	err = fill(ctx, db)
	if err = errors.Join(err, db.Close()); err != nil {
		return err
	}
	err = os.Link(temp, path)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		err = os.Rename(temp, path) // a file system without links
	}
	return err
}

func fill(ctx context.Context, db *sql.DB) error {
	if _, err := db.ExecContext(ctx, "PRAGMA application_id = "+strconv.Itoa(application)); err != nil {
		return err
	}
	if err := migrate(ctx, db, len(migrations)); err != nil {
		return err
	}
	_, err := db.ExecContext(ctx, "INSERT INTO store (id, uuid) VALUES (1, ?)", newUUID())
	return err
}

// newUUID is a random one, RFC 9562 version 4.
func newUUID() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

func isUUID(s string) bool {
	dashes := []int{8, 13, 18, 23}
	for i := range len(s) {
		if dash := slices.Contains(dashes, i); dash != (s[i] == '-') || !dash && !strings.Contains("0123456789abcdef", s[i:i+1]) {
			return false
		}
	}
	return len(s) == 36
}

// setAside renames what is at path, unread, and tells the new name.
func setAside(path string) (string, error) {
	aside := ""
	for n := 1; n <= maxAside; n++ {
		aside = path + ".bad-" + strconv.Itoa(n)
		if _, err := os.Lstat(aside); errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	for _, suffix := range []string{"", "-wal", "-journal"} {
		os.RemoveAll(aside + suffix)
		if err := os.Rename(path+suffix, aside+suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	if err := os.RemoveAll(path + "-shm"); err != nil { // only an index of the -wal file
		return "", err
	}
	return aside, nil
}

// inUse says in words when another program has the file locked for longer than is waited for.
func inUse(err error) error {
	const busy = 5
	var e *sqlite.Error
	if errors.As(err, &e) && e.Code()&0xff == busy {
		return fmt.Errorf("another program is using the file, try again: %w", err)
	}
	return err
}

// unusable tells a bad file from a bad moment: only the first may be set aside.
func unusable(err error) error {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return err
	}
	const (
		sqliteError = 1 // "no such table", "malformed": the schema is not ours
		corrupt     = 11
		tooBig      = 18
		mismatch    = 20
		notADB      = 26
		shortRead   = 10 | 2<<8
	)
	switch code := e.Code(); {
	case code == shortRead, slices.Contains([]int{sqliteError, corrupt, tooBig, mismatch, notADB}, code&0xff):
		return fmt.Errorf("%w: %w", errUnusable, err)
	}
	return err
}
