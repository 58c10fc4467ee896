// Package registry holds the functions and skills of a server in a tree of namespaces, and runs
// calls of the functions. It does not know MCP's tools: faces such as package cash render it.
//
// Registering is like net/http. The registry is the mux, and a function is a handler. A mistake of
// the programmer panics at once with its source line.
//
//	reg := registry.New(nil)
//	orders := reg.Namespace("orders", "Create and manage customer orders.")
//	orders.Add(registry.Func("create", "Create a new order.", shop.Create))
//
// Here shop.Create is func(context.Context, CreateOrder) (Order, error). CreateOrder is a struct
// whose tags describe the parameters; see [Func]. All other facts of a function are options
// ([FuncOption]):
//
//	orders.Add(registry.Func("list", "List all orders.", shop.List, registry.ReadOnly))
//
// # Two audiences
//
// A service that offers its functions needs
//
//   - [New], [Registry.Namespace], [Namespace.Add], [Registry.AddSkills] and [NewSkill] to fill the
//     tree;
//   - [Func], [StreamFunc] and [RawFunc] with [FuncOption], [NamespaceOption] and [SkillOption];
//   - [WithCaller], [Caller], [Roles], [Authenticated] and [VisibleTo] for visibility;
//   - [CallFrom] for progress, the client and metadata, and [Result], [TextResult], [Error] and its
//     [Kind]s for the results of handlers;
//   - [Registry.Search] and [Lint].
//
// Makers of faces and sources also need
//
//   - [Source] with [Listing] and [Child], and [Registry.Replace] to swap a whole tree;
//   - [Pipeline] with [Request], [Call] and [Middleware];
//   - [RemoteFunc], [RemoteSkill] and [ForeignSkill] for functions and skills of other servers;
//   - [Skill.Agent] for a skill as the files of an Agent Skill;
//   - [Browse], [Find] and [Flat] to look functions up by path, id and flat name.
//
// # The picture
//
//	Registry ─┐
//	upstream ─┼─ Source ─► Pipeline: resolve → normalise → validate → middleware → handler ─► Result
//	...      ─┘               (for the caller in the context)
//
// A [Source] can be listed and resolved. A [Registry] is the source made of Go code. It publishes
// immutable snapshots behind an atomic pointer, so that readers take no lock. Functions may be
// added while it is served.
//
// # Names
//
// Namespaces, functions, skills and parameters are labels of ASCII letters, digits and underscores.
// Case and underscores carry no meaning: Order_Mgmt, orderMgmt and ordermgmt are one name
// ([Canonical]). Two entries in one place must differ in their canonical form (RFC 5.1 to 5.3).
// Parameters of a function on another server may share one: their exact spelling tells them apart.
//
// # Schemas
//
// The schema of a typed function is inferred from its In. A type may bring its own schema
// ([Schemer]), or an option gives it one ([TypeSchema]). [RawFunc] and [OutputSchema] take JSON or
// a *jsonschema.Schema of jsonschema-go. [Function.Schemas] returns the schemas of any function in
// that type, and [Function.InputSchema] returns JSON.
//
// # Callers
//
// [WithCaller] puts the caller into the context. A [Visibility] on a namespace, function or skill
// decides per request who sees it. A hidden entry looks absent: in lists, calls, skills, errors and
// counts.
//
// # Finding and naming
//
// [Registry.Search] finds functions by words in any language. [Suggest] returns known names for an
// unknown one. [Browse] shows the tree by paths such as /orders/retail. Every function and skill
// has an id ([Function.ID]). [Registry.Replace] swaps the whole tree of another server.
//
// # Detail
//
// A caller may ask for less than the whole result ([Request.Detail]): identifying fields, key
// fields with excerpts, or everything. The tags of an output type set the lowest level that shows a
// field. Hidden fields are never written. A type with `cash:"detail=minimal"` on its id and title
// makes a short list.
//
// Other results in JSON are trimmed by general rules (domain facades, "Detail Levels"), unless
// [Untrimmed] or [PipelineOptions] switch that off:
//
//   - [Standard] cuts texts of more than 500 characters. They end with their length, as in
//     "The printer has been… (2310 characters)".
//   - [Minimal] cuts them at 160. The objects in lists keep only ids, names, titles, states, counts
//     and marks. [Result.Omitted] names the other members.
//
// The words of a member's name decide what it is. They are those of order_id, order-id, orderId and
// OrderID; case is ignored, and letters are ASCII.
//
//   - An id ends in id, uuid or guid, or is filename, hostname, key, login, number, path, sha, sku,
//     slug, uri, url or username.
//   - A name or title ends in name or title, or is label or subject.
//   - A state ends in state, status or phase, or is active, closed, completed, done, enabled or open.
//   - A count ends in count or total.
//   - A mark has a word of cursor, deprecated, error, errors, incomplete, more, next, omitted,
//     partial, prev, previous, truncated, truncation, warning and warnings, or ends in token.
//
// Ids, names, states and counts are kept if they are scalars, marks with any value. Texts in ids and
// in marks are never cut. An object without an id or a name that is a text or a number keeps all its
// members. A text that is not JSON is the same at every level, and so are the text that is an
// object's only member, failures, and what is below 20 levels.
//
// # Errors
//
// Every error of the pipeline is an *[Error] with one of a closed set of [Kind]s. Its text is
// written for a model: what happened and the next step, without argument values and secrets.
//
// # Limits
//
//   - Arguments have at most 4 MiB and 64 levels, unless [PipelineOptions] say otherwise.
//   - Paths have at most 1,024 bytes.
//   - A result below [Full] detail has at most 2,000 levels; each pointer counts as one.
//   - A function that ignores its context is abandoned at the deadline. While 64 calls of it hang,
//     it takes no further calls.
//   - Calls at a time have no bound without a [Limiter], which all servers have, and [MaxCalls].
package registry
