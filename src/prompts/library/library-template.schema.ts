import { z } from 'zod';
import { CALLABLES, FunctionCall } from '../../llm/shared/blueprint.schema.js';

const variables = z.array(z.string()).nullish().describe('The names of the variables.');

/** "jinja" is how older examples call it. */
const format = z
  .enum(['f-string', 'jinja2', 'jinja'])
  .nullish()
  .describe('How variables are written: `{name}` in f-string, the default, and `{{ name }}` in jinja2.');

export const LibraryTextSchema = z
  .looseObject({
    template: z.string().describe('The text with its variables.'),
    template_format: format,
    input_variables: variables,
  })
  .meta({ id: 'LibraryText', description: 'One text, in the format of the older library.' });

const LibraryMessageSchema = z
  .looseObject({
    role: z.string().describe('The role of the speaker, such as `system` or `user`.'),
    prompt: LibraryTextSchema.describe('The text of the message.'),
    name: z.string().nullish().describe('The name of the speaker.'),
    additional_kwargs: z
      .looseObject({ function_call: FunctionCall.nullish().describe('The function that the model calls.') })
      .nullish()
      .describe('What the message has besides its text.'),
  })
  .meta({ id: 'LibraryMessage' });

export const LibraryChatSchema = z
  .looseObject({
    messages: z.array(LibraryMessageSchema).describe('The messages, in their order.'),
    input_variables: variables,
    ...CALLABLES,
  })
  .meta({
    id: 'LibraryChat',
    description: 'A chat with one text for each message, in the format of the older library.',
  });

export type LibraryText = z.output<typeof LibraryTextSchema>;
export type LibraryMessage = z.output<typeof LibraryMessageSchema>;
export type LibraryChat = z.input<typeof LibraryChatSchema>;

/** A template as older clients read it. */
export const LibraryTemplateSchema = z.union([LibraryChatSchema, LibraryTextSchema]);
