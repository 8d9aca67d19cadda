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

const part = <Type extends string, Shape extends z.core.$ZodLooseShape>(type: Type, shape: Shape) =>
  z.looseObject({ type: z.literal(type), ...shape }).meta({ id: variantName(type, 'Part') });

/** Every kind of content a message can hold, with the defaults of its optional fields. */
export const ContentPartSchema = z
  .discriminatedUnion('type', [
    part('text', {
      text,
      id: optionalText,
      annotations: z.array(json).nullish().transform(orNull),
      thought_signature: optionalText,
    }),
    part('thinking', { thinking: text, signature: optionalText, id: optionalText }),
    part('code', { code: text, id: optionalText, container_id: optionalText, language: optionalText }),
    part('image_url', { image_url: z.looseObject({ url: text, detail: optionalText }), image_variable: optionalText }),
    part('media', {
      media: z.looseObject({
        title: textOr('media'),
        type: text.nullable().default('image/jpeg'),
        url: optionalText,
        format: z.enum(['base64', 'url', 'neither']).default('neither'),
      }),
    }),
    part('media_variable', { name: z.string().min(1) }),
    part('output_media', {
      url: text,
      id: optionalText,
      mime_type: textOr('image/png'),
      media_type: z.enum(['image', 'video', 'audio']).default('image'),
      provider_metadata: optionalJson,
    }),
    part('server_tool_use', { id: text, name: text, input: objectOrEmpty }),
    part('web_search_tool_result', { tool_use_id: text, content: listOrEmpty }),
    part('code_execution_result', { output: text, outcome: textOr('OUTCOME_OK') }),
    part('mcp_list_tools', { id: optionalText, server_label: textOr(''), tools: listOrEmpty, error: optionalJson }),
    part('mcp_call', {
      id: optionalText,
      name: textOr(''),
      server_label: textOr(''),
      arguments: textOr(''),
      output: optionalJson,
      error: optionalJson,
      approval_request_id: optionalText,
    }),
    part('mcp_approval_request', {
      id: optionalText,
      name: textOr(''),
      arguments: textOr(''),
      server_label: textOr(''),
    }),
    part('mcp_approval_response', { approval_request_id: text, approve: z.boolean() }),
    part('bash_code_execution_tool_result', { tool_use_id: text, content: objectOrEmpty }),
    part('text_editor_code_execution_tool_result', { tool_use_id: text, content: objectOrEmpty }),
    part('shell_call', { id: optionalText, call_id: optionalText, action: objectOrEmpty, status: optionalText }),
    part('shell_call_output', { id: optionalText, call_id: optionalText, output: listOrEmpty, status: optionalText }),
    part('apply_patch_call', {
      id: optionalText,
      call_id: optionalText,
      operation: objectOrEmpty,
      status: optionalText,
    }),
    part('apply_patch_call_output', {
      id: optionalText,
      call_id: optionalText,
      output: optionalJson,
      status: optionalText,
    }),
  ])
  .meta({ id: 'PromptContentPart' });

function orNull<T>(value: T | null | undefined): T | null {
  return value ?? null;
}
