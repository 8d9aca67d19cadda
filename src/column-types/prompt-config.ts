import { z } from 'zod';
import type { Prompt } from '../llm/shared/blueprint.js';
import { MetadataSchema, PromptSchema } from '../llm/shared/blueprint.schema.js';
import type { PromptReference } from '../llm/shared/prompt-reference.js';
import { BooleanField, MAX_ID, TextField } from '../platform/http/fields.js';
import { boundedText, SchemaField } from '../platform/http/schema-field.js';
import { isObject, type JsonObject, type JsonValue } from '../platform/json.js';
import { SourceColumn, SourceMap } from '../grid/column-type/source-fields.js';

const reference = z.looseObject({
  name: boundedText(1, 512).meta({ description: 'Name of the prompt in the registry.' }),
  version_number: z
    .int()
    .min(1)
    .max(MAX_ID)
    .nullish()
    .meta({ description: 'Number of the version. By default the latest when a cell is computed.' }),
  label: boundedText(1, 255).nullish().meta({ description: 'Release label of the version, instead of its number.' }),
});

const inline = z.looseObject({
  inline: z.literal(true).meta({ description: 'Always true.' }),
  prompt_template: PromptSchema,
  metadata: MetadataSchema.nullish().meta({ description: 'The model to call with its parameters, under `model`.' }),
  source_prompt_name: z
    .string()
    .max(512)
    .nullish()
    .meta({ description: 'Name of the prompt it was copied from. It has no effect.' }),
  source_prompt_version: z
    .int()
    .min(1)
    .max(MAX_ID)
    .nullish()
    .meta({ description: 'Number of the version it was copied from. It has no effect.' }),
});

const engine = z.looseObject({
  provider: boundedText(1, 255).meta({ description: 'The provider of the model, such as `openai`.' }),
  model: boundedText(1, 512).meta({ description: 'The model, as the provider names it.' }),
  parameters: z
    .record(z.string(), z.unknown())
    .nullish()
    .meta({ description: 'Parameters of the call, as the provider names them, such as `temperature`.' }),
});

export type TemplateReference = z.output<typeof reference>;

/** Not an interface, which would not be a JSON value. */
export type Engine = {
  provider: string;
  model: string;
  parameters?: JsonObject | null;
};

interface InlineTemplate {
  inline: true;
  prompt_template: Prompt;
  metadata?: { model: never } | null;
}

/** Order of the model in forms: after the fields of the prompt. */
const ENGINE_PLACE = 50;

export const TemplateField = (options: { optional?: boolean } = {}): PropertyDecorator =>
  SchemaField(reference, {
    ...options,
    picker: 'prompts',
    description: TEMPLATE,
    example: { name: 'greeting' },
  });

export const EngineField = (description = OTHER_MODEL): PropertyDecorator =>
  SchemaField(engine, {
    optional: true,
    order: ENGINE_PLACE,
    picker: 'models',
    nullable: true,
    description,
    example: { provider: 'openai', model: 'gpt-4.1-mini', parameters: { temperature: 0 } },
  });

const CREDENTIAL =
  'Name of the model credential to use. By default the one of the provider that is called "default", or its only one.';
const MAPPINGS = 'The column that fills in each variable of the prompt, by its title or its id.';
const VERBOSE = 'Whether cells hold the answer with its model, tokens and price instead of the answer alone.';
const TEMPLATE_ONLY = 'Whether cells hold the prompt with its variables filled in. No model is called then.';
const INLINE =
  'A prompt that is given here instead of in the registry, with `inline: true`. Give either this or `template`.';
const OTHER_MODEL = 'The model to call in place of the one that the prompt names.';
const TEMPLATE =
  'A prompt of the registry, by its name. Without a version or a label, the latest version is used when a cell is computed.';

export const CredentialField = (): PropertyDecorator =>
  TextField({
    optional: true,
    nullable: true,
    maxLength: 100,
    advanced: true,
    order: ENGINE_PLACE + 1,
    description: CREDENTIAL,
  });

/** The choice of a model. */
export interface EngineChoice {
  engine?: Engine | null;
  credential?: string | null;
}

const DEFAULT_ENGINE =
  'The model to call. Without it that is the `default_model` of the workspace, or else the one of the server (LLM_DEFAULT_MODEL).';

/** Config of columns with a built-in prompt, which names no model. */
export class EngineConfig implements EngineChoice {
  @EngineField(DEFAULT_ENGINE)
  engine?: Engine | null;

  @CredentialField()
  credential?: string | null;
}

/** The config of a PROMPT_TEMPLATE column inside another one, which lists the source columns itself. */
export const nestedPrompt = z.looseObject({
  template: reference.nullish().meta({ description: TEMPLATE }),
  inline_template: inline.nullish().meta({ description: INLINE }),
  prompt_template_variable_mappings: z
    .record(z.string(), z.string().nullable())
    .nullish()
    .meta({ description: MAPPINGS }),
  engine: engine.nullish().meta({ description: OTHER_MODEL }),
  credential: z.string().max(100).nullish().meta({ description: CREDENTIAL }),
  verbose: z.boolean().nullish().meta({ description: VERBOSE }),
  return_template_only: z.boolean().nullish().meta({ description: TEMPLATE_ONLY }),
});

/** Config of a call of a prompt. Several column types have it. */
export class PromptConfig {
  @TemplateField({ optional: true })
  template?: TemplateReference | null;

  @SchemaField(inline, { advanced: true, optional: true, nullable: true, description: INLINE })
  inline_template?: InlineTemplate | null;

  @SourceMap({
    description: MAPPINGS,
    example: { name: 'Column A' },
  })
  prompt_template_variable_mappings: Record<string, JsonValue>;

  @EngineField()
  engine?: Engine | null;

  @CredentialField()
  credential?: string | null;
}

export class PromptTemplateConfig extends PromptConfig {
  @SourceColumn({
    advanced: true,
    optional: true,
    description:
      'A column with the messages of a conversation, as a JSON list of {role, content}. They follow the messages of the prompt.',
  })
  chat_history_source?: JsonValue;

  @BooleanField({ advanced: true, optional: true, default: false, description: VERBOSE })
  verbose?: boolean;

  @BooleanField({ advanced: true, optional: true, default: false, description: TEMPLATE_ONLY })
  return_template_only?: boolean;
}

/** Earlier configs called the name of the prompt `prompt_name`. */
export function withPromptName(config: JsonObject): JsonObject {
  const { template } = config;
  if (!isObject(template) || template.prompt_name === undefined || template.name !== undefined) return config;
  const { prompt_name: name, ...rest } = template;
  return { ...config, template: { name, ...rest } };
}

/** Throws an Error unless there is exactly one prompt. */
export function checkOnePrompt({
  template,
  inline_template: inlined,
}: Pick<PromptConfig, 'template' | 'inline_template'>): void {
  if (!template === !inlined) throw new Error('give either template or inline_template.');
}

export function promptReferences({ template }: Pick<PromptConfig, 'template'>): PromptReference[] {
  if (!template) return [];
  const { name, version_number: version, label } = template;
  return [{ id: null, name, version: version ?? null, label: label ?? null }];
}
