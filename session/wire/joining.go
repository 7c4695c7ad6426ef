package wire

// Lengths of the fields of the handshake, in bytes.
const (
	MaxID       = 128     // project, build and session
	MaxName     = 32 * 4  // a player's name: 32 code points
	MaxUserData = 4 << 10 // what a join request carries
	MaxText     = 512     // a reason
	MaxCode     = 32      // a machine-readable reason
	NonceSize   = 16
	TokenSize   = 16
	ProofSize   = 32 // HMAC-SHA256
)

// Need says what a host asks of those who join.
const (
	NeedNothing byte = iota
	NeedPassword
	NeedCode
)

// Kinds of clients.
const (
	KindLauncher byte = iota
	KindBrowser
	KindBot
)

// Roles of peers.
const (
	RolePlayer byte = iota
	RoleSpectator
)

// Hello opens the conversation. It carries nothing that a game chose: Project is a digest over the nonce and the
// project id. Its layout never changes.
type Hello struct {
	MinVersion, MaxVersion uint64
	Nonce                  [NonceSize]byte
	Project                [ProofSize]byte
}

// Challenge shows that the host knows the project too, and says what it needs.
type Challenge struct {
	Version    uint64 // the highest that both know
	Nonce      [NonceSize]byte
	Project    [ProofSize]byte // digest over both nonces and the project id
	Need       byte
	Salt       []byte // at most 32 bytes
	Iterations uint64 // of PBKDF2-HMAC-SHA256
}

// Auth asks to join, or to resume when Resume is set.
type Auth struct {
	Build, Session string
	Name           string
	Kind           byte
	Spectator      bool
	UserData       []byte
	Proof          []byte // HMAC with the password's key; empty when nothing is needed
	Resume         []byte // the token of the last Welcome; empty for a new peer
	Loaded         uint64 // resuming: the transition whose scene is loaded, or 0
}

// Welcome makes the client a peer.
type Welcome struct {
	ID         uint64
	Session    string
	Token      [TokenSize]byte // for resuming once
	Role       byte
	Resumed    bool
	Proof      []byte // the host knows the password too; empty when nothing is needed
	HostMicros uint64 // the session's clock, microseconds since 1970
	TickHz     uint64 // state updates a second
	Limits     Limits
}

// Limits are what the host holds a client to.
type Limits struct {
	Args, Message               uint64 // bytes
	Frames, FramesBurst         uint64 // frames a second
	Bytes, BytesBurst           uint64 // bytes a second
	Calls, CallsBurst           uint64 // RPC a second
	PingMillis, TimeoutMillis   uint64
	ResumeMillis, CallsInFlight uint64
}

// Reject refuses; the close 4003 follows.
type Reject struct {
	Code, Text       string
	RetryAfterMillis uint64
}

// Ping asks for a Pong at once. T0 is the sender's clock in microseconds.
type Ping struct{ Seq, T0 uint64 }

// Pong answers a Ping. T1 and T2 are the answerer's clock when the Ping came and when the Pong was made.
type Pong struct{ Seq, T0, T1, T2 uint64 }

// Bye is the last frame of an orderly end; the close follows.
type Bye struct{ Code, Text string }

func (*Hello) Type() Type     { return TypeHello }
func (*Challenge) Type() Type { return TypeChallenge }
func (*Auth) Type() Type      { return TypeAuth }
func (*Welcome) Type() Type   { return TypeWelcome }
func (*Reject) Type() Type    { return TypeReject }
func (*Ping) Type() Type      { return TypePing }
func (*Pong) Type() Type      { return TypePong }
func (*Bye) Type() Type       { return TypeBye }

func (f *Hello) fields(c *coder) {
	c.uint(&f.MinVersion)
	c.uint(&f.MaxVersion)
	c.fixed(f.Nonce[:])
	c.fixed(f.Project[:])
}

func (f *Challenge) fields(c *coder) {
	c.uint(&f.Version)
	c.fixed(f.Nonce[:])
	c.fixed(f.Project[:])
	c.u8(&f.Need)
	c.bytes(&f.Salt, 32)
	c.uint(&f.Iterations)
}

func (f *Auth) fields(c *coder) {
	c.text(&f.Build, MaxID)
	c.text(&f.Session, MaxID)
	c.text(&f.Name, MaxName)
	c.u8(&f.Kind)
	c.bool(&f.Spectator)
	c.bytes(&f.UserData, MaxUserData)
	c.bytes(&f.Proof, ProofSize)
	c.bytes(&f.Resume, TokenSize)
	c.uint(&f.Loaded)
}

func (f *Welcome) fields(c *coder) {
	c.uint(&f.ID)
	c.text(&f.Session, MaxID)
	c.fixed(f.Token[:])
	c.u8(&f.Role)
	c.bool(&f.Resumed)
	c.bytes(&f.Proof, ProofSize)
	c.uint(&f.HostMicros)
	c.uint(&f.TickHz)
	l := &f.Limits
	for _, v := range []*uint64{&l.Args, &l.Message, &l.Frames, &l.FramesBurst, &l.Bytes, &l.BytesBurst, &l.Calls,
		&l.CallsBurst, &l.PingMillis, &l.TimeoutMillis, &l.ResumeMillis, &l.CallsInFlight} {
		c.uint(v)
	}
}

func (f *Reject) fields(c *coder) {
	c.text(&f.Code, MaxCode)
	c.text(&f.Text, MaxText)
	c.uint(&f.RetryAfterMillis)
}

func (f *Ping) fields(c *coder) {
	c.uint(&f.Seq)
	c.uint(&f.T0)
}

func (f *Pong) fields(c *coder) {
	for _, v := range []*uint64{&f.Seq, &f.T0, &f.T1, &f.T2} {
		c.uint(v)
	}
}

func (f *Bye) fields(c *coder) {
	c.text(&f.Code, MaxCode)
	c.text(&f.Text, MaxText)
}
