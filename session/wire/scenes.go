package wire

// Load asks a client to load a scene. It drops its objects: all of them, or with Seamless those that are not
// persistent. Transitions grow by one.
type Load struct {
	Transition uint64
	UUID       string
	Name       string
	Seamless   bool
}

// Loaded reports the end of loading.
type Loaded struct {
	Transition uint64
	OK         bool
	Text       string // why not
}

// Activate starts play in the scene of a transition.
type Activate struct{ Transition uint64 }

func (*Load) Type() Type     { return TypeLoad }
func (*Loaded) Type() Type   { return TypeLoaded }
func (*Activate) Type() Type { return TypeActivate }

func (f *Load) fields(c *coder) {
	c.uint(&f.Transition)
	c.text(&f.UUID, MaxID)
	c.text(&f.Name, MaxID)
	c.bool(&f.Seamless)
}

func (f *Loaded) fields(c *coder) {
	c.uint(&f.Transition)
	c.bool(&f.OK)
	c.text(&f.Text, MaxText)
}

func (f *Activate) fields(c *coder) { c.uint(&f.Transition) }
