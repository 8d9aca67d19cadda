import { z } from 'zod';
import { boundedText, SchemaField } from '../platform/http/schema-field.js';
import { BooleanField, EnumField, IntegerField, MAX_ID } from '../platform/http/fields.js';
import { isObject, type JsonObject, type JsonValue } from '../platform/json.js';
import type { PromptReference } from '../llm/shared/prompt-reference.js';
import { SourceColumn } from '../grid/column-type/source-fields.js';
import { MAX_ITERATIONS } from './iteration-limits.js';
import { checkOnePrompt, nestedPrompt, promptReferences } from './prompt-config.js';

const nestedWorkflow = z.looseObject({
  workflow_id: z.int().min(1).max(MAX_ID).meta({ description: 'Id of the workflow to run.' }),
  workflow_version_number: z
    .int()
    .min(1)
    .max(MAX_ID)
    .nullish()
    .meta({ description: 'Number of the version to run. By default the latest.' }),
  workflow_label: boundedText(1, 255)
    .nullish()
    .meta({ description: 'Release label of the version to run, instead of its number.' }),
  input_mappings: z
    .record(z.string(), z.string().nullable())
    .nullish()
    .meta({ description: 'A column (its title or its id) for each input of the workflow.' }),
});

export type NestedPrompt = z.output<typeof nestedPrompt>;

/** Sources of the variables of an iteration, besides columns. */
export const LOOP_NAMES = ['loop_index', 'previous_outputs'] as const;
export const ITEM_NAME = '_iterator_item';

/** Config fields of both loops. */
export class LoopConfig {
  @EnumField(['prompt', 'workflow'], { description: 'The body that every iteration runs.' })
  loop_type: 'prompt' | 'workflow';

  @SchemaField(nestedPrompt, {
    optional: true,
    nullable: true,
    description:
      'The prompt of every iteration, as in the config of PROMPT_TEMPLATE. Its mappings may be in it or in `variable_mappings`.',
    example: { template: { name: 'greeting' } },
  })
  prompt_config?: NestedPrompt | null;

  @SchemaField(nestedWorkflow, {
    advanced: true,
    optional: true,
    nullable: true,
    description: 'The workflow of every iteration, as in the config of WORKFLOW.',
  })
  workflow_config?: z.output<typeof nestedWorkflow> | null;

  @SourceColumn({
    advanced: true,
    optional: true,
    description: 'A column with the messages of a conversation, as in the config of PROMPT_TEMPLATE.',
  })
  chat_history_source?: JsonValue;

  @IntegerField({
    optional: true,
    nullable: true,
    min: 1,
    max: MAX_ITERATIONS,
    description: 'The number of iterations; for a WHILE_LOOP the largest number.',
  })
  max_iterations?: number | null;

  @BooleanField({
    advanced: true,
    optional: true,
    default: false,
    description: 'Whether cells hold `{iterations, outputs, final_output}` instead of the final output alone.',
  })
  return_all_outputs?: boolean;
}

/** Throws an Error unless exactly the config of the chosen body is given. */
export function checkLoop({ loop_type, prompt_config, workflow_config }: LoopConfig): void {
  const isPrompt = loop_type === 'prompt';
  const [wanted, other] = isPrompt ? [prompt_config, workflow_config] : [workflow_config, prompt_config];
  if (!wanted || other) throw new Error(`loop_type is ${loop_type}: give ${loop_type}_config and no other.`);
  if (prompt_config) checkOnePrompt(prompt_config as never);
}

export function loopReferences({ prompt_config }: LoopConfig): PromptReference[] {
  return prompt_config ? promptReferences(prompt_config as never) : [];
}

/**
 * Moves the columns that the config of an iteration names to the top of the loop's config, where the sheet looks for
 * dependencies. The loop's own entries have precedence.
 */
export function withOwnSources({ prompt_config, workflow_config, loop_type, ...rest }: JsonObject): JsonObject {
  const [prompt, ofPrompt] = takenOut(prompt_config, 'prompt_template_variable_mappings');
  const [promptAlone, history] = takenOut(prompt, 'chat_history_source');
  const [workflow, ofWorkflow] = takenOut(workflow_config, 'input_mappings');
  const config: JsonObject = { ...rest, variable_mappings: merged([ofWorkflow, ofPrompt, rest.variable_mappings]) };
  if (loop_type !== undefined) config.loop_type = typeof loop_type === 'string' ? loop_type.toLowerCase() : loop_type;
  if (prompt_config !== undefined) config.prompt_config = promptAlone!;
  if (workflow_config !== undefined) config.workflow_config = workflow!;
  if (history !== undefined) config.chat_history_source ??= history;
  return config;
}

/** Removes a key from a nested config and returns both. */
function takenOut(nested: JsonValue | undefined, key: string): [JsonValue | undefined, JsonValue | undefined] {
  if (!isObject(nested) || nested[key] === undefined) return [nested, undefined];
  const { [key]: found, ...others } = nested;
  return [others, found];
}

/** Merges maps; the last one has precedence. A value that is no map stays unchanged and fails the validation. */
function merged(maps: (JsonValue | undefined)[]): JsonValue {
  const given = maps.filter((map) => map !== undefined && map !== null);
  return given.find((map) => !isObject(map)) ?? (Object.assign({}, ...given) as JsonObject);
}
