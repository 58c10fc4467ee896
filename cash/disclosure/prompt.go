package disclosure

// SystemPrompt is what an agent's system prompt should say of the two stages
// (section 8.2). Clients get it with the instructions of the server, too; agents
// that do not show those to their model put it into the prompt themselves. It
// names [DefaultURI].
const SystemPrompt = "Tools of this server are disclosed in two stages. " +
	"1. Select: choose tools from tools/list by their short descriptions, which are enough for that. " +
	"2. Fetch: before the first call of a tool, read the resource " + DefaultURI + "?tools=TOOL_NAME, " +
	"or ?tools=TOOL1,TOOL2 for several at once; it has the parameters and authorizes the calls for this session. " +
	"Never read the resource without ?tools=, and fetch only tools that you are about to use. " +
	"A call of a tool that was not fetched fails with TOOL_DESCRIPTION_REQUIRED: read the resource_uri in the error, then call again."
