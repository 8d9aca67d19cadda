import { z } from 'zod';
import { CALLABLES, FunctionCall } from '../../llm/blueprint.schema.js';

const variables = z.array(z.string()).nullish();

/** "jinja" is how older examples call it. */
const format = z.enum(['f-string', 'jinja2', 'jinja']).nullish();

export const LibraryTextSchema = z
  .looseObject({ template: z.string(), template_format: format, input_variables: variables })
  .meta({ id: 'LibraryText', description: 'One text, in the format of the older library.' });

const LibraryMessageSchema = z
  .looseObject({
    role: z.string(),
    prompt: LibraryTextSchema,
    name: z.string().nullish(),
    additional_kwargs: z.looseObject({ function_call: FunctionCall.nullish() }).nullish(),
  })
  .meta({ id: 'LibraryMessage' });

export const LibraryChatSchema = z
  .looseObject({
    messages: z.array(LibraryMessageSchema),
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
