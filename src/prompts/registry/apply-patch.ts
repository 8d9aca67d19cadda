import { isSameProvider } from '../../llm/index.js';
import type { ChatPrompt, Prompt } from '../../llm/shared/blueprint.js';
import { ModelSchema, PromptSchema } from '../../llm/shared/blueprint.schema.js';
import { ValidationProblem } from '../../platform/errors/problem.js';
import { parseWith, toDetails } from '../../platform/http/schema-field.js';
import type { JsonObject, JsonValue } from '../../platform/json.js';
import { PromptErrors } from '../shared/prompts.errors.js';
import type { ModelName, PatchPromptRequest } from './publish.dto.js';
import type { PromptMetadata, PromptVersion } from '../shared/prompt.entity.js';
import type { VersionContent } from './store-version.js';

const CHAT_LISTS = ['messages', 'tools', 'functions'] as const;
const CHAT_CHOICES = ['function_call', 'tool_choice'] as const;

/**
 * The content of a version with the changes of a patch. Throws 400 for a patch that does not fit the version, 422 for
 * content that no prompt may have.
 */
export function applyPatch(base: PromptVersion, patch: PatchPromptRequest): VersionContent {
  return {
    template: patchTemplate(base.template, patch),
    metadata: patchMetadata(base.metadata, patch),
    commitMessage: patch.commit_message ?? null,
    // A credential is one of a provider.
    providerBaseUrlName: patch.model && !isOfProvider(base.metadata, patch.model) ? null : base.providerBaseUrlName,
    inferenceClientName: base.inferenceClientName,
    providerId: base.providerId,
    snippetOverrides: base.snippetOverrides,
  };
}

function patchTemplate(template: Prompt, patch: PatchPromptRequest): Prompt {
  checkType(template, patch);
  const changed =
    template.type === 'chat'
      ? patchChat(template, patch)
      : { ...template, ...patchList(template, 'content', patch.content) };
  const parsed = parseWith(PromptSchema, changed);
  if (!parsed.success) throw new ValidationProblem(toDetails(parsed.error, ['body']));
  return parsed.data as Prompt;
}

function checkType({ type }: Prompt, patch: PatchPromptRequest): void {
  const foreign = type === 'chat' ? (['content'] as const) : [...CHAT_LISTS, ...CHAT_CHOICES];
  const field = foreign.find((name) => patch[name] !== undefined);
  if (field) throw PromptErrors.prompt_patch_type_mismatch(field, type);
}

function patchChat(template: ChatPrompt, patch: PatchPromptRequest): object {
  const lists = CHAT_LISTS.map((name) => patchList(template, name, patch[name]));
  const choices = CHAT_CHOICES.filter((name) => patch[name] !== undefined).map((name) => ({ [name]: patch[name] }));
  return Object.assign({ ...template }, ...lists, ...choices) as object;
}

/** Replaces a whole list, single items of it, or removes it. Nothing when the patch does not name it. */
function patchList(template: object, name: string, change: JsonValue | undefined): Record<string, unknown> {
  if (change === undefined) return {};
  const optional = name === 'tools' || name === 'functions';
  if (change === null && !optional) throw PromptErrors.prompt_patch_conflict(`${name} cannot be removed.`);
  if (change === null || Array.isArray(change)) return { [name]: change };
  if (typeof change !== 'object') throw notAList(name);
  const items = [...((template as Record<string, unknown[] | null>)[name] ?? [])];
  for (const [index, item] of Object.entries(change)) {
    const at = /^\d{1,9}$/.test(index) ? Number(index) : items.length;
    if (at >= items.length) throw PromptErrors.prompt_patch_index_invalid(name, index, items.length);
    items[at] = item;
  }
  return { [name]: items };
}

function notAList(name: string): ValidationProblem {
  const msg = 'Input should be a list, or an object whose keys are indexes';
  return new ValidationProblem([{ loc: ['body', name], msg, type: 'list_type' }]);
}

function patchMetadata(given: PromptMetadata | null, patch: PatchPromptRequest): PromptMetadata | null {
  const { model_parameters: parameters, response_format: responseFormat } = patch;
  const removed = patch.removed_model_parameters ?? [];
  const metadata = patchModel(given, patch.model);
  checkParameters(patch);
  if (!parameters && responseFormat === undefined && removed.length === 0) return metadata;
  if (!metadata?.model) {
    throw PromptErrors.prompt_patch_conflict(
      'The version has no model whose parameters could be set. Send `model` with them.',
    );
  }
  const kept = Object.entries(metadata.model.parameters ?? {}).filter(([name]) => !removed.includes(name));
  const merged: JsonObject = { ...Object.fromEntries(kept), ...parameters };
  if (responseFormat === null) delete merged.response_format;
  else if (responseFormat !== undefined) merged.response_format = responseFormat;
  return { ...metadata, model: { ...metadata.model, parameters: merged } };
}

/**
 * Replaces the model and keeps its parameters, and the API type unless the provider changes. Drops the display names of the old
 * model.
 */
function patchModel(metadata: PromptMetadata | null, model: ModelName | undefined): PromptMetadata | null {
  const before = metadata?.model;
  if (!model) return metadata;
  const isKnown = isOfProvider(metadata, model);
  if (isKnown && before?.name === model.name) return metadata;
  const kept = { parameters: before?.parameters, api_type: isKnown ? before?.api_type : null };
  return { ...metadata, model: ModelSchema.parse({ ...model, ...kept }) } as PromptMetadata;
}

const isOfProvider = (metadata: PromptMetadata | null, { provider }: ModelName): boolean =>
  metadata?.model ? isSameProvider(metadata.model.provider, provider) : false;

/** Throws if a patch changes a parameter in two ways. */
function checkParameters(patch: PatchPromptRequest): void {
  const { model_parameters: parameters, removed_model_parameters: removed, response_format: responseFormat } = patch;
  const isSet = (name: string) => Object.hasOwn(parameters ?? {}, name);
  if (responseFormat !== undefined && isSet('response_format')) {
    throw PromptErrors.prompt_patch_conflict('Send response_format either by itself or in model_parameters, not both.');
  }
  const both = removed?.find((name) => isSet(name) || (name === 'response_format' && responseFormat));
  if (both !== undefined) {
    throw PromptErrors.prompt_patch_conflict(`${both} is both set and removed. Send it in one place only.`);
  }
}
