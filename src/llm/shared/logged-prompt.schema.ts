import { z } from 'zod';
import type { Prompt } from './blueprint.js';
import { CALLED, callFields, MetadataSchema } from './blueprint.schema.js';
import { ContentPartSchema } from './content-part.schema.js';

/**
 * The messages of a call that was made. Unlike a prompt to be published it is a fact: unknown members are kept, and a
 * text means one text part. Parts of a known type must still have their fields.
 */
const KNOWN_PARTS = new Set<string>(ContentPartSchema.def.options.map((option) => option.shape.type.value));

const partOfAnyType = z.looseObject({ type: z.string().describe('The type of the part, such as `text`.') });
const ContentPart = partOfAnyType
  .transform((part, context) => {
    if (!KNOWN_PARTS.has(part.type)) return part;
    const parsed = ContentPartSchema.safeParse(part);
    if (parsed.success) return parsed.data as typeof part;
    context.issues.push(...(parsed.error.issues as typeof context.issues));
    return z.NEVER;
  })
  .meta({ id: 'LoggedPart' });

const textAsPart = (content: unknown) => (typeof content === 'string' ? [{ type: 'text', text: content }] : content);
const parts = z.array(ContentPart);
const CONTENT = 'The parts of the content, in their order. A text stands for one text part.';
const optionalContent = z.preprocess(textAsPart, parts.nullish().transform(orNull)).describe(CONTENT);
const content = z
  .preprocess(
    textAsPart,
    parts.nullable().transform((given) => given ?? []),
  )
  .describe(CONTENT);
const text = z.string();
const optionalText = text.nullish().transform(orNull);
const orEmpty = z
  .array(text)
  .nullish()
  .transform((names) => names ?? []);

const inputVariables = orEmpty.describe('The variables that the prompt had. Empty by default.');

const common = {
  input_variables: inputVariables,
  template_format: z
    .enum(['f-string', 'jinja2'])
    .nullish()
    .transform((format) => format ?? 'f-string')
    .describe('How the prompt wrote its variables. `f-string` by default.'),
  name: optionalText.describe('The name of the speaker; null for none.'),
};

const FunctionCall = z.looseObject(CALLED).meta({ id: 'LoggedFunctionCall' });

const ToolCall = z
  .looseObject({
    id: text
      .nullish()
      .transform((id) => id ?? '')
      .describe('The id of the call, which the message with its result names.'),
    type: z
      .literal('function')
      .nullish()
      .transform((type) => type ?? 'function')
      .describe('Only functions are called.'),
    tool_id: optionalText.describe('The id that the provider gave the tool; null when it gave none.'),
    function: FunctionCall.describe('The function and its arguments.'),
  })
  .meta({ id: 'LoggedToolCall' });

const Message = z
  .discriminatedUnion('role', [
    z
      .looseObject({
        role: z.enum(['system', 'developer', 'user']).describe('Instructions to the model, or what the user says.'),
        content,
        ...common,
      })
      .meta({ id: 'LoggedInputMessage' }),
    z
      .looseObject({
        role: z.literal('assistant').describe('A message of the model.'),
        content: optionalContent,
        ...common,
        ...callFields(FunctionCall, ToolCall),
      })
      .meta({ id: 'LoggedAssistantMessage' }),
    z
      .looseObject({
        role: z.literal('tool').describe('The result of a tool call.'),
        content,
        ...common,
        tool_call_id: text.describe('The `id` of the tool call.'),
      })
      .meta({ id: 'LoggedToolMessage' }),
    z
      .looseObject({
        role: z
          .enum(['function', 'placeholder'])
          .describe('The result of an older function call, or a placeholder for messages.'),
        content: optionalContent,
        ...common,
        name: text.describe('The function that was called, or the variable that holds the messages.'),
      })
      .meta({ id: 'LoggedNamedMessage' }),
  ])
  .meta({ id: 'LoggedMessage' });

const anyObject = z.looseObject({});
const choice = z.union([text, anyObject]).nullish().transform(orNull);

const LoggedChat = z
  .looseObject({
    type: z.literal('chat').describe('A list of messages.'),
    messages: z.array(Message).describe('The messages, in their order. May be empty when the call failed.'),
    functions: z
      .array(anyObject)
      .nullish()
      .transform(orNull)
      .describe('The older form of tools: functions that the model could call; null for none.'),
    tools: z
      .array(anyObject)
      .nullish()
      .transform(orNull)
      .describe('The tools that the model could use; null for none.'),
    function_call: choice.describe('Whether the model had to call a function; null if unspecified.'),
    tool_choice: choice.describe('Whether the model had to use a tool; null if unspecified.'),
    input_variables: inputVariables,
  })
  .meta({ id: 'LoggedChat' });

const LoggedCompletion = z
  .looseObject({
    type: z.literal('completion').describe('One text.'),
    content,
    input_variables: inputVariables,
    template_format: common.template_format,
  })
  .meta({ id: 'LoggedCompletion' });

export const LoggedPromptSchema = z
  .discriminatedUnion('type', [LoggedChat, LoggedCompletion])
  .transform((prompt) => prompt as Prompt)
  .meta({
    id: 'LoggedPrompt',
    description:
      'The input or output of a call: the messages of a chat, or one text. Content is a list of parts; a plain text counts as one text part. Parts and tools of unknown types are kept unchanged.',
  });

/** The component of the OpenAPI document for a logged call in the shape of a registry prompt. */
export const LOGGED_BLUEPRINT = 'LoggedBlueprint';

z.looseObject({
  prompt_template: LoggedPromptSchema.describe('The messages with the answer appended.'),
  commit_message: z.string().nullish().describe('Null: a call has no message.'),
  metadata: MetadataSchema.nullish().describe('The model that was called, with its parameters.'),
}).meta({ id: LOGGED_BLUEPRINT, description: 'A call as a prompt: its messages with the answer appended.' });

function orNull<T>(value: T | null | undefined): T | null {
  return value ?? null;
}
