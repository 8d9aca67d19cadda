import { z } from 'zod';
import type { Prompt } from '../../llm/blueprint.js';
import { MetadataSchema, PromptSchema } from '../../llm/blueprint.schema.js';
import type { PromptReference } from '../../llm/prompt-reference.js';
import { BooleanField, MAX_ID, TextField } from '../../platform/http/fields.js';
import { boundedText, SchemaField } from '../../platform/http/schema-field.js';
import { isObject, type JsonObject, type JsonValue } from '../../platform/json.js';
import { SourceColumn, SourceMap } from '../grid/column-type/source-fields.js';

const reference = z.looseObject({
  name: boundedText(1, 512),
  version_number: z.int().min(1).max(MAX_ID).nullish(),
  label: boundedText(1, 255).nullish(),
});

const inline = z.looseObject({
  inline: z.literal(true),
  prompt_template: PromptSchema,
  metadata: MetadataSchema.nullish(),
  source_prompt_name: z.string().max(512).nullish(),
  source_prompt_version: z.int().min(1).max(MAX_ID).nullish(),
});

const engine = z.looseObject({
  provider: boundedText(1, 255),
  model: boundedText(1, 512),
  parameters: z.record(z.string(), z.unknown()).nullish(),
});

export type TemplateReference = z.output<typeof reference>;

export interface Engine {
  provider: string;
  model: string;
  parameters?: JsonObject | null;
}

interface InlineTemplate {
  inline: true;
  prompt_template: Prompt;
  metadata?: { model: never } | null;
}

export const TemplateField = (options: { optional?: boolean } = {}): PropertyDecorator =>
  SchemaField(reference, {
    ...options,
    description:
      'A prompt of the registry, by its name. Without a version and a label, the version is used that is the latest when a cell is computed.',
    example: { name: 'greeting' },
  });

export const EngineField = (
  description = 'The model to call in place of the one that the prompt names.',
): PropertyDecorator =>
  SchemaField(engine, {
    optional: true,
    nullable: true,
    description,
    example: { provider: 'openai', model: 'gpt-4.1-mini', parameters: { temperature: 0 } },
  });

export const CredentialField = (): PropertyDecorator =>
  TextField({
    optional: true,
    nullable: true,
    maxLength: 100,
    description:
      'Which of the model credentials of the provider is used, by its name: the one called "default", or the only one, unless it says otherwise.',
  });

/** What says which model is called. */
export interface EngineChoice {
  engine?: Engine | null;
  credential?: string | null;
}

const DEFAULT_ENGINE =
  'The model to call. Without it that is the `default_model` of the workspace, or else the one of the server (LLM_DEFAULT_MODEL).';

/** For columns whose prompt is ours and names no model. */
export class EngineConfig implements EngineChoice {
  @EngineField(DEFAULT_ENGINE)
  engine?: Engine | null;

  @CredentialField()
  credential?: string | null;
}

/** The config of a PROMPT_TEMPLATE column that stands inside another one, which names the columns for it. */
export const nestedPrompt = z.looseObject({
  template: reference.nullish(),
  inline_template: inline.nullish(),
  prompt_template_variable_mappings: z.record(z.string(), z.string().nullable()).nullish(),
  engine: engine.nullish(),
  credential: z.string().max(100).nullish(),
  verbose: z.boolean().nullish(),
  return_template_only: z.boolean().nullish(),
});

/** What a call of a prompt is made of; columns of several types have it. */
export class PromptConfig {
  @TemplateField({ optional: true })
  template?: TemplateReference | null;

  @SchemaField(inline, {
    optional: true,
    nullable: true,
    description:
      'A prompt that stands here instead of in the registry, with `inline: true`. Give either this or `template`.',
  })
  inline_template?: InlineTemplate | null;

  @SourceMap({
    description: 'The column that fills in each variable of the prompt, by its title or its id.',
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
    optional: true,
    description:
      'A column with the messages of a conversation, as a JSON list of {role, content}. They follow the messages of the prompt.',
  })
  chat_history_source?: JsonValue;

  @BooleanField({
    optional: true,
    default: false,
    description: 'Whether cells hold the answer with its model, tokens and price instead of the answer alone.',
  })
  verbose?: boolean;

  @BooleanField({
    optional: true,
    default: false,
    description: 'Whether cells hold the prompt with its variables filled in. No model is called then.',
  })
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
