import { z } from 'zod';
import { JsonSchemaObject } from '../llm/shared/blueprint.schema.js';
import { MAX_CODE } from '../platform/sandbox/limits.js';

const text = z.string().nullish();

/** Checks only the parts that the server uses. The rest is for the model. */
export const ToolDefinitionSchema = z
  .looseObject({
    type: text.meta({ description: 'The type of the tool; usually `function`.' }),
    function: z
      .looseObject({
        name: text.meta({ description: 'The name under which models call the function.' }),
        description: text.meta({ description: 'The description of the function, for models.' }),
        strict: z.boolean().nullish().meta({ description: 'Whether arguments have to fit `parameters` exactly.' }),
        parameters: JsonSchemaObject.nullish().meta({ description: 'The JSON Schema of the arguments.' }),
      })
      .nullish()
      .meta({ description: 'The function that models can call.' }),
  })
  .meta({
    id: 'ToolDefinition',
    description: 'The definition of the tool, as models get it. Other keys are kept.',
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
    type: z.literal('code').meta({ description: 'Only code can run a tool.' }),
    language: z.enum(['python', 'javascript']).meta({ description: 'The language of `code`.' }),
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
