// Package registry holds what a server offers: namespaces in a tree, typed
// functions and text skills in them, and how a call of one runs. It knows
// nothing of MCP's tools; faces such as package cash render it.
//
// Registering is like net/http: the registry is the mux, a function a handler,
// and a mistake of the programmer panics at once, naming the source line.
//
//	reg := registry.New(nil)
//	orders := reg.Namespace("orders", "Create and manage customer orders.")
//	orders.Add(registry.Func("create", "Create a new order.", shop.Create))
//
// where shop.Create is func(context.Context, CreateOrder) (Order, error) and
// CreateOrder a struct whose tags describe the parameters; see [Func]. Everything
// else that there is to say of a function is an option ([FuncOption]):
//
//	orders.Add(registry.Func("list", "List all orders.", shop.List, registry.ReadOnly))
//
// # Two audiences
//
// A service that offers its functions needs
//
//   - [New], [Registry.Namespace], [Namespace.Add], [Registry.AddSkills] and [NewSkill] to fill the tree;
//   - [Func], [StreamFunc] and [RawFunc] with [FuncOption], [NamespaceOption] and [SkillOption];
//   - [WithCaller], [Caller], [Roles], [Authenticated] and [VisibleTo] for who sees what;
//   - [Result], [TextResult], [Error] and its [Kind]s for what a handler returns;
//   - [Registry.Search] and [Lint].
//
// The rest is for those who make faces and sources: [Source] and what it lists,
// [Pipeline] with [Request], [Call] and [Middleware], [RemoteFunc] and [RemoteSkill] for
// what runs elsewhere, [Registry.Replace] to put it into a tree, [Browse], [Find] and
// [Flat] to look functions up in other ways than by name.
//
// # The picture
//
//	Registry ─┐
//	upstream ─┼─ Source ─► Pipeline: resolve → normalise → validate → middleware → handler ─► Result
//	...      ─┘               (for the caller in the context)
//
// A [Source] is whatever can be listed and resolved. A [Registry] is the one
// made of Go code: it publishes immutable snapshots behind an atomic pointer, so
// that readers take no lock, and may be added to while it is served.
//
// # Names
//
// Namespaces, functions, skills and parameters are labels of ASCII letters,
// digits and underscores. Case and underscores carry no meaning: Order_Mgmt,
// orderMgmt and ordermgmt are one name ([Canonical]), and two entries that
// share a canonical form cannot stand side by side (RFC 5.1 to 5.3). Of a
// function on another server two parameters may: they are told apart by their
// spelling.
//
// # Schemas
//
// The schema of a typed function is inferred from its In. A type may bring its own
// ([Schemer]), or be given one ([TypeSchema]). [RawFunc] and [OutputSchema] take
// JSON or a *jsonschema.Schema of jsonschema-go. [Function.Schemas] returns what
// any function has as the latter, and [Function.InputSchema] as JSON.
//
// # Callers
//
// [WithCaller] puts who is asking into the context. A [Visibility] on a
// namespace, function or skill decides per request who sees it. Hidden is the
// same as absent: in lists, calls, skills, errors and counts.
//
// # Finding and naming
//
// [Registry.Search] finds functions by words in any language, and [Suggest] what
// an unknown name may stand for. [Browse] shows the tree by paths such as
// /orders/retail, and every function and skill has an id ([Function.ID]). What
// comes from elsewhere is put in and taken out as a whole ([Registry.Replace]).
//
// # Detail
//
// A caller may want less than all of a result ([Request.Detail]): what tells
// things apart, key fields and excerpts, or everything. The tags of an output
// type say which field is shown from which level on, and what is not shown is
// never written, so that a type with `cash:"detail=minimal"` on its id and title
// makes a short list.
//
// # Errors
//
// Every error of the pipeline is an *[Error] with one of a closed set of
// [Kind]s. Its text is written for a model: what happened and the next step,
// no argument values, no secrets.
//
// # Limits
//
// Arguments have at most 4 MiB and 64 levels unless [PipelineOptions] say
// otherwise; paths have at most 1,024 bytes. A result of which less than all is
// wanted is nested at most 2,000 levels deep, each pointer counting as one. A
// function that ignores its context is left behind at the deadline; when 64
// calls of it hang, further ones are refused.
package registry
