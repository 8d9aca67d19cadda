import { z } from 'zod';
import { ContentPartSchema, variantName } from './content-part.schema.js';

/**
 * What a published prompt may hold. Parsing fills optional fields with their defaults; keys that are not named here are
 * kept as they came, so that newer clients lose nothing.
 */
const inputVariables = z
  .array(z.string())
  .nullish()
  .transform((names) => names ?? [])
  .meta({ default: [], description: 'Worked out by the server when a version is published.' });
const templateFormat = z.enum(['f-string', 'jinja2']).default('f-string');
const optionalText = z.string().nullish().transform(orNull);
const json = z.unknown();
const datasetExamples = z.array(json).default([]);

export const FunctionCall = z.looseObject({ name: z.string(), arguments: z.string() }).meta({ id: 'PromptFunctionCall' });

const ToolCall = z
  .looseObject({
    id: z.string(),
    type: z.literal('function').default('function'),
    tool_id: optionalText,
    function: FunctionCall,
  })
  .meta({ id: 'PromptToolCall' });

const common = {
  input_variables: inputVariables,
  template_format: templateFormat,
  name: optionalText,
  raw_request_display_role: z.string().default(''),
  dataset_examples: datasetExamples,
};
const content = z.array(ContentPartSchema);
const optionalContent = content.nullish().transform(orNull);

const message = <Role extends string, Shape extends z.core.$ZodLooseShape>(role: Role, shape: Shape) =>
  z.looseObject({ role: z.literal(role), ...shape }).meta({ id: variantName(role, 'Message') });

const MessageSchema = z
  .discriminatedUnion('role', [
    message('system', { content, ...common }),
    message('user', { content, ...common }),
    message('developer', { content, ...common }),
    message('assistant', {
      content: optionalContent,
      ...common,
      function_call: FunctionCall.nullish().transform(orNull),
      tool_calls: z.array(ToolCall).nullish().transform(orNull),
    }),
    message('tool', { content, ...common, tool_call_id: z.string() }),
    message('function', { content: optionalContent, ...common, name: z.string() }),
    message('placeholder', { content: optionalContent, ...common, name: z.string().min(1) }),
  ])
  .meta({ id: 'PromptMessage' });

/** Schemas are for models: nothing of them is looked at. */
export const JsonSchemaObject = z.record(z.string(), json).meta({ id: 'JsonSchema', description: 'A JSON Schema.' });

const FunctionDefinition = z
  .looseObject({
    name: z.string().min(1),
    description: z
      .string()
      .nullish()
      .transform((text) => text ?? ''),
    strict: z
      .boolean()
      .nullish()
      .transform((strict) => strict ?? false),
    parameters: JsonSchemaObject.nullish().transform((schema) => schema ?? { type: 'object', properties: {} }),
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

const tool = <Type extends string, Shape extends z.core.$ZodLooseShape>(type: Type, shape: Shape) =>
  z.looseObject({ type: z.literal(type), ...shape }).meta({ id: variantName(type, 'Tool') });

/** Hosted tools name their provider; `mcp` may also point to a managed server. */
const BuiltInTool = (type: Exclude<(typeof BUILT_IN_TOOLS)[number], 'mcp'>) => tool(type, hostedTool);
const hostedTool = {
  id: z.string(),
  name: z.string(),
  description: z.string(),
  provider: z.string(),
  config: z.record(z.string(), json),
};

const ToolSchema = z
  .discriminatedUnion('type', [
    tool('function', { function: FunctionDefinition }),
    tool('registry', {
      tool_registry_id: z.int().positive(),
      label: z.string().nullish(),
      version_number: z.int().positive().nullish(),
    }),
    tool('variable', { name: z.string().min(1) }),
    tool('mcp', {}).check(
      z.refine(
        (given) => 'mcp_server_id' in given || z.looseObject(hostedTool).safeParse(given).success,
        'An mcp tool needs id, name, description, provider and config, or mcp_server_id',
      ),
    ),
    ...BUILT_IN_TOOLS.filter((type) => type !== 'mcp').map(BuiltInTool),
  ])
  .meta({ id: 'PromptTool' });

const functionChoice = z
  .union([z.string(), z.looseObject({ name: z.string() })])
  .nullish()
  .transform(orNull);
const toolChoice = z
  .union([z.string(), z.looseObject({ type: z.string() })])
  .nullish()
  .transform(orNull);

/** What a model may call, and what it has to. */
export const CALLABLES = {
  functions: z.array(FunctionDefinition).nullish().transform(orNull),
  tools: z.array(ToolSchema).nullish().transform(orNull),
  function_call: functionChoice,
  tool_choice: toolChoice,
};

const ChatPromptSchema = z
  .looseObject({
    type: z.literal('chat'),
    messages: z.array(MessageSchema),
    ...CALLABLES,
    input_variables: inputVariables,
    dataset_examples: datasetExamples,
  })
  .meta({ id: 'ChatPrompt' });

const CompletionPromptSchema = z
  .looseObject({
    type: z.literal('completion'),
    content,
    input_variables: inputVariables,
    template_format: templateFormat,
  })
  .meta({ id: 'CompletionPrompt' });

export const PromptSchema = z
  .discriminatedUnion('type', [ChatPromptSchema, CompletionPromptSchema])
  .meta({ id: 'PromptTemplate', description: 'What a version says: the messages of a chat, or one text.' });

export const ModelSchema = z
  .looseObject({
    provider: z.string().min(1).max(255),
    name: z.string().min(1).max(255),
    model_config_display_name: z.string().max(255).nullish().transform(orNull),
    base_model: z.string().max(100).nullish().transform(orNull),
    parameters: objectOrEmpty(),
    display_params: objectOrEmpty(),
    api_type: optionalText,
  })
  .meta({ id: 'PromptModel' });

export const MetadataSchema = z
  .looseObject({ model: ModelSchema.nullish().transform(orNull) })
  .meta({ id: 'PromptMetadata', description: 'The model a version is meant for, and anything else worth keeping.' });

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
