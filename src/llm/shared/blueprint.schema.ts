import { z } from 'zod';
import { ContentPartSchema, variantName } from './content-part.schema.js';

/**
 * Schema of a published prompt. Parsing fills optional fields with their defaults and keeps unknown keys, so newer
 * clients lose nothing.
 */
const inputVariables = z
  .array(z.string())
  .nullish()
  .transform((names) => names ?? [])
  .meta({
    default: [],
    description: 'The names of the variables, computed by the server when a version is published.',
  });
const templateFormat = z
  .enum(['f-string', 'jinja2'])
  .default('f-string')
  .describe('How variables are written: `{name}` in f-string, `{{ name }}` in jinja2.');
const optionalText = z.string().nullish().transform(orNull);
const json = z.unknown();
const datasetExamples = z.array(json).default([]).describe('Kept for clients that send it; nothing reads it.');

/** Fields of a function call, in prompts and in logged calls. */
export const CALLED = {
  name: z.string().describe('The function that is called.'),
  arguments: z.string().describe('The arguments as JSON text, as the model wrote them.'),
};

/** Fields of a message that calls tools. */
export const callFields = <F extends z.ZodType, T extends z.ZodType>(functionCall: F, toolCall: T) => ({
  function_call: functionCall
    .nullish()
    .transform(orNull)
    .describe('The older form of a single tool call; null for none.'),
  tool_calls: z.array(toolCall).nullish().transform(orNull).describe('The tools that the model calls; null for none.'),
});

export const FunctionCall = z.looseObject(CALLED).meta({ id: 'PromptFunctionCall' });

const ToolCall = z
  .looseObject({
    id: z.string().describe('The id of the call, which the message with its result names.'),
    type: z.literal('function').default('function').describe('Only functions are called.'),
    tool_id: optionalText.describe('The id that the provider gave the tool; null when it gave none.'),
    function: FunctionCall.describe('The function and its arguments.'),
  })
  .meta({ id: 'PromptToolCall' });

const common = {
  input_variables: inputVariables,
  template_format: templateFormat,
  name: optionalText.describe('The name of the speaker; null for none.'),
  raw_request_display_role: z
    .string()
    .default('')
    .describe('The role in the request of the provider; empty when it is `role`. Kept for clients.'),
  dataset_examples: datasetExamples,
};
const content = z.array(ContentPartSchema).describe('The parts of the content, in their order.');
const optionalContent = z
  .array(ContentPartSchema)
  .nullish()
  .transform(orNull)
  .describe('The parts of the content, in their order; null for none.');
const message = <Role extends string, Shape extends z.core.$ZodLooseShape>(role: Role, says: string, shape: Shape) =>
  z.looseObject({ role: z.literal(role).describe(says), ...shape }).meta({ id: variantName(role, 'Message') });

const MessageSchema = z
  .discriminatedUnion('role', [
    message('system', 'Instructions to the model.', { content, ...common }),
    message('user', 'A message of the user.', { content, ...common }),
    message('developer', 'Instructions to the model, for newer models of OpenAI.', { content, ...common }),
    message('assistant', 'A message of the model.', {
      content: optionalContent,
      ...common,
      ...callFields(FunctionCall, ToolCall),
    }),
    message('tool', 'The result of a tool call.', {
      content,
      ...common,
      tool_call_id: z.string().describe('The `id` of the tool call.'),
    }),
    message('function', 'The result of an older function call.', {
      content: optionalContent,
      ...common,
      name: z.string().describe('The function that was called.'),
    }),
    message('placeholder', 'A placeholder for messages that are supplied when the prompt is rendered.', {
      content: optionalContent,
      ...common,
      name: z.string().min(1).describe('The input variable that holds the messages.'),
    }),
  ])
  .meta({ id: 'PromptMessage' });

/** Schemas are for models and are not checked. */
export const JsonSchemaObject = z.record(z.string(), json).meta({ id: 'JsonSchema', description: 'A JSON Schema.' });

const FunctionDefinition = z
  .looseObject({
    name: z.string().min(1).describe('The name under which models call the function.'),
    description: z
      .string()
      .nullish()
      .transform((text) => text ?? '')
      .describe('The description of the function, for models. Default: empty.'),
    strict: z
      .boolean()
      .nullish()
      .transform((strict) => strict ?? false)
      .describe('Whether arguments have to fit `parameters` exactly. False by default.'),
    parameters: JsonSchemaObject.nullish()
      .transform((schema) => schema ?? { type: 'object', properties: {} })
      .describe('The JSON Schema of the arguments. By default there are none.'),
  })
  .meta({ id: 'PromptFunction' });

const BUILT_IN_TOOLS = [
  'web_search',
  'file_search',
  'code_interpreter',
  'image_generation',
  'google_maps',
  'url_context',
  'mcp',
  'bash',
  'shell',
  'apply_patch',
  'text_editor',
] as const;

const tool = <Type extends string, Shape extends z.core.$ZodLooseShape>(type: Type, says: string, shape: Shape) =>
  z.looseObject({ type: z.literal(type).describe(says), ...shape }).meta({ id: variantName(type, 'Tool') });

/** Hosted tools name their provider; `mcp` may also point to a managed server. */
const BuiltInTool = (type: Exclude<(typeof BUILT_IN_TOOLS)[number], 'mcp'>) =>
  tool(type, 'A tool that the provider runs.', hostedTool);
const hostedTool = {
  id: z.string().describe('The id that the client gave the tool.'),
  name: z.string().describe('The name of the tool.'),
  description: z.string().describe('The description of the tool.'),
  provider: z.string().describe('The provider that runs the tool.'),
  config: z.record(z.string(), json).describe('The settings of the tool, as the provider takes them.'),
};

const ToolSchema = z
  .discriminatedUnion('type', [
    tool('function', 'A function that the caller of the model runs.', {
      function: FunctionDefinition.describe('The function.'),
    }),
    tool('registry', 'A reference to a tool of the registry, resolved when the prompt is read.', {
      tool_registry_id: z.int().positive().describe('The id of the tool.'),
      label: z.string().nullish().describe('A label of the tool, in place of a version.'),
      version_number: z.int().positive().nullish().describe('The version of the tool; the latest by default.'),
    }),
    tool('variable', 'A placeholder for tools that are supplied when the prompt is rendered.', {
      name: z.string().min(1).describe('The input variable that holds the tools.'),
    }),
    tool('mcp', 'The tools of an MCP server.', {}).check(
      z.refine(
        (given) => 'mcp_server_id' in given || z.looseObject(hostedTool).safeParse(given).success,
        'An mcp tool needs id, name, description, provider and config, or mcp_server_id',
      ),
    ),
    ...BUILT_IN_TOOLS.filter((type) => type !== 'mcp').map(BuiltInTool),
  ])
  .meta({ id: 'PromptTool' });

const functionChoice = z
  .union([z.string(), z.looseObject({ name: z.string().describe('The function to call.') })])
  .nullish()
  .transform(orNull);
const toolChoice = z
  .union([z.string(), z.looseObject({ type: z.string().describe('The kind of tool, such as `function`.') })])
  .nullish()
  .transform(orNull);

/** The functions and tools that a model may call, and whether it has to call one. */
export const CALLABLES = {
  functions: z
    .array(FunctionDefinition)
    .nullish()
    .transform(orNull)
    .describe('The older form of tools: functions that the model may call; null for none.'),
  tools: z.array(ToolSchema).nullish().transform(orNull).describe('The tools that the model may use; null for none.'),
  function_call: functionChoice.describe(
    'Whether the model has to call a function: `auto`, `none`, or the name of one.',
  ),
  tool_choice: toolChoice.describe('Whether the model has to use a tool: `auto`, `none`, `required`, or one tool.'),
};

const ChatPromptSchema = z
  .looseObject({
    type: z.literal('chat').describe('A list of messages.'),
    messages: z.array(MessageSchema).describe('The messages, in their order.'),
    ...CALLABLES,
    input_variables: inputVariables,
    dataset_examples: datasetExamples,
  })
  .meta({ id: 'ChatPrompt' });

const CompletionPromptSchema = z
  .looseObject({
    type: z.literal('completion').describe('One text that the model completes.'),
    content,
    input_variables: inputVariables,
    template_format: templateFormat,
  })
  .meta({ id: 'CompletionPrompt' });

export const PromptSchema = z
  .discriminatedUnion('type', [ChatPromptSchema, CompletionPromptSchema])
  .meta({ id: 'PromptTemplate', description: 'The content of a version: the messages of a chat, or one text.' });

export const ModelSchema = z
  .looseObject({
    provider: z.string().min(1).max(255).describe('The provider of the model, such as `openai` or `anthropic`.'),
    name: z.string().min(1).max(255).describe('The model, as the provider calls it.'),
    model_config_display_name: z.string().max(255).nullish().transform(orNull).describe('A display name of the model.'),
    base_model: z.string().max(100).nullish().transform(orNull).describe('The model that a tuned model was made of.'),
    parameters: objectOrEmpty().describe(
      'The parameters of the call, such as `temperature`, as the provider takes them.',
    ),
    display_params: objectOrEmpty().describe('The parameters for display. They are not sent to the model.'),
    api_type: optionalText.describe('The API of the provider, such as `chat-completions` or `responses`.'),
  })
  .meta({ id: 'PromptModel' });

export const MetadataSchema = z
  .looseObject({ model: ModelSchema.nullish().transform(orNull).describe('The model; null for none.') })
  .meta({ id: 'PromptMetadata', description: 'The model a version is meant for, and any further keys.' });

export { MessageSchema };

function objectOrEmpty() {
  return z
    .record(z.string(), json)
    .nullish()
    .transform((value) => value ?? {});
}

function orNull<T>(value: T | null | undefined): T | null {
  return value ?? null;
}
