package disclosure

// SystemPrompt explains the two stages for an agent's system prompt (section 8.2). Clients also get it with the
// server's instructions. Agents that do not show instructions to their model should add it to the prompt. It names
// [DefaultURI].
const SystemPrompt = "Tools of this server are disclosed in two stages. " +
	"1. Select: choose tools from tools/list by their short descriptions, which are enough for that. " +
	"2. Fetch: before the first call of a tool, read the resource " + DefaultURI + "?tools=TOOL_NAME, " +
	"or ?tools=TOOL1,TOOL2 for several at once; it has the parameters and authorizes the calls for this session. " +
	"Never read the resource without ?tools=, and fetch only tools that you are about to use. " +
	"A call of a tool that was not fetched fails with TOOL_DESCRIPTION_REQUIRED: read the resource_uri in the error, then call again."
