package consent

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"conch/consent/hostlist"
)

// What Protection says, in words for the player.
const (
	ByKeychain = "system keychain"
	ByFile     = "a local file (anyone who can change your files can change this)"
	BySession  = "this session only"
)

// Store keeps what players allowed: rows in a database of the player's data folder, each sealed with a key of the
// system's key store. A row that was edited, forged, copied from elsewhere or restored after it was forgotten grants
// nothing. It defends against hand-edited, foreign, copied and older files, other accounts and other games; not
// against programs that run as the player.
//
// Without the key store, a key in a file seals the rows; Protection says so. Those rows grant nothing once the key
// store works: the player is asked again. Without any key a yes is kept in memory.
//
// The zero Store keeps everything in memory. Methods may be called from any goroutine; several processes may have the
// same folder open.
type Store struct {
	db     *sql.DB   // nil: memory only
	find   *sql.Stmt // the rows of one subject
	id     string
	keys   *keys
	log    *slog.Logger
	cancel context.CancelFunc
	loader sync.WaitGroup

	mu      sync.Mutex // guards session
	session map[subject]time.Time
}

// Approval is one thing that a game may do because the player allowed it: mostly one host that it may reach.
type Approval struct {
	Game       string // identity
	Name       string // what the game called itself; "" when unknown. It proves nothing
	Kind       Kind
	Host       string // name, or IP address without brackets; Network for Kind Host
	Port       uint16 // 0: any
	Since      time.Time
	Protection string // ByKeychain, ByFile or BySession
}

// Open opens the approvals in a folder of the player's, made when missing. It does not wait for the key store, which
// is asked meanwhile. Files that cannot be approvals are kept aside and the list starts empty.
func Open(dir string, log *slog.Logger) (*Store, error) { return open(dir, log, false) }

func open(dir string, log *slog.Logger, fileOnly bool) (*Store, error) {
	log = logger(log)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("approvals: %w", err)
	}
	dir, err := filepath.Abs(dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return nil, fmt.Errorf("approvals: %w", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	db, err := openDatabase(ctx, dir, log)
	if err != nil {
		cancel()
		return nil, err
	}
	s := &Store{db: db, log: log, cancel: cancel}
	if s.id, err = idOf(ctx, db); err != nil {
		cancel()
		db.Close()
		return nil, fmt.Errorf("approvals: %w", err)
	}
	if s.find, err = db.PrepareContext(ctx, columns+" AND "+ofSubject); err != nil {
		cancel()
		db.Close()
		return nil, fmt.Errorf("approvals: %w", err)
	}
	s.keys = &keys{dir: dir, store: s.id, log: log, fileOnly: fileOnly, loaded: make(chan struct{})}
	s.loader.Go(func() { s.keys.load(ctx) })
	return s, nil
}

// Close ends the Store. It does not wait for a key store that does not answer.
func (s *Store) Close() error {
	if s.db == nil {
		return nil
	}
	s.cancel()
	s.loader.Wait()
	return errors.Join(s.find.Close(), s.db.Close())
}

// Protection says in plain words what keeps others from changing the answers. It waits for the key store, at most
// three seconds.
func (s *Store) Protection() string {
	if s.db == nil {
		return BySession
	}
	place, _, _ := s.keys.current(context.Background())
	return protection(place)
}

func protection(place string) string {
	switch {
	case strings.HasPrefix(place, inKeychain):
		return ByKeychain
	case strings.HasPrefix(place, inFile):
		return ByFile
	}
	return BySession
}

// Allowed reports whether the player allowed this game to connect to t's host: a row with an intact seal. Every call
// reads and checks the row.
func (s *Store) Allowed(ctx context.Context, game string, t hostlist.Target) bool {
	return s.allowed(ctx, subjectOf(game, t))
}

func (s *Store) allowed(ctx context.Context, sub subject) bool {
	s.mu.Lock()
	_, ok := s.session[sub]
	s.mu.Unlock()
	if ok || s.db == nil {
		return ok
	}
	ok, err := s.granted(ctx, sub)
	if err != nil && ctx.Err() == nil {
		s.log.Warn("a remembered answer could not be read", "host", sub.host, "err", err)
	}
	return ok && err == nil
}

func (s *Store) granted(ctx context.Context, sub subject) (bool, error) {
	place, key, err := s.keys.current(ctx)
	if err != nil || place == "" {
		return false, err
	}
	ok, void, err := s.lookUp(ctx, s.find, place, key, sub)
	if ok || !void || err != nil {
		return ok, err
	}
	// The key may have changed since it was read. Nobody changes it while the database is locked.
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return false, err
	}
	defer tx.Rollback()
	if place, key, err = s.keys.refresh(ctx); err != nil {
		return false, err
	}
	ok, void, err = s.lookUp(ctx, tx.StmtContext(ctx, s.find), place, key, sub)
	if ok || !void || err != nil {
		return ok, err
	}
	if _, err := tx.ExecContext(ctx, "DELETE FROM approvals WHERE "+ofSubject, sub.args(place)...); err != nil {
		return false, err
	}
	s.log.Warn("removed a remembered answer whose seal is wrong; the player is asked again", "host", sub.host)
	return false, tx.Commit()
}

// ofSubject selects the rows of one subject whose key is in one place.
const ofSubject = "game = ? AND host = ? AND port = ? AND class = ? AND kid GLOB ?"

func (sub subject) args(place string) []any {
	return []any{sub.game, sub.host, int64(sub.port), sub.class, place + "*"}
}

// columns of a row that is no larger than rows are.
const columns = `SELECT kid, game, host, port, class, created, seq, mac FROM approvals
	WHERE length(mac) = 32 AND length(kid) <= 40 AND length(game) <= 200 AND length(host) <= 253 AND length(class) <= 16`

// lookUp reports whether a row of the subject has an intact seal, and whether there are only others.
func (s *Store) lookUp(ctx context.Context, find *sql.Stmt, place string, key *sealKey, sub subject) (ok, void bool, err error) {
	rows, err := find.QueryContext(context.WithoutCancel(ctx), sub.args(place)...)
	if err != nil {
		return false, false, err
	}
	err = s.each(rows, key, func(_ approval, intact bool) { ok, void = ok || intact, true })
	return ok, void && !ok, err
}

// each calls f with rows of columns, and closes them.
func (s *Store) each(rows *sql.Rows, key *sealKey, f func(a approval, intact bool)) error {
	defer rows.Close()
	for rows.Next() {
		var (
			a   approval
			kid string
			mac []byte
		)
		if err := rows.Scan(&kid, &a.game, &a.host, &a.port, &a.class, &a.created, &a.seq, &mac); err != nil {
			return err
		}
		f(a, key != nil && kid == key.kid && key.verify(s.id, a, mac))
	}
	return rows.Err()
}

// Remember keeps the player's yes for a game and t's host. After an error it is kept in memory.
func (s *Store) Remember(ctx context.Context, game string, t hostlist.Target) error {
	return s.remember(ctx, subjectOf(game, t))
}

func (s *Store) remember(ctx context.Context, sub subject) error {
	var err error
	if s.db != nil {
		if err = s.write(ctx, sub); err == nil {
			return nil
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session == nil {
		s.session = map[subject]time.Time{}
	}
	s.session[sub] = time.Now()
	return err
}

func (s *Store) write(ctx context.Context, sub subject) error {
	if sub.game == "" {
		return errors.New("the game has no identity")
	}
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	key, err := s.keys.ensure(ctx)
	if err != nil {
		return err
	}
	place := placeOf(key.kid)
	if _, err := tx.ExecContext(ctx, "DELETE FROM approvals WHERE "+ofSubject, sub.args(place)...); err != nil {
		return err
	}
	a := approval{subject: sub, created: time.Now().Unix()}
	if err := tx.QueryRowContext(ctx, "SELECT ifnull(max(seq), 0) + 1 FROM approvals WHERE seq < 1 << 62").Scan(&a.seq); err != nil {
		return err
	}
	if err := s.insert(ctx, tx, key, a); err != nil {
		return err
	}
	return tx.Commit()
}

func placeOf(kid string) string { return kid[:strings.IndexByte(kid, ':')+1] }

func (s *Store) insert(ctx context.Context, tx *sql.Tx, key *sealKey, a approval) error {
	const insert = "INSERT INTO approvals (kid, game, host, port, class, created, seq, mac) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
	_, err := tx.ExecContext(ctx, insert,
		key.kid, a.game, a.host, int64(a.port), a.class, a.created, a.seq, key.seal(s.id, a))
	return err
}

// SetName keeps what a game calls itself, for lists. It is cut to 100 characters; control and formatting characters
// are dropped.
func (s *Store) SetName(ctx context.Context, game, name string) error {
	if s.db == nil || game == "" {
		return nil
	}
	clean := []rune(strings.Map(func(r rune) rune {
		if !unicode.IsGraphic(r) || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, strings.TrimSpace(name)))
	if len(clean) > 100 {
		clean = clean[:100]
	}
	_, err := s.db.ExecContext(ctx, `INSERT INTO games (game, name) VALUES (?, ?)
		ON CONFLICT (game) DO UPDATE SET name = excluded.name WHERE name != excluded.name`, game, string(clean))
	return err
}

// List is everything that is allowed now, ordered by name, game and host.
func (s *Store) List(ctx context.Context) ([]Approval, error) {
	list := []Approval{}
	s.mu.Lock()
	for sub, since := range s.session {
		list = append(list, Approval{Game: sub.game, Kind: sub.kind(), Host: sub.host, Port: sub.port, Since: since, Protection: BySession})
	}
	s.mu.Unlock()
	names := map[string]string{}
	if s.db != nil {
		rows, err := s.rows(ctx, names)
		if err != nil {
			return nil, fmt.Errorf("approvals: %w", inUse(err))
		}
		list = append(list, rows...)
	}
	for i := range list {
		list[i].Name = names[list[i].Game]
	}
	slices.SortFunc(list, func(a, b Approval) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Game, b.Game), cmp.Compare(a.Host, b.Host), cmp.Compare(a.Port, b.Port),
			cmp.Compare(a.Kind, b.Kind))
	})
	return list, nil
}

// rows reads the intact rows, and the names of their games.
func (s *Store) rows(ctx context.Context, names map[string]string) ([]Approval, error) {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer tx.Rollback()
	place, key, err := s.keys.refresh(ctx)
	if errors.Is(err, errNoPlace) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list []Approval
	rows, err := tx.QueryContext(ctx, columns)
	if err != nil {
		return nil, err
	}
	err = s.each(rows, key, func(a approval, intact bool) {
		if intact {
			list = append(list, Approval{Game: a.game, Kind: a.kind(), Host: a.host, Port: a.port, Since: time.Unix(a.created, 0), Protection: protection(place)})
		}
	})
	if err != nil {
		return nil, err
	}
	rows, err = tx.QueryContext(ctx, "SELECT game, name FROM games WHERE length(game) <= 200 AND length(name) <= 200")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var game, name string
		if err := rows.Scan(&game, &name); err != nil {
			return nil, err
		}
		names[game] = name
	}
	return list, rows.Err()
}

// Forget drops what a game was allowed for a host, on every port. An older copy of the file does not bring it back:
// the key changes with it.
func (s *Store) Forget(ctx context.Context, game, host string) error {
	return s.forget(ctx, func(a subject) bool { return a.game == game && a.host == host }, "game = ? AND host = ?", game, host)
}

// ForgetGame drops everything that a game was allowed.
func (s *Store) ForgetGame(ctx context.Context, game string) error {
	return s.forget(ctx, func(a subject) bool { return a.game == game }, "game = ?", game)
}

// ForgetAll drops everything.
func (s *Store) ForgetAll(ctx context.Context) error {
	return s.forget(ctx, func(subject) bool { return true }, "1 = 1")
}

// drop forgets what is kept in memory.
func (s *Store) drop(gone func(subject) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for sub := range s.session {
		if gone(sub) {
			delete(s.session, sub)
		}
	}
}

func (s *Store) forget(ctx context.Context, gone func(subject) bool, where string, args ...any) error {
	s.drop(gone)
	if s.db == nil {
		return nil
	}
	// Called off halfway, the key would have changed and every row be void.
	if err := s.erase(context.WithoutCancel(ctx), where, args); err != nil {
		return fmt.Errorf("forget: %w", inUse(err))
	}
	return nil
}

func (s *Store) erase(ctx context.Context, where string, args []any) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	result, err := tx.ExecContext(ctx, "DELETE FROM approvals WHERE "+where, args...)
	if err != nil {
		return err
	}
	if n, err := result.RowsAffected(); err != nil || n == 0 {
		return err
	}
	if _, err := tx.ExecContext(ctx, "DELETE FROM games WHERE game NOT IN (SELECT game FROM approvals)"); err != nil {
		return err
	}
	if err := s.rotate(ctx, tx); err != nil {
		s.log.Warn("forgotten, but the key could not be changed: an older copy of the approvals would bring the answer back", "err", err)
	}
	return tx.Commit()
}

// rotate seals the rows that are left with a new key, so that rows which were forgotten are void for good. While the
// key store works, rows sealed by a file go with their key. While it does not, its rows stay for the day it does.
func (s *Store) rotate(ctx context.Context, tx *sql.Tx) error {
	place, old, err := s.keys.refresh(ctx)
	if err != nil {
		return err
	}
	var keep []approval
	rows, err := tx.QueryContext(ctx, columns)
	if err != nil {
		return err
	}
	err = s.each(rows, old, func(a approval, intact bool) {
		if intact {
			keep = append(keep, a)
		}
	})
	if err != nil {
		return err
	}
	key, err := s.keys.replace(ctx, place)
	if err != nil {
		return err
	}
	if place == inKeychain {
		if err := os.Remove(filepath.Join(s.keys.dir, keyFileName)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	if _, err := tx.ExecContext(ctx, "DELETE FROM approvals WHERE kid GLOB ? OR kid GLOB ?", place+"*", inFile+"*"); err != nil {
		return err
	}
	for _, a := range keep {
		if err := s.insert(ctx, tx, key, a); err != nil {
			return err
		}
	}
	return nil
}
