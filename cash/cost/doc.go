// Package cost simulates what a model pays for a registry behind each face, and ranks the faces.
//
//	r, err := cost.Measure(ctx, reg, &cost.Client{Calls: 3})
//	fmt.Print(r)        // a table
//	fmt.Println(r.Best().Face)
//
// # How it works
//
//	Measure ──► functions that the caller sees ──► one Step for some of them
//	        └─► Play, for each face: a real server, a client of the SDK, and the model's turns ──► Bill ──► Price
//
// [Measure] runs no function: middleware answers in its place. [Play] runs them, unless its options say otherwise.
//
// # What is counted
//
// Tokens are those of cl100k_base.
//
//	definitions  name, description and input schema of each tool in JSON, and the server's instructions;
//	             URI, name and description of each resource, for a face whose model reads them
//	turn         {"name", "arguments"} of a call in JSON, and the texts of its result;
//	             the same of a read, with the URI as its argument
//	once         definitions and turns, each token once: what the conversation has in the end
//	input        definitions and all turns so far, for each request: one for each turn, and one for the answer
//
// What a client pays is between once and input: input without a prompt cache, almost once with one. Not counted:
//
//   - the user's words and the answer, which are the same behind every face
//   - titles and annotations, and, unless [PlayOptions.Typed] is set, output schemas and structured content, because
//     not all clients show them
//
// # What a model does
//
// It takes the shortest path without guessing. It searches for a function that it has not seen in a list, reads
// parameters that it has not read, and calls, one call per turn. If a large result is held back, it searches the result
// if the face can do that. Otherwise it calls the function that returns just the wanted part, if the task has one, or
// else asks for the whole result. A play fails if the model has not read what its task wants. Real models make mistakes
// on top, behind every face.
//
// Behind disclosure the model reads one description at a time, although it might read several. Behind the facade it
// asks the command help of a domain about a command, because a tool's description at most names the parameters. The
// command endpoint is not MCP; its definitions are the answer to list_tools.
//
// # Limits
//
// Other encodings, and the text that providers wrap around tools, give other numbers. The gateway cannot show the
// parameters of a function without required ones; the model is taken to know them.
package cost
