import { z } from 'zod';

const text = z.string();
const optionalText = z.string().nullish().transform(orNull);
const textOr = (fallback: string) =>
  z
    .string()
    .nullish()
    .transform((value) => value ?? fallback);
const json = z.unknown();
const optionalJson = json.optional().transform((value) => value ?? null);
const objectOrEmpty = z
  .record(z.string(), json)
  .nullish()
  .transform((value) => value ?? {});
const listOrEmpty = z
  .array(json)
  .nullish()
  .transform((value) => value ?? []);

/** The component of a variant: `image_url` parts are `ImageUrlPart`. */
export const variantName = (type: string, kind: string): string =>
  type.replace(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase()) + kind;

/** `says` describes the type of the part. */
const part = <Type extends string, Shape extends z.core.$ZodLooseShape>(type: Type, says: string, shape: Shape) =>
  z.looseObject({ type: z.literal(type).describe(says), ...shape }).meta({ id: variantName(type, 'Part') });

const id = optionalText.describe('The id that the provider gave the part; null when it gave none.');
const callId = optionalText.describe('The id that a call and its output share.');
const status = optionalText.describe('The status as the provider reports it, such as `completed`.');
const toolUseId = text.describe('The id of the tool call that this is the result of.');
const serverLabel = textOr('').describe('The label of the MCP server in the tools of the prompt.');
const toolName = textOr('').describe('The name of the tool.');
const jsonArguments = textOr('').describe('The arguments as JSON text.');
const error = optionalJson.describe('The error as the provider reports it; null if there was none.');

/** Content that people and models write. */
const SPOKEN_PARTS = [
  part('text', 'A text.', {
    text: text.describe('The text. Prompts may have variables in it.'),
    id,
    annotations: z
      .array(json)
      .nullish()
      .transform(orNull)
      .describe('Sources of the text, such as citations of pages and files; null when there are none.'),
    thought_signature: optionalText.describe('The signature by which Google links the text to its reasoning.'),
  }),
  part('thinking', 'The reasoning of the model before its answer.', {
    thinking: text.describe('The reasoning as text. Empty if the provider hides it.'),
    signature: optionalText.describe('The signature of the provider, needed to send the reasoning back.'),
    id,
  }),
  part('code', 'Code that the provider ran for the model.', {
    code: text.describe('The code.'),
    id,
    container_id: optionalText.describe('The container that the code ran in.'),
    language: optionalText.describe('The language of the code.'),
  }),
  part('image_url', 'An image.', {
    image_url: z
      .looseObject({
        url: text.describe('The URL of the image, or the image itself as a `data:` URL.'),
        detail: optionalText.describe('How closely the model should look, such as `low`, `high` or `auto`.'),
      })
      .describe('The location of the image.'),
    image_variable: optionalText.describe('The variable that holds the image, in place of the URL.'),
  }),
  part('media', 'A file, such as an image, a sound or a document.', {
    media: z
      .looseObject({
        title: textOr('media').describe('The name of the file.'),
        type: text.nullable().default('image/jpeg').describe('The media type of the file.'),
        url: optionalText.describe('The location of the file, or its content; see `format`.'),
        format: z
          .enum(['base64', 'url', 'neither'])
          .default('neither')
          .describe('The content of `url`: the file in base64, a URL, or neither.'),
      })
      .describe('The file.'),
  }),
  part('media_variable', 'A placeholder for the files in an input variable.', {
    name: z.string().min(1).describe('The variable that holds the files.'),
  }),
  part('output_media', 'A file that the model generated.', {
    url: text.describe('The URL of the file, or the file itself as a `data:` URL.'),
    id,
    mime_type: textOr('image/png').describe('The media type of the file.'),
    media_type: z.enum(['image', 'video', 'audio']).default('image').describe('The kind of file.'),
    provider_metadata: optionalJson.describe('Further metadata of the provider.'),
  }),
] as const;

/** Tools that the provider runs, and their results. */
const HOSTED_PARTS = [
  part('server_tool_use', 'A call of a tool that the provider runs.', {
    id: text.describe('The id of the call, which its result names.'),
    name: text.describe('The name of the tool.'),
    input: objectOrEmpty.describe('The arguments of the call.'),
  }),
  part('web_search_tool_result', 'The results of a web search.', {
    tool_use_id: toolUseId,
    content: listOrEmpty.describe('The pages found, in the format of the provider.'),
  }),
  part('code_execution_result', 'The output of code that the provider ran.', {
    output: text.describe('The output of the code.'),
    outcome: textOr('OUTCOME_OK').describe('The outcome, as the provider reports it.'),
  }),
] as const;

/** Tools of MCP servers that the provider calls. */
const MCP_PARTS = [
  part('mcp_list_tools', 'The tools that an MCP server has.', {
    id,
    server_label: serverLabel,
    tools: listOrEmpty.describe('The tools, in the format of the server.'),
    error,
  }),
  part('mcp_call', 'A call of a tool of an MCP server, with its result.', {
    id,
    name: toolName,
    server_label: serverLabel,
    arguments: jsonArguments,
    output: optionalJson.describe('The result of the tool; null if it failed or has not finished.'),
    error,
    approval_request_id: optionalText.describe('The approval request of the call; null if it needed none.'),
  }),
  part('mcp_approval_request', 'A call of a tool of an MCP server that has to be approved first.', {
    id,
    name: toolName,
    arguments: jsonArguments,
    server_label: serverLabel,
  }),
  part('mcp_approval_response', 'The answer to a request for approval.', {
    approval_request_id: text.describe('The `id` of the request.'),
    approve: z.boolean().describe('Whether the call may be made.'),
  }),
] as const;

/** Tools that work on files and in a shell. */
const FILE_PARTS = [
  part('bash_code_execution_tool_result', 'The result of a shell command that the provider ran.', {
    tool_use_id: toolUseId,
    content: objectOrEmpty.describe('The output and the exit code, in the format of the provider.'),
  }),
  part('text_editor_code_execution_tool_result', 'The result of a file edit at the provider.', {
    tool_use_id: toolUseId,
    content: objectOrEmpty.describe('The result of the edit, in the format of the provider.'),
  }),
  part('shell_call', 'A shell command that the model wants to run.', {
    id,
    call_id: callId,
    action: objectOrEmpty.describe('The commands and their limits, in the format of the provider.'),
    status,
  }),
  part('shell_call_output', 'The output of a shell command.', {
    id,
    call_id: callId,
    output: listOrEmpty.describe('The output and the outcome of each command.'),
    status,
  }),
  part('apply_patch_call', 'A file change that the model wants to make.', {
    id,
    call_id: callId,
    operation: objectOrEmpty.describe('The file and its patch, in the format of the provider.'),
    status,
  }),
  part('apply_patch_call_output', 'The result of a file change.', {
    id,
    call_id: callId,
    output: optionalJson.describe('The output of the change; null if there is none.'),
    status,
  }),
] as const;

/** Every kind of content a message can hold, with the defaults of its optional fields. */
export const ContentPartSchema = z
  .discriminatedUnion('type', [...SPOKEN_PARTS, ...HOSTED_PARTS, ...MCP_PARTS, ...FILE_PARTS])
  .meta({ id: 'PromptContentPart' });

function orNull<T>(value: T | null | undefined): T | null {
  return value ?? null;
}
