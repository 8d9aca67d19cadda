import { z } from 'zod';
import { JsonSchemaObject } from '../llm/blueprint.schema.js';
import { MAX_CODE } from '../platform/sandbox/limits.js';

const text = z.string().nullish();

/** Only what is looked at is checked: the rest is for the model. */
export const ToolDefinitionSchema = z
  .looseObject({
    type: text,
    function: z
      .looseObject({
        name: text,
        description: text,
        strict: z.boolean().nullish(),
        parameters: JsonSchemaObject.nullish(),
      })
      .nullish(),
  })
  .meta({
    id: 'ToolDefinition',
    description: 'What models are told about the tool. Other keys are kept.',
    example: {
      type: 'function',
      function: {
        name: 'add',
        description: 'Adds two numbers.',
        parameters: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } },
      },
    },
  });

export const ToolExecutionSchema = z
  .object({
    type: z.literal('code'),
    language: z.enum(['python', 'javascript']),
    code: z
      .string()
      .max(MAX_CODE, `String should have at most ${MAX_CODE} characters`)
      .meta({ description: 'The body of a function whose parameter `args` holds the inputs, with a `return`.' }),
  })
  .meta({
    id: 'ToolExecution',
    description: 'The code that runs the tool.',
    example: { type: 'code', language: 'python', code: "return args['a'] + args['b']" },
  });

export type ToolExecution = z.output<typeof ToolExecutionSchema>;
